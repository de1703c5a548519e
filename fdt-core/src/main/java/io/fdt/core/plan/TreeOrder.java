package io.fdt.core.plan;

/**
 * The order in which a sorted walk meets paths: a directory before what is in it, and all of that before the next name
 * of the same directory. It is the order of the bytes, but for the slash, which comes before every byte of a name.
 */
public final class TreeOrder {
    private TreeOrder() {}

    public static int compare(RawPath left, RawPath right) {
        int common = Math.min(left.lengthBytes(), right.lengthBytes());
        for (int i = 0; i < common; i++) {
            int difference = rank(left.byteAt(i)) - rank(right.byteAt(i));
            if (difference != 0) {
                return difference;
            }
        }
        return Integer.compare(left.lengthBytes(), right.lengthBytes());
    }

    private static int rank(byte value) {
        return value == '/' ? 0 : value & 0xFF;
    }

    /** Whether the path is the other one or lies below it. */
    public static boolean covers(RawPath upper, RawPath path) {
        return path.relativeTo(upper) != null;
    }
}
