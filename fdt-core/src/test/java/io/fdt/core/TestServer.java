package io.fdt.core;

import io.fdt.core.basic.HostView;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.tcp.TcpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server on loopback in this process, with clients of the same user. Records the server's events. */
public final class TestServer implements AutoCloseable {
    public final Queue<String> refused = new ConcurrentLinkedQueue<>();
    public final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    public final Queue<String> keys = new ConcurrentLinkedQueue<>();
    public final Queue<String> started = new ConcurrentLinkedQueue<>();
    public final Queue<Summary> ended = new ConcurrentLinkedQueue<>();
    public final Queue<SessionActivity> opened = new ConcurrentLinkedQueue<>();

    /** Called for each session before its service begins. */
    public volatile Consumer<SessionActivity> whenOpened = session -> {};

    /** What the server reports about its host. */
    public static final HostView HOST = new HostView(
            "test-server",
            List.of(
                    new HostView.Core(0, 0, new HostView.Shares(0.1, 0, 0.2, 0.001, 0.3, 0.002, 0.003)),
                    new HostView.Core(1, 0, new HostView.Shares(0, 0, 0, 0, 0, 0, 0))),
            List.of(new HostView.Nic("eth0", 100_000_000_000L, "bond0", 5, 6, 0, -1)));

    private final Path home;
    private final Serving serving;

    public TestServer(Path home, Path... roots) {
        this(home, TcpSettings.DEFAULTS, ServerLimits.DEFAULT, TransferLimits.SERVER_DEFAULT, roots);
    }

    public TestServer(
            Path home, TcpSettings network, ServerLimits limits, TransferLimits transferLimits, Path... roots) {
        this.home = home;
        this.serving = Fdt.at(home)
                .withNetwork(network)
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(
                                        Stream.of(roots)
                                                .map(root -> RawPath.ofText(root.toString()))
                                                .toList(),
                                        false),
                                limits,
                                transferLimits,
                                NettestResources.inMemory()),
                        new ServerObserver() {
                            @Override
                            public void onSessionOpen(SessionActivity session) {
                                session.setHostSource(() -> HOST);
                                opened.add(session);
                                whenOpened.accept(session);
                            }

                            @Override
                            public void onSessionStart(String session, String peer, String key, String what) {
                                started.add(what);
                            }

                            @Override
                            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                                ended.add(summary);
                            }

                            @Override
                            public void onKeyCreated(String name, String id) {
                                keys.add("+" + name + " " + id);
                            }

                            @Override
                            public void onKeyRevoked(String name, String id) {
                                keys.add("-" + name + " " + id);
                            }

                            @Override
                            public void onWarning(String text) {
                                warnings.add(text);
                            }

                            @Override
                            public void onRefused(String peer, String why) {
                                refused.add(why);
                            }
                        });
    }

    public int port() {
        return serving.address().getPort();
    }

    public InetSocketAddress address() {
        return serving.address();
    }

    /** Starts a transfer with the key of the line, or with this user's key if the line is null. */
    public TransferJob start(@Nullable String keyLine, TestPlan plan) {
        TransferPlan whole = plan.at(port());
        TcpSettings network = TcpSettings.DEFAULTS;
        return Fdt.at(home).withKey(keyLine).withNetwork(network).copy(whole);
    }

    /** Runs a transfer to its end. */
    public Summary run(@Nullable String keyLine, TestPlan plan) throws InterruptedException {
        try (TransferJob copy = start(keyLine, plan)) {
            return copy.await();
        }
    }

    public Summary run(TestPlan plan) throws InterruptedException {
        return run(null, plan);
    }

    public void endDeserted() {
        serving.endDeserted();
    }

    @Override
    public void close() {
        serving.close();
    }
}
