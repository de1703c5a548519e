package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.DirectStream;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.StreamFigures;
import io.fdt.core.transport.tcp.LaneMemory.NetworkBuffer;
import io.fdt.core.transport.tcp.LaneThreads.LaneThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
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
 * <p>How bytes come in says {@link LaneReceiver}, how they go out {@link LaneSender}. On their way nothing is
 * allocated.
 *
 * <p>Fields without a note belong to the loop that the channel is registered with.
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

    private static final long LOOK_MS = 1000;

    private static final int DROPPED_BYTES = 4 << 10;

    /** How long bytes are dropped ahead before the loop looks at its tasks; as much as nobody sees in a figure of progress. */
    private static final long DROP_NANOS = 20_000_000;

    private final SocketChannel channel;
    private final LanePlaces places;
    private final EventLoop home;
    private final LaneThreads threads;
    private final String peer;
    private final String description;
    private final int blockBytes;
    private final int blockCount;
    private final @Nullable LaneTls tls;
    private final Queue<ByteBuf> early;
    private final Runnable onAdmitted;
    private final Runnable onForgotten;
    private final Consumer<ByteBuf> controlOut;

    // Guarded by this.
    private @Nullable LaneThread thread;
    private boolean startRequested;
    private boolean abandoned;
    private @Nullable TransferException abandonCause;
    private final List<Runnable> tasksBeforeStart = new ArrayList<>();

    /** Somebody wants the lane to end: for its thread, where that waits in the kernel and not for tasks. */
    private volatile boolean ending;

    private Phase phase = Phase.PARKED;
    private @Nullable Throwable failure;

    // From the start on.
    private @Nullable LaneHandler handler;
    private @Nullable LaneMemory memory;
    private @Nullable LaneReceiver receiver;
    private @Nullable LaneSender sender;
    private @Nullable TcpInfo tcpInfo;
    private @Nullable KernelStream stream;
    private int number = -1;
    private boolean inHandler;
    private boolean stopped;
    private boolean notified;
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
        this.home = home;
        this.thread = ownThread;
        this.threads = threads;
        this.peer = peer;
        this.description = ioName + ", " + (tls == null ? "clear" : tls.description());
        this.places = settings.places();
        this.blockBytes = settings.laneBlockBytes();
        this.blockCount = settings.laneBlocks();
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
        synchronized (this) {
            if (startRequested) {
                throw new IllegalStateException("the lane has been started already");
            }
            startRequested = true;
            // The thread of a lane that was given up may have ended already.
            LaneThread own = thread == null || abandoned ? threads.start() : thread;
            thread = own;
            submit(own.loop(), () -> begin(laneHandler, own));
            for (Runnable task : tasksBeforeStart) {
                submit(own.loop(), () -> runTask(task));
            }
            tasksBeforeStart.clear();
        }
    }

    @Override
    public void execute(Runnable task) {
        IoEventLoop loop = loopOrKeep(task);
        if (loop != null) {
            submit(loop, () -> runTask(task));
        }
    }

    @Override
    public void schedule(Runnable task, long delay, TimeUnit unit) {
        IoEventLoop loop = loopOrKeep(() -> schedule(task, delay, unit));
        if (loop != null) {
            try {
                loop.schedule(() -> runTask(task), delay, unit);
            } catch (RejectedExecutionException e) {
                // The lane has ended: its tasks are dropped, as promised.
                return;
            }
        }
    }

    @Override
    public void close() {
        if (!abandonUnstarted(null)) {
            IoEventLoop loop = loopOrKeep(() -> {});
            if (loop != null) {
                ending = true;
                submit(loop, this::beginClose);
            }
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!abandonUnstarted(cause)) {
            IoEventLoop loop = loopOrKeep(() -> {});
            if (loop != null) {
                ending = true;
                if (loop.inEventLoop()) {
                    stopped = true;
                }
                submit(loop, () -> endNow(cause));
            }
        }
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

    /** Netty keeps both addresses from the connecting on, so they may be asked for on any thread. */
    @Override
    public @Nullable Ends ends() {
        InetSocketAddress local = channel.localAddress();
        InetSocketAddress remote = channel.remoteAddress();
        return local == null || remote == null ? null : new Ends(local, remote);
    }

    @Override
    public boolean isClear() {
        return tls == null;
    }

    /** Where the socket's descriptor is known and nothing else reads from it behind our back. */
    @Override
    public @Nullable DirectStream takeOver() {
        return hasStream() && sender != null && sender.isIdle() ? openStream() : null;
    }

    private boolean hasStream() {
        return isDelivering() && tls == null && channel instanceof EpollSocketChannel;
    }

    /** The same one each time: who takes it again and again allocates nothing. */
    private @Nullable KernelStream openStream() {
        KernelStream known = stream;
        if (known != null) {
            return known.open() ? known : null;
        }
        stream = channel instanceof EpollSocketChannel socket
                ? KernelStream.over(socket.fd().intValue(), peer, () -> ending)
                : null;
        return stream;
    }

    @Override
    public int dropAhead(int lengthBytes) {
        KernelStream opened = hasStream() ? openStream() : null;
        if (opened == null) {
            return 0;
        }
        int dropped = 0;
        long startedNanos = System.nanoTime();
        try (opened) {
            int came = 1;
            while (came > 0 && dropped < lengthBytes && System.nanoTime() - startedNanos < DROP_NANOS) {
                came = opened.discard(lengthBytes - dropped);
                dropped += Math.max(0, came);
            }
        } catch (TransferException lost) {
            // The lane's own next read is told of it, too, and ends the lane.
            return dropped;
        }
        return dropped;
    }

    @Override
    public @Nullable StreamFigures figures() {
        if (!channel.isOpen() || !(channel instanceof EpollSocketChannel socket)) {
            return null;
        }
        StreamFigures figures = info().read(socket.fd().intValue());
        if (figures != null) {
            settle(figures.incomingCore());
        }
        return figures;
    }

    private TcpInfo info() {
        TcpInfo info = tcpInfo;
        if (info == null) {
            info = new TcpInfo();
            tcpInfo = info;
        }
        return info;
    }

    /** Looks now and then where the packets come up. A thread that is in its own calls does so when it asks for figures. */
    private void watchPackets(EventLoop loop) {
        if (places != LanePlaces.ANYWHERE && channel instanceof EpollSocketChannel socket) {
            loop.scheduleWithFixedDelay(
                    () -> {
                        if (channel.isOpen()) {
                            settle(info().incomingCore(socket.fd().intValue()));
                        }
                    },
                    LOOK_MS,
                    LOOK_MS,
                    TimeUnit.MILLISECONDS);
        }
    }

    private void settle(int incomingCore) {
        int lane = number;
        if (incomingCore >= 0 && lane >= 0) {
            places.onPackets(lane, incomingCore);
        }
    }

    @Override
    public String description() {
        return description;
    }

    /** The lane's loop, or null before the start: then the task is kept for it. */
    private synchronized @Nullable IoEventLoop loopOrKeep(Runnable task) {
        if (!startRequested || thread == null) {
            if (!abandoned) {
                tasksBeforeStart.add(task);
            }
            return null;
        }
        return thread.loop();
    }

    /** Ends a lane that has not been started; false when it has. */
    private synchronized boolean abandonUnstarted(@Nullable TransferException cause) {
        if (startRequested) {
            return false;
        }
        if (!abandoned) {
            abandoned = true;
            abandonCause = cause;
            tasksBeforeStart.clear();
            submit(home, () -> {
                if (cause != null) {
                    resetOnClose();
                }
                LaneOpening.closeParked(channel, home);
            });
        }
        return true;
    }

    /** A channel that closes while it is parked has no loop that would say so to its handlers. */
    private void onChannelClosed() {
        synchronized (this) {
            if (startRequested && !abandoned) {
                // It is registered, or about to be, and its loop tells.
                return;
            }
            if (!abandoned) {
                abandoned = true;
                abandonCause = Failures.lost(peer, "it was closed before its first use");
            }
        }
        cleanUp();
    }

    private static void submit(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it everything that the task could have been about.
            return;
        }
    }

    // ---- Running, on the lane's thread.

    private void begin(LaneHandler laneHandler, LaneThread own) {
        handler = laneHandler;
        boolean never;
        TransferException cause;
        synchronized (this) {
            never = abandoned;
            cause = abandonCause;
        }
        if (never) {
            phase = Phase.ENDED;
            own.end();
            notifyClosed(cause);
            return;
        }
        number = own.number();
        EventLoop loop = own.loop();
        loop.register(channel).addListener(registered -> {
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
        watchPackets(channel.eventLoop());
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
        sender = new LaneSender(channel, blockBytes, blockCount, tls, own, this::callSendable);
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
        submit(channel.eventLoop(), () -> endNow(TransferException.of(cause)));
    }

    /** The peer has ended its stream in order. */
    private void onEndOfStream(LaneReceiver laneReceiver) {
        int left = laneReceiver.onEndOfStream();
        if (isDelivering()) {
            phase = Phase.ENDED;
            notifyClosed(
                    left == 0
                            ? null
                            : Failures.lost(
                                    peer, "it ended in the middle, with " + left + " bytes of something unfinished"));
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
            channel.eventLoop().schedule(() -> closeChannel(false), DRAIN_MS, TimeUnit.MILLISECONDS);
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
            // A reset tells the peer that this is no orderly end.
            closeChannel(!drained);
        }
    }

    private void closeChannel(boolean reset) {
        if (reset) {
            resetOnClose();
        }
        channel.close();
    }

    private void resetOnClose() {
        if (channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is gone already, so there is nobody to tell.
                failure = e;
            }
        }
    }

    /** TLS or the socket failed under a call of ours. */
    private void failConnection(Throwable cause) {
        stopped = true;
        submit(channel.eventLoop(), () -> endNow(Failures.lost(peer, cause)));
    }

    private void notifyClosed(@Nullable TransferException cause) {
        if (notified || handler == null) {
            return;
        }
        if (inHandler) {
            submit(channel.eventLoop(), () -> notifyClosed(cause));
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
                    endNow(Failures.lost(peer, "it ended without a goodbye"));
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
        LaneThread own;
        synchronized (this) {
            own = startRequested || abandoned ? thread : null;
        }
        if (own != null) {
            // After what is queued: a last call of the handler may be.
            submit(own.loop(), own::end);
        }
        onForgotten.run();
    }
}
