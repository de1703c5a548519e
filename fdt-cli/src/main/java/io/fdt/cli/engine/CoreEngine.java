package io.fdt.cli.engine;

import io.fdt.cli.value.HostPort;
import io.fdt.core.FailureKind;
import io.fdt.core.Fdt;
import io.fdt.core.ServerSettings;
import io.fdt.core.Serving;
import io.fdt.core.Threads;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.listing.ListJob;
import io.fdt.core.listing.ListObserver;
import io.fdt.core.listing.ListPlan;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.objects.ObjectsHost;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.security.Home;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.verify.VerifyJob;
import io.fdt.core.verify.VerifyObserver;
import io.fdt.core.verify.VerifyPlan;
import io.fdt.rdma.Rdma;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The real engine, which runs the commands. */
public final class CoreEngine implements Engine {
    private final Path home;
    private final @Nullable String keyLine;

    public CoreEngine(Map<String, String> environment) {
        this.home = Home.directory(environment);
        this.keyLine = environment.get(ServerAccess.ENVIRONMENT);
    }

    @Override
    public TransferJob copy(TransferPlan plan, NetworkOptions network, TransferObserver observer) {
        TcpSettings settings = settings(network)
                .places(PinnedLanes.to(plan.host(), network.pin()))
                .build();
        return client(settings).withRdma(rdma(network)).copy(plan, observer);
    }

    @Override
    public TransferJob copyBetween(
            HostPort source, TransferPlan push, NetworkOptions network, TransferObserver observer) {
        return client(settings(network).build()).copyBetween(source.host(), source.port(), push, observer);
    }

    @Override
    public VerifyJob verify(VerifyPlan plan, NetworkOptions network, VerifyObserver observer) {
        return client(settings(network).build()).verify(plan, observer);
    }

    @Override
    public ListJob list(ListPlan plan, NetworkOptions network, ListObserver observer) {
        return client(settings(network).build()).list(plan, observer);
    }

    @Override
    public NettestJob nettest(NettestPlan plan, NetworkOptions network, NettestObserver observer) {
        TcpSettings settings = settings(network)
                .places(PinnedLanes.to(plan.path().host(), network.pin()))
                .build();
        return client(settings).withRdma(rdma(network)).nettest(plan, observer);
    }

    @Override
    public RunningServer serve(ServerPlan plan, NetworkOptions network, ServerObserver observer) {
        InetSocketAddress address =
                new InetSocketAddress(plan.listen().host(), plan.listen().port());
        ServerLimits limits = plan.limits();
        TcpSettings settings = settings(network)
                .limits(plan.unadmitted(), plan.connections(), limits.handshakeMs())
                .allowed(plan.allowed())
                .places(PinnedLanes.of(network.pin()))
                .build();
        ExportedRoots roots = new ExportedRoots(plan.roots(), plan.readOnly(), plan.modeMask());
        FirstEnd sessions = new FirstEnd(plan.once());
        ObjectsHost objects = new ObjectsHost(
                plan.objects().memoryBytes(),
                plan.objects().logDirectory(),
                plan.objects().logBytes());
        return new Running(
                Fdt.at(home)
                        .withNetwork(settings)
                        .withRdma(rdma(network))
                        .serve(
                                new ServerSettings(address, roots, limits, plan.transfers(), objects, plan.outbound()),
                                new ServerObservers(List.of(observer, sessions))),
                sessions);
    }

    private Fdt client(TcpSettings settings) {
        return Fdt.at(home).withKey(keyLine).withNetwork(settings);
    }

    private static RdmaUse rdma(NetworkOptions network) {
        return new RdmaUse(network.rdma(), Rdma.provider(network.rdmaLanes()));
    }

    private static TcpSettings.Builder settings(NetworkOptions network) {
        return TcpSettings.builder()
                .socketBufferBytes(network.socketBufferBytes())
                .congestionControl(network.congestion());
    }

    /** Records the end of the first session, for {@code --once}. */
    private static final class FirstEnd implements ServerObserver {
        private final boolean once;
        private final CountDownLatch ended = new CountDownLatch(1);
        private final AtomicReference<@Nullable FailureKind> failure = new AtomicReference<>();

        FirstEnd(boolean once) {
            this.once = once;
        }

        @Override
        public void onSessionEnd(String session, String peer, String key, Summary summary) {
            if (once) {
                failure.compareAndSet(null, summary.failure());
                ended.countDown();
            }
        }
    }

    private record Running(Serving serving, FirstEnd sessions) implements RunningServer {
        @Override
        public int port() {
            return serving.address().getPort();
        }

        @Override
        public void stop(long timeoutMs) {
            Threads.start("fdt-stop", () -> {
                try {
                    serving.stop(timeoutMs);
                } finally {
                    sessions.failure.set(null);
                    sessions.ended.countDown();
                }
            });
        }

        @Override
        public void endDeserted() {
            serving.endDeserted();
        }

        @Override
        public @Nullable FailureKind await() throws InterruptedException {
            sessions.ended.await();
            serving.close();
            return sessions.failure.get();
        }
    }
}
