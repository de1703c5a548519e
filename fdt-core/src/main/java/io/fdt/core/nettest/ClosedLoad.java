package io.fdt.core.nettest;

/** As much as goes with so many buffers: what the path can do. The first half warms up. The lane's thread. */
final class ClosedLoad extends LoadPace {
    private final long countedNanos;
    private long endNanos;
    private long counted;
    private long firstNanos;
    private long lastNanos;

    ClosedLoad(int txBuffers, long startNanos, long durationNanos) {
        super(txBuffers);
        this.countedNanos = startNanos + durationNanos / 2;
        this.endNanos = startNanos + durationNanos;
    }

    @Override
    int toSend(long nowNanos) {
        return isOver(nowNanos) ? 0 : freeBuffers();
    }

    @Override
    long nextNanos() {
        return countedNanos;
    }

    @Override
    boolean isOver(long nowNanos) {
        return nowNanos - endNanos >= 0;
    }

    @Override
    void cut(long nowNanos) {
        if (!isOver(nowNanos)) {
            endNanos = nowNanos;
        }
    }

    @Override
    void onAnswer(long number, long nowNanos) {
        if (nowNanos - countedNanos < 0 || isOver(nowNanos)) {
            return;
        }
        if (counted == 0) {
            firstNanos = nowNanos;
        }
        counted++;
        lastNanos = nowNanos;
    }

    /** Requests a second; 0 where too few were answered to say. */
    double perSecond() {
        return lastNanos - firstNanos <= 0 ? 0 : (counted - 1) * 1e9 / (lastNanos - firstNanos);
    }
}
