package io.fdt.rdma;

import io.fdt.core.transport.Block;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One of a lane's blocks in registered memory: for sending, or one that the peer fills. */
final class RdmaBlock extends Block {
    private final @Nullable Consumer<RdmaBlock> onFree;

    /** @param onFree null for a block that is received into, which is never handed out */
    RdmaBlock(ByteBuffer memory, long address, @Nullable Consumer<RdmaBlock> onFree) {
        super(memory, address);
        this.onFree = onFree;
    }

    boolean isFor(Consumer<RdmaBlock> owner) {
        return onFree == owner;
    }

    void takeForHandler() {
        take();
    }

    void giveUpForSending() {
        giveUp();
    }

    @Override
    protected void onReleased() {
        if (onFree != null) {
            onFree.accept(this);
        }
    }
}
