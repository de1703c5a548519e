package io.fdt.core.transport.local;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The layout of the memory of a shared memory lane. Each direction has a ring of bytes and four control words, each in
 * its own cache lines: the numbers of bytes ever written and ever read, whose difference is the content of the ring,
 * and for each end whether it sleeps and needs a wake-up. Each word is written by one end; only a request for a wake-up
 * is cleared by the other.
 *
 * <p>All access is sequentially consistent: an end that is about to sleep sets its word before it checks a last time,
 * and an end that adds or removes bytes checks that word afterwards, so one of the two sees the other.
 */
final class RingLayout {
    static final int WRITTEN = 0;
    static final int READ = 128;
    static final int READER_WAITS = 256;
    static final int WRITER_WAITS = 384;
    static final int WORDS_BYTES = 512;

    /** A direction holds two blocks of a lane: one is copied in while the other is copied out. */
    static final int CAPACITY_BYTES = 256 << 10;

    private static final int DIRECTIONS = 2;
    private static final int WORDS_PAGE_BYTES = 4096;
    static final int TOTAL_BYTES = WORDS_PAGE_BYTES + DIRECTIONS * CAPACITY_BYTES;

    private static final VarHandle WORD = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private RingLayout() {}

    /** @param direction 0 from the client to the server, 1 back */
    static ByteBuffer words(ByteBuffer memory, int direction) {
        return memory.slice(direction * WORDS_BYTES, WORDS_BYTES).order(ByteOrder.nativeOrder());
    }

    static long dataOffset(int direction) {
        return WORDS_PAGE_BYTES + (long) direction * CAPACITY_BYTES;
    }

    static long get(ByteBuffer words, int word) {
        return (long) WORD.getVolatile(words, word);
    }

    static void set(ByteBuffer words, int word, long value) {
        WORD.setVolatile(words, word, value);
    }

    static boolean takeCall(ByteBuffer words, int word) {
        if (get(words, word) == 0) {
            return false;
        }
        set(words, word, 0);
        return true;
    }

    static int requirePowerOfTwo(int capacity) {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("a ring's capacity is a power of two, not " + capacity);
        }
        return capacity;
    }

    static TransferException breach(String peer) {
        return FailureKind.VERSION.failure(peer + " wrote invalid numbers into the shared memory; the lane was closed");
    }
}
