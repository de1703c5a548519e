package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.netty.buffer.ByteBuf;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.util.Queue;

/** A lane's bytes over Java's own socket, which does not expose its descriptor. */
final class NioStream extends ChannelStream {
    private final java.nio.channels.SocketChannel socket;

    NioStream(
            SocketChannel channel,
            java.nio.channels.SocketChannel socket,
            String peer,
            LaneWait waiting,
            Queue<ByteBuf> early) {
        super(channel, socket, peer, waiting, early);
        this.socket = socket;
    }

    @Override
    public void send(Block block) {
        try {
            socket.write(block.buffer());
        } catch (IOException failure) {
            throw lost(failure);
        }
    }

    @Override
    public boolean endSending() {
        try {
            socket.shutdownOutput();
        } catch (IOException gone) {
            // A lost connection shows when the peer's end is received.
            return true;
        }
        return true;
    }

    @Override
    int receiveInto(Block block, int from) {
        try {
            int came = socket.read(block.buffer().limit(block.capacity()).position(from));
            return came < 0 ? DirectStream.END : came;
        } catch (IOException failure) {
            throw lost(failure);
        }
    }

    private TransferException lost(IOException failure) {
        lookAgain();
        return Failures.lost(peer(), failure);
    }
}
