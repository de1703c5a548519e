package io.fdt.core.nettest;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * Memory for bytes whose content does not matter. Sending lanes share one, so that it stays in the cache: many threads
 * read it and none writes it. A lane that copies out has its own, which fits into its core's cache.
 */
public final class LaneBytes {
    private static final int PAGE_BYTES = 4096;

    private final ByteBuffer memory;
    private final long address;

    /** Allocates page-aligned memory, with all pages present. */
    public LaneBytes(int bytes) {
        int pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
        this.memory = ByteBuffer.allocateDirect((pages + 1) * PAGE_BYTES).alignedSlice(PAGE_BYTES);
        this.address = Libc.addressOf(memory);
        for (int at = 0; at < bytes; at++) {
            memory.put(at, (byte) 1);
        }
    }

    /** The memory that this many bytes take. */
    public static long allocated(int bytes) {
        return (bytes + 2L * PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** The same memory, for the lane's thread. */
    public ByteBuffer buffer() {
        return memory;
    }

    /** Valid while this object is reachable from a live object. */
    public long address() {
        return address;
    }
}
