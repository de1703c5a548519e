package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * The reading end of one direction of a shared memory lane; the counterpart of {@link RingWriter}. Bytes are copied out
 * before they are interpreted, so the peer cannot change them after they were checked. For the lane's thread only.
 * Allocates nothing.
 */
final class RingReader {
    private final ByteBuffer words;
    private final long dataAddress;
    private final int capacity;
    private final String peer;
    private long taken;

    /** @param words the direction's control words */
    RingReader(ByteBuffer words, long dataAddress, int capacity, String peer) {
        this.words = words;
        this.dataAddress = dataAddress;
        this.capacity = RingLayout.requirePowerOfTwo(capacity);
        this.peer = peer;
    }

    /**
     * Returns the number of available bytes.
     *
     * @throws TransferException if the peer left an impossible value in the shared memory
     */
    int available() {
        long ready = RingLayout.get(words, RingLayout.WRITTEN) - taken;
        if (ready < 0 || ready > capacity) {
            throw RingLayout.breach(peer);
        }
        return (int) ready;
    }

    /** Copies out up to this many bytes, and returns their number. */
    int read(long address, int lengthBytes) {
        int most = Math.min(lengthBytes, available());
        int at = (int) (taken & (capacity - 1));
        int first = Math.min(most, capacity - at);
        if (first > 0) {
            Libc.memcpy(address, dataAddress + at, first);
        }
        if (most > first) {
            Libc.memcpy(address + first, dataAddress, most - first);
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
            RingLayout.set(words, RingLayout.READ, taken);
        }
        return bytes;
    }

    /** Whether the writer needs a wake-up that is worthwhile; returns true only once for each request. */
    boolean takeWritersCall() {
        return available() <= capacity / 2 && RingLayout.takeCall(words, RingLayout.WRITER_WAITS);
    }

    void waits(boolean waiting) {
        RingLayout.set(words, RingLayout.READER_WAITS, waiting ? 1 : 0);
    }
}
