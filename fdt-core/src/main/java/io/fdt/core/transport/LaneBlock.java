package io.fdt.core.transport;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A block of a {@link ThreadedLane}, for sending or for receiving. */
public final class LaneBlock extends Block {
    private final @Nullable ThreadedLane lane;

    /** @param lane null for the block for receiving, which is never handed out */
    public LaneBlock(@Nullable ThreadedLane lane, ByteBuffer memory, long address) {
        super(memory, address);
        this.lane = lane;
    }

    boolean isOf(ThreadedLane other) {
        return lane == other;
    }

    @Override
    protected void onReleased() {
        if (lane != null) {
            lane.onFree(this);
        }
    }
}
