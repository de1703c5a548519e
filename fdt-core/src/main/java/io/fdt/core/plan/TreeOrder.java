package io.fdt.core.plan;

/**
 * The order in which a sorted walk visits paths: a directory before its contents, and these before the next name in the
 * parent directory. It is the order of the bytes, except that the slash sorts before every byte of a name.
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

    /** Whether the path equals the other one or is below it. */
    public static boolean covers(RawPath upper, RawPath path) {
        return path.relativeTo(upper) != null;
    }
}
