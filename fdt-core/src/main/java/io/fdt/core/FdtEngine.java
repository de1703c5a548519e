package io.fdt.core;

import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.Client;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.AccountServing;
import io.fdt.core.engine.Connected;
import io.fdt.core.engine.Connector;
import io.fdt.core.engine.CopyHere;
import io.fdt.core.engine.HostBonds;
import io.fdt.core.engine.ListeningServer;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.ListJob;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListPlan;
import io.fdt.core.files.Lister;
import io.fdt.core.files.LocalOperations;
import io.fdt.core.files.Operations;
import io.fdt.core.files.RemoteOperations;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.service.ClientNettest;
import io.fdt.core.nettest.service.ServersNettest;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.JobsPlan;
import io.fdt.core.plan.ServerAddress;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.security.Credential;
import io.fdt.core.security.OneTimeAccess;
import io.fdt.core.security.ServerCertificate;
import io.fdt.core.security.TokenAccess;
import io.fdt.core.stats.JobReport;
import io.fdt.core.thirdparty.JobsRun;
import io.fdt.core.thirdparty.ThirdPartyCopy;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.verify.Verification;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.core.wire.ThirdPartyMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs what {@link Fdt} offers in this process. Immutable. */
record FdtEngine(Connector connector) implements Fdt {
    private static final long CLOSE_MS = 10_000;

    @Override
    public Fdt withKey(@Nullable String line) {
        return new FdtEngine(connector.withKey(line));
    }

    @Override
    public Fdt withToken(@Nullable Path file) {
        return new FdtEngine(connector.withTokens(connector.tokens().withFile(file)));
    }

    @Override
    public Fdt withAuthorities(@Nullable Path file) {
        return new FdtEngine(connector.withTokens(connector.tokens().withAuthorities(file)));
    }

    @Override
    public Fdt withTokensOf(Map<String, String> environment) {
        return new FdtEngine(connector.withTokens(connector.tokens().withEnvironment(environment)));
    }

    @Override
    public Fdt withCertificate(Supplier<? extends @Nullable ServerCertificate> shown) {
        return new FdtEngine(connector.withCertificate(shown));
    }

    @Override
    public Fdt withNetwork(TcpSettings settings) {
        return new FdtEngine(connector.withNetwork(settings));
    }

    @Override
    public Fdt withRdma(RdmaUse use) {
        return new FdtEngine(connector.withRdma(use));
    }

    @Override
    public Fdt naming(String server) {
        return new FdtEngine(connector.naming(server));
    }

    @Override
    public TransferJob copy(TransferPlan plan, TransferObserver observer) {
        if (plan.server().isNone()) {
            return CopyHere.start(plan, observer);
        }
        Connector.requireLocal(plan.get(CopyValue.LOCAL_ADDRESSES));
        connector.requireRdma(plan.get(CopyValue.CLEAR_LANES) || !plan.needsLanes());
        HostBonds bonds = new HostBonds();
        ServerAddress to = plan.server();
        long timeoutMs = plan.stepMs();
        Credential access = connector.access(
                to.host(), to.port(), plan.get(CopyValue.LOCAL_ADDRESSES), timeoutMs, observer::onWarning);
        ServerConnection connection = connector.withLanes(access, bonds);
        return new ClientTransfer(plan, connection, bonds.watches(), observer);
    }

    @Override
    public TransferJob copyBetween(String host, int port, TransferPlan push, TransferObserver observer) {
        return copyBetween(host, port, push, ThirdPartyMessage.ATTACHED, observer);
    }

    @Override
    public TransferJob detach(String host, int port, TransferPlan push, long retryMs, TransferObserver observer) {
        if (retryMs < 0 || push.dryRun()) {
            throw Cause.USAGE.failure("a dry run, or a negative time for retries, cannot be detached");
        }
        return copyBetween(host, port, push, retryMs, observer);
    }

    private TransferJob copyBetween(String host, int port, TransferPlan push, long retryMs, TransferObserver observer) {
        long timeoutMs = push.stepMs();
        if (push.direction() != TransferPlan.Direction.PUSH
                || push.has(CopyValue.MANIFEST)
                || !push.get(CopyValue.LOCAL_ADDRESSES).isEmpty()) {
            throw Cause.USAGE.failure("a copy between two servers is a push, without a manifest and local addresses");
        }
        Credential sourceAccess = connector.access(host, port, timeoutMs, observer::onWarning);
        InetSocketAddress sourceAddress = Client.resolved(host, port);
        ServerAddress to = push.server();
        Credential targetAccess = connector.access(to.host(), to.port(), timeoutMs, observer::onWarning);
        InetSocketAddress targetAddress = Client.resolved(to.host(), to.port());
        for (Credential access : List.of(sourceAccess, targetAccess)) {
            if (retryMs != ThirdPartyMessage.ATTACHED && access instanceof TokenAccess token) {
                observer.onWarning(
                        "the copy ends when the token from " + token.token().origin()
                                + " expires, unless both servers have been shown a newer one,"
                                + " of the same subject and scopes,"
                                + " by any other command, such as fdt ls");
            }
        }
        ServerConnection source = connector.withoutLanes(sourceAccess);
        ServerConnection target = connector.withoutLanes(targetAccess);
        return new ThirdPartyCopy(
                push,
                new ThirdPartyCopy.Server(source.client(), sourceAddress, sourceAccess),
                new ThirdPartyCopy.Server(target.client(), targetAddress, targetAccess),
                retryMs,
                observer,
                all(List.of(source, target)));
    }

