package io.fdt.core.transfer;

import io.fdt.core.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A ceiling on the payload rate of a whole session, shared by its lanes: a token bucket kept as the time at which it
 * will be empty again. Each lane reserves before it sends and waits as long as it is told. Thread-safe, lock-free.
 */
final class RateLimit {
    private static final long BURST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Clock clock;
    private final double nanosPerByte;
    private final AtomicLong emptyAtNanos;

    /** @param bitsPerSecond 0 for no limit */
    RateLimit(long bitsPerSecond, Clock clock) {
        this.clock = clock;
        this.nanosPerByte = bitsPerSecond == 0 ? 0 : 8e9 / bitsPerSecond;
        this.emptyAtNanos = new AtomicLong(clock.nanoTime());
    }

    boolean isUnlimited() {
        return nanosPerByte == 0;
    }

    /** Takes the tokens for these bytes, which the caller will send; returns how long it must wait before. */
    long reserve(int bytes) {
        if (isUnlimited()) {
            return 0;
        }
        long cost = (long) (bytes * nanosPerByte);
        while (true) {
            long now = clock.nanoTime();
            long emptyAt = emptyAtNanos.get();
            long start = Math.max(emptyAt - now, -BURST_NANOS) + now;
            if (emptyAtNanos.compareAndSet(emptyAt, start + cost)) {
                return Math.max(0, start - now);
            }
        }
    }
}
