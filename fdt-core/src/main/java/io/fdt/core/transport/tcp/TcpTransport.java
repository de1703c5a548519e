package io.fdt.core.transport.tcp;

import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Credential;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Identity;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.security.Tls;
import io.fdt.core.security.TlsContext;
import io.fdt.core.transport.AcceptFailures;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneNames;
import io.fdt.core.transport.LaneStream;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.OpenLanes;
import io.fdt.core.transport.StreamLane;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.EventExecutor;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lanes and links over TCP. One listening port serves both: {@link Preamble} describes how a connection begins.
 * Threads: {@code fdt-accept}, {@code fdt-control} for all links and for connections that are being opened, and {@code
 * fdt-lane-N} for each started lane.
 *
 * <p>The address of a host may be unresolved: all its addresses are then tried in turn.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as events of the channel.
public final class TcpTransport implements LinkTransport {
    static final String NAME = "epoll";

    static final long CLOSE_TIMEOUT_MS = 10_000;

    private static final int BACKLOG = 1024;

    private final TcpSettings settings;
    private final SocketIo io;
    private final @Nullable TlsContext serverTls;
    private final @Nullable TlsContext clientTls;
    private final LaneNames laneNames;
    private final MultiThreadIoEventLoopGroup control;
    private final Dialer dialer;
    private final Predicate<InetAddress> sendsInPlace;
    private final OpenLanes open = new OpenLanes();
    /** Connections that are not lanes, or not yet, and the action that ends each of them. */
    private final Map<Channel, Consumer<TransferException>> connections = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private volatile byte[] route = {};

    // Guarded by this.
    private @Nullable MultiThreadIoEventLoopGroup accept;

    private TcpTransport(TcpSettings settings, @Nullable TlsContext serverTls, @Nullable TlsContext clientTls) {
        this(settings, serverTls, clientTls, new FastNics()::has);
    }

    /** @param sendsInPlace whether clear lanes with this local address are to send in place */
    TcpTransport(
            TcpSettings settings,
            @Nullable TlsContext serverTls,
            @Nullable TlsContext clientTls,
            Predicate<InetAddress> sendsInPlace) {
        FirstUse.await();
        this.sendsInPlace = sendsInPlace;
        this.settings = settings;
        this.io = new SocketIo(settings);
        this.serverTls = serverTls;
        this.clientTls = clientTls;
        this.laneNames = new LaneNames(settings.places());
        this.control = EventLoops.newLoop("fdt-control");
        this.dialer = new Dialer(this);
    }

    /**
     * Loads what the first transport of a process needs. Call it early, on another thread; a transport that is created
     * before it has finished waits for it.
     */
    public static void load() {
        FirstUse.await();
    }

    /**
     * For a process that listens with this identity.
     *
     * @param certificate see {@link TlsContext#server}
     */
    public static TcpTransport forServer(
            TcpSettings settings,
            Identity identity,
            @Nullable Supplier<? extends @Nullable ServerCertificate> certificate) {
        FirstUse.await();
        return new TcpTransport(settings, TlsContext.server(identity, certificate), null);
    }

    /** For a process that connects only to the server that this credential is for. */
    public static TcpTransport forClient(TcpSettings settings, Credential credential) {
        FirstUse.await();
        return new TcpTransport(settings, null, TlsContext.client(credential));
    }

