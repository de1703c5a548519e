package io.fdt.core.transport;

import java.nio.ByteBuffer;

/**
 * One I/O buffer of a lane: direct memory of a fixed capacity. A block has one owner at a time. The engine
 * takes it with {@link Lane#acquire}, fills {@link #buffer()} between position and limit, and gives it away
 * with {@link Lane#send} or {@link #release}. Releasing a block that is not held throws: it is a mistake of
 * ours, never of a peer. All methods belong to the lane's thread.
 */
public abstract class Block {
    private final ByteBuffer buffer;
    private final long address;
    private boolean held;

    /**
     * @param buffer direct memory; big-endian access, as the wire is
     * @param address of the buffer's first byte
     */
    protected Block(ByteBuffer buffer, long address) {
        this.buffer = buffer;
        this.address = address;
    }

    public final ByteBuffer buffer() {
        return buffer;
    }

    /** Address of byte 0 of {@link #buffer()}, whatever its position. */
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

    /** The lane hands the block out: it is cleared and held from here on. */
    protected final void take() {
        if (held) {
            throw new IllegalStateException("block is held already");
        }
        held = true;
        buffer.clear();
    }

    /** The holder loses the block, by sending or by releasing it. */
    protected final void giveUp() {
        if (!held) {
            throw new IllegalStateException("block is not held: released or sent twice");
        }
        held = false;
    }

    /** The block is free again; called on the lane's thread. */
    protected abstract void onReleased();
}