    @Override
    public TransferJob jobs(JobsPlan plan, Consumer<JobReport> found, TransferObserver observer) {
        Credential access = connector.access(plan.host(), plan.port(), plan.timeoutMs(), observer::onWarning);
        ServerConnection server = connector.withoutLanes(access);
        return new JobsRun(plan, server.client(), found, observer, server);
    }

    private static Resources all(Iterable<ServerConnection> connections) {
        return timeoutMs -> connections.forEach(connection -> connection.close(timeoutMs));
    }

    @Override
    public VerifyJob verify(VerifyPlan plan, VerifyObserver observer) {
        Map<VerifyPlan.Side, ServerConnection> remotes = new HashMap<>();
        try {
            addRemote(remotes, plan.tree(), plan.timeoutMs(), observer);
            if (plan.expected() instanceof VerifyPlan.Side other) {
                addRemote(remotes, other, plan.timeoutMs(), observer);
            }
        } catch (TransferException noWay) {
            all(remotes.values()).close(CLOSE_MS);
            throw noWay;
        }
        Map<VerifyPlan.Side, Client> clients = new HashMap<>();
        remotes.forEach((side, connection) -> clients.put(side, connection.client()));
        return new Verification(plan, clients, observer, all(remotes.values()));
    }

    private void addRemote(
            Map<VerifyPlan.Side, ServerConnection> remotes,
            VerifyPlan.Side side,
            long timeoutMs,
            VerifyObserver observer) {
        String host = side.host();
        if (host != null && !remotes.containsKey(side)) {
            Credential access = connector.access(host, side.port(), timeoutMs, observer::onWarning);
            remotes.put(side, connector.withoutLanes(access));
        }
    }

    @Override
    public ListJob list(ListPlan plan, ListObserver observer) {
        if (plan.host().isEmpty()) {
            return new Lister(plan, null, observer, timeoutMs -> {});
        }
        Credential access = connector.access(plan.host(), plan.port(), plan.timeoutMs(), observer::onWarning);
        ServerConnection connection = connector.withoutLanes(access);
        return new Lister(plan, connection.client(), observer, connection);
    }

    @Override
    public Connected connected(
            String host, int port, List<InetAddress> localAddresses, long timeoutMs, Consumer<String> warnings) {
        return Connected.to(connector, host, port, localAddresses, timeoutMs, warnings);
    }

    @Override
    public Operations operations(String host, int port, long timeoutMs, Consumer<String> warnings) {
        if (host.isEmpty()) {
            return new LocalOperations(Runtime.getRuntime().availableProcessors());
        }
        ServerConnection connection = connector.withoutLanes(connector.access(host, port, timeoutMs, warnings));
        return new RemoteOperations(connection.client(), host, port, timeoutMs, connection);
    }

    @Override
    public NettestJob nettest(NettestPlan plan, NettestObserver observer) {
        Connector.requireLocal(plan.path().localAddresses());
        connector.requireRdma(plan.path().clear());
        if (plan.servers().size() > 1) {
            return severalServers(plan, observer);
        }
        ServerConnection connection = connector.withLanes(testAccess(plan.path(), observer), new HostBonds());
        return new ClientNettest(plan, connection, observer, Connector.HOST_FILES);
    }

    /** Either all over RDMA or all over TCP: answers over different transports cannot be compared. */
    private NettestJob severalServers(NettestPlan plan, NettestObserver observer) {
        Connector forAll =
                connector.rdma().wish() == RdmaUse.Wish.REQUIRED ? connector : connector.withRdma(RdmaUse.NONE);
        List<Credential> accesses = new ArrayList<>();
        for (int server = 0; server < plan.servers().size(); server++) {
            try {
                accesses.add(testAccess(plan.servers().get(server), observer));
            } catch (TransferException noAccess) {
                throw noAccess.within(plan.serverName(server));
            }
        }
        List<ServerConnection> servers = new ArrayList<>();
        try {
            for (int server = 0; server < plan.servers().size(); server++) {
                servers.add(forAll.withLanes(accesses.get(server), new HostBonds()));
            }
        } catch (TransferException notHere) {
            all(servers).close(0);
            throw notHere;
        }
        return new ServersNettest(plan, servers, observer, Connector.HOST_FILES);
    }

    private Credential testAccess(NettestPath path, NettestObserver observer) {
        return connector.access(path.host(), path.port(), path.localAddresses(), path.timeoutMs(), observer::onWarning);
    }

    @Override
    public Serving serve(ServerSettings settings, ServerObserver observer, AccountProcesses accounts) {
        return ListeningServer.start(connector, settings, observer, accounts);
    }

    @Override
    public Serving serveOnce(ServerSettings settings, ServerObserver observer, OneTimeAccess access) {
        return ListeningServer.start(connector, settings, observer, access);
    }

    @Override
    public AccountServing serveAccount(ServerSettings settings, ServerObserver observer, AccountServing.Given given) {
        return ListeningServer.start(connector, settings, observer, given);
    }
}
