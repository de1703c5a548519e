package io.fdt.core.transport.local;

import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;

/**
 * The reading end of one direction of a shared memory lane; the counterpart of {@link RingWriter}. Bytes are copied out
 * before they are interpreted, so the peer cannot change them after they were checked. For the lane's thread only.
 * Allocates nothing.
 */
final class RingReader {
    private final Ring ring;
    private long taken;

    RingReader(Ring ring) {
        this.ring = ring;
    }

    /** @throws TransferException if the peer left an impossible value in the shared memory */
    int available() {
        long ready = ring.get(Ring.WRITTEN) - taken;
        if (ready < 0 || ready > ring.capacity()) {
            throw ring.breach();
        }
        return (int) ready;
    }

    /** Copies out up to this many bytes, and returns their number. */
    int read(long address, int lengthBytes) {
        int most = Math.min(lengthBytes, available());
        int at = (int) (taken & (ring.capacity() - 1));
        int first = Math.min(most, ring.capacity() - at);
        if (first > 0) {
            Libc.memcpy(address, ring.dataAddress() + at, first);
        }
        if (most > first) {
            Libc.memcpy(address + first, ring.dataAddress(), most - first);
        }
        return pass(most);
    }

    /** Like {@link #read}, but skips the bytes. */
    int skip(int lengthBytes) {
        return pass(Math.min(lengthBytes, available()));
    }

    private int pass(int bytes) {
        if (bytes > 0) {
            taken += bytes;
            ring.set(Ring.READ, taken);
        }
        return bytes;
    }

    /** Whether the writer needs a wake-up that is worthwhile; returns true only once for each request. */
    boolean takeWritersCall() {
        return available() <= ring.capacity() / 2 && ring.takeCall(Ring.WRITER_WAITS);
    }

    void waits(boolean waiting) {
        ring.set(Ring.READER_WAITS, waiting ? 1 : 0);
    }
}
