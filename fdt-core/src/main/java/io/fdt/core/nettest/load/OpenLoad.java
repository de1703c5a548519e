package io.fdt.core.nettest.load;

import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestValue;
import java.util.ArrayList;
import java.util.List;

/**
 * One step of offered load: requests are due at fixed times, whatever happens to earlier ones. A request's latency
 * counts from the time when it was due, so a server that stalls shows in all requests that it delayed, and not only in
 * one. What could not be sent by the end counts with the time that it has waited until then. For the lane's thread,
 * unless stated otherwise.
 */
final class OpenLoad extends LoadPace {
    private static final long SECOND = 1_000_000_000L;

    /** Requests that were never sent are recorded in this many parts: finer than the resolution of the histogram. */
    private static final int PARTS = 2_000;

    /** From a tenth of the path's capacity to beyond it, closer together near the capacity. */
    private static final double[] SHARES = {0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.3};

    private final long perSecond;
    private final long startNanos;
    private final Latencies latencies = new Latencies();
    private long total;
    private long endNanos;
    private long lastAnswerNanos;
    private long waits;
    private long waitedNanos;
    private boolean waiting;
    private long waitingFromNanos;

    OpenLoad(int txBuffers, long perSecond, long startNanos, long durationNanos) {
        super(txBuffers);
        this.perSecond = perSecond;
        this.startNanos = startNanos;
        this.endNanos = startNanos + durationNanos;
        this.lastAnswerNanos = startNanos;
        this.total = Math.max(1, times(durationNanos));
    }

    /** This many requests are due within this time. */
    private long times(long nanos) {
        return nanos / SECOND * perSecond + nanos % SECOND * perSecond / SECOND;
    }

    long dueNanos(long number) {
        long part = number % perSecond * SECOND;
        return startNanos + number / perSecond * SECOND + (part + perSecond - 1) / perSecond;
    }

    private long due(long nowNanos) {
        return nowNanos - startNanos < 0 ? 0 : Math.min(total, times(nowNanos - startNanos) + 1);
    }

    @Override
    int toSend(long nowNanos) {
        if (isOver(nowNanos)) {
            endWaiting(nowNanos);
            return 0;
        }
        long backlog = due(nowNanos) - sent();
        int free = freeBuffers();
        if (backlog > 0 && free == 0) {
            if (!waiting) {
                waiting = true;
                waitingFromNanos = nowNanos;
                waits++;
            }
            return 0;
        }
        endWaiting(nowNanos);
        return (int) Math.min(backlog, free);
    }

    private void endWaiting(long nowNanos) {
        if (waiting) {
            waiting = false;
            waitedNanos += Math.max(0, Math.min(nowNanos - waitingFromNanos, endNanos - waitingFromNanos));
        }
    }

    @Override
    long nextNanos() {
        return sent() < total ? dueNanos(sent()) : endNanos;
    }

    @Override
    boolean isOver(long nowNanos) {
        return nowNanos - endNanos >= 0;
    }

    /** Requests that would be due later are not offered. */
    @Override
    void cut(long nowNanos) {
        if (!isOver(nowNanos)) {
            total = Math.max(sent(), due(nowNanos));
            endNanos = nowNanos;
        }
    }

    @Override
    void onAnswer(long number, long nowNanos) {
        latencies.record(nowNanos - dueNanos(number));
        lastAnswerNanos = nowNanos;
    }

    /** Everything that was sent has been answered. Call it once: it counts what has never been sent. */
    Latencies finish() {
        endWaiting(endNanos);
        long number = sent();
        while (number < total) {
            long together = Math.max(1, (total - number) / PARTS);
            latencies.record(endNanos - dueNanos(number + together / 2), together);
            number += together;
        }
        return latencies;
    }

    long offered() {
        return total;
    }

    /** From the start until the end or the last answer, whichever is later. */
    double seconds() {
        return Math.max(endNanos - startNanos, lastAnswerNanos - startNanos) / 1e9;
    }

    /** How often a request was due and no buffer was free. */
    long waits() {
        return waits;
    }

    double waitedSeconds() {
        return waitedNanos / 1e9;
    }

    // ---- The default load.

    /** Rising steps around this rate, in round numbers. */
    static List<Integer> around(double perSecond) {
        List<Integer> steps = new ArrayList<>();
        int before = 0;
        for (double share : SHARES) {
            before = (int) Math.max(before + 1.0, Math.min(NettestValue.MAX_PER_SECOND, round(perSecond * share)));
            steps.add(before);
        }
        return steps;
    }

    /** Two digits are enough. */
    private static double round(double rate) {
        double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1));
        return Math.rint(rate / unit) * unit;
    }
}
