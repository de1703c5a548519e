package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;

/**
 * The reading end of one direction of a shared memory lane; the counterpart of {@link RingWriter}. What is read is
 * copied out before anybody looks at it, so the peer cannot change it after it was checked. The lane's thread only.
 * Allocates nothing.
 */
final class RingReader {
    private final Ring ring;
    private long taken;

    RingReader(Ring ring) {
        this.ring = ring;
    }

    /**
     * How many bytes are there.
     *
     * @throws TransferException when what the peer left in the shared memory cannot be
     */
    int available() {
        long ready = ring.get(Ring.WRITTEN) - taken;
        if (ready < 0 || ready > ring.capacity()) {
            throw ring.breach();
        }
        return (int) ready;
    }

    /** Copies out what is there, at most this much, and says how much. */
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

    /** As {@link #read}, but the bytes stay where they are. */
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

    /** Whether the writer wants to be woken and it is worth its while; it is asked for only once. */
    boolean takeWritersCall() {
        return available() <= ring.capacity() / 2 && ring.takeCall(Ring.WRITER_WAITS);
    }

    void waits(boolean waiting) {
        ring.set(Ring.READER_WAITS, waiting ? 1 : 0);
    }
}
