package io.fdt.core;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.RdmaDoor;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.errand.DelegationService;
import io.fdt.core.errand.ErrandService;
import io.fdt.core.nettest.NettestService;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.ClientTransfer;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferService;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.local.LocalTransport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.verify.VerifyService;
import io.fdt.core.wire.LaneHello;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server that listens. */
public final class Serving implements AutoCloseable {
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

    /** The server is ready when this returns; {@link Fdt#serve(Offer, ServerObserver)}. */
    static Serving start(Reach reach, Offer offer, ServerObserver observer) {
        RdmaUse rdma = reach.rdma();
        TcpSettings network = reach.network();
        InetSocketAddress address = offer.address();
        if (address.isUnresolved()) {
            throw new TransferException(FailureKind.USAGE, "cannot listen: unknown host " + address.getHostString());
        }
        ExportedRoots roots = offer.roots();
        ServerLimits limits = offer.limits();
        roots.requirePresent();
        reach.requireRdma(true);
        Identity identity = Identity.loadOrCreate(reach.home());
        KeyStore keys = new KeyStore(reach.home());
        keys.createDefaultOnce();
        TcpTransport transport =
                TcpTransport.forServer(network.withLaneGreetingBytes(LaneHello.LENGTH_BYTES), identity);
        TransferService transfers = new TransferService(
                roots,
                limits.clearLanes() == ClearLanes.ALLOW,
                offer.transferLimits(),
                HostBonds.watchesOfServer(Reach.HOST_FILES));
        VerifyService verifications =
                new VerifyService(roots, Runtime.getRuntime().availableProcessors());
        NettestService tests = new NettestService(
                limits.clearLanes() != ClearLanes.REFUSE, Version.software(), Reach.HOST_FILES, offer.objects());
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
                        pushForOther(reach, access, plan, readable, offer.transferLimits(), watching, observer),
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

    /** A push that this server makes as a client. */
    private static TransferJob pushForOther(
            Reach reach,
            ServerAccess access,
            TransferPlan plan,
            ExportedRoots readable,
            TransferLimits limits,
            TransferObserver watching,
            ServerObserver operator) {
        HostBonds bonds = new HostBonds(Reach.HOST_FILES);
        ServerWay way = reach.forOther(access, bonds, operator::onWarning);
        return ClientTransfer.ofExported(
                readable, limits, plan, way.client(), way.ways(), bonds.watches(), watching, way);
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
                FailureKind.CONNECTION_LOST, "the server is stopping; run the same command again to resume", timeoutMs);
    }

    /** From now on sessions end soon after their clients have gone; {@link Server#endDeserted()}. */
    public void endDeserted() {
        server.endDeserted();
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
