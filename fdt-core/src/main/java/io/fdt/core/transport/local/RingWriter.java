package io.fdt.core.transport.local;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;

/**
 * The writing end of one direction of a shared memory lane; see {@link Ring}. It keeps its own position in private
 * memory. From the shared memory it reads only the reader's position, once for each check, and validates it against
 * what it wrote. For the lane's thread only. Allocates nothing.
 */
final class RingWriter {
    /** Published one by one, so that the reader copies out while the writer still copies in. */
    private static final int PIECE_BYTES = 32 << 10;

    private final Ring ring;
    private long written;

    RingWriter(Ring ring) {
        this.ring = ring;
    }

    /**
     * Returns the free space in bytes.
     *
     * @throws TransferException if the peer left an impossible value in the shared memory
     */
    int room() {
        long used = written - ring.get(Ring.READ);
        if (used < 0 || used > ring.capacity()) {
            throw ring.breach();
        }
        return ring.capacity() - (int) used;
    }

    /** Copies in as much as there is room for, and returns the number of bytes. */
    int write(long address, int lengthBytes) {
        int most = Math.min(lengthBytes, room());
        int done = 0;
        while (done < most) {
            int at = (int) (written & (ring.capacity() - 1));
            int piece = Math.min(Math.min(most - done, PIECE_BYTES), ring.capacity() - at);
            Libc.memcpy(ring.dataAddress() + at, address + done, piece);
            written += piece;
            done += piece;
            ring.set(Ring.WRITTEN, written);
        }
        return done;
    }

    /** Whether the reader needs a wake-up; returns true only once for each request. */
    boolean takeReadersCall() {
        return ring.takeCall(Ring.READER_WAITS);
    }

    void waits(boolean waiting) {
        ring.set(Ring.WRITER_WAITS, waiting ? 1 : 0);
    }
}
