package io.fdt.core.engine;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.SourceSelection;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.security.Identity;
import io.fdt.core.security.IssuedKey;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.LocalTarget;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.SpreadWatch;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy within this host. The receiving end is a server in this process, with a key that no other process gets; the
 * lanes use shared memory. It is the same copy as between two hosts: verified, resumed and reported in the same way.
 */
public final class CopyHere {
    private CopyHere() {}

    public static TransferJob start(Connector connector, TransferPlan plan, TransferObserver observer) {
        CopyRequest request = plan.request();
        if (request.direction() != TransferPlan.Direction.PUSH || plan.shardFile() != null) {
            throw Cause.USAGE.failure("a copy within this host is a push, and not of a shard");
        }
        RawPath target = request.target();
        if (!target.equals(TransferPlan.DEV_NULL)) {
            LocalTarget place = new LocalTarget(target);
            requireApart(place, request);
            target = place.path();
        }
        Closing closing = new Closing();
        try {
            return start(connector, plan, request.clear().withTarget(target), observer, closing);
        } catch (RuntimeException | Error failure) {
            closing.close(0);
            throw failure;
        }
    }

    private static void requireApart(LocalTarget place, CopyRequest request) {
        SourceSelection selection = request.selection();
        List<RawPath> names = selection.names();
        if (names == null || request.rules().mirror() != null) {
            place.requireApartFrom(selection.sources(), request.rules().mirror() != null);
            return;
        }
        RawPath directory = selection.sources().get(0);
        for (int i = 0; i < names.size(); i += selection.isPaired() ? 2 : 1) {
            RawPath copy = place.path().resolve(names.get(selection.isPaired() ? i + 1 : i));
            new LocalTarget(copy).requireNotWithin(directory.resolve(names.get(i)));
        }
    }

    private static TransferJob start(
            Connector connector, TransferPlan plan, CopyRequest request, TransferObserver observer, Closing closing) {
        // What happens at the receiving end happens on this host.
        Connector own = connector.withRdma(RdmaUse.NONE).naming(Failure.HERE);
        // In memory only: a file would outlive a copy that is killed.
        Identity identity = Identity.create();
        IssuedKey key = KeyStore.unstored();
        Serving serving = ListeningServer.start(
                own,
                new ServerSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new ExportedRoots(List.of(RawPath.ofText("/")), false, 0),
                        ServerLimits.builder().clearLanes(ClearLanes.ALLOW).build(),
                        TransferLimits.NONE,
                        NettestResources.inMemory()),
                ServerObserver.NONE,
                identity,
                KeyStore.ofOne(key.key()));
        closing.serving = serving;
        InetSocketAddress address = serving.address();
        TransferPlan there = plan.at(address.getAddress().getHostAddress(), address.getPort(), request);
        ServerConnection connection =
                own.inside(ServerAccess.of(identity, key), Carrier.SHM, address, request.stepMs());
        closing.connection = connection;
        return new ClientTransfer(
                there,
                new ServerConnection(connection.client(), connection.transports(), closing),
                role -> SpreadWatch.NONE,
                observer);
    }

    /** Closes the client's end first. */
    private static final class Closing implements Resources {
        private Resources connection = LENT;
        private @Nullable Serving serving;

        @Override
        public void close(long timeoutMs) {
            connection.close(timeoutMs);
            Serving running = serving;
            if (running == null) {
                return;
            }
            try {
                running.stop(timeoutMs);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                running.close();
            }
        }
    }
}
