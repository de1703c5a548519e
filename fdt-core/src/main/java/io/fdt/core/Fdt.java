package io.fdt.core;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.Client;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.LaneWays;
import io.fdt.core.control.RdmaDoor;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Session;
import io.fdt.core.errand.DelegationService;
import io.fdt.core.errand.DiscreetLinks;
import io.fdt.core.errand.ErrandCopy;
import io.fdt.core.errand.ErrandService;
import io.fdt.core.host.BondPorts;
import io.fdt.core.host.BondWatch;
import io.fdt.core.nettest.ClientNettest;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestService;
import io.fdt.core.nettest.ObjectsHost;
import io.fdt.core.nettest.RpcPlan;
import io.fdt.core.nettest.RpcServersNettest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Fingerprint;
import io.fdt.core.security.Home;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.OutboundRules;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.ClientTransfer;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferService;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.SourcePorts;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.local.LocalTransport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.verify.Verification;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.verify.VerifyService;
import io.fdt.core.verify.VerifySummary;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.ErrandMessage;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.TransferMessage;
import io.fdt.core.wire.VerifyMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The library's public face: starts transfers, verifications, network tests and servers. What stays the same from one to the
 * next is said once, here: the home directory with identity and keys, and how the network is driven. Immutable.
 *
 * <p>What is started runs on threads of its own, and its {@code close} stops it if it still runs. Nothing is printed, no signal is
 * caught, and the process is never ended. See docs/library.md.
 */
public final class Fdt {
    /** Where a server listens unless it is told otherwise. */
    public static final int DEFAULT_PORT = 27_321;

    /** Where the kernel shows what the host is and does. */
    private static final Path HOST_FILES = Path.of("/");

    private static final String CLOSED = "closed before its end";
    private static final long TEST_CLOSE_MS = 10_000;
    /** What is asked to stop does so within a second. */
    private static final long STOP_MS = 2_000;

    private final Path home;
    private final @Nullable String keyLine;
    private final TcpSettings network;
    private final RdmaUse rdma;

    private Fdt(Path home, @Nullable String keyLine, TcpSettings network, RdmaUse rdma) {
        this.home = home;
        this.keyLine = keyLine;
        this.network = network;
        this.rdma = rdma;
    }

    /** With the home and the key that this user's commands have: of {@code FDT_HOME} and {@code FDT_KEY}, or where they usually are. */
    public static Fdt ofUser() {
        return ofEnvironment(System.getenv());
    }

    /** As {@link #ofUser()}, with other variables than those of this process. */
    public static Fdt ofEnvironment(Map<String, String> environment) {
        return at(Home.directory(environment)).withKey(environment.get(ServerAccess.ENVIRONMENT));
    }

    /** With the identity and the keys of a directory, which a server makes if it is not there. */
    public static Fdt at(Path home) {
        return new Fdt(home, null, TcpSettings.DEFAULTS, RdmaUse.NONE);
    }

    /** With a key line, as {@code fdt key show} prints it on the server's side; null: keys are looked up in the home directory. */
    public Fdt withKey(@Nullable String line) {
        return new Fdt(home, line, network, rdma);
    }

    /** With sockets driven otherwise than by default. */
    public Fdt withNetwork(TcpSettings settings) {
        return new Fdt(home, keyLine, settings, rdma);
    }

    /** With lanes over RDMA as is wished; they are clear, so plans and servers must allow that. */
    public Fdt withRdma(RdmaUse use) {
        return new Fdt(home, keyLine, network, use);
    }

    /** A transfer that has started. {@link #close} stops it in a resumable state if it still runs, and frees its threads. */
    public static final class Copy implements TransferJob, AutoCloseable {
        private final TcpTransport transport;
        private final LaneWays ways;
        private final Client client;
        private final ClientTransfer job;

        private Copy(TcpTransport transport, LaneWays ways, Client client, ClientTransfer job) {
            this.transport = transport;
            this.ways = ways;
            this.client = client;
            this.job = job;
        }

        @Override
        public Progress progress() {
            return job.progress();
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            job.interrupt(why, message);
        }

        @Override
        public Summary await() throws InterruptedException {
            return job.await();
        }

