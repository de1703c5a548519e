package io.fdt.core.transfer.sending;

import io.fdt.core.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ceiling on the mean payload rate of a whole session, shared by its lanes. Two token buckets, each kept as the time
 * at which it will be empty again: one holds the mean to the rate and remembers for a second what could not be sent,
 * the other lets that be made up for, but never faster than a tenth above the rate. So neither a slow start nor a host
 * that is busy for a moment takes from the mean, and neither becomes a burst. Each lane reserves before it sends and
 * waits as long as it is told. Thread-safe, lock-free.
 */
final class RateLimit {
    /** What may go at once, after a pause, without any pace. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How far back the mean looks: what was not sent before is lost. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final double CATCH_UP = 1.1;

    private final Clock clock;
    private final double nanosPerByte;
    private final AtomicLong meanEmptyAtNanos;
    private final AtomicLong paceEmptyAtNanos;

    /** @param bitsPerSecond 0 for no limit */
    RateLimit(long bitsPerSecond, Clock clock) {
        this.clock = clock;
        this.nanosPerByte = bitsPerSecond == 0 ? 0 : 8e9 / bitsPerSecond;
        this.meanEmptyAtNanos = new AtomicLong(clock.nanoTime());
        this.paceEmptyAtNanos = new AtomicLong(clock.nanoTime());
    }

    boolean isUnlimited() {
        return nanosPerByte == 0;
    }

    /** Takes the tokens for these bytes, which the caller will send; returns how long it must wait before. */
    long reserve(int bytes) {
        if (isUnlimited()) {
            return 0;
        }
        double cost = bytes * nanosPerByte;
        long now = clock.nanoTime();
        long mean = take(meanEmptyAtNanos, now, MEMORY_NANOS, (long) cost);
        long pace = take(paceEmptyAtNanos, now, BURST_NANOS, (long) (cost / CATCH_UP));
        return Math.max(0, Math.max(mean, pace));
    }

    /** How long until the bucket has the tokens, which are taken from it; negative if it had more. */
    private static long take(AtomicLong emptyAtNanos, long now, long depthNanos, long cost) {
        while (true) {
            long emptyAt = emptyAtNanos.get();
            long waitNanos = Math.max(emptyAt - now, -depthNanos);
            if (emptyAtNanos.compareAndSet(emptyAt, now + waitNanos + cost)) {
                return waitNanos;
            }
        }
    }
}
