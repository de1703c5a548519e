package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Block;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One of a lane's blocks: for sending, or the one that everything is received into. A block for sending has the memory
 * that goes to the socket beside it: its own, or with TLS that which it is encrypted into.
 */
final class TcpBlock extends Block {
    private final @Nullable LaneSender sender;
    private final ByteBuffer networkMemory;
    private final long networkAddress;
    private final LaneMemory.NetworkBuffer networkBuffer;

    /** @param sender null for the block that is received into, which is never handed out */
    TcpBlock(@Nullable LaneSender sender, ByteBuffer memory, ByteBuffer networkMemory) {
        super(memory, addressOf(memory));
        this.sender = sender;
        this.networkMemory = networkMemory;
        this.networkAddress = addressOf(networkMemory);
        this.networkBuffer = new LaneMemory.NetworkBuffer(networkMemory, this::onReleased);
    }

    private static long addressOf(ByteBuffer memory) {
        ByteBuf view = Unpooled.wrappedBuffer(memory);
        return view.hasMemoryAddress() ? view.memoryAddress() : 0;
    }

    boolean isOf(@Nullable LaneSender other) {
        return sender != null && sender == other;
    }

    ByteBuffer networkMemory() {
        return networkMemory;
    }

    /** Of the first byte of {@link #networkMemory}. */
    long networkAddress() {
        return networkAddress;
    }

    LaneMemory.NetworkBuffer networkBuffer() {
        return networkBuffer;
    }

    void takeForHandler() {
        take();
    }

    void giveUpForSending() {
        giveUp();
    }

    @Override
    protected void onReleased() {
        if (sender != null) {
            sender.onFree(this);
        }
    }
}
