package io.fdt.core.transport.tcp;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.MessageLink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A link over one TCP connection with TLS 1.3: messages preceded by their length in four bytes. All links of a
 * transport share its control loop; fields without a note belong to that loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class TcpLink extends PlainHandler implements MessageLink {
    /**
     * Waits for the link to be opened. On the control loop; one of {@link #onOpened} and {@link #onFailed} is called.
     */
    interface Opening {
        /** Runs a step of the handshake when it is its turn. */
        default void inTurn(Runnable step) {
            step.run();
        }

        void onOpened(TcpLink link);

        void onFailed(TcpLink link, Throwable failure);
    }

    private enum Phase {
        HANDSHAKE,
        /** Open; until the owner starts it nothing is delivered, and little is read. */
        OPEN,
        CLOSING,
        /** Our stream has ended; further data of the peer is dropped until it ends its own. */
        DRAINING,
        ENDED
    }

    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final long DRAIN_MS = 5_000;

    /** How long a peer that reads slowly has for what was sent before a close. */
    private static final long CLOSE_MS = 30_000;

    /** How long the end of the stream may take to be sent when the transport is closed. */
    private static final long GOODBYE_MS = 1_000;

    private static final int MAX_MESSAGE_BYTES = 1 << 20;
    /** Enough to authenticate, by the longest token. */
    private static final int UNAUTHENTICATED_MESSAGE_BYTES = 20 << 10;

    final SocketChannel channel;
    private final Tls tls;
    private final String peer;
    private final Opening opening;
    private final Runnable onAdmitted;
    private final AtomicLong queuedBytes = new AtomicLong();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile String description;
    /** The longest message that is accepted now: an unauthenticated peer must not occupy much memory. */
    private volatile int receiveLimitBytes;

    private final Consumer<ByteBuf> out;
    private Phase phase = Phase.HANDSHAKE;
    private ByteBuf encrypted = Unpooled.EMPTY_BUFFER;

    private ByteBuf received = Unpooled.EMPTY_BUFFER;
    private @Nullable Handler handler;
    private @Nullable TransferException endCause;
    private @Nullable Throwable failure;
    /** The handshake waits for its turn, and nothing more is read before. */
    private boolean waits;

    private boolean peerSaidGoodbye;
    private boolean sendFailed;
    private boolean transportCloses;
    private boolean notified;
    private boolean decoding;
    /** Nothing is delivered, and what has arrived is the last that is read. */
    private boolean paused;

    TcpLink(SocketChannel channel, Tls tls, boolean accepted, String peer, Opening opening, Runnable onAdmitted) {
        this.channel = channel;
        this.tls = tls;
        this.receiveLimitBytes = accepted ? UNAUTHENTICATED_MESSAGE_BYTES : MAX_MESSAGE_BYTES;
        this.peer = peer;
        this.opening = opening;
        this.onAdmitted = onAdmitted;
        this.description = TcpTransport.NAME + ", TLS";
        this.out = channel::write;
        // A write that fails does not close the channel: see endAfterReading.
        channel.config().setAutoClose(false);
    }

    // ---- Calls of the owner, on any thread.

    @Override
    public void start(Handler linkHandler) {
        if (!started.compareAndSet(false, true)) {
            throw new IllegalStateException("the link has been started already");
        }
        onLoop(() -> {
            handler = linkHandler;
            decode();
            if (phase == Phase.ENDED) {
                notifyClosed();
            } else if (peerSaidGoodbye) {
                endInOrder();
            } else if (!paused) {
                channel.config().setAutoRead(true);
            }
        });
    }

    @Override
    public void pause() {
        if (channel.eventLoop().inEventLoop()) {
            stopReading();
        } else {
            onLoop(this::stopReading);
        }
    }

    private void stopReading() {
        if (phase == Phase.OPEN) {
            paused = true;
            channel.config().setAutoRead(false);
        }
    }

    @Override
    public void resume() {
        onLoop(() -> {
            paused = false;
            decode();
            if (!paused && handler != null && phase == Phase.OPEN) {
                channel.config().setAutoRead(true);
            }
        });
    }

    @Override
    public void send(byte[] message) {
        if (message.length > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException(
                    "a message of " + message.length + " bytes; the limit is " + MAX_MESSAGE_BYTES);
        }
        int frameBytes = LENGTH_BYTES + message.length;
        queuedBytes.addAndGet(frameBytes);
        // Always as a task, also on the loop: written at once, it would overtake what another thread has sent before.
        if (!onLoop(() -> write(message, frameBytes))) {
            queuedBytes.addAndGet(-frameBytes);
        }
    }

    private void write(byte[] message, int frameBytes) {
        if (phase != Phase.OPEN) {
            queuedBytes.addAndGet(-frameBytes);
            return;
        }
        int room = Tls.encryptedBytes(frameBytes);
        ByteBuf frame = Unpooled.EMPTY_BUFFER;
        ByteBuf packet = Unpooled.EMPTY_BUFFER;
        try {
            frame = channel.alloc().directBuffer(frameBytes, frameBytes);
            packet = channel.alloc().directBuffer(room, room);
            frame.writeInt(message.length).writeBytes(message);
            ByteBuffer target = packet.nioBuffer(0, room);
            tls.encrypt(frame.nioBuffer(), target);
            packet.writerIndex(target.position());
            channel.writeAndFlush(packet.retain()).addListener(written -> {
                queuedBytes.addAndGet(-frameBytes);
                if (!written.isSuccess()) {
                    endAfterReading();
                }
            });
        } catch (SSLException e) {
            queuedBytes.addAndGet(-frameBytes);
            breakOff(e);
        } catch (RuntimeException | Error e) {
            // The message is lost, usually because there is no memory for it, so none may follow it on this link.
            queuedBytes.addAndGet(-frameBytes);
            endNow(TransferException.of(e));
        } finally {
            frame.release();
            packet.release();
        }
    }

    /**
     * Nothing can be sent any more, usually because the peer has closed. Its last messages may still be unread, and may
     * include an orderly end: reading continues until the end of the stream, which usually follows soon.
     */
    private void endAfterReading() {
        if (!sendFailed) {
            sendFailed = true;
            closeAfterDraining();
        }
    }

    private void closeAfterDraining() {
        long patienceMs = transportCloses ? 0 : DRAIN_MS;
        channel.eventLoop().schedule(() -> channel.close(), patienceMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public long queuedBytes() {
        return queuedBytes.get();
    }

    @Override
    public void close() {
        close(CLOSE_MS);
    }

    /** Closes the link, and breaks it off if what was sent is not with the network after this time. */
    void close(long patienceMs) {
        onLoop(() -> beginClose(patienceMs));
    }

    @Override
    public void abort(TransferException cause) {
        onLoop(() -> endNow(cause));
    }

    /** The transport is closed: an end that is being sent has some more time, and the peer's end is not waited for. */
    void endWithTransport(TransferException cause) {
        onLoop(() -> {
            transportCloses = true;
            if (phase == Phase.CLOSING) {
                channel.eventLoop().schedule(() -> endNow(cause), GOODBYE_MS, TimeUnit.MILLISECONDS);
            } else {
                endNow(cause);
            }
        });
    }

    @Override
    public void admitted() {
        receiveLimitBytes = MAX_MESSAGE_BYTES;
        onAdmitted.run();
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public String description() {
        return description;
    }

    /** False if the transport has been closed, and with it the link. */
    private boolean onLoop(Runnable task) {
        try {
            channel.eventLoop().execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // ---- Opening.

    /** The connection is established. */
    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        handshake();
    }

    private void handshake() {
        try {
            boolean complete = tls.handshake(encrypted, out);
            channel.flush();
            if (complete) {
                phase = Phase.OPEN;
                description = TcpTransport.NAME + ", " + tls.description();
                opening.onOpened(this);
            }
        } catch (SSLException e) {
            tls.alert(out);
            channel.flush();
            failOpening(e);
        }
    }

    private void failOpening(Throwable cause) {
        if (phase == Phase.HANDSHAKE) {
            phase = Phase.ENDED;
            opening.onFailed(this, cause);
            channel.close();
        }
    }

    // ---- Receiving.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (phase != Phase.OPEN && phase != Phase.HANDSHAKE) {
            bytes.release();
            return;
        }
        take(bytes);
        if (phase == Phase.OPEN) {
            decrypt();
        } else if (!waits) {
            waits = true;
            opening.inTurn(this::onTurn);
        }
    }

    private void onTurn() {
        waits = false;
        if (phase == Phase.HANDSHAKE) {
            handshake();
        }
        if (phase == Phase.OPEN) {
            decrypt();
        }
        readHandshake();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        readHandshake();
    }

    private void readHandshake() {
        if (phase == Phase.HANDSHAKE && !waits) {
            channel.read();
        }
    }

    private void take(ByteBuf bytes) {
        if (encrypted.isReadable()) {
            ByteBuf joined = channel.alloc().directBuffer(encrypted.readableBytes() + bytes.readableBytes());
            joined.writeBytes(encrypted).writeBytes(bytes);
            bytes.release();
            encrypted.release();
            encrypted = joined;
        } else {
            encrypted.release();
            encrypted = bytes;
        }
    }

    private void decrypt() {
        try {
            boolean more = true;
            while (more && encrypted.isReadable()) {
                if (received.capacity() == 0) {
                    received = channel.alloc().directBuffer(2 * Tls.RECORD_ROOM);
                }
                received.discardReadBytes().ensureWritable(Tls.RECORD_ROOM);
                ByteBuffer source = encrypted.nioBuffer();
                ByteBuffer target = received.nioBuffer(received.writerIndex(), received.writableBytes());
                peerSaidGoodbye = !tls.decrypt(source, target);
                more = !peerSaidGoodbye && (source.position() > 0 || tls.hasControl());
                encrypted.skipBytes(source.position());
                received.writerIndex(received.writerIndex() + target.position());
                if (tls.hasControl()) {
                    tls.control(out);
                    channel.flush();
                }
            }
        } catch (SSLException e) {
            tls.alert(out);
            channel.flush();
            breakOff(e);
            return;
        }
        decode();
        if (peerSaidGoodbye && phase == Phase.OPEN) {
            endInOrder();
        }
    }

    /** TLS has failed: further data cannot be decrypted. */
    private void breakOff(SSLException cause) {
        if (failure == null) {
            failure = cause;
        }
        channel.close();
    }

    private void decode() {
        if (decoding || handler == null) {
            return;
        }
        decoding = true;
        try {
            while (phase == Phase.OPEN && !mustWait() && received.readableBytes() >= LENGTH_BYTES) {
                int length = received.getInt(received.readerIndex());
                int limit = receiveLimitBytes;
                if (length < 0 || length > limit) {
                    endNow(Cause.MALFORMED.failure(peer + " sent a message of " + Integer.toUnsignedString(length)
                            + " bytes; the limit is " + limit));
                    return;
                }
                if (received.readableBytes() - LENGTH_BYTES < length) {
                    break;
                }
                byte[] message = new byte[length];
                received.skipBytes(LENGTH_BYTES).readBytes(message);
                handler.onMessage(message);
            }
        } catch (RuntimeException | Error e) {
            onLoop(() -> endNow(TransferException.of(e)));
        } finally {
            decoding = false;
        }
        if (!received.isReadable()) {
            received.release();
            received = Unpooled.EMPTY_BUFFER;
        }
    }

    /** What came before the end is bounded, and there is nothing left to wait for. */
    private boolean mustWait() {
        return paused && !peerSaidGoodbye && channel.isActive();
    }

    // ---- The end.

    private void beginClose(long patienceMs) {
        if (phase != Phase.OPEN || !channel.isActive()) {
            // If the peer was first, channelInactive follows.
            return;
        }
        phase = Phase.CLOSING;
        // Otherwise a peer that reads nothing could keep the connection and what is queued on it.
        Future<?> deadline = channel.eventLoop()
                .schedule(
                        () -> endNow(Failures.lost(peer, "it does not read what was sent")),
                        patienceMs,
                        TimeUnit.MILLISECONDS);
        sayGoodbye().addListener(said -> {
            deadline.cancel(false);
            if (phase != Phase.CLOSING) {
                return;
            }
            if (!said.isSuccess()) {
                endNow(Failures.lost(peer, failure == null ? said.cause() : failure));
                return;
            }
            phase = Phase.DRAINING;
            channel.shutdownOutput();
            channel.config().setAutoRead(true);
            closeAfterDraining();
            notifyClosed();
        });
    }

    /** Follows everything that was sent. */
    private ChannelFuture sayGoodbye() {
        try {
            tls.closeOutbound();
            tls.control(out);
        } catch (SSLException e) {
            return channel.newFailedFuture(e);
        }
        return channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    private void endInOrder() {
        if (handler == null || decoding) {
            // Its last messages come first: when the owner starts the link, or when this call ends.
            if (decoding) {
                onLoop(this::endInOrder);
            }
            return;
        }
        decode();
        if (phase != Phase.OPEN) {
            return;
        }
        endCause = received.isReadable() ? Failures.lost(peer, "it ended in the middle of a message") : null;
        phase = Phase.ENDED;
        notifyClosed();
        sayGoodbye();
        channel.close();
    }

    private void endNow(TransferException cause) {
        if (phase == Phase.ENDED) {
            return;
        }
        boolean drained = phase == Phase.DRAINING;
        phase = Phase.ENDED;
        endCause = cause;
        if (!drained && channel.isOpen()) {
            try {
                // A reset tells the peer that this is not an orderly end.
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            } catch (ChannelException e) {
                // The socket is already closed, so the peer has been shown an end.
                failure = e;
            }
        }
        channel.close();
        notifyClosed();
    }

    private void notifyClosed() {
        if (notified || handler == null) {
            return;
        }
        if (decoding) {
            onLoop(this::notifyClosed);
            return;
        }
        notified = true;
        handler.onClosed(endCause);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof ReceiveBuffers.NotNow || cause instanceof ClosedChannelException) {
            return;
        }
        if (failure == null) {
            failure = cause;
        }
        if (phase == Phase.HANDSHAKE) {
            failOpening(cause);
        }
        channel.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        switch (phase) {
            case HANDSHAKE -> failOpening(failure == null ? new ClosedChannelException() : failure);
            case OPEN -> {
                decode();
                if (phase != Phase.OPEN) {
                    return;
                }
                if (failure != null) {
                    endNow(Failures.lost(peer, failure));
                } else if (peerSaidGoodbye) {
                    endInOrder();
                } else {
                    endNow(Failures.lost(peer, "it disconnected without closing the session"));
                }
            }
            case CLOSING ->
                endNow(
                        failure == null
                                ? Failures.lost(peer, "it closed the connection before everything was sent")
                                : Failures.lost(peer, failure));
            case DRAINING, ENDED -> {}
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        encrypted.release();
        encrypted = Unpooled.EMPTY_BUFFER;
        received.release();
        received = Unpooled.EMPTY_BUFFER;
        tls.release();
    }
}
