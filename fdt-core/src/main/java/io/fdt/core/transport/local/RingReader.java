package io.fdt.core.transport.local;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * The reading end of one direction of a shared memory lane; the counterpart of {@link RingWriter}. What is read is
 * copied out before anybody looks at it, so the peer cannot change it after it was checked. The lane's thread only.
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
     * How many bytes are there.
     *
     * @throws TransferException when what the peer left in the shared memory cannot be
     */
    int available() {
        long ready = RingLayout.get(words, RingLayout.WRITTEN) - taken;
        if (ready < 0 || ready > capacity) {
            throw RingLayout.breach(peer);
        }
        return (int) ready;
    }

    /** Copies out what is there, at most this much, and says how much. */
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

    /** As {@link #read}, but the bytes stay where they are. */
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

    /** Whether the writer wants to be woken and it is worth its while; it is asked for only once. */
    boolean takeWritersCall() {
        return available() <= capacity / 2 && RingLayout.takeCall(words, RingLayout.WRITER_WAITS);
    }

    void waits(boolean waiting) {
        RingLayout.set(words, RingLayout.READER_WAITS, waiting ? 1 : 0);
    }
}