        /** Waits for the end for at most this long; false if it has not come. */
        public boolean await(Duration limit) throws InterruptedException {
            return job.await(limit.toMillis());
        }

        /** What carries the control channel, and the lanes if nothing else does: {@code epoll}, {@code io_uring}, {@code nio}. */
        public String transport() {
            return transport.name();
        }

        @Override
        public void close() {
            stop(job::await, () -> job.interrupt(FailureKind.INTERRUPTED, CLOSED));
            client.close();
            ways.close();
            transport.close();
        }

        /** As {@link #close()}, but waits for at most this long for threads that a disk holds up. */
        public void close(long timeoutMs) {
            stop(job::await, () -> job.interrupt(FailureKind.INTERRUPTED, CLOSED));
            client.close();
            ways.close();
            transport.close(timeoutMs);
        }
    }

    /** Waits for the end of a job for at most so long; false if it has not come. */
    private interface Ending {
        boolean await(long timeoutMs) throws InterruptedException;
    }

    /** Ends what still runs. */
    private static void stop(Ending ending, Runnable interrupt) {
        try {
            if (!ending.await(0)) {
                interrupt.run();
                ending.await(STOP_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** As {@link #copy(TransferPlan, TransferObserver)}, with nobody who watches. */
    public Copy copy(TransferPlan plan) {
        return copy(plan, TransferObserver.NONE);
    }

    /**
     * Starts a transfer.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, when it cannot even begin; everything later is told by
     *     the summary
     */
    public Copy copy(TransferPlan plan, TransferObserver observer) {
        requireLocal(plan.localAddresses());
        requireRdma(plan.clearLanes() || plan.dryRun());
        ServerAccess access = access(plan.host(), plan.port(), plan.timeoutMs());
        BondPorts bonds = new BondPorts(HOST_FILES);
        TcpTransport transport = TcpTransport.forClient(spread(bonds), access.fingerprint());
        LaneWays ways = waysOf(transport, rdma);
        Client client = new Client(transport, access, Version.software(), Clock.SYSTEM);
        SpreadWatch.Maker watches = sending -> new SpreadWatching(new BondWatch(HOST_FILES, sending, bonds));
        return new Copy(transport, ways, client, new ClientTransfer(plan, client, ways, watches, observer));
    }

    /** A copy between two servers that has started. {@link #close} has them stop it in a resumable state if it still runs. */
    public static final class Between implements TransferJob, AutoCloseable {
        private final Way source;
        private final Way target;
        private final ErrandCopy job;

        private Between(Way source, Way target, ErrandCopy job) {
            this.source = source;
            this.target = target;
            this.job = job;
        }

        @Override
        public Progress progress() {
            return job.progress();
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            job.interrupt(why, message);
        }

        @Override
        public Summary await() throws InterruptedException {
            return job.await();
        }

        /** Waits for the end for at most this long; false if it has not come. */
        public boolean await(Duration limit) throws InterruptedException {
            return job.await(limit.toMillis());
        }

        @Override
        public void close() {
            stop(job::await, () -> job.interrupt(FailureKind.INTERRUPTED, CLOSED));
            source.close();
            target.close();
        }
    }

    /** The way to one of two servers. */
    private record Way(InetSocketAddress address, ServerAccess access, TcpTransport transport, Client client)
            implements AutoCloseable {
        Session open(List<TransferMessage.SourceNames> names, ControlMessage request, long timeoutMs)
                throws InterruptedException {
            return client.open(address, null, names, request, timeoutMs);
        }

        @Override
        public void close() {
            client.close();
            transport.close();
        }
    }

    private Way way(String host, int port, long timeoutMs) {
        ServerAccess access = access(host, port, timeoutMs);
        InetSocketAddress address = resolved(host, port);
        TcpTransport transport = TcpTransport.forClient(network, access.fingerprint());
        return new Way(address, access, transport, new Client(transport, access, Version.software(), Clock.SYSTEM));
    }

    /**
     * Has one server push to another, and follows from here. The sending one must be willing ({@link Offer#copyingTo}) and
     * know the other by the same host and port; this side needs a key for each.
     *
     * @param host of the server that has the sources
     * @param push to the other server, of sources as they are at the first; no receipt, no local addresses
     * @throws TransferException USAGE, REFUSED or CANNOT_CONNECT, when it cannot even begin; everything later is told by
     *     the summary
     */
    public Between copyBetween(String host, int port, TransferPlan push, TransferObserver observer) {
        if (push.direction() != TransferPlan.Direction.PUSH
                || push.receiptFile() != null
                || !push.localAddresses().isEmpty()) {
            throw new TransferException(
                    FailureKind.USAGE, "between two servers there is a push, without receipt and local addresses");
        }
        Way source = way(host, port, push.timeoutMs());
        Way target;
        try {
            target = way(push.host(), push.port(), push.timeoutMs());
        } catch (TransferException noWay) {
            source.close();
            throw noWay;
        }
        ErrandCopy.Connector connector = new ErrandCopy.Connector() {
            @Override
            public Session openTarget(ErrandMessage.OpenDelegation request) throws InterruptedException {
                return target.open(List.of(), request, push.timeoutMs());
            }

            @Override
            public Session openSource(List<TransferMessage.SourceNames> names, ErrandMessage.OpenErrand request)
                    throws InterruptedException {
                return source.open(names, request, push.timeoutMs());
            }

            @Override
            public ServerAccess target() {
                return target.access();
            }
        };
        return new Between(source, target, new ErrandCopy(push, connector, observer));
    }

    private LaneWays waysOf(TcpTransport transport, RdmaUse use) {
        try {
            return LaneWays.of(transport, use, network.places());
        } catch (TransferException noRdma) {
            transport.close();
            throw noRdma;
        }
    }

    /** What cannot be had is said before anybody is asked for anything: first that there is none, then what it would cost. */
    private void requireRdma(boolean clear) {
        if (rdma.wish() != RdmaUse.Wish.REQUIRED) {
            return;
        }
        String obstacle = rdma.provider().obstacle();
        if (obstacle != null) {
            throw new TransferException(FailureKind.NO_RDMA, "no lanes over RDMA: " + obstacle);
        }
        if (!clear) {
            throw LaneWays.notEncrypted();
        }
    }

    /** Lanes spread over the slaves of a bond, unless the caller chooses their ports. */
    private TcpSettings spread(BondPorts bonds) {
        return network.ports() == SourcePorts.SYSTEM ? network.withPorts(new SpreadPorts(bonds)) : network;
    }

    /** The host's watch over its bonds as the engine asks for it. */
    private record SpreadWatching(BondWatch watch) implements SpreadWatch {
        @Override
        public Advice look(long nowNanos, List<Stream> streams) {
            BondWatch.Advice advice = watch.look(
                    nowNanos,
                    streams.stream()
                            .map(each -> new BondWatch.Stream(
                                    each.lane(),
                                    each.ends().local(),
                                    each.ends().remote(),
                                    each.bytes()))
                            .toList());
            return new Advice(advice.lanes(), advice.note());
        }
    }

    /** The host's knowledge of bonds as the transport asks for it. */
    private record SpreadPorts(BondPorts bonds) implements SourcePorts {
        @Override
        public SourcePorts.@Nullable Place place(InetSocketAddress server, @Nullable InetAddress localAddress) {
            BondPorts.Place place = bonds.place(server, localAddress);
            return place == null ? null : new SpreadPlace(place);
        }
    }

    private record SpreadPlace(BondPorts.Place place) implements SourcePorts.Place {
        @Override
        public @Nullable InetSocketAddress next() {
            return place.next();
        }

        @Override
        public void release() {
            place.release();
        }
    }

    private static void requireLocal(List<InetAddress> addresses) {
        for (InetAddress address : addresses) {
            try (Socket socket = new Socket()) {
                socket.bind(new InetSocketAddress(address, 0));
            } catch (IOException e) {
                throw new TransferException(
                        FailureKind.USAGE, address.getHostAddress() + " is no address of this machine, for --bind", e);
            }
        }
    }

    /** Who has no key is told so only by a server that is there: otherwise that nobody is there is the news. */
    private ServerAccess access(String host, int port, long timeoutMs) {
        try {
            return new KnownServers(home).find(host, port, keyLine);
        } catch (TransferException noKey) {
            if (noKey.kind() == FailureKind.REFUSED) {
                requireReachable(host, port, timeoutMs);
            }
            throw noKey;
        }
    }

    /** Returns if an fdt server answers; that it is not the one that was expected is expected here. */
    private void requireReachable(String host, int port, long timeoutMs) {
        InetSocketAddress server = resolved(host, port);
        Fingerprint nobody = Fingerprint.ofBytes(new byte[Fingerprint.BYTES]);
        try (TcpTransport transport = TcpTransport.forClient(network, nobody)) {
            transport.connectLink(server, null, timeoutMs).close();
        } catch (TransferException failure) {
            if (failure.kind() != FailureKind.REFUSED) {
                throw failure;
            }
        }
    }

    private static InetSocketAddress resolved(String host, int port) {
        InetSocketAddress server = new InetSocketAddress(host, port);
        if (server.isUnresolved()) {
            throw new TransferException(FailureKind.CANNOT_CONNECT, "unknown host " + host);
        }
        return server;
    }

    /** A verification that has started. {@link #close} stops it if it still runs, and frees its threads. */
    public static final class Check implements VerifyJob, AutoCloseable {
        private final List<RemoteSide> remotes;
        private final Verification job;

        private Check(List<RemoteSide> remotes, Verification job) {
            this.remotes = remotes;
            this.job = job;
        }

        @Override
        public Progress progress() {
            return job.progress();
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            job.interrupt(why, message);
        }

        @Override
        public VerifySummary await() throws InterruptedException {
            return job.await();
        }

        /** Waits for the end for at most this long; false if it has not come. */
        public boolean await(Duration limit) throws InterruptedException {
            return job.await(limit.toMillis());
        }

        @Override
        public void close() {
            stop(job::await, () -> job.interrupt(FailureKind.INTERRUPTED, CLOSED));
            remotes.forEach(RemoteSide::close);
        }
    }

    /** The way to the server of one side. */
    private record RemoteSide(VerifyPlan.Side side, TcpTransport transport, Client client) implements AutoCloseable {
        @Override
        public void close() {
            client.close();
            transport.close();
        }
    }

    /** As {@link #verify(VerifyPlan, VerifyObserver)}, with nobody who watches: the summary counts what differs. */
    public Check verify(VerifyPlan plan) {
        return verify(plan, VerifyObserver.NONE);
    }

    /**
     * Starts a verification.
     *
     * @throws TransferException REFUSED or CANNOT_CONNECT, when it cannot even begin
     */
    public Check verify(VerifyPlan plan, VerifyObserver observer) {
        List<RemoteSide> remotes = new ArrayList<>();
        try {
            addRemote(remotes, plan.tree(), plan.timeoutMs());
            VerifyPlan.Side other = plan.other();
            if (other != null) {
                addRemote(remotes, other, plan.timeoutMs());
            }
        } catch (TransferException noWay) {
            remotes.forEach(RemoteSide::close);
            throw noWay;
        }
        Verification.Connector connector = (side, request) -> connect(remotes, side, request);
        return new Check(remotes, new Verification(plan, connector, observer));
    }

    private void addRemote(List<RemoteSide> remotes, VerifyPlan.Side side, long timeoutMs) {
        String host = side.host();
        if (host != null) {
            ServerAccess access = access(host, side.port(), timeoutMs);
            TcpTransport transport = TcpTransport.forClient(network, access.fingerprint());
            Client client = new Client(transport, access, Version.software(), Clock.SYSTEM);
            remotes.add(new RemoteSide(side, transport, client));
        }
    }

    private static Session connect(List<RemoteSide> remotes, VerifyPlan.Side side, VerifyMessage.OpenVerify request)
            throws InterruptedException {
        for (RemoteSide remote : remotes) {
            String host = side.host();
            if (remote.side.equals(side) && host != null) {
                return remote.client.open(resolved(host, side.port()), null, request, request.timeoutMs());
            }
        }
        throw new IllegalStateException("no way to " + side.shown());
    }

    /** A network test that has started. {@link #close} stops it if it still runs, and frees its threads. */
    public static final class Test implements NettestJob, AutoCloseable {
        private final List<TestedServer> servers;
        private final NettestJob job;

        private Test(List<TestedServer> servers, NettestJob job) {
            this.servers = servers;
            this.job = job;
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            job.interrupt(why, message);
        }

        @Override
        public NettestOutcome await() throws InterruptedException {
            return job.await();
        }

        @Override
        public void close() {
            close(TEST_CLOSE_MS);
        }

        /** As {@link #close()}, but waits for at most this long. */
        public void close(long timeoutMs) {
            job.interrupt(FailureKind.INTERRUPTED, CLOSED);
            servers.forEach(server -> server.client.close());
            servers.forEach(server -> server.closeTransports(timeoutMs));
        }
    }

    /** The way to a server that is measured, and the transport of its lanes if they stay inside the host. */
    private record TestedServer(
            TcpTransport transport, @Nullable LocalTransport local, LaneWays ways, Client client) {
        void closeTransports(long timeoutMs) {
            ways.close();
            if (local != null) {
                local.close(timeoutMs);
            }
            transport.close(timeoutMs);
        }
    }

    /** As {@link #nettest(NettestPlan, NettestObserver)}, with nobody who watches. */
    public Test nettest(NettestPlan plan) {
        return nettest(plan, NettestObserver.NONE);
    }

    /**
     * Starts a network test, over what the plan says; a plan over RDMA requires that this may use it.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, when it cannot even begin
     */
    public Test nettest(NettestPlan plan, NettestObserver observer) {
        requireLocal(plan.path().localAddresses());
        requireRdma(plan.path().clear());
        if (plan instanceof RpcPlan rpc && rpc.servers() > 1) {
            return severalServers(rpc, observer);
        }
        TestedServer server = testedServer(rdma, testAccess(plan.path()), plan.path());
        return new Test(
                List.of(server),
                new ClientNettest(plan, server.client, server.ways, observer, Version.software(), HOST_FILES));
    }

    /** All over RDMA or all over TCP: answers of servers that come different ways are not to be compared. */
    private Test severalServers(RpcPlan plan, NettestObserver observer) {
        RdmaUse forAll = rdma.wish() == RdmaUse.Wish.REQUIRED ? rdma : RdmaUse.NONE;
        List<ServerAccess> accesses = new ArrayList<>();
        for (int server = 0; server < plan.servers(); server++) {
            try {
                accesses.add(testAccess(plan.pathOf(server)));
            } catch (TransferException noAccess) {
                throw new TransferException(
                        noAccess.kind(), plan.serverName(server) + ": " + noAccess.getMessage(), noAccess);
            }
        }
        List<TestedServer> servers = new ArrayList<>();
        try {
            for (int server = 0; server < plan.servers(); server++) {
                servers.add(testedServer(forAll, accesses.get(server), plan.pathOf(server)));
            }
        } catch (TransferException notHere) {
            servers.forEach(server -> server.client.close());
            servers.forEach(server -> server.closeTransports(0));
            throw notHere;
        }
        List<RpcServersNettest.Way> ways = servers.stream()
                .map(server -> new RpcServersNettest.Way(server.client, server.ways))
                .toList();
        return new Test(servers, new RpcServersNettest(plan, ways, observer, Version.software(), HOST_FILES));
    }

    private ServerAccess testAccess(NettestPath path) {
        return access(path.host(), path.port(), path.timeoutMs());
    }

    private TestedServer testedServer(RdmaUse use, ServerAccess access, NettestPath path) {
        LocalTransport local = path.carrier().isInsideHost() ? inside(path, access.fingerprint()) : null;
        TcpTransport transport = TcpTransport.forClient(spread(new BondPorts(HOST_FILES)), access.fingerprint());
        LaneWays ways = local == null ? waysOf(transport, use) : LaneWays.over(path.carrier(), local);
        return new TestedServer(
                transport, local, ways, new Client(transport, access, Version.software(), Clock.SYSTEM));
    }

    /** That the server is on this host is made sure of first: lanes that cannot open are dialled again and again. */
    private static LocalTransport inside(NettestPath path, Fingerprint server) {
        LocalTransport local = LocalTransport.forClient(path.carrier(), server.toString());
        try {
            local.requireDoor(InetSocketAddress.createUnresolved(path.host(), path.port()), path.timeoutMs());
        } catch (TransferException notHere) {
            local.close();
            throw notHere;
        }
        return local;
    }

    /** A server that listens. */
    public static final class Serving implements AutoCloseable {
        private final TcpTransport transport;
        private final Server server;
        private final Transport.Listener listener;
        private final LocalTransport inside;
        private final @Nullable RdmaDoor rdma;

        private Serving(
                TcpTransport transport,
                Server server,
                Transport.Listener listener,
                LocalTransport inside,
                @Nullable RdmaDoor rdma) {
            this.transport = transport;
            this.server = server;
            this.listener = listener;
            this.inside = inside;
            this.rdma = rdma;
        }

        public InetSocketAddress address() {
            return listener.address();
        }

        public String transport() {
            return transport.name();
        }

        /** Where lanes may come over RDMA; 0 where they may not. */
        public int rdmaPort() {
            return rdma == null ? 0 : rdma.port();
        }

        /** Takes no more connections, and lets running sessions reach a resumable state. */
        public boolean stop(long timeoutMs) throws InterruptedException {
            listener.close();
            if (rdma != null) {
                rdma.stopListening();
            }
            inside.stopListening();
            return server.stop(
                    FailureKind.CONNECTION_LOST,
                    "the server is stopping; run the same command again to resume",
                    timeoutMs);
        }

        @Override
        public void close() {
            listener.close();
            server.close();
            inside.close();
            if (rdma != null) {
                rdma.close();
            }
            transport.close();
        }
    }

    /**
     * What a server offers: where it listens, what it exports, and how much it grants. Immutable.
     *
     * @param roots exported directories; without one only network tests and the /dev ends are served
     * @param limits of everybody together
     * @param transferLimits of one transfer
     * @param objects what network tests may hold
     * @param outbound the networks with whose servers this one makes copies for its clients
     */
    public record Offer(
            InetSocketAddress address,
            ExportedRoots roots,
            ServerLimits limits,
            TransferLimits transferLimits,
            ObjectsHost objects,
            OutboundRules outbound) {

        /** One that makes no copies to other servers. */
        public Offer(
                InetSocketAddress address,
                ExportedRoots roots,
                ServerLimits limits,
                TransferLimits transferLimits,
                ObjectsHost objects) {
            this(address, roots, limits, transferLimits, objects, OutboundRules.NONE);
        }

        /** The directories, to be read and written by clients of this host, at any free port of loopback. */
        public static Offer of(Path... directories) {
            return new Offer(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new ExportedRoots(
                            Arrays.stream(directories).map(RawPath::of).toList(), false),
                    ServerLimits.DEFAULT,
                    TransferLimits.SERVER_DEFAULT,
                    ObjectsHost.inMemory());
        }

        /** The same at another address, for example {@code 0.0.0.0} for clients everywhere; port 0 picks a free one. */
        public Offer listening(String host, int port) {
            return new Offer(new InetSocketAddress(host, port), roots, limits, transferLimits, objects, outbound);
        }

        /** The same, and nothing is taken, only given. */
        public Offer readOnly() {
            return new Offer(address, roots.within(false, List.of()), limits, transferLimits, objects, outbound);
        }

        public Offer withLimits(ServerLimits value) {
            return new Offer(address, roots, value, transferLimits, objects, outbound);
        }

        public Offer withTransferLimits(TransferLimits value) {
            return new Offer(address, roots, limits, value, objects, outbound);
        }

        /**
         * The same, and what it has it copies to servers in these networks, too, for whoever may read it here and write it there:
         * {@code 10.1.0.0/16}, {@code 2001:db8::7}. Loopback and addresses of one link must be named themselves.
         */
        public Offer copyingTo(String... networks) {
            return new Offer(
                    address, roots, limits, transferLimits, objects, OutboundRules.parse(Arrays.asList(networks)));
        }
    }

    /** As {@link #serve(Offer, ServerObserver)}, with nobody who watches. */
    public Serving serve(Offer offer) {
        return serve(offer, ServerObserver.NONE);
    }

    /**
     * Starts a server, which is ready when this returns; it makes its identity and its first key if the home has none.
     *
     * @throws TransferException USAGE, CANNOT_CONNECT or NO_RDMA, when it cannot listen or a directory cannot be exported
     */
    public Serving serve(Offer offer, ServerObserver observer) {
        InetSocketAddress address = offer.address();
        if (address.isUnresolved()) {
            throw new TransferException(FailureKind.USAGE, "cannot listen: unknown host " + address.getHostString());
        }
        ExportedRoots roots = offer.roots();
        ServerLimits limits = offer.limits();
        roots.requirePresent();
        requireRdma(true);
        Identity identity = Identity.loadOrCreate(home);
        KeyStore keys = new KeyStore(home);
        keys.createDefaultOnce();
        TcpTransport transport =
                TcpTransport.forServer(network.withLaneGreetingBytes(LaneHello.LENGTH_BYTES), identity);
        TransferService transfers = new TransferService(
                roots,
                limits.clearLanes() == ClearLanes.ALLOW,
                offer.transferLimits(),
                // The client dials, so this side has no ports to choose.
                sending -> new SpreadWatching(new BondWatch(HOST_FILES, sending, null)));
        VerifyService verifications =
                new VerifyService(roots, Runtime.getRuntime().availableProcessors());
        NettestService tests = new NettestService(
                limits.clearLanes() != ClearLanes.REFUSE, Version.software(), HOST_FILES, offer.objects());
        // What carries a session's lanes is not known when it is granted them.
        long laneBytes = RdmaDoor.isWorthATry(rdma)
                ? Math.max(limits.laneBytes(), rdma.provider().laneMemoryBytes())
                : limits.laneBytes();
        Delegations delegations = new Delegations(Clock.SYSTEM);
        DelegationService lending = new DelegationService(roots, delegations, DelegationService.UNUSED_MS);
        ErrandService errands = new ErrandService(
                roots,
                offer.outbound(),
                limits.clearLanes() == ClearLanes.ALLOW,
                (access, plan, readable, watching) ->
                        pushForOther(access, plan, readable, offer.transferLimits(), watching, observer),
                observer::onSessionOpen);
        Server server = new Server(
                identity.fingerprint(),
                keys,
                delegations,
                List.of(transfers, verifications, lending, errands, tests),
                limits.withMemory(limits.memoryBytes(), laneBytes),
                observer,
                Version.software(),
                Clock.SYSTEM);
        try {
            Transport.Listener listener = transport.listen(address, server);
            RdmaDoor door =
                    RdmaDoor.open(rdma, network.places(), network.allowed(), listener.address(), server, observer);
            return new Serving(
                    transport, server, listener, doorInside(identity, listener.address(), server, observer), door);
        } catch (TransferException cannotListen) {
            server.close();
            transport.close();
            throw cannotListen;
        }
    }

    /** A push that this server makes as a client, over TCP. */
    private ErrandService.Push pushForOther(
            ServerAccess access,
            TransferPlan plan,
            ExportedRoots readable,
            TransferLimits limits,
            TransferObserver watching,
            ServerObserver operator) {
        BondPorts bonds = new BondPorts(HOST_FILES);
        TcpTransport transport = TcpTransport.forClient(spread(bonds), access.fingerprint());
        LaneWays ways = waysOf(transport, RdmaUse.NONE);
        Client client =
                new Client(new DiscreetLinks(transport, operator::onWarning), access, Version.software(), Clock.SYSTEM);
        SpreadWatch.Maker watches = sending -> new SpreadWatching(new BondWatch(HOST_FILES, sending, bonds));
        ClientTransfer job = ClientTransfer.ofExported(readable, limits, plan, client, ways, watches, watching);
        return new PushForOther(new Copy(transport, ways, client, job));
    }

    /** A copy whose end frees its threads. */
    private record PushForOther(Copy copy) implements ErrandService.Push {
        @Override
        public Progress progress() {
            return copy.progress();
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            copy.interrupt(why, message);
        }

        @Override
        public Summary await() throws InterruptedException {
            return copy.await();
        }

        @Override
        public void close() {
            copy.close();
        }
    }

    /** The server's door for lanes from its own host. It goes without where there can be none. */
    private static LocalTransport doorInside(
            Identity identity, InetSocketAddress address, Server server, ServerObserver observer) {
        LocalTransport inside = LocalTransport.forServer(identity.fingerprint().toString());
        try {
            inside.listen(address, server);
        } catch (TransferException noDoor) {
            observer.onWarning("no network tests inside this host: " + noDoor.getMessage());
        }
        return inside;
    }
}
