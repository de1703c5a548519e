package io.fdt.core.nettest;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;

/**
 * Memory for bytes that nobody looks at. Sending lanes share one, so that it stays in the cache: it is read by many
 * threads and written by none. A lane that copies out has one of its own, which fits its core's cache.
 */
public final class LaneBytes {
    private static final int PAGE_BYTES = 4096;

    private final ByteBuffer memory;
    private final long address;

    /** Page-aligned, and touched. */
    public LaneBytes(int bytes) {
        int pages = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
        this.memory = ByteBuffer.allocateDirect((pages + 1) * PAGE_BYTES).alignedSlice(PAGE_BYTES);
        this.address = Libc.addressOf(memory);
        for (int at = 0; at < bytes; at++) {
            memory.put(at, (byte) 1);
        }
    }

    /** The same memory; for the lane's thread. */
    public ByteBuffer buffer() {
        return memory;
    }

    /** Valid as long as a field of something that lives holds this object. */
    public long address() {
        return address;
    }
}
