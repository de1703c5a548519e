package io.fdt.core.transfer;

import io.fdt.core.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A ceiling on the mean payload rate of a session, or of several, shared by their lanes. Two token buckets, each kept
 * as the time at which it will be empty again: one holds the mean to the rate and remembers for a second what could not
 * be sent, the other lets that be made up for, but never faster than a tenth above the rate. So neither a slow start
 * nor a host that is busy for a moment takes from the mean, and neither becomes a burst. Each lane reserves before it
 * sends and waits as long as it is told. Thread-safe, lock-free.
 */
public final class RateLimit {
    /** What may go at once, after a pause, without any pace. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How far back the mean looks: what was not sent before is lost. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final double CATCH_UP = 1.1;

    private final Clock clock;
    private final double nanosPerByte;
    private final AtomicLong meanEmptyAtNanos;
    private final AtomicLong paceEmptyAtNanos;
    private final @Nullable RateLimit next;

    /** @param bitsPerSecond 0 for no limit */
    public RateLimit(long bitsPerSecond, Clock clock) {
        this(
                clock,
                bitsPerSecond == 0 ? 0 : 8e9 / bitsPerSecond,
                new AtomicLong(clock.nanoTime()),
                new AtomicLong(clock.nanoTime()),
                null);
    }

    private RateLimit(Clock clock, double nanosPerByte, AtomicLong mean, AtomicLong pace, @Nullable RateLimit next) {
        this.clock = clock;
        this.nanosPerByte = nanosPerByte;
        this.meanEmptyAtNanos = mean;
        this.paceEmptyAtNanos = pace;
        this.next = next;
    }

    /** This one, with the same buckets, and behind it another. */
    public RateLimit and(RateLimit other) {
        return new RateLimit(clock, nanosPerByte, meanEmptyAtNanos, paceEmptyAtNanos, other);
    }

    public boolean isUnlimited() {
        return nanosPerByte == 0 && (next == null || next.isUnlimited());
    }

    /** Takes the tokens for these bytes, which the caller will send; returns how long it must wait before. */
    public long reserve(int bytes) {
        long later = next == null ? 0 : next.reserve(bytes);
        if (nanosPerByte == 0) {
            return later;
        }
        double cost = bytes * nanosPerByte;
        long now = clock.nanoTime();
        long mean = take(meanEmptyAtNanos, now, MEMORY_NANOS, (long) cost);
        long pace = take(paceEmptyAtNanos, now, BURST_NANOS, (long) (cost / CATCH_UP));
        return Math.max(later, Math.max(mean, pace));
    }

    /** Takes the tokens and waits, on the thread of a lane, which has nothing else to do; returns for how long. */
    public long await(int bytes) {
        long waitNanos = reserve(bytes);
        if (waitNanos <= 0) {
            return 0;
        }
        long start = System.nanoTime();
        for (long left = waitNanos;
                left > 0 && !Thread.currentThread().isInterrupted();
                left = waitNanos - (System.nanoTime() - start)) {
            LockSupport.parkNanos(this, left);
        }
        return System.nanoTime() - start;
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
