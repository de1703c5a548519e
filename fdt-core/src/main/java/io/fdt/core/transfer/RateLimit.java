package io.fdt.core.transfer;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.ServerTotals;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Limits the mean payload rate of one or several sessions, shared by their lanes. It has two token buckets, each stored
 * as the time at which it will be empty again: one limits the mean to the rate and remembers for a second what could
 * not be sent, the other lets that be made up for, at no more than a tenth above the rate. So neither a slow start nor
 * a host that is busy for a moment lowers the mean, and neither leads to a burst. Each lane reserves tokens before it
 * sends and waits as long as required. Thread-safe, lock-free.
 */
public final class RateLimit {
    /** What may be sent at once after a pause. */
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The period of the mean: what was not sent before it cannot be made up for. */
    private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How soon a wait notices the end of its session. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final double CATCH_UP = 1.1;

    private final Clock clock;
    private final double nanosPerByte;
    private final ServerTotals.Word meanEmptyAtNanos;
    private final ServerTotals.Word paceEmptyAtNanos;
    private final @Nullable RateLimit next;

    /** @param bitsPerSecond 0 for no limit */
    public RateLimit(long bitsPerSecond, Clock clock) {
        this(bitsPerSecond, clock, ServerTotals.Word.ofThisProcess(), ServerTotals.Word.ofThisProcess());
    }

    /** With buckets that other processes may use too; 0 for one that nobody has used. */
    RateLimit(long bitsPerSecond, Clock clock, ServerTotals.Word mean, ServerTotals.Word pace) {
        this(clock, bitsPerSecond == 0 ? 0 : 8e9 / bitsPerSecond, mean, pace, null);
        mean.compareAndSet(0, clock.nanoTime());
        pace.compareAndSet(0, clock.nanoTime());
    }

    private RateLimit(
            Clock clock,
            double nanosPerByte,
            ServerTotals.Word mean,
            ServerTotals.Word pace,
            @Nullable RateLimit next) {
        this.clock = clock;
        this.nanosPerByte = nanosPerByte;
        this.meanEmptyAtNanos = mean;
        this.paceEmptyAtNanos = pace;
        this.next = next;
    }

    /** Combines this limit, with the same buckets, and another one. */
    public RateLimit and(RateLimit other) {
        return new RateLimit(
                clock, nanosPerByte, meanEmptyAtNanos, paceEmptyAtNanos, next == null ? other : next.and(other));
    }

    public boolean isUnlimited() {
        return nanosPerByte == 0 && (next == null || next.isUnlimited());
    }

    /** Takes the tokens for these bytes, which the caller will send; returns how long it must wait first. */
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

    /**
     * Takes the tokens and waits, on a thread that has nothing else to do; returns for how long. Throws the reason as
     * soon as the session is ending.
     */
    public long await(int bytes, Budget session) {
        long waitNanos = reserve(bytes);
        if (waitNanos <= 0) {
            return 0;
        }
        long start = System.nanoTime();
        for (long left = waitNanos;
                left > 0 && !Thread.currentThread().isInterrupted();
                left = waitNanos - (System.nanoTime() - start)) {
            session.requireOpen();
            LockSupport.parkNanos(this, Math.min(left, LOOK_NANOS));
        }
        return System.nanoTime() - start;
    }

    /** Takes the tokens, and returns how long until the bucket has them; negative if it had more. */
    private static long take(ServerTotals.Word emptyAtNanos, long now, long depthNanos, long cost) {
        while (true) {
            long emptyAt = emptyAtNanos.get();
            long waitNanos = Math.max(emptyAt - now, -depthNanos);
            if (emptyAtNanos.compareAndSet(emptyAt, now + waitNanos + cost)) {
                return waitNanos;
            }
        }
    }
}
