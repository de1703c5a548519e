package io.fdt.core.transport.tcp;

import io.fdt.core.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.tcp.LaneMemory.NetworkBuffer;
import io.fdt.core.transport.tcp.LaneThreads.LaneThread;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.VoidChannelPromise;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A lane over one TCP connection.
 *
 * <p>It is opened (preamble, TLS handshake) on its home loop: the shared control loop of a server, its own loop on a
 * client. Then it is parked, registered with no loop and reading nothing, until its owner starts it; from there on it
 * lives on the loop of its own thread, {@code fdt-lane-N}. So whoever connects costs a server neither a thread nor
 * blocks until the owner wants the lane.
 *
 * <p>Everything is received into one block, which is filled until the bytes that the handler wants are there. What is
 * sent goes from the block, or with TLS from the memory that the block is encrypted into, to the socket; Netty's
 * outbound buffer never holds anything but the lane's own few blocks. On the way of the data nothing is allocated.
 *
 * <p>Fields without a note belong to the loop that the channel is registered with.
 */
@SuppressWarnings("FutureReturnValueIgnored") // What fails in Netty comes back as an event of the channel.
final class TcpLane extends ChannelInboundHandlerAdapter implements Lane, ReceiveBuffers.Source {
    /** Who waits for the lane to be opened. Called once, on the home loop. */
    interface Opening {
        void onOpened(TcpLane lane);

        void onFailed(TcpLane lane, Throwable failure);
    }

    private enum Phase {
        CONNECTING,
        HANDSHAKE,
        /** Open; being taken off its home loop. */
        PARKING,
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

    /** Blocks sent in a row before received data and tasks have their turn. */
    private static final int SEND_TURN_BLOCKS = 16;

    private static final int HANDSHAKE_BYTES = 20 << 10;
    private static final int UNASKED_BYTES = 64 << 10;

    /** Encrypted bytes received at once: eight full records. */
    private static final int ENCRYPTED_BYTES = 8 * ((16 << 10) + 128) + LaneTls.RECORD_ROOM;

    private final SocketChannel channel;
    private final EventLoop home;
    private final SocketIo io;
    private final LaneThreads threads;
    private final String peer;
    private final int blockBytes;
    private final int blockCount;
    private final int clientPreamble;
    private final @Nullable LaneTls tls;
    private final Opening opening;
    private final Runnable onAdmitted;
    private final Runnable onForgotten;
    private final ChannelPromise reportingPromise;
    private final Runnable sendableTask = this::onSendableDue;
    private final Consumer<ByteBuf> controlOut;

    // Guarded by this.
    private @Nullable LaneThread thread;
    private boolean startRequested;
    private boolean abandoned;
    private @Nullable TransferException abandonCause;
    private final List<Runnable> tasksBeforeStart = new ArrayList<>();

    private Phase phase;
    private volatile String description;
    private @Nullable ByteBuf handshakeBuffer;
    private @Nullable ChannelFuture lastControlWrite;
    private final Queue<ByteBuf> unasked = new ArrayDeque<>();
    private @Nullable Throwable failure;
    private @Nullable Throwable cancelCause;
    private boolean peerSaidGoodbye;

    // From the start on.
    private @Nullable LaneHandler handler;
    private @Nullable LaneMemory memory;
    private @Nullable NetworkBuffer received;
    private ByteBuffer encrypted = ByteBuffer.allocate(0);
    private @Nullable TcpBlock receiveBlock;
    private ByteBuffer decrypted = ByteBuffer.allocate(0);
    private int consumedBytes;
    private int filledBytes;
    private TcpBlock[] freeBlocks = new TcpBlock[0];
    private int freeCount;
    private int sentThisTurn;
    private boolean starved;
    private boolean sendablePosted;
    private boolean inHandler;
    private boolean stopped;
    private boolean notified;
    private boolean cleanedUp;

