package io.fdt.core.plan;

/**
 * How much of the endless source {@code /dev/zero} is sent; the time decides if both are set.
 *
 * @param bytes or -1
 * @param nanos for how long, or -1
 */
public record Zeros(long bytes, long nanos) {
    /** For all other sources, which have an end. */
    public static final Zeros NONE = new Zeros(-1, -1);

    public boolean hasEnd() {
        return bytes >= 0 || nanos >= 0;
    }
}
