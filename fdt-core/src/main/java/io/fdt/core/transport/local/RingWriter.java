package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * The writing end of one direction of a shared memory lane; see {@link RingLayout}. It keeps its own position in
 * private memory. From the shared memory it reads only the reader's position, once for each check, and validates it
 * against what it wrote. For the lane's thread only. Allocates nothing.
 */
final class RingWriter {
    /** Published one by one, so that the reader copies out while the writer still copies in. */
    private static final int PIECE_BYTES = 32 << 10;

    private final ByteBuffer words;
    private final long dataAddress;
    private final int capacity;
    private final String peer;
    private long written;

    /** @param words the direction's control words */
    RingWriter(ByteBuffer words, long dataAddress, int capacity, String peer) {
        this.words = words;
        this.dataAddress = dataAddress;
        this.capacity = RingLayout.requirePowerOfTwo(capacity);
        this.peer = peer;
    }

    /**
     * Returns the free space in bytes.
     *
     * @throws TransferException if the peer left an impossible value in the shared memory
     */
    int room() {
        long used = written - RingLayout.get(words, RingLayout.READ);
        if (used < 0 || used > capacity) {
            throw RingLayout.breach(peer);
        }
        return capacity - (int) used;
    }

    /** Copies in as much as there is room for, and returns the number of bytes. */
    int write(long address, int lengthBytes) {
        int most = Math.min(lengthBytes, room());
        int done = 0;
        while (done < most) {
            int at = (int) (written & (capacity - 1));
            int piece = Math.min(Math.min(most - done, PIECE_BYTES), capacity - at);
            Libc.memcpy(dataAddress + at, address + done, piece);
            written += piece;
            done += piece;
            RingLayout.set(words, RingLayout.WRITTEN, written);
        }
        return done;
    }

    /** Whether the reader needs a wake-up; returns true only once for each request. */
    boolean takeReadersCall() {
        return RingLayout.takeCall(words, RingLayout.READER_WAITS);
    }

    void waits(boolean waiting) {
        RingLayout.set(words, RingLayout.WRITER_WAITS, waiting ? 1 : 0);
    }
}
