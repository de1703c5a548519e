package io.fdt.core.transport.tcp;

import io.fdt.core.basic.Addresses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.security.NoKeyException;
import io.fdt.core.security.Tls;
import io.fdt.core.security.TlsContext;
import io.fdt.core.transport.StreamLane;
import io.fdt.core.transport.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A listening port: reads the preamble of each connection, on the control loop, and makes it a link or a lane, or
 * reports it as garbage.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class TcpListener extends ChannelInitializer<SocketChannel> implements Transport.Listener {
    private static final int F_DUPFD_CLOEXEC = 1030;

    private final TcpTransport transport;
    private final TlsContext tls;
    private final Transport.Acceptor acceptor;
    private final ConnectionLimits limits;
    private final HandshakeTurns handshakes;
    private volatile @Nullable Channel server;

    TcpListener(TcpTransport transport, TlsContext tls, Transport.Acceptor acceptor) {
        // Not as a task: the loop runs many of these before it looks at its connections again.
        this(
                transport,
                tls,
                acceptor,
                new HandshakeTurns(step -> transport.controlLoop().schedule(step, 0, TimeUnit.NANOSECONDS)));
    }

    TcpListener(TcpTransport transport, TlsContext tls, Transport.Acceptor acceptor, HandshakeTurns handshakes) {
        this.handshakes = handshakes;
        this.transport = transport;
        this.tls = tls;
        this.acceptor = acceptor;
        TcpSettings settings = transport.settings();
        this.limits = new ConnectionLimits(
                settings.listening().maxUnadmitted(), settings.listening().maxConnections(), System::nanoTime);
    }

    void listening(Channel channel) {
        server = channel;
    }

    ConnectionLimits limits() {
        return limits;
    }

    @Override
    public InetSocketAddress address() {
        Channel channel = server;
        if (channel == null) {
            throw new IllegalStateException("not listening yet");
        }
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public void close() {
        Channel channel = server;
        if (channel != null) {
            var closed = channel.close();
            if (!transport.onOwnThread()) {
                closed.awaitUninterruptibly(TcpTransport.CLOSE_TIMEOUT_MS);
            }
        }
    }

    /** Takes over a connection that another process has accepted. Any thread; returns at once. */
    void adopt(int fd) {
        EpollSocketChannel channel = new EpollSocketChannel(fd);
        channel.config().setAutoRead(false);
        channel.pipeline().addLast(this);
        EventLoop loop = transport.controlLoop().next();
        loop.register(channel).addListener(registered -> {
            if (!registered.isSuccess()) {
                channel.unsafe().closeForcibly();
            }
        });
    }

    @Override
    protected void initChannel(SocketChannel channel) {
        transport.remember(channel, closing -> channel.close());
        transport.io().tune(channel);
        Greeting greeting = new Greeting(channel);
        channel.config().setRecvByteBufAllocator(greeting.buffers);
        channel.pipeline().addLast(greeting);
    }

    private enum Phase {
        PREAMBLE,
        /** The route that follows the preamble. */
        ROUTE,
        /** The peer has been told that it has another version, and what it still sends is dropped. */
        REFUSED,
        /** It becomes a link or a lane. */
        OPENING,
        /** It is a link or a lane. */
        OPEN,
        ENDED
    }

    /** A connection from its first byte until it is a link or a lane. On the control loop. */
    private final class Greeting extends ChannelInboundHandlerAdapter implements ReceiveBuffers.Source {
        private final SocketChannel channel;
        private final String peer;
        private final byte[] preamble = new byte[Preamble.BYTES + Preamble.ROUTE_BYTES];
        private final ReceiveBuffers buffers = new ReceiveBuffers(this);
        private ConnectionLimits.@Nullable Connection counted;
        private @Nullable Future<?> deadline;
        private @Nullable LaneOpening opening;
        private Phase phase = Phase.PREAMBLE;
        private int count;
        /** Closes the link or lane that this has become. */
        private Consumer<TransferException> dismissal = evicted -> {};

        Greeting(SocketChannel channel) {
            this.channel = channel;
            this.peer = Addresses.shown(channel.remoteAddress());
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            InetSocketAddress from = channel.remoteAddress();
            if (from == null || !transport.settings().listening().allowed().allow(from.getAddress())) {
                garbage(Cause.REFUSED, "its address is not permitted by --allow");
                return;
            }
            ConnectionLimits.Connection came = limits.enter(from.getAddress(), this::onEvicted);
            counted = came;
            if (came == null) {
                garbage(Cause.UNAVAILABLE, "there are too many connections");
                return;
            }
            channel.closeFuture().addListener(closed -> came.leave());
            long timeoutMs = transport.settings().listening().handshakeTimeoutMs();
            deadline = channel.eventLoop().schedule(() -> onDeadline(timeoutMs), timeoutMs, TimeUnit.MILLISECONDS);
            channel.read();
        }

        private void onEvicted() {
            channel.eventLoop().execute(() -> {
                String what = "it authenticated too slowly while others connected";
                if (phase == Phase.OPEN) {
                    acceptor.onGarbage(peer, Failure.of(Cause.NO_ANSWER, what));
                    dismissal.accept(Cause.NO_ANSWER.failure(peer + ": " + what));
                } else {
                    garbage(Cause.NO_ANSWER, what);
                }
            });
        }

        private void onDeadline(long timeoutMs) {
            garbage(
                    Cause.NO_ANSWER,
                    (count == 0 ? "it sent nothing for " : "it did not complete its greeting within ") + timeoutMs
                            + " ms");
        }

        /** How many bytes to read before it is something else. */
        private int left() {
            return switch (phase) {
                case PREAMBLE -> Preamble.BYTES - count;
                case ROUTE -> Preamble.BYTES + Preamble.ROUTE_BYTES - count;
                case REFUSED -> Preamble.BYTES;
                case OPENING, OPEN, ENDED -> 0;
            };
        }

        @Override
        public ByteBuf receiveBuffer(ByteBufAllocator allocator) {
            int left = left();
            if (left == 0) {
                throw new ReceiveBuffers.NotNow();
            }
            return allocator.directBuffer(left, left);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (phase != Phase.PREAMBLE && phase != Phase.ROUTE) {
                bytes.release();
                return;
            }
            int more = Math.min(bytes.readableBytes(), left());
            bytes.readBytes(preamble, count, more);
            bytes.release();
            count += more;
            if (counted != null) {
                counted.speaks();
            }
            if (!Preamble.mayBegin(preamble, count)) {
                garbage(Cause.NOT_FDT, Preamble.describe(preamble, count));
            } else if (left() == 0 && phase == Phase.ROUTE) {
                passOn();
            } else if (left() == 0) {
                greet();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (left() > 0) {
                channel.read();
            }
        }

        private void greet() {
            int version = Preamble.version(preamble);
            int code = Preamble.code(preamble);
            if (version != Preamble.VERSION) {
                String what = "fdt with protocol version " + version + "; this one uses " + Preamble.VERSION;
                if (code == Preamble.LINK) {
                    refuse(what);
                } else {
                    garbage(Cause.VERSION, what);
                }
                return;
            }
            switch (code) {
                case Preamble.LINK -> openLink();
                case Preamble.TLS_LANE -> openLane(tls);
                // Whether its session may have clear lanes is known once it has named that session.
                case Preamble.CLEAR_LANE -> openLane(null);
                case Preamble.ROUTE -> phase = Phase.ROUTE;
                default -> garbage(Cause.MALFORMED, "fdt with a connection of unknown kind " + code);
            }
        }

        /** The descriptor that leaves is another one for the same connection, so closing this one closes nothing. */
        private void passOn() {
            int fd = Libc.fcntl(((EpollSocketChannel) channel).fd().intValue(), F_DUPFD_CLOEXEC, 0);
            if (fd >= 0 && acceptor.onRouted(Arrays.copyOfRange(preamble, Preamble.BYTES, count), fd)) {
                leave();
                return;
            }
            if (fd >= 0) {
                Libc.close(fd);
            }
            garbage(Cause.NO_SESSION, "the process that it was sent to has ended; the client begins anew");
        }

        /** It may have sent more, and closing the connection before that is read would discard the answer. */
        private void refuse(String what) {
            phase = Phase.REFUSED;
            acceptor.onGarbage(peer, Failure.of(Cause.VERSION, what));
            channel.writeAndFlush(Preamble.encode(Preamble.VERSION, Preamble.OTHER_VERSION))
                    .addListener(answered -> channel.shutdownOutput());
            channel.read();
        }

        private void openLink() {
            phase = Phase.OPENING;
            channel.writeAndFlush(Preamble.encode(Preamble.VERSION, Preamble.WELCOME));
            receiveInto(ReceiveBuffers.forLink());
            TcpLink link = new TcpLink(
                    channel,
                    tls.newTls(channel.alloc()),
                    true,
                    peer,
                    new TcpLink.Opening() {
                        @Override
                        public void inTurn(Runnable step) {
                            takeTurn(step);
                        }

                        @Override
                        public void onOpened(TcpLink opened) {
                            if (welcome(true, opened::abort)) {
                                acceptor.onLink(opened);
                            }
                        }

                        @Override
                        public void onFailed(TcpLink failed, Throwable failure) {
                            failed(failure instanceof NoKeyException ? "" : "its TLS handshake failed: ", failure);
                        }
                    },
                    this::onAdmitted);
            transport.remember(channel, link::endWithTransport);
            channel.pipeline().addLast(link);
            channel.pipeline().remove(this);
            channel.read();
        }

        private void openLane(@Nullable TlsContext context) {
            phase = Phase.OPENING;
            LaneOpening made = new LaneOpening(
                    channel,
                    null,
                    transport.settings().laneGreetingBytes(),
                    context,
                    new LaneOpening.OpeningListener() {
                        @Override
                        public void inTurn(Runnable step) {
                            takeTurn(step);
                        }

                        @Override
                        public void onParked(@Nullable Tls laneTls, @Nullable ByteBuf decrypted, Queue<ByteBuf> early) {
                            onLaneParked(laneTls, decrypted, early);
                        }

                        @Override
                        public void onEncrypted() {
                            if (counted != null) {
                                counted.awaitProof(true);
                            }
                        }

                        @Override
                        public void onFailed(Throwable failure) {
                            failed("its lane did not open: ", failure);
                        }
                    });
            opening = made;
            receiveInto(made);
            transport.remember(channel, made::cancel);
            channel.pipeline().replace(this, null, made);
        }

        private void takeTurn(Runnable step) {
            ConnectionLimits.Connection came = counted;
            if (came == null) {
                return;
            }
            handshakes.take(came.network(), () -> {
                try {
                    step.run();
                } catch (RuntimeException | Error failure) {
                    channel.pipeline().fireExceptionCaught(failure);
                }
            });
        }

        private void onLaneParked(@Nullable Tls laneTls, @Nullable ByteBuf decrypted, Queue<ByteBuf> early) {
            ConnectionLimits.Connection came = counted;
            StreamLane lane = transport.newLane(channel, peer, laneTls, decrypted, early, this::onAdmitted, () -> {
                if (came != null) {
                    came.leave();
                }
            });
            if (welcome(laneTls != null, lane::abort)) {
                acceptor.onLane(lane);
            } else {
                lane.close();
            }
        }

        private void receiveInto(ReceiveBuffers.Source source) {
            buffers.source(source);
        }

        private void onAdmitted() {
            if (counted != null) {
                counted.admitted();
            }
        }

        /** It is a link or a lane now; false if it was evicted. */
        private boolean welcome(boolean encrypted, Consumer<TransferException> dismissal) {
            if (phase != Phase.OPENING || counted == null || !counted.awaitProof(encrypted)) {
                return false;
            }
            phase = Phase.OPEN;
            this.dismissal = dismissal;
            cancelDeadline();
            return true;
        }

        private void failed(String what, Throwable failure) {
            if (Failures.isCut(failure)) {
                leave();
            } else {
                garbage(Failures.causeOf(failure), what + Failures.reason(failure));
            }
        }

        private void garbage(Cause cause, String what) {
            boolean told = phase == Phase.REFUSED;
            if (end(what) && !told) {
                acceptor.onGarbage(peer, Failure.of(cause, what));
            }
        }

        /**
         * The peer closed the connection before it was used, as a client does whose copy is complete: nothing to
         * report.
         */
        private void leave() {
            var unused = end("it disconnected");
        }

        /** False if this has already ended. */
        private boolean end(String what) {
            if (phase == Phase.OPEN || phase == Phase.ENDED) {
                return false;
            }
            phase = Phase.ENDED;
            cancelDeadline();
            if (opening == null) {
                channel.close();
            } else {
                opening.cancel(Failures.lost(peer, what));
            }
            return true;
        }

        private void cancelDeadline() {
            if (deadline != null) {
                deadline.cancel(false);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof ReceiveBuffers.NotNow)) {
                failed("", cause);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            leave();
        }
    }
}
