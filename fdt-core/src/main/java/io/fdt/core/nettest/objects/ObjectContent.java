package io.fdt.core.nettest.objects;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The keys and values of the objects of a test. A key contains the size and the number of its object. Every eight bytes
 * of a value are derived from the key, the version and their position, so a reader can verify that a value is the one
 * that was written. Pure functions; allocates nothing.
 */
final class ObjectContent {
    /**
     * A value up to twice this length is verified completely, a longer one at both ends and at as many random
     * positions.
     */
    private static final int CHECKED_BYTES = 4096;

    private static final long ODD = 0x9E3779B97F4A7C15L;

    private ObjectContent() {}

    static void putKey(ByteBuffer into, int index, int keyBytes, int sizeBytes, int number) {
        into.putInt(index, sizeBytes);
        into.putInt(index + 4, number);
        put(into, index + 8, keyBytes - 8, mix(((long) sizeBytes << 32) | number));
    }

    static void putValue(ByteBuffer into, int index, int sizeBytes, int number, long version) {
        put(into, index, sizeBytes, seed(sizeBytes, number, version));
    }

    static boolean isValue(ByteBuffer bytes, int index, int sizeBytes, int number, long version) {
        long seed = seed(sizeBytes, number, version);
        if (sizeBytes <= 2 * CHECKED_BYTES) {
            return isWhole(bytes, index, 0, sizeBytes, seed);
        }
        int last = (sizeBytes - CHECKED_BYTES) & -Long.BYTES;
        int between = ThreadLocalRandom.current().nextInt(last) & -Long.BYTES;
        return isWhole(bytes, index, 0, CHECKED_BYTES, seed)
                && isWhole(bytes, index, between, between + CHECKED_BYTES, seed)
                && isWhole(bytes, index, last, sizeBytes, seed);
    }

    /** Like {@link #isValue}, but verifies all bytes. */
    static boolean isWholeValue(ByteBuffer bytes, int index, int sizeBytes, int number, long version) {
        return isWhole(bytes, index, 0, sizeBytes, seed(sizeBytes, number, version));
    }

    private static long seed(int sizeBytes, int number, long version) {
        return mix(mix(((long) sizeBytes << 32) | number) + version);
    }

    private static void put(ByteBuffer into, int index, int length, long seed) {
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            into.putLong(index + at, word(seed, at));
        }
        long rest = word(seed, at);
        for (; at < length; at++) {
            into.put(index + at, (byte) (rest >>> (8 * (at % Long.BYTES))));
        }
    }

    private static boolean isWhole(ByteBuffer bytes, int index, int from, int to, long seed) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            if (bytes.getLong(index + at) != word(seed, at)) {
                return false;
            }
        }
        long rest = word(seed, at);
        for (; at < to; at++) {
            if (bytes.get(index + at) != (byte) (rest >>> (8 * (at % Long.BYTES)))) {
                return false;
            }
        }
        return true;
    }

    private static long word(long seed, int at) {
        return (seed ^ at) * ODD;
    }

    private static long mix(long value) {
        long mixed = (value + ODD) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 30)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
