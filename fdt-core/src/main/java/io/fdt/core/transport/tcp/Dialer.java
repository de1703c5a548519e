package io.fdt.core.transport.tcp;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Tls;
import io.fdt.core.security.TlsContext;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.StreamLane;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of opening links and lanes: connects to one address and blocks the caller until the result is
 * known.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
final class Dialer {
    private final TcpTransport transport;

    Dialer(TcpTransport transport) {
        this.transport = transport;
    }

    StreamLane lane(
            InetSocketAddress address,
            String server,
            @Nullable InetSocketAddress localAddress,
            @Nullable TlsContext tls,
            long timeoutMs) {
        SourcePorts.PortLease place = localAddress != null && localAddress.getPort() != 0
                ? null
                : transport.settings().ports().place(address, localAddress == null ? null : localAddress.getAddress());
        if (place == null) {
            return lane(address, server, localAddress, tls, timeoutMs, () -> {});
        }
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        // As in TcpTransport.tryEach.
        long leftMs = timeoutMs;
        while (true) {
            InetSocketAddress from = place.next();
            try {
                return lane(address, server, from == null ? localAddress : from, tls, leftMs, place::release);
            } catch (TransferException e) {
                if (from == null || !Failures.portIsTaken(e)) {
                    place.release();
                    throw e;
                }
            }
            leftMs = Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime()));
        }
    }

    /** @param onGone called when the returned lane has ended */
    private StreamLane lane(
            InetSocketAddress address,
            String server,
            @Nullable InetSocketAddress localAddress,
            @Nullable TlsContext tls,
            long timeoutMs,
            Runnable onGone) {
        CompletableFuture<StreamLane> outcome = new CompletableFuture<>();
        ChannelFuture connecting = connect(address, localAddress, timeoutMs, outcome, channel -> {
            LaneOpening opening = new LaneOpening(
                    channel,
                    () -> transport.greeting(tls == null ? Preamble.CLEAR_LANE : Preamble.TLS_LANE),
                    0,
                    tls,
                    new LaneOpening.OpeningListener() {
                        @Override
                        public void onParked(@Nullable Tls laneTls, @Nullable ByteBuf decrypted, Queue<ByteBuf> early) {
                            StreamLane lane =
                                    transport.newLane(channel, server, laneTls, decrypted, early, () -> {}, onGone);
                            if (!outcome.complete(lane)) {
                                lane.close();
                            }
                        }

                        @Override
                        public void onFailed(Throwable failure) {
                            outcome.completeExceptionally(failure);
                        }
                    });
            channel.config().setRecvByteBufAllocator(new ReceiveBuffers(opening));
            transport.remember(channel, opening::cancel);
            channel.pipeline().addLast(opening);
        });
        return await(outcome, connecting, server, localAddress, timeoutMs);
    }

    TcpLink link(
            InetSocketAddress address,
            String server,
            @Nullable InetSocketAddress localAddress,
            TlsContext tls,
            long timeoutMs) {
        CompletableFuture<TcpLink> outcome = new CompletableFuture<>();
        ChannelFuture connecting = connect(address, localAddress, timeoutMs, outcome, channel -> {
            LinkGreeting greeting = new LinkGreeting(channel, server, tls, outcome);
            ReceiveBuffers buffers = new ReceiveBuffers(greeting);
            greeting.buffers = buffers;
            channel.config().setRecvByteBufAllocator(buffers);
            channel.pipeline().addLast(greeting);
        });
        return await(outcome, connecting, server, localAddress, timeoutMs);
    }

    private <T> ChannelFuture connect(
            InetSocketAddress address,
            @Nullable InetSocketAddress localAddress,
            long timeoutMs,
            CompletableFuture<T> outcome,
            Consumer<SocketChannel> initializer) {
        Bootstrap bootstrap = new Bootstrap()
                .group(transport.controlLoop())
                .channelFactory(transport.io()::newSocket)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(timeoutMs, Integer.MAX_VALUE))
                .handler(new PlainHandler() {
                    @Override
                    public void handlerAdded(ChannelHandlerContext context) {
                        SocketChannel channel = (SocketChannel) context.channel();
                        transport.remember(channel, closing -> channel.close());
                        try {
                            transport.io().tune(channel);
                            int label =
                                    transport.settings().dialled().flowLabels().getAsInt();
                            if (label != 0) {
                                channel.pipeline().addLast(new FlowLabel(label));
                            }
                            initializer.accept(channel);
                            context.pipeline().remove(this);
                        } catch (RuntimeException | Error failure) {
                            outcome.completeExceptionally(failure);
                            context.close();
                        }
                    }
                });
        ChannelFuture connecting =
                localAddress == null ? bootstrap.connect(address) : bootstrap.connect(address, localAddress);
        connecting.addListener(connected -> {
            if (!connected.isSuccess()) {
                outcome.completeExceptionally(connected.cause());
            }
        });
        return connecting;
    }

    private static <T> T await(
            CompletableFuture<T> outcome,
            ChannelFuture connecting,
            String server,
            @Nullable InetSocketAddress localAddress,
            long timeoutMs) {
        try {
            return outcome.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            close(connecting);
            throw Failures.connecting(server, localAddress, e.getCause() == null ? e : e.getCause(), timeoutMs);
        } catch (TimeoutException e) {
            TransferException timedOut =
                    connecting.isSuccess() ? Failures.silent(server, timeoutMs) : Failures.timedOut(server, timeoutMs);
            outcome.completeExceptionally(timedOut);
            close(connecting);
            throw timedOut;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            TransferException interrupted = Cause.INTERRUPTED.failure("interrupted while connecting to " + server, e);
            outcome.completeExceptionally(interrupted);
            close(connecting);
            throw interrupted;
        }
    }

    /** Netty has closed a channel that could not be connected; one that could not be created must not be closed. */
    private static void close(ChannelFuture connecting) {
        if (!connecting.isDone() || connecting.isSuccess()) {
            connecting.channel().close();
        }
    }

    /**
     * A link from the connection until TLS takes over: sends the preamble, receives the answer. TLS begins right after
     * the preamble, so the answer costs no extra round trip. On the control loop.
     */
    private final class LinkGreeting extends PlainHandler implements ReceiveBuffers.Source {
        private final SocketChannel channel;
        private final String server;
        private final TlsContext tls;
        private final CompletableFuture<TcpLink> outcome;
        private final byte[] answer = new byte[Preamble.BYTES];
        private @Nullable ReceiveBuffers buffers;
        private @Nullable TcpLink link;
        private int count;

        LinkGreeting(SocketChannel channel, String server, TlsContext tls, CompletableFuture<TcpLink> outcome) {
            this.channel = channel;
            this.server = server;
            this.tls = tls;
            this.outcome = outcome;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            channel.writeAndFlush(transport.greeting(Preamble.LINK));
            link = newLink();
            channel.pipeline().addLast(link);
            channel.read();
        }

        private TcpLink newLink() {
            return new TcpLink(
                    channel,
                    tls.newTls(channel.alloc()),
                    false,
                    server,
                    new TcpLink.Opening() {
                        @Override
                        public void onOpened(TcpLink opened) {
                            if (!outcome.complete(opened)) {
                                opened.close();
                            }
                        }

                        @Override
                        public void onFailed(TcpLink failed, Throwable failure) {
                            outcome.completeExceptionally(
                                    count < Preamble.BYTES ? Failures.cut(server, failure) : failure);
                        }
                    },
                    () -> {});
        }

        @Override
        public ByteBuf receiveBuffer(ByteBufAllocator allocator) {
            int left = Preamble.BYTES - count;
            if (left == 0) {
                throw new ReceiveBuffers.NotNow();
            }
            return allocator.directBuffer(left, left);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            int more = Math.min(bytes.readableBytes(), Preamble.BYTES - count);
            bytes.readBytes(answer, count, more);
            bytes.release();
            count += more;
            if (!Preamble.mayBegin(answer, count)) {
                fail(Failures.notFdt(server, "its answer is not from fdt"));
            } else if (count == Preamble.BYTES) {
                onAnswer();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            if (count < Preamble.BYTES && channel.isOpen()) {
                channel.read();
            }
        }

        private void onAnswer() {
            int version = Preamble.version(answer);
            if (version != Preamble.VERSION || Preamble.code(answer) != Preamble.WELCOME) {
                fail(Cause.VERSION.failure(
                        server + " speaks protocol version " + version + ", this fdt uses " + Preamble.VERSION));
                return;
            }
            if (buffers != null) {
                buffers.source(ReceiveBuffers.forLink());
            }
            if (link != null) {
                transport.remember(channel, link::endWithTransport);
            }
            channel.pipeline().remove(this);
            channel.read();
        }

        private void fail(Throwable failure) {
            outcome.completeExceptionally(failure);
            channel.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof ReceiveBuffers.NotNow)) {
                fail(Failures.cut(server, cause));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            fail(Failures.cut(server, null));
        }
    }
}