    /**
     * @param home the loop that the channel is registered with while the lane is opened
     * @param ownThread the thread that home belongs to, if it is the lane's own
     * @param clientPreamble the code of the preamble to send; 0 on a server, where it has been received already
     * @param onAdmitted told when the owner says that it knows the peer
     * @param onForgotten told when the lane is over and holds nothing any more
     */
    TcpLane(
            SocketChannel channel,
            EventLoop home,
            @Nullable LaneThread ownThread,
            SocketIo io,
            LaneThreads threads,
            TcpSettings settings,
            String peer,
            int clientPreamble,
            @Nullable LaneTls tls,
            Opening opening,
            Runnable onAdmitted,
            Runnable onForgotten) {
        this.channel = channel;
        this.home = home;
        this.thread = ownThread;
        this.io = io;
        this.threads = threads;
        this.peer = peer;
        this.blockBytes = settings.laneBlockBytes();
        this.blockCount = settings.laneBlocks();
        this.clientPreamble = clientPreamble;
        this.tls = tls;
        this.opening = opening;
        this.onAdmitted = onAdmitted;
        this.onForgotten = onForgotten;
        this.phase = Phase.CONNECTING;
        this.description = io.name() + (tls == null ? ", clear" : ", TLS");
        // Tells failed writes to exceptionCaught; a plain void promise would swallow them.
        this.reportingPromise = new VoidChannelPromise(channel, true);
        this.controlOut = packet -> lastControlWrite = channel.write(packet);
    }

    // ---- Opening, on the home loop.

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (clientPreamble == 0) {
            open();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (clientPreamble != 0) {
            lastControlWrite = channel.writeAndFlush(Preamble.encode(Preamble.VERSION, clientPreamble));
            open();
        }
    }

    private void open() {
        if (tls == null) {
            park();
        } else {
            phase = Phase.HANDSHAKE;
            handshakeBuffer = channel.alloc().directBuffer(HANDSHAKE_BYTES, HANDSHAKE_BYTES);
            handshake(tls, handshakeBuffer);
            if (phase == Phase.HANDSHAKE) {
                channel.read();
            }
        }
    }

    private void handshake(LaneTls laneTls, ByteBuf buffer) {
        try {
            boolean complete = laneTls.handshake(buffer, controlOut);
            channel.flush();
            if (complete) {
                description = io.name() + ", " + laneTls.description();
                park();
            }
        } catch (SSLException e) {
            laneTls.alert(controlOut);
            channel.flush();
            failOpening(e);
        }
    }

    /** Takes the channel off its home loop once everything that was written for the opening is on its way. */
    private void park() {
        phase = Phase.PARKING;
        ChannelFuture lastWrite = lastControlWrite;
        if (lastWrite == null) {
            channel.deregister().addListener(this::onParked);
        } else {
            lastWrite.addListener(written -> {
                if (phase == Phase.PARKING && written.isSuccess()) {
                    channel.deregister().addListener(this::onParked);
                }
            });
        }
    }

    private void onParked(Future<?> deregistered) {
        if (phase != Phase.PARKING) {
            return;
        }
        if (!deregistered.isSuccess() || !channel.isOpen()) {
            failOpening(failure == null ? new ClosedChannelException() : failure);
            return;
        }
        if (cancelCause != null) {
            phase = Phase.ENDED;
            opening.onFailed(this, cancelCause);
            closeParked(false);
            return;
        }
        phase = Phase.PARKED;
        opening.onOpened(this);
    }

    private void failOpening(Throwable cause) {
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            opening.onFailed(this, cause);
            channel.close();
        }
    }

    /** Gives the attempt to open the lane up. Any thread. */
    void cancelOpening(Throwable cause) {
        submit(home, () -> {
            if (phase == Phase.PARKING) {
                // The channel is between two states; onParked comes.
                cancelCause = cause;
            } else if (phase.compareTo(Phase.PARKED) < 0) {
                failOpening(cause);
            }
        });
    }

