package io.fdt.core.nettest.load;

/**
 * The highest rate with this many buffers: the capacity of the path. The first half of the time is warm-up. If the rest
 * has too few answers for a rate, as over a slow or long path, it continues until there are enough. For the lane's
 * thread.
 */
final class ClosedLoad extends LoadPace {
    /** Enough answers to determine the rate. */
    private static final long ENOUGH = 1_000;

    private final long countedNanos;
    private final long endNanos;
    private long latestNanos;
    private boolean begun;
    private long counted;
    private long firstNanos;
    private long lastNanos;

    /** @param mostNanos the maximum duration */
    ClosedLoad(int txBuffers, long startNanos, long durationNanos, long mostNanos) {
        super(txBuffers);
        this.countedNanos = startNanos + durationNanos / 2;
        this.endNanos = startNanos + durationNanos;
        this.latestNanos = startNanos + mostNanos;
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
        return nowNanos - latestNanos >= 0 || (counted >= ENOUGH && nowNanos - endNanos >= 0);
    }

    @Override
    void cut(long nowNanos) {
        if (!isOver(nowNanos)) {
            latestNanos = nowNanos;
        }
    }

    /** Answers arrive in bursts, so the clock starts with the first burst, which is not counted. */
    @Override
    void onAnswer(long number, long nowNanos) {
        boolean ofThisBurst = begun && nowNanos == lastNanos;
        if (nowNanos - countedNanos < 0 || (!ofThisBurst && isOver(nowNanos))) {
            return;
        }
        if (!begun) {
            begun = true;
            firstNanos = nowNanos;
        }
        if (nowNanos != firstNanos) {
            counted++;
            lastNanos = nowNanos;
        }
    }

    /** Requests per second; 0 if there were too few answers. */
    double perSecond() {
        return counted == 0 ? 0 : counted * 1e9 / (lastNanos - firstNanos);
    }
}