    /**
     * For a process that finds out which of these servers it connects to.
     *
     * @param accepted receives the fingerprint of each that it has connected to, on another thread
     */
    public static TcpTransport forClient(
            TcpSettings settings, Set<Fingerprint> servers, Consumer<Fingerprint> accepted) {
        FirstUse.await();
        return new TcpTransport(settings, null, TlsContext.client(servers, accepted));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Lane connect(
            InetSocketAddress server, @Nullable InetSocketAddress localAddress, boolean clear, long timeoutMs) {
        TlsContext tls = clear ? null : requireClientTls();
        return tryEach(
                server,
                timeoutMs,
                (address, leftMs) -> dialer.lane(address, Addresses.shown(server), localAddress, tls, leftMs));
    }

    @Override
    public MessageLink connectLink(InetSocketAddress server, @Nullable InetSocketAddress localAddress, long timeoutMs) {
        TlsContext tls = requireClientTls();
        return tryEach(
                server,
                timeoutMs,
                (address, leftMs) -> dialer.link(address, Addresses.shown(server), localAddress, tls, leftMs));
    }

    @Override
    public void route(byte[] given) {
        route = given.clone();
    }

    private TlsContext requireServerTls() {
        if (serverTls == null) {
            throw new IllegalStateException("this transport was made for a client");
        }
        return serverTls;
    }

    private TlsContext requireClientTls() {
        if (clientTls == null) {
            throw new IllegalStateException("this transport was made for a server");
        }
        return clientTls;
    }

    @FunctionalInterface
    private interface Attempt<T> {
        T on(InetSocketAddress address, long leftMs);
    }

    private <T> T tryEach(InetSocketAddress server, long timeoutMs, Attempt<T> attempt) {
        requireOpen();
        List<InetSocketAddress> addresses = resolve(server);
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        // The first attempt has, and reports, the whole time, however busy the host is.
        long leftMs = timeoutMs;
        for (int index = 0; ; index++) {
            try {
                return attempt.on(addresses.get(index), leftMs);
            } catch (TransferException e) {
                if (e.kind() != FailureKind.CANNOT_CONNECT || index == addresses.size() - 1) {
                    throw e;
                }
            }
            leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
            if (leftMs <= 0) {
                throw Failures.timedOut(Addresses.shown(server), timeoutMs);
            }
        }
    }

    private List<InetSocketAddress> resolve(InetSocketAddress server) {
        List<InetSocketAddress> addresses = new ArrayList<>();
        try {
            InetAddress[] all = server.isUnresolved()
                    ? InetAddress.getAllByName(server.getHostString())
                    : new InetAddress[] {server.getAddress()};
            for (InetAddress address : all) {
                if (isWanted(address)) {
                    addresses.add(new InetSocketAddress(address, server.getPort()));
                }
            }
        } catch (UnknownHostException e) {
            throw Cause.UNKNOWN_HOST.failure(
                    "cannot connect to " + Addresses.shown(server) + ": the host is unknown", e);
        }
        if (addresses.isEmpty()) {
            String family = settings.dialled().family() == StandardProtocolFamily.INET6 ? "IPv6" : "IPv4";
            throw Cause.CANNOT_CONNECT.failure(
                    "cannot connect to " + Addresses.shown(server) + ": the host has no " + family + " address");
        }
        return addresses;
    }

    private boolean isWanted(InetAddress address) {
        StandardProtocolFamily family = settings.dialled().family();
        return family == null || (family == StandardProtocolFamily.INET6) == (address instanceof Inet6Address);
    }

    @Override
    public Listener listen(InetSocketAddress address, Acceptor acceptor) {
        if (address.isUnresolved()) {
            throw Cause.USAGE.failure("cannot listen on " + Addresses.shown(address) + ": the host is unknown");
        }
        TcpListener listener = new TcpListener(this, requireServerTls(), acceptor);
        MultiThreadIoEventLoopGroup acceptGroup;
        synchronized (this) {
            requireOpen();
            if (accept == null) {
                accept = EventLoops.newLoop("fdt-accept");
            }
            acceptGroup = accept;
        }
        ChannelFuture bound = new ServerBootstrap()
                .group(acceptGroup, control)
                .channelFactory(io::newServerSocket)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .handler(new AcceptWatch(
                        new AcceptFailures("the port " + Addresses.shown(address), acceptor::onWarning, Clock.SYSTEM)))
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(listener)
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw Failures.listening(address, bound.cause());
        }
        listener.listening(bound.channel());
        return open.add(listener);
    }

    /** Takes connections that another process of this server has accepted. */
    public interface Adopter {
        /** Owns the descriptor from now on. Returns at once. */
        void adopt(int fd);
    }

