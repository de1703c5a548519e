package io.fdt.core.transport.tcp;

import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneStream;
import io.fdt.core.transport.WakeUp;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A lane's bytes over Java's own socket, which does not expose its descriptor. */
final class NioStream extends LaneStream {
    private final LaneSocket socket;
    private final SocketChannel channel;

    /** The last call received less than possible, so the next one would receive nothing. */
    private boolean drained;

    NioStream(LaneSocket socket, SocketChannel channel) {
        super(socket.peer());
        this.socket = socket;
        this.channel = channel;
    }

    @Override
    public void begin(int threadNumber, BooleanSupplier ending) {
        socket.begin();
    }

    @Override
    public void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        socket.waiting().await(toReceive, toSend, nanos);
    }

    @Override
    public void send(Block block) {
        try {
            channel.write(block.buffer());
        } catch (IOException failure) {
            throw socket.lost(failure);
        }
    }

    @Override
    public boolean endSending() {
        try {
            channel.shutdownOutput();
        } catch (IOException gone) {
            // A lost connection shows when the peer's end is received.
            return true;
        }
        return true;
    }

    @Override
    public int receive(Block block, int from) {
        ByteBuffer room = block.buffer().limit(block.capacity()).position(from);
        if (socket.hasEarly()) {
            return socket.takeEarly(room);
        }
        if (drained) {
            drained = false;
            return 0;
        }
        try {
            int came = channel.read(room);
            drained = came > 0 && room.hasRemaining();
            return came < 0 ? DirectStream.END : came;
        } catch (IOException failure) {
            throw socket.lost(failure);
        }
    }

    @Override
    public Lane.@Nullable Ends ends() {
        return socket.ends();
    }

    @Override
    public void breakOff() {
        socket.resetOnClose();
    }

    @Override
    protected void free() {
        socket.close();
    }
}
