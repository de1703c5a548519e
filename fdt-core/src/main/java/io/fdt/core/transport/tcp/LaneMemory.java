package io.fdt.core.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

/**
 * All memory of one lane: one piece of direct memory, cut into page-aligned parts when the lane starts and given back
 * when the lane has ended and every part has come home. A part that the handler keeps, or that io_uring still writes
 * from, keeps the whole. The lane's thread only.
 */
final class LaneMemory {
    private static final int PAGE_BYTES = 4096;
    private static final ByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(true);

    private final ByteBuf whole;
    private final ByteBuffer pages;
    private int cutBytes;
    private int partsOut;
    private boolean ended;

    /** Memory for parts of these capacities. */
    LaneMemory(int... capacities) {
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

    /** The next part; its memory belongs to whoever asks until the lane has ended. */
    ByteBuffer cut(int capacity) {
        ByteBuffer part = pages.slice(cutBytes, capacity);
        cutBytes += pageAligned(capacity);
        return part;
    }

    /** A part is handed out, to the handler or to Netty. */
    void partOut() {
        partsOut++;
    }

    /** A part has come home. */
    void partBack() {
        partsOut--;
        releaseWhenHome();
    }

    /** The lane has ended: what is home by now or comes home later is not handed out again. */
    void end() {
        if (!ended) {
            ended = true;
            releaseWhenHome();
        }
    }

    private void releaseWhenHome() {
        if (ended && partsOut == 0) {
            whole.release();
        }
    }

    /**
     * A part of the memory in the shape that Netty reads into and writes from. It is made once and lives as often as
     * it is {@linkplain #wake woken}: when Netty has released it for the last time, its owner is told instead of the
     * memory being freed. So a block goes to the network without any allocation, and its owner knows exactly when it
     * is free again.
     */
    static final class NetworkBuffer extends UnpooledDirectByteBuf {
        private final Runnable onReleased;

        NetworkBuffer(ByteBuffer memory, Runnable onReleased) {
            super(ALLOCATOR, memory, memory.capacity());
            this.onReleased = onReleased;
            setRefCnt(0);
        }

        /** Alive again, with one reference, holding the bytes between these indices. */
        void wake(int readerIndex, int writerIndex) {
            resetRefCnt();
            setIndex(readerIndex, writerIndex);
        }

        @Override
        protected void deallocate() {
            onReleased.run();
        }
    }
}
