package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Block;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;

/**
 * One of a lane's blocks: for sending, or the one that everything is received into. A block for sending has the memory
 * that goes to the socket beside it: its own, or with TLS that which it is encrypted into.
 */
final class TcpBlock extends Block {
    private final TcpLane lane;
    private final ByteBuffer networkMemory;
    private final LaneMemory.NetworkBuffer networkBuffer;

    TcpBlock(TcpLane lane, ByteBuffer memory, ByteBuffer networkMemory) {
        super(memory, addressOf(memory));
        this.lane = lane;
        this.networkMemory = networkMemory;
        this.networkBuffer = new LaneMemory.NetworkBuffer(networkMemory, this::onSent);
    }

    private static long addressOf(ByteBuffer memory) {
        ByteBuf view = Unpooled.wrappedBuffer(memory);
        return view.hasMemoryAddress() ? view.memoryAddress() : 0;
    }

    boolean isOf(TcpLane other) {
        return lane == other;
    }

    ByteBuffer networkMemory() {
        return networkMemory;
    }

    LaneMemory.NetworkBuffer networkBuffer() {
        return networkBuffer;
    }

    private void onSent() {
        lane.onBlockFree(this);
    }

    void takeForHandler() {
        take();
    }

    void giveUpForSending() {
        giveUp();
    }

    @Override
    protected void onReleased() {
        lane.onBlockFree(this);
    }
}
