package io.fdt.core.transport.tcp;

import io.fdt.core.transport.tcp.LaneMemory.NetworkBuffer;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.VoidChannelPromise;
import io.netty.channel.socket.SocketChannel;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of a running lane: its blocks and their way to the socket. A block is sent from its own memory, or
 * with TLS from the memory beside it that it is encrypted into. The lane's thread hands it to the kernel itself, where
 * it can; what the kernel has no room for goes on through Netty, whose outbound buffer never holds anything but these
 * few blocks. A block is free again as soon as the kernel has taken its last byte. The lane's thread only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails in Netty comes back as an event of the channel.
final class LaneSender {
    /**
     * Blocks sent in a row before the loop looks at the socket, so that receiving has its turn whatever there is to
     * send.
     */
    private static final int ROUND_BLOCKS = 16;

    private final SocketChannel channel;
    private final LaneSocket socket;
    private final @Nullable LaneTls tls;
    private final LaneMemory memory;
    private final Runnable onSendable;
    private final ChannelPromise reportingPromise;
    private final TcpBlock[] free;
    private final Runnable turn = this::onTurn;
    private final Runnable turnAfterReading = this::onRoundEnd;
    private int freeCount;
    private int sentThisRound;
    private boolean starved;
    private boolean turnPosted;

    /** How much memory the cuts take, two a block. */
    static int[] capacities(int blockBytes, int blocks, @Nullable LaneTls tls) {
        int[] capacities = new int[2 * blocks];
        for (int index = 0; index < capacities.length; index += 2) {
            capacities[index] = blockBytes;
            capacities[index + 1] = tls == null ? 0 : tls.encryptedBytes(blockBytes);
        }
        return capacities;
    }

    /**
     * @param onSendable called from the loop, never from within another call, when blocks have become free after there
     *     were none
     */
    LaneSender(
            SocketChannel channel,
            LaneSocket socket,
            int blockBytes,
            int blocks,
            @Nullable LaneTls tls,
            LaneMemory memory,
            Runnable onSendable) {
        this.channel = channel;
        this.socket = socket;
        this.tls = tls;
        this.memory = memory;
        this.onSendable = onSendable;
        // Tells failed writes to the channel's exceptionCaught; a plain void promise would swallow them.
        this.reportingPromise = new VoidChannelPromise(channel, true);
        this.free = new TcpBlock[blocks];
        for (int index = 0; index < blocks; index++) {
            ByteBuffer block = memory.cut(blockBytes);
            ByteBuffer network = tls == null ? block : memory.cut(tls.encryptedBytes(blockBytes));
            free[index] = new TcpBlock(this, block, network);
        }
        this.freeCount = blocks;
    }

    /** Every block is here, so nothing is on its way to the socket. */
    boolean isIdle() {
        return freeCount == free.length;
    }

    @Nullable TcpBlock acquire() {
        if (freeCount == 0) {
            starved = true;
            return null;
        }
        if (sentThisRound >= ROUND_BLOCKS) {
            starved = true;
            postTurn();
            return null;
        }
        TcpBlock block = free[--freeCount];
        memory.partOut();
        block.takeForHandler();
        return block;
    }

    /** Sends what stands in a block that the handler has given up. */
    void send(TcpBlock block) throws SSLException {
        ByteBuffer bytes = block.buffer();
        int from = bytes.position();
        int to = bytes.limit();
        if (tls != null) {
            from = 0;
            try {
                to = tls.encrypt(bytes, block.networkMemory().clear());
            } catch (SSLException e) {
                onFree(block);
                throw e;
            }
        }
        sentThisRound++;
        if (nothingWaits()) {
            from += socket.send(block.networkAddress() + from, to - from);
        }
        if (from == to) {
            onFree(block);
            return;
        }
        NetworkBuffer out = block.networkBuffer();
        out.wake(from, to);
        channel.write(out, reportingPromise);
        channel.flush();
    }

    /** Whether all that was given to Netty before has gone, flushed or not yet, so that these bytes come behind it. */
    private boolean nothingWaits() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting != null && waiting.totalPendingWriteBytes() == 0;
    }

    /** A block has been released, or the network has taken it. */
    void onFree(TcpBlock block) {
        free[freeCount++] = block;
        memory.partBack();
        if (starved) {
            postTurn();
        }
    }

    private void postTurn() {
        if (turnPosted || channel.eventLoop().isShuttingDown()) {
            return;
        }
        turnPosted = true;
        if (sentThisRound < ROUND_BLOCKS) {
            channel.eventLoop().execute(turn);
        } else {
            // The loop looks at the socket only when it runs out of tasks, or after a second of them; and one that
            // posts itself again is always there. What comes after its round is not.
            ((SingleThreadEventLoop) channel.eventLoop()).executeAfterEventLoopIteration(turnAfterReading);
        }
    }

    /** The tasks of this round are done: the next one begins with the socket. */
    private void onRoundEnd() {
        sentThisRound = 0;
        if (channel.eventLoop().isShuttingDown()) {
            turnPosted = false;
        } else {
            channel.eventLoop().execute(turn);
        }
    }

    private void onTurn() {
        turnPosted = false;
        if (starved && freeCount > 0) {
            starved = false;
            onSendable.run();
        }
    }
}
