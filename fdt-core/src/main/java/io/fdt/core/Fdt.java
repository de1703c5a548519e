package io.fdt.core;

import io.fdt.core.control.Client;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.errand.ErrandCopy;
import io.fdt.core.listing.ListJob;
import io.fdt.core.listing.ListObserver;
import io.fdt.core.listing.ListPlan;
import io.fdt.core.listing.Lister;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.service.ClientNettest;
import io.fdt.core.nettest.service.RpcServersNettest;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Home;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.verify.Verification;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The public interface of the library: starts transfers, verifications, network tests and servers. Settings that they
 * share are given once, here: the home directory with identity and keys, and the network. Immutable.
 *
 * <p>What is started is {@link Running} on its own threads, and its {@code close} stops it if it still runs. Nothing is
 * printed, no signal is handled, and the process is never ended. See docs/library.md.
 */
public final class Fdt {
    /** The default port of a server. */
    public static final int DEFAULT_PORT = 27_321;

    private static final long CLOSE_MS = 10_000;

    private final Connector connector;

    private Fdt(Connector connector) {
        this.connector = connector;
    }

    /**
     * Uses the home and the key of this user's commands: from {@code FDT_HOME} and {@code FDT_KEY}, or the defaults.
     */
    public static Fdt ofUser() {
        return ofEnvironment(System.getenv());
    }

    /** Like {@link #ofUser()}, with other environment variables. */
    public static Fdt ofEnvironment(Map<String, String> environment) {
        return at(Home.directory(environment)).withKey(environment.get(ServerAccess.ENVIRONMENT));
    }

    /** Uses the identity and the keys in a directory, which a server creates if it does not exist. */
    public static Fdt at(Path home) {
        return new Fdt(new Connector(home, null, TcpSettings.DEFAULTS, RdmaUse.NONE));
    }

    /**
     * Uses a key line, as printed by {@code fdt key show} at the server; null: keys are looked up in the home
     * directory.
     */
    public Fdt withKey(@Nullable String line) {
        return new Fdt(connector.withKey(line));
    }

    /** Uses these settings for sockets. */
    public Fdt withNetwork(TcpSettings settings) {
        return new Fdt(connector.withNetwork(settings));
    }

    /** Uses RDMA for lanes as requested. Such lanes are clear, so plans and servers must permit that. */
    public Fdt withRdma(RdmaUse use) {
        return new Fdt(connector.withRdma(use));
    }

    /** Like {@link #copy(TransferPlan, TransferObserver)}, without an observer. */
    public TransferJob copy(TransferPlan plan) {
        return copy(plan, TransferObserver.NONE);
    }

    /**
     * Starts a transfer; a plan without a host is a copy within this host.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, if it cannot begin; later failures are part
     *     of the summary
     */
    public TransferJob copy(TransferPlan plan, TransferObserver observer) {
        if (plan.host().isEmpty()) {
            return CopyHere.start(connector, plan, observer);
        }
        Connector.requireLocal(plan.localAddresses());
        connector.requireRdma(plan.request().clearLanes() || plan.request().dryRun());
        HostBonds bonds = new HostBonds();
        ServerConnection connection = connector.withLanes(
                connector.access(plan.host(), plan.port(), plan.request().stepMs()), bonds);
        return new ClientTransfer(plan, connection.network(bonds.watches()), observer, connection);
    }

    /**
     * Has one server push to another, and follows the copy. The sending server must permit it ({@link
     * ServerSettings#copyingTo}) and reach the other by the same host and port; this side needs a key for each.
     *
     * @param host of the server that has the sources
     * @param push to the other server, of sources as they are at the first; no receipt, no manifest, no local addresses
     * @throws TransferException USAGE, REFUSED or CANNOT_CONNECT, if it cannot begin; later failures are part of the
     *     summary
     */
    public TransferJob copyBetween(String host, int port, TransferPlan push, TransferObserver observer) {
        long timeoutMs = push.request().stepMs();
        if (push.request().direction() != TransferPlan.Direction.PUSH
                || push.receiptFile() != null
                || push.manifest() != null
                || !push.localAddresses().isEmpty()) {
            throw FailureKind.USAGE.failure(
                    "a copy between two servers is a push, without a receipt, a manifest and local addresses");
        }
        ServerAccess sourceAccess = connector.access(host, port, timeoutMs);
        InetSocketAddress sourceAddress = Client.resolved(host, port);
        ServerAccess targetAccess = connector.access(push.host(), push.port(), timeoutMs);
        InetSocketAddress targetAddress = Client.resolved(push.host(), push.port());
        ServerConnection source = connector.withoutLanes(sourceAccess);
        ServerConnection target = connector.withoutLanes(targetAccess);
        return new ErrandCopy(
                push,
                new ErrandCopy.Server(source.client(), sourceAddress, sourceAccess),
                new ErrandCopy.Server(target.client(), targetAddress, targetAccess),
                observer,
                all(List.of(source, target)));
    }

    private static Resources all(Iterable<ServerConnection> connections) {
        return timeoutMs -> connections.forEach(connection -> connection.close(timeoutMs));
    }

