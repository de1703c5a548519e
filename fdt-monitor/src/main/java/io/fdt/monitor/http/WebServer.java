package io.fdt.monitor.http;

import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.Clock;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.transport.AcceptFailures;
import io.fdt.core.transport.tcp.AcceptWatch;
import io.fdt.core.transport.tcp.EventLoops;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Answers requests over HTTP/1.1. One thread, {@code fdt-monitor-http}, serves all connections, and two others compute
 * the answers, so that no client can block these threads. The number of connections, the time for a request, for an
 * answer and between them, and the memory of unfinished answers are limited. If there are too many connections, the one
 * with the oldest last request is closed, so that clients that send nothing cannot block others. Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
public final class WebServer implements AutoCloseable {
    private static final int THREADS = 2;
    private static final int BACKLOG = 128;
    private static final int READ_BYTES = 4096;
    private static final int MAX_LINE_BYTES = 4096;
    private static final int MAX_HEADER_BYTES = 8192;
    private static final int MAX_BODY_BYTES = 1024;
    private static final long CLOSE_MS = 2_000;
    private static final int KIND_OF_FILE = 0170000;
    private static final int SOCKET = 0140000;

    private final Predicate<InetAddress> allowed;
    private final Function<Request, Response> handler;
    private final Limits limits;
    private final Consumer<String> warnings;
    private final MultiThreadIoEventLoopGroup loop;
    private final ThreadPoolExecutor answering;
    private final Channel listening;

    // On the event loop. Ordered by the time of the last complete request, the oldest first.
    private final Set<Connection> connections = new LinkedHashSet<>();
    private final Map<Connection, Long> heldBytes = new LinkedHashMap<>();
    private boolean hasRefused;

    private final SurvivedFailures failures;

    /**
     * Limits.
     *
     * @param perNetwork connections from one IPv4 address, or one IPv6 /64
     * @param heldBytes of all bodies that have not been sent
     * @param requestMs until a connection has sent its first request
     * @param idleMs from one answer to the next request
     * @param answerMs for an answer, or for a client to read the next piece of a stream
     */
    public record Limits(int connections, int perNetwork, long heldBytes, long requestMs, long idleMs, long answerMs) {
        public static final Limits DEFAULTS = new Limits(256, 64, 64L << 20, 10_000, 75_000, 60_000);
    }

    /**
     * Listens for allowed addresses, or on a socket, which only root and the user of this process can open.
     *
     * @param address a port, or the path of a socket, which is removed at the end
     * @param handler called on several threads
     * @param warnings called on any thread, with one line each
     */
    public WebServer(
            SocketAddress address,
            Predicate<InetAddress> allowed,
            Function<Request, Response> handler,
            Limits limits,
            Consumer<String> warnings)
            throws IOException {
        this.allowed = allowed;
        this.handler = handler;
        this.limits = limits;
        this.warnings = warnings;
        this.failures = new SurvivedFailures(mistake -> warnings.accept(
                "the monitor could not answer a request: " + mistake + "; further failures are not reported"));
        Path socket = address instanceof UnixDomainSocketAddress path ? path.getPath() : null;
        if (socket != null) {
            requireUnused(socket);
        }
        this.loop = EventLoops.newLoop("fdt-monitor-http");
        this.answering = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                30,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(limits.connections()),
                new DefaultThreadFactory("fdt-monitor-answer", true));
        answering.allowCoreThreadTimeOut(true);
        ServerBootstrap starting = new ServerBootstrap()
                .group(loop)
                .channel(socket == null ? EpollServerSocketChannel.class : EpollServerDomainSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .handler(new AcceptWatch(new AcceptFailures("the monitor", warnings, Clock.SYSTEM)))
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
                .childHandler(new ChannelInitializer<DuplexChannel>() {
                    @Override
                    protected void initChannel(DuplexChannel channel) {
                        open(channel);
                    }
                });
        if (socket == null) {
            starting.option(ChannelOption.SO_REUSEADDR, true);
        }
        ChannelFuture bound = starting.bind(socket == null ? address : new DomainSocketAddress(socket.toFile()))
                .awaitUninterruptibly();
        this.listening = bound.channel();
        if (!bound.isSuccess()) {
            close();
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        if (socket != null) {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /** Netty would remove whatever has the name. Only a socket that a killed process left may go. */
    private static void requireUnused(Path socket) throws IOException {
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (((int) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS) & KIND_OF_FILE) != SOCKET) {
            throw new IOException("it exists and is not a socket");
        }
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(socket)).close();
        } catch (ConnectException nobodyListens) {
            return;
        }
        throw new IOException("Address already in use");
    }

