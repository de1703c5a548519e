package io.fdt.core.security;

/**
 * Limits on the holder of a key, in addition to those of the server.
 *
 * @param rateBitsPerSecond of all its copies together, in both directions; 0 for no limit
 * @param bytes of one transfer
 * @param sessions at the same time
 */
public record KeyLimits(long rateBitsPerSecond, long bytes, int sessions) {
    public static final KeyLimits NONE = new KeyLimits(0, Long.MAX_VALUE, Integer.MAX_VALUE);

    public KeyLimits {
        if (rateBitsPerSecond < 0 || bytes < 0 || sessions < 1) {
            throw new IllegalArgumentException("the limits of a key must not be negative");
        }
    }
}
