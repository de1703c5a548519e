package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Connection;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneStream;
import io.fdt.core.transport.WakeUp;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A lane's bytes over its socket, after the lane was opened on a Netty channel. The channel is no longer registered
 * with an event loop: it is kept for its addresses and options.
 */
abstract class ChannelStream extends LaneStream implements Connection {
    private final SocketChannel channel;
    private final Closeable closing;
    private final LaneWait waiting;
    private final Queue<ByteBuf> early;

    /** The last call received less than possible, so the next one would receive nothing. */
    private boolean drained;

    /**
     * @param closing closes the socket
     * @param early bytes that were already received, in order
     */
    ChannelStream(SocketChannel channel, Closeable closing, String peer, LaneWait waiting, Queue<ByteBuf> early) {
        super(peer);
        this.channel = channel;
        this.closing = closing;
        this.waiting = waiting;
        this.early = early;
    }

    @Override
    public void begin(int threadNumber, BooleanSupplier ending) {
        try {
            waiting.begin();
        } catch (Exception failure) {
            TransferException limit = TransferException.ofHostLimit(failure);
            throw limit == null ? Failures.lost(peer(), failure) : limit;
        }
    }

    @Override
    public final void await(boolean toReceive, boolean toSend, WakeUp woken, long nanos) {
        waiting.await(toReceive, toSend, nanos);
    }

    @Override
    public int receive(Block block, int from) {
        if (hasEarly()) {
            return takeEarly(block.buffer().limit(block.capacity()).position(from));
        }
        if (drained) {
            drained = false;
            return 0;
        }
        int came = receiveInto(block, from);
        drained = came > 0 && came < block.capacity() - from;
        return came;
    }

    /** Receives from the socket, like {@link #receive}. */
    abstract int receiveInto(Block block, int from);

    /** A call has failed, perhaps one that sends: the next call that receives gets what arrived before. */
    final void lookAgain() {
        drained = false;
    }

    final boolean hasEarly() {
        return !early.isEmpty();
    }

    /** Copies early bytes into the buffer's free space. Returns the number of bytes. */
    private int takeEarly(ByteBuffer room) {
        int start = room.position();
        int limit = room.limit();
        for (ByteBuf next = early.peek(); next != null && room.hasRemaining(); next = early.peek()) {
            room.limit(room.position() + Math.min(room.remaining(), next.readableBytes()));
            next.readBytes(room);
            room.limit(limit);
            if (!next.isReadable()) {
                early.remove().release();
            }
        }
        return room.position() - start;
    }

    @Override
    public final Connection connection() {
        return this;
    }

    /** Netty keeps both addresses once connected, so this is thread-safe. */
    @Override
    public final Lane.@Nullable Ends ends() {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress remote = channel.remoteAddress();
        return local == null || remote == null ? null : new Lane.Ends(local, remote);
    }

    final SocketChannel channel() {
        return channel;
    }

    /** A reset shows the peer that this is not an orderly end. */
    @Override
    public final void breakOff() {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is already closed, so the peer has been shown an end.
                return;
            }
        }
    }

    @Override
    protected final void free() {
        early.forEach(ByteBuf::release);
        early.clear();
        waiting.close();
        try {
            closing.close();
        } catch (IOException e) {
            // The system has freed the descriptor nevertheless.
            return;
        }
    }
}
