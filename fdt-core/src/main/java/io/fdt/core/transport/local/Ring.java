package io.fdt.core.transport.local;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * One direction of a shared memory lane: a ring of bytes and four control words, each in its own cache lines. The words
 * are the numbers of bytes ever written and ever read, whose difference is the content of the ring, and for each end
 * whether it sleeps and needs a wake-up. Each word is written by one end; only a request for a wake-up is cleared by
 * the other.
 *
 * <p>All access is sequentially consistent: an end that is about to sleep sets its word before it checks a last time,
 * and an end that adds or removes bytes checks that word afterwards, so one of the two sees the other.
 *
 * @param words the control words
 * @param capacity of the ring, a power of two
 */
record Ring(ByteBuffer words, long dataAddress, int capacity, String peer) {
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

    Ring {
        if (Integer.bitCount(capacity) != 1) {
            throw new IllegalArgumentException("a ring's capacity is a power of two, not " + capacity);
        }
    }

    /**
     * @param memory all memory of the lane, at this address
     * @param direction 0 from the client to the server, 1 back
     */
    static Ring of(ByteBuffer memory, long address, int direction, String peer) {
        return new Ring(
                memory.slice(direction * WORDS_BYTES, WORDS_BYTES).order(ByteOrder.nativeOrder()),
                address + WORDS_PAGE_BYTES + (long) direction * CAPACITY_BYTES,
                CAPACITY_BYTES,
                peer);
    }

    long get(int word) {
        return (long) WORD.getVolatile(words, word);
    }

    void set(int word, long value) {
        WORD.setVolatile(words, word, value);
    }

    boolean takeCall(int word) {
        if (get(word) == 0) {
            return false;
        }
        set(word, 0);
        return true;
    }

    TransferException breach() {
        return Cause.MALFORMED.failure(peer + " wrote invalid numbers into the shared memory; the lane was closed");
    }
}
