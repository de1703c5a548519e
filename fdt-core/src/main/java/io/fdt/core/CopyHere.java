package io.fdt.core;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.CopyRequest;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.OneTimeHome;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.LocalTarget;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.SpreadWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A copy within this host. The receiving end is a server in this process, with a key that no other process gets; the
 * lanes use shared memory. It is the same copy as between two hosts: verified, resumed and reported in the same way.
 */
final class CopyHere {
    private CopyHere() {}

    static TransferJob start(Connector connector, TransferPlan plan, TransferObserver observer) {
        CopyRequest request = plan.request();
        if (request.direction() != TransferPlan.Direction.PUSH || plan.shardFile() != null) {
            throw FailureKind.USAGE.failure("a copy within this host is a push, and not of a shard");
        }
        RawPath target = request.target();
        if (!target.equals(TransferPlan.DEV_NULL)) {
            LocalTarget place = new LocalTarget(target);
            place.requireApartFrom(
                    request.selection().sources(), request.rules().mirror() != null);
            target = place.path();
        }
        OneTimeHome home;
        try {
            home = OneTimeHome.create();
        } catch (IOException e) {
            throw FailureKind.TARGET.failure("cannot store the one-time key: " + e.getMessage(), e);
        }
        Closing closing = new Closing(home);
        try {
            return start(connector, plan, request.clear().withTarget(target), observer, closing);
        } catch (TransferException failure) {
            closing.close(0);
            throw String.valueOf(failure.getMessage()).contains(home.directory().toString())
                    ? FailureKind.TARGET.failure(
                            "cannot store the one-time key of a copy within this host: "
                                    + TransferException.reason(
                                            failure.getCause() == null ? failure : failure.getCause())
                                    + "; free space in " + home.directory().getParent() + ", or set TMPDIR",
                            failure)
                    : failure;
        } catch (RuntimeException | Error failure) {
            closing.close(0);
            throw failure;
        }
    }

    private static TransferJob start(
            Connector connector, TransferPlan plan, CopyRequest request, TransferObserver observer, Closing closing) {
        Connector own = new Connector(closing.home.directory(), null, connector.network(), RdmaUse.NONE);
        Serving serving = ListeningServer.start(
                own,
                new ServerSettings(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        new ExportedRoots(List.of(RawPath.ofText("/")), false),
                        ServerLimits.builder().clearLanes(ClearLanes.ALLOW).build(),
                        TransferLimits.NONE,
                        NettestResources.inMemory()),
                ServerObserver.NONE);
        closing.serving = serving;
        InetSocketAddress address = serving.address();
        TransferPlan there = plan.at(address.getAddress().getHostAddress(), address.getPort(), request);
        ServerConnection connection = own.inside(
                own.access(there.host(), there.port(), request.stepMs()), Carrier.SHM, address, request.stepMs());
        closing.connection = connection;
        return new ClientTransfer(there, connection.network(role -> SpreadWatch.NONE), observer, closing);
    }

    /** Closes the client's end first. */
    private static final class Closing implements Resources {
        private final OneTimeHome home;
        private Resources connection = LENT;
        private @Nullable Serving serving;

        Closing(OneTimeHome home) {
            this.home = home;
        }

        @Override
        public void close(long timeoutMs) {
            connection.close(timeoutMs);
            Serving running = serving;
            try (home) {
                if (running != null) {
                    running.stop(timeoutMs);
                    running.close();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException left) {
                // An unused key remains in a directory of this user.
                return;
            }
        }
    }
}
