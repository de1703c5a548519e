package io.fdt.core.transport.tcp;

import io.fdt.core.security.Tls;
import io.fdt.core.security.TlsContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is becoming a lane: the client's preamble, the TLS handshake, then parking, which removes the
 * channel from its loop, so that it costs and reads nothing until the lane is started.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class LaneOpening extends PlainHandler implements ReceiveBuffers.Source {
    /** Waits for the lane. On the home loop; one of {@link #onParked} and {@link #onFailed} is called. */
    interface OpeningListener {
        /** Runs a step of the handshake when it is its turn. */
        default void inTurn(Runnable step) {
            step.run();
        }

        /**
         * The channel is parked, without a handler of ours in its pipeline.
         *
         * @param tls null for a clear lane; belongs to the lane now, as do the bytes
         * @param decrypted the first bytes of the lane, if they were already received and decrypted
         * @param early further bytes that were already received, in order
         */
        void onParked(@Nullable Tls tls, @Nullable ByteBuf decrypted, Queue<ByteBuf> early);

        /** TLS is complete. Comes before {@link #onParked}; never for a clear lane. */
        default void onEncrypted() {}

        void onFailed(Throwable failure);
    }

    private enum Phase {
        CONNECTING,
        HANDSHAKE,
        /** On a server: the peer must send its greeting before the lane costs a thread. */
        GREETING,
        PARKING,
        OVER
    }

    private static final int HANDSHAKE_BYTES = 20 << 10;

    private final SocketChannel channel;
    private final EventLoop home;
    private final @Nullable Supplier<ByteBuf> clientGreeting;
    private final int greetingBytes;
    private final @Nullable TlsContext context;
    private final OpeningListener outcome;
    private final Consumer<ByteBuf> out;
    private final Queue<ByteBuf> early = new ArrayDeque<>();

    private Phase phase = Phase.CONNECTING;
    /** Set once the connection is established. */
    private @Nullable Tls tls;

    /** The handshake waits for its turn, and nothing more is read before. */
    private boolean waits;

    private @Nullable ByteBuf handshakeBuffer;
    /** The greeting, and what followed it in the same record of TLS. */
    private @Nullable ByteBuf decrypted;

    private @Nullable ChannelFuture lastWrite;
    private @Nullable Throwable failure;
    private @Nullable Throwable cancelCause;

    /**
     * @param clientGreeting the bytes to send first; null on a server, which has already received them
     * @param greetingBytes that must arrive before the lane is parked; 0 for none
     */
    LaneOpening(
            SocketChannel channel,
            @Nullable Supplier<ByteBuf> clientGreeting,
            int greetingBytes,
            @Nullable TlsContext context,
            OpeningListener outcome) {
        this.channel = channel;
        this.home = channel.eventLoop();
        this.clientGreeting = clientGreeting;
        this.greetingBytes = greetingBytes;
        this.context = context;
        this.outcome = outcome;
        this.out = packet -> lastWrite = channel.write(packet);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        if (clientGreeting == null) {
            open();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        if (clientGreeting != null) {
            lastWrite = channel.writeAndFlush(clientGreeting.get());
            open();
        }
    }

    private void open() {
        if (context == null && greetingBytes == 0) {
            park();
            return;
        }
        if (context == null) {
            phase = Phase.GREETING;
            handshakeBuffer = channel.alloc().directBuffer(greetingBytes, greetingBytes);
        } else {
            phase = Phase.HANDSHAKE;
            tls = context.newTls(channel.alloc());
            handshakeBuffer = channel.alloc().directBuffer(HANDSHAKE_BYTES, HANDSHAKE_BYTES);
            advance(handshakeBuffer);
        }
        read();
    }

    private boolean isReading() {
        return phase == Phase.HANDSHAKE || phase == Phase.GREETING;
    }

    /** Takes what has come. */
    private void advance(ByteBuf buffer) {
        Tls laneTls = tls;
        try {
            if (phase == Phase.HANDSHAKE && laneTls != null) {
                boolean complete = laneTls.handshake(buffer, out);
                channel.flush();
                if (!complete) {
                    return;
                }
                outcome.onEncrypted();
                phase = Phase.GREETING;
            }
            boolean greeted = (laneTls == null || greetingBytes == 0)
                    ? buffer.readableBytes() >= greetingBytes
                    : decrypt(laneTls, buffer);
            if (greeted) {
                park();
            }
        } catch (SSLException e) {
            if (laneTls != null) {
                laneTls.alert(out);
                channel.flush();
            }
            fail(e);
        }
    }

    /** Whether the greeting is there now. */
    private boolean decrypt(Tls laneTls, ByteBuf buffer) throws SSLException {
        if (!buffer.isReadable()) {
            return false;
        }
        ByteBuf plain = decrypted;
        if (plain == null) {
            // Until the greeting is complete, there is room for one more record.
            plain = channel.alloc().directBuffer(Tls.RECORD_ROOM + greetingBytes);
            decrypted = plain;
        }
        ByteBuffer source = buffer.nioBuffer();
        ByteBuffer target = plain.nioBuffer(plain.writerIndex(), plain.writableBytes());
        boolean open = laneTls.decrypt(source, target);
        buffer.skipBytes(source.position());
        plain.writerIndex(plain.writerIndex() + target.position());
        boolean complete = plain.readableBytes() >= greetingBytes;
        if (!open && !complete) {
            fail(new ClosedChannelException());
        }
        return complete;
    }

    /** Removes the channel from its home loop once everything that was written has been sent. */
    private void park() {
        phase = Phase.PARKING;
        if (handshakeBuffer != null) {
            // The greeting, and what followed the handshake.
            early.add(handshakeBuffer);
            handshakeBuffer = null;
        }
        if (lastWrite == null) {
            deregister();
        } else {
            lastWrite.addListener(written -> {
                if (phase == Phase.PARKING && written.isSuccess()) {
                    deregister();
                }
            });
        }
    }

    /**
     * The next step runs as a new task of the loop, not within the notification, so that Netty has finished its own.
     */
    private void deregister() {
        channel.deregister().addListener(deregistered -> onHome(() -> onDeregistered(deregistered)));
    }

    private void onHome(Runnable task) {
        try {
            home.execute(task);
        } catch (RejectedExecutionException e) {
            // The loop has ended, and with it the attempt.
            return;
        }
    }

    private void onDeregistered(Future<?> deregistered) {
        if (phase != Phase.PARKING) {
            return;
        }
        if (!deregistered.isSuccess() || !channel.isOpen()) {
            fail(failure == null ? new ClosedChannelException() : failure);
        } else if (cancelCause != null) {
            end();
            outcome.onFailed(cancelCause);
            closeParked();
        } else {
            phase = Phase.OVER;
            channel.pipeline().remove(this);
            outcome.onParked(tls, decrypted, early);
        }
    }

    /** A parked channel has no loop, and only a loop can close it. On the home loop. */
    private void closeParked() {
        if (channel.isRegistered() || !channel.isOpen()) {
            channel.close();
        } else {
            home.register(channel).addListener(registered -> channel.close());
        }
    }

    /** Cancels the attempt. Thread-safe. */
    void cancel(Throwable cause) {
        onHome(() -> {
            if (phase == Phase.PARKING) {
                // The channel is between two states; onDeregistered follows.
                cancelCause = cause;
            } else {
                fail(cause);
            }
        });
    }

    private void fail(Throwable cause) {
        if (phase != Phase.OVER) {
            end();
            outcome.onFailed(cause);
            channel.close();
        }
    }

    private void end() {
        phase = Phase.OVER;
        if (handshakeBuffer != null) {
            handshakeBuffer.release();
            handshakeBuffer = null;
        }
        if (decrypted != null) {
            decrypted.release();
            decrypted = null;
        }
        early.forEach(ByteBuf::release);
        early.clear();
        if (tls != null) {
            tls.release();
        }
    }

    @Override
    public ByteBuf receiveBuffer(ByteBufAllocator allocator) {
        if (isReading() && handshakeBuffer != null) {
            return handshakeBuffer.discardReadBytes().retain();
        }
        throw new ReceiveBuffers.NotNow();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ((ByteBuf) message).release();
        if (phase != Phase.HANDSHAKE) {
            advance();
        } else if (!waits) {
            waits = true;
            outcome.inTurn(this::onTurn);
        }
    }

    private void onTurn() {
        waits = false;
        advance();
        read();
    }

    private void advance() {
        ByteBuf buffer = handshakeBuffer;
        if (isReading() && buffer != null) {
            advance(buffer);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        read();
    }

    private void read() {
        if (isReading() && !waits) {
            channel.read();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (!(cause instanceof ReceiveBuffers.NotNow)) {
            failure = cause;
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        fail(failure == null ? new ClosedChannelException() : failure);
    }
}
