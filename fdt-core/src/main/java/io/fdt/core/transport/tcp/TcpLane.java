package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.StreamFigures;
import io.fdt.core.transport.tcp.LaneMemory.NetworkBuffer;
import io.fdt.core.transport.tcp.LaneThreads.LaneThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.unix.UnixChannel;
import java.nio.channels.ClosedChannelException;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A lane over one TCP connection that has been opened (see {@link LaneOpening}). It is parked, registered with no loop
 * and reading nothing, until its owner starts it; from there on it lives on the loop of its own thread, {@code
 * fdt-lane-N}. So whoever connects costs a server neither a thread nor blocks until the owner wants the lane.
 *
 * <p>How bytes come in says {@link LaneReceiver}, how they go out {@link LaneSender}; what is asked of the socket past
 * Netty {@link LaneSocket}, and what happens before there is a thread {@link LaneLoop}. On the way of the bytes nothing
 * is allocated.
 *
 * <p>Fields belong to the loop that the channel is registered with.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails in Netty comes back as an event of the channel.
final class TcpLane extends ChannelInboundHandlerAdapter implements Lane, ReceiveBuffers.Source, LaneReceiver.Owner {
    private enum Phase {
        PARKED,
        RUNNING,
        /** Closed by us; what was sent is on its way to the network. */
        CLOSING,
        /** Our stream has ended; what the peer still sends is dropped until it ends its own. */
        DRAINING,
        ENDED
    }

    /**
     * How long the peer has to end its stream after we ended ours. Closing the socket while the peer's data is on its
     * way would reset the connection and could cost the peer the last of ours.
     */
    private static final long DRAIN_MS = 10_000;

    private static final int DROPPED_BYTES = 4 << 10;

    private final SocketChannel channel;
    private final LaneSocket socket;
    private final LaneLoop loop;
    private final String peer;
    private final String description;
    private final int blockBytes;
    private final int blockCount;
    private final @Nullable LaneTls tls;
    private final Queue<ByteBuf> early;
    private final Runnable onAdmitted;
    private final Runnable onForgotten;
    private final Consumer<ByteBuf> controlOut;

    private Phase phase = Phase.PARKED;
    private @Nullable Throwable failure;

    // From the start on.
    private @Nullable LaneHandler handler;
    private @Nullable LaneMemory memory;
    private @Nullable LaneReceiver receiver;
    private @Nullable LaneSender sender;
    private boolean inHandler;
    private boolean stopped;
    private boolean notified;
    private final boolean mayUseBbr;
    private boolean cleanedUp;

    /**
     * A parked channel becomes a lane.
     *
     * @param home the loop that can close the channel as long as it is parked
     * @param ownThread the thread that home belongs to, if it is the lane's own
     * @param early what was received already
     * @param onAdmitted told when the owner says that it knows the peer
     * @param onForgotten told when the lane is over and holds nothing any more
     */
    TcpLane(
            SocketChannel channel,
            EventLoop home,
            @Nullable LaneThread ownThread,
            ReceiveBuffers buffers,
            LaneThreads threads,
            TcpSettings settings,
            String peer,
            String ioName,
            @Nullable LaneTls tls,
            Queue<ByteBuf> early,
            Runnable onAdmitted,
            Consumer<TcpLane> onForgotten) {
        this.channel = channel;
        this.socket = new LaneSocket(channel, peer, settings.places());
        this.mayUseBbr = settings.congestionControl() == null
                && channel instanceof UnixChannel
                && CongestionControl.bbrIsPermitted();
        this.loop = new LaneLoop(home, ownThread, threads);
        this.peer = peer;
        this.description = ioName + ", " + (tls == null ? "clear" : tls.description());
        this.blockBytes = TcpSettings.LANE_BLOCK_BYTES;
        this.blockCount = TcpSettings.LANE_BLOCKS;
        this.tls = tls;
        this.early = early;
        this.onAdmitted = onAdmitted;
        this.onForgotten = () -> onForgotten.accept(this);
        this.controlOut = packet -> channel.write(packet);
        buffers.source(this);
        channel.pipeline().addLast(this);
        channel.closeFuture().addListener(closed -> onChannelClosed());
    }

    // ---- The owner's calls, on any thread.

    @Override
    public void start(LaneHandler laneHandler) {
        loop.start(own -> begin(laneHandler, own));
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(() -> runTask(task));
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        loop.schedule(() -> runTask(task), delay, unit);
    }

    @Override
    public void close() {
        if (!loop.abandon(null, home -> LaneOpening.closeParked(channel, home))) {
            IoEventLoop started = loop.started();
            if (started != null) {
                socket.endStream();
                LaneLoop.submit(started, this::beginClose);
            }
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!loop.abandon(cause, this::resetParked)) {
            IoEventLoop started = loop.started();
            if (started != null) {
                socket.endStream();
                if (started.inEventLoop()) {
                    stopped = true;
                }
                LaneLoop.submit(started, () -> endNow(cause));
            }
        }
    }

