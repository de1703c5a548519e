package io.fdt.core.transport;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a lane's blocks: one area, divided into page-aligned parts when the lane begins, and freed when it has
 * ended. It is mapped for each lane, because the kernel places a page on the NUMA node whose core touches it first:
 * memory from an allocator may have been that of a lane on another node. For the lane's thread only.
 */
public final class LaneMemory implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;
    private static final int READ_WRITE = 1 | 2;
    private static final int PRIVATE_ANONYMOUS = 2 | 0x20;
    private static final int HUGE_PAGES = 14;

    private final ByteBuffer pages;
    private int cutBytes;
    private boolean closed;

    public LaneMemory(int... capacities) {
        this(false, capacities);
    }

    /** @param hugePages whether the kernel is to use huge pages, if it can */
    public LaneMemory(boolean hugePages, int... capacities) {
        int bytes = 0;
        for (int capacity : capacities) {
            bytes += pageAligned(capacity);
        }
        long address = Libc.mmap(0, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
        if (address < 0) {
            throw Cause.HOST_LIMIT
                    .advise("use fewer lanes (-P)")
                    .failure("the system has no memory for the blocks of a lane (" + Libc.strerror(Libc.errno()) + ")");
        }
        if (hugePages) {
            // Without them, the blocks are as good, but slower to send from.
            var unused = Libc.madvise(address, bytes, HUGE_PAGES);
        }
        pages = Libc.bufferAt(address, bytes);
    }

    private static int pageAligned(int bytes) {
        return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    /** @param lane that sends the block; null for any other use */
    public LaneBlock cut(@Nullable ThreadedLane lane, int capacity) {
        ByteBuffer part = pages.slice(cutBytes, capacity);
        cutBytes += pageAligned(capacity);
        return new LaneBlock(lane, part, Libc.addressOf(part));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Libc.munmap(Libc.addressOf(pages), pages.capacity());
        }
    }
}
