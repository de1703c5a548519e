package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Lane;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The socket of a lane that was opened on a Netty channel. The channel is no longer registered with an event loop: it
 * is kept for its addresses and options. For the lane's thread, except before the lane is started.
 *
 * @param closing closes the socket
 * @param early bytes that were already received, in order
 */
record LaneSocket(SocketChannel channel, Closeable closing, String peer, LaneWait waiting, Queue<ByteBuf> early) {
    void begin() {
        try {
            waiting.begin();
        } catch (Exception failure) {
            TransferException limit = TransferException.ofHostLimit(failure);
            throw limit == null ? Failures.lost(peer, failure) : limit;
        }
    }

    /** Netty keeps both addresses once connected, so this is thread-safe. */
    Lane.@Nullable Ends ends() {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress remote = channel.remoteAddress();
        return local == null || remote == null ? null : new Lane.Ends(local, remote);
    }

    boolean hasEarly() {
        return !early.isEmpty();
    }

    /** Copies early bytes into the buffer's free space. Returns the number of bytes. */
    int takeEarly(ByteBuffer room) {
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

    /** Has a close show the peer from now on that it is not an orderly end. */
    void resetOnClose() {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is already closed, so the peer has been shown an end.
                return;
            }
        }
    }

    void close() {
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

    TransferException lost(Throwable failure) {
        return Failures.lost(peer, failure);
    }
}