    private void resetParked(EventLoop home) {
        socket.resetOnClose();
        LaneOpening.closeParked(channel, home);
    }

    @Override
    public void admitted() {
        onAdmitted.run();
    }

    @Override
    public int blockBytes() {
        return blockBytes;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public @Nullable Ends ends() {
        return socket.ends();
    }

    @Override
    public boolean isClear() {
        return tls == null;
    }

    /** Where the socket's descriptor is known and nothing else reads from it behind our back. */
    @Override
    public @Nullable DirectStream takeOver() {
        return mayHaveStream() && sender != null && sender.isIdle() ? socket.stream() : null;
    }

    private boolean mayHaveStream() {
        return isDelivering() && tls == null;
    }

    @Override
    public int dropAhead(int lengthBytes) {
        return mayHaveStream() ? socket.drop(lengthBytes) : 0;
    }

    @Override
    public @Nullable StreamFigures figures() {
        return socket.figures();
    }

    @Override
    public boolean mayUseBbr() {
        return mayUseBbr;
    }

    @Override
    public void useBbr(boolean wish) {
        try {
            CongestionControl.set(channel, wish ? CongestionControl.BBR : CongestionControl.usual());
        } catch (ChannelException refused) {
            // It goes on as it did: the socket is gone, or the kernel has changed its mind.
            return;
        }
    }

    @Override
    public String description() {
        return description;
    }

    /** A channel that closes while it is parked has no loop that would say so to its handlers. */
    private void onChannelClosed() {
        if (loop.onClosed(() -> Failures.lost(peer, "it was closed before its first use"))) {
            cleanUp();
        }
    }

    // ---- Running, on the lane's thread.

    private void begin(LaneHandler laneHandler, LaneThread own) {
        handler = laneHandler;
        if (loop.isAbandoned()) {
            phase = Phase.ENDED;
            own.end();
            notifyClosed(loop.abandonCause());
            return;
        }
        socket.onThread(own.number());
        EventLoop ownLoop = own.loop();
        ownLoop.register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                try {
                    run(laneHandler);
                } catch (RuntimeException | Error e) {
                    // Its memory, for one, may not be had.
                    endNow(TransferException.of(e));
                }
            } else {
                phase = Phase.ENDED;
                try {
                    notifyClosed(Failures.lost(peer, registered.cause()));
                } finally {
                    cleanUp();
                }
            }
        });
    }

    private void run(LaneHandler laneHandler) {
        phase = Phase.RUNNING;
        socket.watchPackets(channel.eventLoop());
        allocate(laneHandler);
        callSendable();
        for (ByteBuf bytes = early.poll(); bytes != null; bytes = early.poll()) {
            take(bytes);
        }
        if (phase == Phase.RUNNING) {
            channel.config().setAutoRead(true);
        }
    }

    private void allocate(LaneHandler laneHandler) {
        int[] receiving = LaneReceiver.capacities(blockBytes, tls);
        int[] sending = LaneSender.capacities(blockBytes, blockCount, tls);
        LaneMemory own = new LaneMemory(
                IntStream.concat(IntStream.of(receiving), IntStream.of(sending)).toArray());
        memory = own;
        receiver = new LaneReceiver(this, laneHandler, blockBytes, tls, controlOut, own);
        sender = new LaneSender(channel, socket, blockBytes, blockCount, tls, own, this::callSendable);
    }

    private void runTask(Runnable task) {
        if (notified || phase == Phase.ENDED) {
            return;
        }
        inHandler = true;
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        } finally {
            inHandler = false;
        }
    }

    // ---- Sending.

    @Override
    public @Nullable Block acquire() {
        return isDelivering() && sender != null ? sender.acquire() : null;
    }

    @Override
    public void send(Block block) {
        if (!(block instanceof TcpBlock own) || sender == null || !own.isOf(sender)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveUpForSending();
        if (!isDelivering() || !own.buffer().hasRemaining()) {
            sender.onFree(own);
            return;
        }
        try {
            sender.send(own);
        } catch (SSLException e) {
            failConnection(e);
        }
    }

    @Override
    public long sendWaitNanos() {
        return socket.sendWaitNanos();
    }

    private void callSendable() {
        if (!isDelivering() || handler == null) {
            return;
        }
        inHandler = true;
        try {
            handler.onSendable();
        } catch (RuntimeException | Error e) {
            onHandlerFailed(e);
        } finally {
            inHandler = false;
        }
    }

    // ---- Receiving.

    @Override
    public ByteBuf receiveBuffer(ByteBufAllocator allocator) {
        if (receiver == null || phase == Phase.ENDED) {
            return allocator.directBuffer(DROPPED_BYTES);
        }
        return phase == Phase.RUNNING ? receiver.buffer() : receiver.bufferToDrop();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (bytes instanceof NetworkBuffer) {
            bytes.release();
            if (phase == Phase.RUNNING && receiver != null) {
                try {
                    receiver.onRead();
                    onReadDone(receiver);
                } catch (SSLException e) {
                    failConnection(e);
                }
            }
        } else {
            take(bytes);
        }
    }

    private void take(ByteBuf bytes) {
        if (phase != Phase.RUNNING || receiver == null) {
            bytes.release();
            return;
        }
        try {
            receiver.take(bytes);
            onReadDone(receiver);
        } catch (SSLException e) {
            failConnection(e);
        }
    }

    private void onReadDone(LaneReceiver laneReceiver) {
        if (tls != null) {
            // TLS may have had something to say.
            channel.flush();
            if (laneReceiver.peerSaidGoodbye() && phase == Phase.RUNNING) {
                onEndOfStream(laneReceiver);
                channel.close();
            }
        }
    }

    @Override
    public boolean isDelivering() {
        return phase == Phase.RUNNING && !stopped;
    }

    @Override
    public void inHandler(boolean inside) {
        inHandler = inside;
    }

    @Override
    public void onHandlerFailed(Throwable cause) {
        stopped = true;
        LaneLoop.submit(channel.eventLoop(), () -> endNow(TransferException.of(cause)));
    }

    /** The peer has ended its stream in order. */
    private void onEndOfStream(LaneReceiver laneReceiver) {
        int left = laneReceiver.onEndOfStream();
        if (isDelivering()) {
            phase = Phase.ENDED;
            notifyClosed(
                    left == 0
                            ? null
                            : Failures.lost(peer, "it disconnected with " + left + " bytes of an unfinished message"));
        }
    }

    // ---- The end, on the loop.

    /** Ends our stream behind what was sent, then waits for the peer to end its own. */
    private void beginClose() {
        if (phase != Phase.RUNNING || stopped || !channel.isActive()) {
            // When the peer was first, channelInactive is on its way.
            return;
        }
        phase = Phase.CLOSING;
        if (tls != null) {
            try {
                tls.closeOutbound(controlOut);
            } catch (SSLException e) {
                endNow(Failures.lost(peer, e));
                return;
            }
        }
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(flushed -> {
            if (phase != Phase.CLOSING) {
                return;
            }
            if (!flushed.isSuccess()) {
                endNow(Failures.lost(peer, failure == null ? flushed.cause() : failure));
                return;
            }
            phase = Phase.DRAINING;
            channel.shutdownOutput();
            channel.eventLoop().schedule(() -> channel.close(), DRAIN_MS, TimeUnit.MILLISECONDS);
            notifyClosed(null);
        });
    }

    private void endNow(TransferException cause) {
        boolean drained = phase == Phase.DRAINING;
        try {
            if (phase != Phase.ENDED) {
                phase = Phase.ENDED;
                notifyClosed(cause);
            }
        } finally {
            if (!drained) {
                socket.resetOnClose();
            }
            channel.close();
        }
    }

    /** TLS or the socket failed under a call of ours. */
    private void failConnection(Throwable cause) {
        stopped = true;
        LaneLoop.submit(channel.eventLoop(), () -> endNow(Failures.lost(peer, cause)));
    }

    private void notifyClosed(@Nullable TransferException cause) {
        if (notified || handler == null) {
            return;
        }
        if (inHandler) {
            LaneLoop.submit(channel.eventLoop(), () -> notifyClosed(cause));
            return;
        }
        notified = true;
        handler.onClosed(cause);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof ReceiveBuffers.NotNow || cause instanceof ClosedChannelException) {
            // The first is our own "not now"; the second says of pending data what channelInactive says of the lane.
            return;
        }
        if (failure == null) {
            failure = cause;
        }
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        switch (phase) {
            case RUNNING -> {
                if (failure != null) {
                    endNow(Failures.lost(peer, failure));
                } else if (tls != null || receiver == null) {
                    // With TLS an orderly end has been seen before this.
                    endNow(Failures.lost(peer, "it disconnected without closing the session"));
                } else {
                    onEndOfStream(receiver);
                }
            }
            case CLOSING ->
                endNow(
                        failure == null
                                ? Failures.lost(peer, "it closed the connection before everything was sent")
                                : Failures.lost(peer, failure));
            case PARKED, DRAINING, ENDED -> {}
        }
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        if (!channel.isOpen()) {
            cleanUp();
        }
    }

    /** Gives everything back; the last that happens to the lane. */
    void cleanUp() {
        if (cleanedUp) {
            return;
        }
        cleanedUp = true;
        early.forEach(ByteBuf::release);
        early.clear();
        if (receiver != null) {
            receiver.release();
        }
        if (memory != null) {
            memory.end();
        }
        if (tls != null) {
            tls.release();
        }
        loop.end();
        onForgotten.run();
    }
}