    /** The port that it listens on. Not for a socket. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listening.localAddress();
    }

    private void open(DuplexChannel channel) {
        channel.pipeline()
                .addLast(
                        new HttpServerCodec(new HttpDecoderConfig()
                                .setMaxInitialLineLength(MAX_LINE_BYTES)
                                .setMaxHeaderSize(MAX_HEADER_BYTES)),
                        new HttpObjectAggregator(MAX_BODY_BYTES),
                        // Passes on one request at a time.
                        new FlowControlHandler(),
                        new Connection(this, channel));
    }

    // ---- For connections, on the event loop.

    Limits limits() {
        return limits;
    }

    boolean takesFrom(InetAddress address) {
        boolean takes = allowed.test(address);
        if (!takes && !hasRefused) {
            hasRefused = true;
            warnings.accept("the monitor refused " + Addresses.shown(address)
                    + ", which --allow does not permit; further refusals are not reported");
        }
        return takes;
    }

    /** Whether the other end of a socket is of this user or root, whatever the mode of the socket. */
    boolean takesUserOf(DuplexChannel channel) {
        try {
            int user = ((EpollDomainSocketChannel) channel).peerCredentials().uid();
            return user == 0 || user == Libc.geteuid();
        } catch (IOException gone) {
            return false;
        }
    }

    /** Returns false if there is no room. */
    boolean enter(Connection connection) {
        return makeRoom(connection::isFromSameNetwork, limits.perNetwork())
                && makeRoom(other -> true, limits.connections())
                && connections.add(connection);
    }

    private boolean makeRoom(Predicate<Connection> which, int limit) {
        if (connections.stream().filter(which).count() < limit) {
            return true;
        }
        var oldest = connections.stream()
                .filter(which)
                .filter(other -> !other.isStream())
                .findFirst();
        oldest.ifPresent(Connection::close);
        return oldest.isPresent();
    }

    void onRequest(Connection connection) {
        if (connections.remove(connection)) {
            connections.add(connection);
        }
    }

    /**
     * The connection has to send this many bytes; while all held bytes exceed the limit, the oldest such connections
     * are closed.
     */
    void hold(Connection connection, long bytes) {
        heldBytes.put(connection, bytes);
        while (heldBytes.size() > 1
                && heldBytes.values().stream().mapToLong(held -> held).sum() > limits.heldBytes()) {
            heldBytes.keySet().iterator().next().close();
        }
    }

    void release(Connection connection) {
        heldBytes.remove(connection);
    }

    void leave(Connection connection) {
        connections.remove(connection);
        heldBytes.remove(connection);
    }

    /** Lets a thread answer the request, unless the connection is closed by then. */
    void answer(Connection connection, Request request) {
        try {
            answering.execute(() -> {
                if (connection.isOpen()) {
                    Response response = answerTo(request);
                    loop.execute(() -> connection.begin(response));
                }
            });
        } catch (RejectedExecutionException busy) {
            connection.begin(Response.text(503, "too many requests").with("Retry-After", "1"));
        }
    }

    private Response answerTo(Request request) {
        try {
            return handler.apply(request);
        } catch (RuntimeException | Error mistake) {
            failures.report(mistake);
            return Response.text(500, "this failed");
        }
    }

    /** Closes all connections, but lets streams that were ended send their remaining data. */
    @Override
    public void close() {
        listening.close().awaitUninterruptibly(CLOSE_MS);
        loop.execute(() -> Set.copyOf(connections).forEach(Connection::close));
        loop.shutdownGracefully(0, CLOSE_MS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MS);
        answering.shutdownNow();
    }
}
