package io.fdt.core.objects;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.openhft.hashing.LongHashFunction;

/** What the store does with the bytes of keys. Allocates nothing; leaves buffers as they are. */
final class ObjectKey {
    static final int MAX_BYTES = 255;

    private static final VarHandle WORDS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private ObjectKey() {}

    static long hash(LongHashFunction function, ByteBuffer key) {
        return function.hashBytes(key, key.position(), key.remaining());
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