    /** Like {@link #verify(VerifyPlan, VerifyObserver)}, without an observer: the summary counts the differences. */
    public VerifyJob verify(VerifyPlan plan) {
        return verify(plan, VerifyObserver.NONE);
    }

    /**
     * Starts a verification.
     *
     * @throws TransferException REFUSED or CANNOT_CONNECT, if it cannot begin
     */
    public VerifyJob verify(VerifyPlan plan, VerifyObserver observer) {
        Map<VerifyPlan.Side, ServerConnection> remotes = new HashMap<>();
        try {
            addRemote(remotes, plan.tree(), plan.timeoutMs());
            VerifyPlan.Side other = plan.other();
            if (other != null) {
                addRemote(remotes, other, plan.timeoutMs());
            }
        } catch (TransferException noWay) {
            all(remotes.values()).close(CLOSE_MS);
            throw noWay;
        }
        Map<VerifyPlan.Side, Client> clients = new HashMap<>();
        remotes.forEach((side, connection) -> clients.put(side, connection.client()));
        return new Verification(plan, clients, observer, all(remotes.values()));
    }

    private void addRemote(Map<VerifyPlan.Side, ServerConnection> remotes, VerifyPlan.Side side, long timeoutMs) {
        String host = side.host();
        if (host != null && !remotes.containsKey(side)) {
            remotes.put(side, connector.withoutLanes(connector.access(host, side.port(), timeoutMs)));
        }
    }

    /**
     * Starts a listing of what a server exports, or removes what unfinished copies left there or on this host.
     *
     * @throws TransferException REFUSED or CANNOT_CONNECT, if it cannot begin
     */
    public ListJob list(ListPlan plan, ListObserver observer) {
        if (plan.host().isEmpty()) {
            return new Lister(plan, null, observer, timeoutMs -> {});
        }
        ServerConnection connection =
                connector.withoutLanes(connector.access(plan.host(), plan.port(), plan.timeoutMs()));
        return new Lister(plan, connection.client(), observer, connection);
    }

    /** Like {@link #nettest(NettestPlan, NettestObserver)}, without an observer. */
    public NettestJob nettest(NettestPlan plan) {
        return nettest(plan, NettestObserver.NONE);
    }

    /**
     * Starts a network test with the plan's transport; a plan over RDMA requires that this object permits RDMA.
     *
     * @throws TransferException USAGE, REFUSED, CANNOT_CONNECT or NO_RDMA, if it cannot begin
     */
    public NettestJob nettest(NettestPlan plan, NettestObserver observer) {
        Connector.requireLocal(plan.path().localAddresses());
        connector.requireRdma(plan.path().clear());
        if (plan.servers().size() > 1) {
            return severalServers(plan, observer);
        }
        ServerConnection connection = connector.ofTest(testAccess(plan.path()), plan.path());
        return new ClientNettest(
                plan,
                connection.client(),
                connection.transports(),
                observer,
                Version.software(),
                Connector.HOST_FILES,
                connection);
    }

    /** Either all over RDMA or all over TCP: answers over different transports cannot be compared. */
    private NettestJob severalServers(NettestPlan plan, NettestObserver observer) {
        Connector forAll =
                connector.rdma().wish() == RdmaUse.Wish.REQUIRED ? connector : connector.withRdma(RdmaUse.NONE);
        List<ServerAccess> accesses = new ArrayList<>();
        for (int server = 0; server < plan.servers().size(); server++) {
            try {
                accesses.add(testAccess(plan.servers().get(server)));
            } catch (TransferException noAccess) {
                throw new TransferException(
                        noAccess.kind(), plan.serverName(server) + ": " + noAccess.getMessage(), noAccess);
            }
        }
        List<ServerConnection> servers = new ArrayList<>();
        try {
            for (int server = 0; server < plan.servers().size(); server++) {
                servers.add(forAll.ofTest(accesses.get(server), plan.servers().get(server)));
            }
        } catch (TransferException notHere) {
            all(servers).close(0);
            throw notHere;
        }
        List<RpcServersNettest.Server> parts = servers.stream()
                .map(connection ->
                        new RpcServersNettest.Server(connection.client(), connection.transports(), connection))
                .toList();
        return new RpcServersNettest(plan, parts, observer, Version.software(), Connector.HOST_FILES);
    }

    private ServerAccess testAccess(NettestPath path) {
        return connector.access(path.host(), path.port(), path.timeoutMs());
    }

    /** Like {@link #serve(ServerSettings, ServerObserver)}, without an observer. */
    public Serving serve(ServerSettings settings) {
        return serve(settings, ServerObserver.NONE);
    }

    /**
     * Starts a server, which is ready when this returns. Creates its identity and its first key if the home has none.
     *
     * @throws TransferException USAGE, CANNOT_CONNECT or NO_RDMA, if it cannot listen or a directory cannot be exported
     */
    public Serving serve(ServerSettings settings, ServerObserver observer) {
        return Serving.start(connector, settings, observer);
    }
}
