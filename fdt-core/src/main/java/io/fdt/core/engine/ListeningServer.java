package io.fdt.core.engine;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Version;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.AccountProcesses;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.RdmaLaneListener;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.control.Service;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.files.FilesService;
import io.fdt.core.files.ListService;
import io.fdt.core.nettest.service.NettestService;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.OneTimeAccess;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.storage.posix.DescriptorLimit;
import io.fdt.core.thirdparty.DelegationService;
import io.fdt.core.thirdparty.DetachedCopies;
import io.fdt.core.thirdparty.JobsService;
import io.fdt.core.thirdparty.ThirdPartyService;
import io.fdt.core.token.Issuers;
import io.fdt.core.transfer.ServerRates;
import io.fdt.core.transfer.receiving.TargetClaims;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transfer.service.TransferService;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.verify.VerifyService;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.FileMessage.OpenFiles;
import io.fdt.core.wire.LaneHello;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.ThirdPartyMessage.OpenDelegation;
import io.fdt.core.wire.ThirdPartyMessage.OpenJobs;
import io.fdt.core.wire.ThirdPartyMessage.OpenThirdParty;
import io.fdt.core.wire.TransferMessage.OpenTransfer;
import io.fdt.core.wire.VerifyMessage.OpenList;
import io.fdt.core.wire.VerifyMessage.OpenVerify;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A server that accepts connections over TCP, and over RDMA if requested, or only those that another process of the
 * same server passes to it.
 */
public final class ListeningServer implements AccountServing {
    private final TcpTransport transport;
    private final Server server;
    private final @Nullable Listening listening;
    private final TcpTransport.Adopter adopter;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** What listens on the host. */
    private record Listening(
            Transport.Listener tcp, @Nullable RdmaLaneListener rdma) {}

    /**
     * Whom a server admits, and as whom it works.
     *
     * @param lentPrefix with which the ids of the keys begin that it lends
     * @param listens whether it listens on the host
     */
    private record Admitting(
            Identity identity,
            KeyStore keys,
            Issuers issuers,
            AccountProcesses accounts,
            String lentPrefix,
            boolean listens) {}

    private ListeningServer(TcpTransport transport, Server server, @Nullable Listening listening) {
        this.transport = transport;
        this.server = server;
        this.listening = listening;
        this.adopter = transport.adopting(server);
    }

    /** The server is ready when this returns; see {@code Fdt.serve}. */
    public static ListeningServer start(
            Connector connector, ServerSettings settings, ServerObserver observer, AccountProcesses accounts) {
        requirePossible(connector, settings);
        Identity identity = Identity.loadOrCreate(connector.home());
        KeyStore keys = new KeyStore(connector.home());
        keys.createDefaultOnce();
        Issuers issuers = Issuers.of(settings.tokens(), observer::onWarning);
        return start(connector, settings, observer, new Admitting(identity, keys, issuers, accounts, "", true));
    }

    /** The same for the holder of one key; see {@code Fdt.serveOnce}. */
    public static ListeningServer start(
            Connector connector, ServerSettings settings, ServerObserver observer, OneTimeAccess access) {
        requirePossible(connector, settings);
        Issuers issuers = Issuers.of(settings.tokens(), observer::onWarning);
        Admitting admitting = new Admitting(access.identity(), access.keys(), issuers, AccountProcesses.NONE, "", true);
        return start(connector, settings, observer, admitting);
    }

    private static void requirePossible(Connector connector, ServerSettings settings) {
        if (settings.address().isUnresolved()) {
            throw Cause.USAGE.failure(
                    "cannot listen: unknown host " + settings.address().getHostString());
        }
        settings.requirePresent();
        connector.requireRdma(true);
    }

    /** The process of an account; see {@code Fdt.serveAccount}. */
    public static ListeningServer start(
            Connector connector, ServerSettings settings, ServerObserver observer, AccountServing.Given given) {
        AccountProcesses own = new AccountProcesses() {
            @Override
            public boolean isOwn(String user) {
                return user.equals(given.user());
            }

            @Override
            public ClaimLocks claims() {
                return given.claims();
            }

            @Override
            public ServerTotals totals() {
                return given.totals();
            }
        };
        String prefix = AccountServing.lentPrefix(given.route());
        return start(
                connector.withRdma(RdmaUse.NONE),
                settings,
                observer,
                new Admitting(given.identity(), given.keys(), given.issuers(), own, prefix, false));
    }

