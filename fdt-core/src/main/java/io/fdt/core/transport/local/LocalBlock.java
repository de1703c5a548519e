package io.fdt.core.transport.local;

import io.fdt.core.transport.Block;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One of a lane's blocks: for sending, or the one that everything is received into. */
final class LocalBlock extends Block {
    private final @Nullable LocalLane lane;

    /** @param lane null for the block that is received into, which is never handed out */
    LocalBlock(@Nullable LocalLane lane, int bytes) {
        this(lane, ByteBuffer.allocateDirect(bytes));
    }

    private LocalBlock(@Nullable LocalLane lane, ByteBuffer memory) {
        super(memory, Kernel.addressOf(memory));
        this.lane = lane;
    }

    boolean isOf(LocalLane other) {
        return lane == other;
    }

    void takeForHandler() {
        take();
    }

    void giveUpForSending() {
        giveUp();
    }

    @Override
    protected void onReleased() {
        if (lane != null) {
            lane.onFree(this);
        }
    }
}
