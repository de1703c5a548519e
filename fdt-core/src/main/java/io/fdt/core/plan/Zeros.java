package io.fdt.core.plan;

import java.time.Duration;

/**
 * How much of the endless source {@code /dev/zero} is sent; the time decides if both are set.
 *
 * @param bytes or -1
 * @param nanos for how long, or -1
 */
public record Zeros(long bytes, long nanos) {
    /** For all other sources, which have an end. */
    public static final Zeros NONE = new Zeros(-1, -1);

    public static Zeros of(long bytes) {
        return new Zeros(bytes, -1);
    }

    public static Zeros lasting(Duration time) {
        return new Zeros(-1, time.toNanos());
    }

    public boolean hasEnd() {
        return bytes >= 0 || nanos >= 0;
    }
}