    private static ListeningServer start(
            Connector connector, ServerSettings settings, ServerObserver observer, Admitting admitting) {
        Identity identity = admitting.identity();
        RdmaUse rdma = connector.rdma();
        int descriptors = DescriptorLimit.share();
        TcpSettings network = connector.network().withFewerConnections(descriptors / 2, descriptors);
        InetSocketAddress address = settings.address();
        ExportedRoots roots = settings.roots();
        ServerLimits limits = settings.limits();
        TcpTransport transport = TcpTransport.forServer(
                network.withLaneGreetingBytes(LaneHello.LENGTH_BYTES), identity, connector.certificate());
        ServerRates rates =
                new ServerRates(limits.rateBitsPerSecond(), admitting.accounts().totals());
        TransferService transfers = new TransferService(
                roots,
                limits.lanes().clear() == ClearLanes.ALLOW,
                settings.transferLimits(),
                HostBonds.watchesOfServer(),
                rates,
                observer,
                new TargetClaims(admitting.accounts().claims(), observer));
        VerifyService verifications =
                new VerifyService(roots, Runtime.getRuntime().availableProcessors(), rates::pacing);
        ListService listings = new ListService(roots);
        FilesService files =
                new FilesService(roots, Runtime.getRuntime().availableProcessors(), observer, rates::pacing);
        NettestService tests = new NettestService(
                limits.lanes().clear() != ClearLanes.REFUSE, Connector.HOST_FILES, settings.objects(), rates::pacing);
        // The transport of a session's lanes is not known when they are granted.
        long laneBytes = RdmaLaneListener.isPossible(rdma)
                ? Math.max(limits.lanes().laneBytes(), rdma.provider().laneMemoryBytes())
                : limits.lanes().laneBytes();
        Delegations delegations = new Delegations(Clock.SYSTEM, admitting.lentPrefix());
        DelegationService lending =
                new DelegationService(roots, delegations, identity.fingerprint(), DelegationService.UNUSED_MS);
        DetachedCopies detached = new DetachedCopies(Clock.SYSTEM);
        ThirdPartyService thirdParty = new ThirdPartyService(
                roots,
                settings.outbound(),
                limits.lanes().clear() == ClearLanes.ALLOW,
                (asking, access, plan, readable, receipt, watching) -> {
                    HostBonds bonds = new HostBonds();
                    ServerConnection connection = connector.forOther(access, bonds, observer::onWarning);
                    return ClientTransfer.ofExported(
                            new ClientTransfer.Exported(
                                    readable,
                                    settings.transferLimits().atMost(asking.keyBytes()),
                                    rates.of(asking),
                                    rates.pacing(asking),
                                    receipt),
                            plan,
                            connection,
                            bonds.watches(),
                            watching);
                },
                observer::onSessionOpen,
                detached);
        Map<Class<? extends ControlMessage>, Service> services = Map.ofEntries(
                Map.entry(OpenTransfer.class, transfers),
                Map.entry(OpenVerify.class, verifications),
                Map.entry(OpenList.class, listings),
                Map.entry(OpenFiles.class, files),
                Map.entry(OpenDelegation.class, lending),
                Map.entry(OpenThirdParty.class, thirdParty),
                Map.entry(OpenJobs.class, new JobsService(detached)),
                Map.entry(OpenNettest.class, tests));
        Server server = new Server(
                new Server.Keys(
                        identity.fingerprint(),
                        admitting.keys(),
                        delegations,
                        admitting.issuers(),
                        admitting.accounts()),
                request -> services.get(request.getClass()),
                limits.toBuilder()
                        .memory(limits.held().memoryBytes(), laneBytes)
                        .testMemory(settings.objects().memoryBytes())
                        .descriptors(2 * descriptors)
                        .connections(network.listening().maxConnections() * 3 / 4)
                        .build(),
                observer,
                Version.software(),
                Clock.SYSTEM);
        if (!admitting.listens()) {
            return new ListeningServer(transport, server, null);
        }
        try {
            Transport.Listener listener = transport.listen(address, server);
            RdmaLaneListener rdmaListener = RdmaLaneListener.open(
                    rdma, network.places(), network.listening().allowed(), listener.address(), server, observer);
            return new ListeningServer(transport, server, new Listening(listener, rdmaListener));
        } catch (TransferException cannotListen) {
            server.close();
            transport.close();
            throw cannotListen;
        }
    }

    @Override
    public InetSocketAddress address() {
        if (listening == null) {
            throw new IllegalStateException("this process does not listen");
        }
        return listening.tcp.address();
    }

    @Override
    public int rdmaPort() {
        return listening == null || listening.rdma == null ? 0 : listening.rdma.port();
    }

    @Override
    public void adopt(int fd) {
        adopter.adopt(fd);
    }

    @Override
    public void onKeysChanged() {
        server.onKeysChanged();
    }

    @Override
    public void reload() {
        server.reload();
    }

    @Override
    public boolean stop(long timeoutMs) throws InterruptedException {
        if (listening != null) {
            listening.tcp.close();
            if (listening.rdma != null) {
                listening.rdma.stopListening();
            }
        }
        return server.stop(Failure.of(Cause.CONNECTION_LOST, "the server is stopping"), timeoutMs);
    }

    @Override
    public void endDeserted() {
        server.endDeserted();
    }

    @Override
    public void await() throws InterruptedException {
        closed.await();
    }

    @Override
    public void close() {
        if (listening != null) {
            listening.tcp.close();
        }
        server.close();
        if (listening != null) {
            if (listening.rdma != null) {
                listening.rdma.close();
            }
        }
        transport.close();
        closed.countDown();
    }
}