    /** Returns what takes connections for the acceptor, instead of listening. */
    public Adopter adopting(Acceptor acceptor) {
        return new TcpListener(this, requireServerTls(), acceptor)::adopt;
    }

    @Override
    public void close() {
        close(CLOSE_TIMEOUT_MS);
    }

    /** Closes everything, and waits up to this long until the threads have ended: one may be blocked by a disk. */
    public void close(long timeoutMs) {
        MultiThreadIoEventLoopGroup acceptGroup;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            acceptGroup = accept;
        }
        boolean mayWait = !onOwnThread();
        long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        open.closeListeners();
        connections.values().forEach(end -> end.accept(OpenLanes.closedHere()));
        open.close(mayWait ? timeoutMs : 0);
        if (mayWait) {
            awaitConnectionsEnd(deadlineNs);
        }
        if (acceptGroup != null) {
            acceptGroup.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
        control.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        if (mayWait) {
            awaitThreadsEnd(acceptGroup, deadlineNs);
        }
    }

    /** They need the control loop to close, so it ends last. */
    private synchronized void awaitConnectionsEnd(long deadlineNs) {
        try {
            while (!connections.isEmpty()) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                if (leftMs <= 0) {
                    return;
                }
                wait(leftMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitThreadsEnd(@Nullable MultiThreadIoEventLoopGroup acceptGroup, long deadlineNs) {
        try {
            if (acceptGroup != null) {
                acceptGroup.awaitTermination(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            }
            control.awaitTermination(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the transport has been closed");
        }
    }

    // ---- For the classes of this package.

    TcpSettings settings() {
        return settings;
    }

    /** The first bytes of a connection to the server. */
    ByteBuf greeting(int code) {
        return Preamble.greeting(route, code);
    }

    SocketIo io() {
        return io;
    }

    IoEventLoop controlLoop() {
        return control.next();
    }

    boolean onOwnThread() {
        for (EventExecutor loop : control) {
            if (loop.inEventLoop()) {
                return true;
            }
        }
        return open.onLaneThread();
    }

    /**
     * Registers what ends a connection with the transport, whether or not it is a lane or a link yet.
     *
     * @param end called on any thread; may be called again
     */
    void remember(Channel channel, Consumer<TransferException> end) {
        connections.put(channel, end);
        channel.closeFuture().addListener(ended -> forget(channel));
        if (closed) {
            end.accept(OpenLanes.closedHere());
        }
    }

    private void forget(Channel channel) {
        connections.remove(channel);
        synchronized (this) {
            notifyAll();
        }
    }

    /**
     * Makes a lane of an opened channel, which is no longer registered with a loop; the lane ends with the transport.
     *
     * @param decrypted the first bytes of the lane, if they were already received and decrypted
     * @param early further bytes that were already received, in order
     * @param onAdmitted called when the owner has authenticated the peer
     * @param onEnded called when the lane has ended and holds no resources
     */
    StreamLane newLane(
            SocketChannel channel,
            String peer,
            @Nullable Tls tls,
            @Nullable ByteBuf decrypted,
            Queue<ByteBuf> early,
            Runnable onAdmitted,
            Runnable onEnded) {
        EpollSocketChannel socket = (EpollSocketChannel) channel;
        LaneWait wait = new LaneWait(socket.fd());
        InetSocketAddress local = socket.localAddress();
        boolean inPlace = tls == null && local != null && sendsInPlace.test(local.getAddress());
        LaneStream clear = new TcpStream(socket, peer, wait, early, settings.places(), io.mayUseBbr(), inPlace);
        StreamLane lane = open.add(new StreamLane(
                tls == null ? clear : new TlsStream(clear, tls, decrypted),
                NAME + ", " + (tls == null ? "clear" : tls.description()),
                wait,
                laneNames,
                onAdmitted,
                ended -> {
                    open.remove(ended);
                    onEnded.run();
                }));
        forget(channel);
        return lane;
    }
}
