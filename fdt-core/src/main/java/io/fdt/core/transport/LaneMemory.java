package io.fdt.core.transport;

import io.fdt.core.nativecode.Libc;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a lane's blocks: one area of direct memory, divided into page-aligned parts when the lane begins, and
 * freed when it has ended. For the lane's thread only.
 */
public final class LaneMemory implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;
    private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

    private final ByteBuf whole;
    private final ByteBuffer pages;
    private int cutBytes;

    public LaneMemory(int... capacities) {
        int bytes = PAGE_BYTES;
        for (int capacity : capacities) {
            bytes += pageAligned(capacity);
        }
        whole = ALLOCATOR.directBuffer(bytes, bytes);
        pages = whole.nioBuffer(0, bytes).alignedSlice(PAGE_BYTES);
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
        whole.release();
    }
}