    /** A parked channel has no loop, and only a loop can close it. On the home loop. */
    private void closeParked(boolean reset) {
        if (channel.isRegistered() || !channel.isOpen()) {
            closeChannel(reset);
        } else {
            home.register(channel).addListener(registered -> closeChannel(reset));
        }
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
                submit(loop, this::beginClose);
            }
        }
    }

    @Override
    public void abort(TransferException cause) {
        if (!abandonUnstarted(cause)) {
            IoEventLoop loop = loopOrKeep(() -> {});
            if (loop != null) {
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
                if (phase == Phase.PARKING) {
                    cancelCause = cause == null ? new ClosedChannelException() : cause;
                } else {
                    closeParked(cause != null);
                }
            });
        }
        return true;
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
            notifyClosed(cause);
            own.end();
            return;
        }
        EventLoop loop = own.loop();
        loop.register(channel).addListener(registered -> {
            if (registered.isSuccess()) {
                run();
            } else {
                phase = Phase.ENDED;
                notifyClosed(Failures.lost(peer, registered.cause()));
                cleanUp();
            }
        });
    }

    private void run() {
        phase = Phase.RUNNING;
        allocate();
        callSendable();
        if (handshakeBuffer != null) {
            takeOver(handshakeBuffer);
            handshakeBuffer = null;
        }
        for (ByteBuf bytes = unasked.poll(); bytes != null; bytes = unasked.poll()) {
            takeOver(bytes);
        }
        if (phase == Phase.RUNNING) {
            channel.config().setAutoRead(true);
        }
    }

    private void allocate() {
        int plainBytes = tls == null ? blockBytes : blockBytes + LaneTls.RECORD_ROOM;
        int encryptedBlockBytes = tls == null ? 0 : tls.encryptedBytes(blockBytes);
        int[] capacities = new int[2 + 2 * blockCount];
        capacities[0] = plainBytes;
        capacities[1] = tls == null ? 0 : ENCRYPTED_BYTES;
        for (int index = 0; index < blockCount; index++) {
            capacities[2 + 2 * index] = blockBytes;
            capacities[3 + 2 * index] = encryptedBlockBytes;
        }
        LaneMemory own = new LaneMemory(capacities);
        memory = own;

        ByteBuffer plain = own.cut(plainBytes);
        ByteBuffer network = tls == null ? plain : own.cut(ENCRYPTED_BYTES);
        receiveBlock = new TcpBlock(this, plain, network);
        decrypted = plain.duplicate();
        encrypted = network.duplicate();
        received = new NetworkBuffer(network, own::partBack);
        received.wake(0, 0);
        own.partOut();

        freeBlocks = new TcpBlock[blockCount];
        for (int index = 0; index < blockCount; index++) {
            ByteBuffer block = own.cut(blockBytes);
            freeBlocks[index] = new TcpBlock(this, block, tls == null ? block : own.cut(encryptedBlockBytes));
        }
        freeCount = blockCount;
    }

    private void runTask(Runnable task) {
        if (notified || phase == Phase.ENDED) {
            return;
        }
        inHandler = true;
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            failOwner(e);
        } finally {
            inHandler = false;
        }
    }

    // ---- Sending.

    @Override
    public @Nullable Block acquire() {
        if (phase != Phase.RUNNING || stopped) {
            return null;
        }
        if (freeCount == 0) {
            starved = true;
            return null;
        }
        if (sentThisTurn >= SEND_TURN_BLOCKS) {
            starved = true;
            postSendable();
            return null;
        }
        TcpBlock block = freeBlocks[--freeCount];
        if (memory != null) {
            memory.partOut();
        }
        block.takeForHandler();
        return block;
    }

    @Override
    public void send(Block block) {
        if (!(block instanceof TcpBlock own) || !own.isOf(this)) {
            throw new IllegalArgumentException("this block is not of this lane");
        }
        own.giveUpForSending();
        ByteBuffer bytes = own.buffer();
        if (phase != Phase.RUNNING || stopped || !bytes.hasRemaining()) {
            onBlockFree(own);
            return;
        }
        NetworkBuffer out = own.networkBuffer();
        if (tls == null) {
            out.wake(bytes.position(), bytes.limit());
        } else {
            try {
                out.wake(0, tls.encrypt(bytes, own.networkMemory().clear()));
            } catch (SSLException e) {
                onBlockFree(own);
                failConnection(e);
                return;
            }
        }
        sentThisTurn++;
        channel.write(out, reportingPromise);
        channel.flush();
    }

    /** A block has been released, or the network has taken it. */
    void onBlockFree(TcpBlock block) {
        if (memory != null) {
            freeBlocks[freeCount++] = block;
            memory.partBack();
        }
        if (starved) {
            postSendable();
        }
    }

    /** The call comes from the loop, never from within a call of the handler's. */
    private void postSendable() {
        if (!sendablePosted && phase == Phase.RUNNING) {
            sendablePosted = true;
            submit(channel.eventLoop(), sendableTask);
        }
    }

    private void onSendableDue() {
        sendablePosted = false;
        sentThisTurn = 0;
        if (starved && freeCount > 0) {
            callSendable();
        }
    }

    private void callSendable() {
        if (phase != Phase.RUNNING || stopped || handler == null) {
            return;
        }
        starved = false;
        inHandler = true;
        try {
            handler.onSendable();
        } catch (RuntimeException | Error e) {
            failOwner(e);
        } finally {
            inHandler = false;
        }
    }

    // ---- Receiving.

    @Override
    public ByteBuf receiveBuffer(ByteBufAllocator allocator) {
        switch (phase) {
            case HANDSHAKE -> {
                if (handshakeBuffer != null) {
                    return handshakeBuffer.discardReadBytes().retain();
                }
            }
            case RUNNING -> {
                if (received != null) {
                    return received.retain();
                }
            }
            case CLOSING, DRAINING -> {
                if (received != null) {
                    return received.setIndex(0, 0).retain();
                }
            }
            case CONNECTING, PARKING, PARKED, ENDED -> {}
        }
        if (io.readsUnasked()) {
            return allocator.directBuffer(UNASKED_BYTES);
        }
        throw new ReceiveBuffers.NotNow();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        switch (phase) {
            case HANDSHAKE -> {
                bytes.release();
                if (tls != null && handshakeBuffer != null) {
                    handshake(tls, handshakeBuffer);
                }
            }
            case PARKING -> unasked.add(bytes);
            case RUNNING -> {
                if (bytes instanceof NetworkBuffer) {
                    bytes.release();
                    onReceived();
                } else {
                    takeOver(bytes);
                }
            }
            case CONNECTING, PARKED, CLOSING, DRAINING, ENDED -> bytes.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (phase == Phase.HANDSHAKE) {
            channel.read();
        }
    }

    /** Takes bytes that were received before the lane had its own block. */
    private void takeOver(ByteBuf bytes) {
        try {
            while (bytes.isReadable() && phase == Phase.RUNNING && received != null) {
                received.writeBytes(bytes, Math.min(bytes.readableBytes(), received.writableBytes()));
                onReceived();
            }
        } finally {
            bytes.release();
        }
    }

    private void onReceived() {
        if (received == null || handler == null || receiveBlock == null) {
            return;
        }
        if (tls == null) {
            filledBytes = received.writerIndex();
            deliver(handler, receiveBlock, false);
            makeRoom(handler, receiveBlock, 1);
            received.setIndex(0, filledBytes);
        } else {
            decrypt(tls, handler, receiveBlock, received);
        }
    }

    private void decrypt(LaneTls laneTls, LaneHandler laneHandler, TcpBlock block, NetworkBuffer network) {
        encrypted.limit(network.writerIndex()).position(network.readerIndex());
        try {
            while (phase == Phase.RUNNING && !stopped && encrypted.hasRemaining()) {
                decrypted.clear().position(filledBytes);
                SSLEngineResult.Status status = laneTls.decrypt(encrypted, decrypted, controlOut);
                filledBytes = decrypted.position();
                if (status == SSLEngineResult.Status.CLOSED) {
                    peerSaidGoodbye = true;
                    onEndOfStream();
                    channel.close();
                    return;
                }
                deliver(laneHandler, block, false);
                makeRoom(laneHandler, block, LaneTls.RECORD_ROOM);
                if (status == SSLEngineResult.Status.BUFFER_UNDERFLOW) {
                    break;
                }
            }
            channel.flush();
        } catch (SSLException e) {
            failConnection(e);
            return;
        }
        if (!encrypted.hasRemaining()) {
            encrypted.clear().limit(0);
        } else if (encrypted.capacity() - encrypted.limit() < LaneTls.RECORD_ROOM) {
            encrypted.compact().flip();
        }
        network.setIndex(encrypted.position(), encrypted.limit());
    }

    /** Hands out received bytes as long as there are as many as the handler wants, or all when the stream has ended. */
    private void deliver(LaneHandler laneHandler, TcpBlock block, boolean ended) {
        ByteBuffer view = block.buffer();
        inHandler = true;
        try {
            while (phase == Phase.RUNNING && !stopped && filledBytes > consumedBytes) {
                int ready = filledBytes - consumedBytes;
                int wanted = wantedBytes(laneHandler);
                if (ready < wanted && !ended) {
                    return;
                }
                view.limit(filledBytes).position(consumedBytes);
                laneHandler.onReceived(block);
                int position = view.position();
                if (position < consumedBytes || position > filledBytes) {
                    throw new IllegalStateException("the handler moved the position to " + position + ", outside of "
                            + consumedBytes + " to " + filledBytes);
                }
                if (position == consumedBytes) {
                    if (ended) {
                        return;
                    }
                    // To look and then to want more is fine.
                    if (wantedBytes(laneHandler) <= wanted) {
                        throw new IllegalStateException(
                                "the handler took none of " + ready + " bytes and wants no more than before");
                    }
                }
                consumedBytes = position;
            }
        } catch (RuntimeException | Error e) {
            failOwner(e);
        } finally {
            inHandler = false;
        }
    }

    private int wantedBytes(LaneHandler laneHandler) {
        int wanted = laneHandler.wantedBytes();
        if (wanted < 1 || wanted > blockBytes) {
            throw new IllegalStateException("wanted are 1 to " + blockBytes + " bytes, not " + wanted);
        }
        return wanted;
    }

    /**
     * Moves the tail to the front of the block where the wanted bytes would not fit behind it, or less than this much
     * could be received. Mostly there is no tail, or it may stay where it is.
     */
    private void makeRoom(LaneHandler laneHandler, TcpBlock block, int leastBytes) {
        if (filledBytes == consumedBytes) {
            filledBytes = 0;
            consumedBytes = 0;
            return;
        }
        if (consumedBytes == 0 || stopped || phase != Phase.RUNNING) {
            return;
        }
        int capacity = block.capacity();
        boolean fits;
        try {
            fits = capacity - consumedBytes >= wantedBytes(laneHandler);
        } catch (RuntimeException | Error e) {
            failOwner(e);
            return;
        }
        if (!fits || capacity - filledBytes < leastBytes) {
            ByteBuffer view = block.buffer();
            view.limit(filledBytes).position(consumedBytes);
            view.compact();
            filledBytes -= consumedBytes;
            consumedBytes = 0;
        }
    }

    /** The peer has ended its stream in order. */
    private void onEndOfStream() {
        if (handler != null && receiveBlock != null) {
            deliver(handler, receiveBlock, true);
        }
        if (stopped) {
            return;
        }
        int left = filledBytes - consumedBytes + (tls == null ? 0 : encrypted.remaining());
        phase = Phase.ENDED;
        notifyClosed(
                left == 0
                        ? null
                        : Failures.lost(
                                peer, "it ended in the middle, with " + left + " bytes of something unfinished"));
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
        if (phase != Phase.ENDED) {
            phase = Phase.ENDED;
            notifyClosed(cause);
        }
        // A reset tells the peer that this is no orderly end.
        closeChannel(!drained);
    }

    private void closeChannel(boolean reset) {
        if (reset && channel.isOpen()) {
            try {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is gone already, so there is nobody to tell.
                failure = e;
            }
        }
        channel.close();
    }

    /** TLS or the socket failed under a call of ours. */
    private void failConnection(Throwable cause) {
        stopped = true;
        submit(channel.eventLoop(), () -> endNow(Failures.lost(peer, cause)));
    }

    /** The handler, or a task of the owner's, threw. */
    private void failOwner(Throwable cause) {
        stopped = true;
        submit(channel.eventLoop(), () -> endNow(TransferException.of(cause)));
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
            case CONNECTING, HANDSHAKE, PARKING ->
                failOpening(failure == null ? Failures.lost(peer, "it closed the connection") : failure);
            case RUNNING -> {
                if (failure != null) {
                    endNow(Failures.lost(peer, failure));
                } else if (tls != null && !peerSaidGoodbye) {
                    endNow(Failures.lost(peer, "it ended without a goodbye"));
                } else {
                    onEndOfStream();
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
        if (handshakeBuffer != null) {
            handshakeBuffer.release();
            handshakeBuffer = null;
        }
        for (ByteBuf bytes = unasked.poll(); bytes != null; bytes = unasked.poll()) {
            bytes.release();
        }
        if (received != null) {
            received.release();
        }
        if (memory != null) {
            memory.end();
        }
        if (tls != null) {
            tls.release();
        }
        LaneThread own;
        synchronized (this) {
            // That of an attempt that failed is ended by whoever made the attempt.
            own = startRequested || abandoned ? thread : null;
        }
        if (own != null) {
            // After what is queued: a last call of the handler may be.
            submit(own.loop(), own::end);
        }
        onForgotten.run();
    }
}
