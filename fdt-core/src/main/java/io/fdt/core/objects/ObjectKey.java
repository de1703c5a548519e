package io.fdt.core.objects;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Hashing and comparing of keys. Allocates nothing and does not change buffers. */
final class ObjectKey {
    static final int MAX_BYTES = 255;

    private static final VarHandle WORDS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private ObjectKey() {}

    /** Every bit depends on every bit of the key and of the seed, so nobody can predict the place of a key. */
    static long hash(long seed, ByteBuffer key) {
        int start = key.position();
        int length = key.remaining();
        long hash = seed ^ length;
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            hash = mixed(hash ^ (long) WORDS.get(key, start + at));
        }
        long rest = 0;
        for (; at < length; at++) {
            rest = (rest << Byte.SIZE) | (key.get(start + at) & 0xFF);
        }
        return mixed(hash ^ rest);
    }

    /** A bijection: different words stay different. */
    private static long mixed(long value) {
        long mixed = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    /** Whether the bytes from the index on are the key's. */
    static boolean equal(ByteBuffer bytes, int index, ByteBuffer key) {
        int start = key.position();
        int length = key.remaining();
        int at = 0;
        for (; at + Long.BYTES <= length; at += Long.BYTES) {
            if ((long) WORDS.get(bytes, index + at) != (long) WORDS.get(key, start + at)) {
                return false;
            }
        }
        for (; at < length; at++) {
            if (bytes.get(index + at) != key.get(start + at)) {
                return false;
            }
        }
        return true;
    }

    static int roundedUp(int bytes) {
        return (bytes + Long.BYTES - 1) & -Long.BYTES;
    }
}
