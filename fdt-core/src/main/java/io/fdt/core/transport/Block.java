package io.fdt.core.transport;

import java.nio.ByteBuffer;

/**
 * An I/O buffer of a lane: direct memory of fixed capacity. A block has one owner at a time. The engine acquires it
 * with {@link Lane#acquire}, fills {@link #buffer()} between position and limit, and passes it on with {@link
 * Lane#send} or {@link #release}. Releasing a block that is not held throws, because it is always a bug in fdt. All
 * methods belong to the lane's thread.
 */
public abstract class Block {
    private final ByteBuffer buffer;
    private final long address;
    private boolean held;

    /**
     * @param buffer direct memory, big-endian like the wire format
     * @param address of the buffer's first byte
     */
    protected Block(ByteBuffer buffer, long address) {
        this.buffer = buffer;
        this.address = address;
    }

    public final ByteBuffer buffer() {
        return buffer;
    }

    /** The address of byte 0 of {@link #buffer()}, whatever its position. */
    public final long address() {
        return address;
    }

    public final int capacity() {
        return buffer.capacity();
    }

    public final void release() {
        giveUp();
        onReleased();
    }

    /** Called by the lane when it hands the block out: clears it and marks it as held. */
    protected final void take() {
        if (held) {
            throw new IllegalStateException("block is held already");
        }
        held = true;
        buffer.clear();
    }

    /** Called when the holder sends or releases the block. */
    protected final void giveUp() {
        if (!held) {
            throw new IllegalStateException("block is not held: released or sent twice");
        }
        held = false;
    }

    /** Called when the block is free again, on the lane's thread. */
    protected abstract void onReleased();
}
