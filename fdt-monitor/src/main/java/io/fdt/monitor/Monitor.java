package io.fdt.monitor;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.Cause;
import io.fdt.core.host.Host;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.security.AddressRules;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.figure.Exposition;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SampleListener;
import io.fdt.monitor.http.Response;
import io.fdt.monitor.push.ApmonPush;
import io.fdt.monitor.push.InfluxPush;
import io.fdt.monitor.push.OtlpPush;
import io.fdt.monitor.push.Push;
import io.fdt.monitor.push.PushTarget;
import io.fdt.monitor.push.Pusher;
import io.fdt.monitor.push.PushgatewayPush;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of one process: samples its host and its sessions every second, and publishes the samples. The entry
 * point of the module. Thread-safe.
 */
public final class Monitor implements AutoCloseable {
    /** The limit for sending the last figures to all receivers. */
    private static final long LAST_PUSH_MS = 3_000;

    private final SessionTable sessions;
    private final @Nullable Exposition exposition;
    private final String host;
    private volatile @Nullable Sample last;
    private final List<Pusher> pushers = new ArrayList<>();
    private final @Nullable ScreenView screenView;
    private final Sampler sampler;
    private volatile @Nullable ServerWatch serverWatch;
    private final @Nullable MonitorServer server;

    /**
     * What to monitor, and who may see it.
     *
     * @param role {@code server}, {@code client}, {@code nettest} or {@code monitor}
     * @param page null to serve nothing
     * @param recording the file to append every sample to; null for none
     * @param screen a terminal to draw on; null for none
     * @param warnings receives messages for the operator; one line each, on any thread
     * @param root contains {@code proc} and {@code sys}; the root directory except in tests
     */
    public record Settings(
            String role,
            @Nullable Page page,
            List<PushTarget> targets,
            @Nullable Path recording,
            @Nullable Screen screen,
            Consumer<String> warnings,
            Path root) {
        public Settings {
            targets = List.copyOf(targets);
        }
    }

    /**
     * Where the page and the metrics are served, and for whom.
     *
     * @param address a port, or a socket for root and this user
     * @param token that watchers must present; null for none
     * @param open whether other hosts may watch without a token
     * @param allowed the addresses that watchers may connect from, in addition to this host
     */
    public record Page(SocketAddress address, @Nullable String token, boolean open, AddressRules allowed) {
        public Page(SocketAddress address, @Nullable String token, AddressRules allowed) {
            this(address, token, false, allowed);
        }

        Gate gate(String host) {
            String name = address instanceof InetSocketAddress port ? port.getHostString() : host;
            return new Gate(token, open, List.of("localhost", name, host));
        }
    }

    public Monitor(Settings settings) {
        HostSource source = new HostSource(settings.root());
        this.host = source.host().name();
        this.sessions = new SessionTable(settings.role());
        List<SampleListener> listeners = new ArrayList<>(List.of(new Last()));
        Page page = settings.page();
        History history = new History();
        LiveClients live = new LiveClients(history);
        // Without a page nothing can be scraped.
        this.exposition = page == null ? null : new Exposition(host);
        if (exposition != null) {
            listeners.add(exposition);
            listeners.add(live);
        }
        Screen screen = settings.screen();
        this.screenView = screen == null
                ? null
                : new ScreenView(screen, settings.role().equals("monitor") ? "q quits" : "q closes this view");
        if (screenView != null) {
            listeners.add(screenView);
        }
        Path recording = settings.recording();
        if (recording != null) {
            listeners.add(new Recorder(recording, () -> facts(settings, source.host()), settings.warnings()));
        }
        for (PushTarget target : settings.targets()) {
            pushers.add(new Pusher(push(target, settings.role()), target.shown(), settings.warnings()));
        }
        listeners.addAll(pushers);
        this.sampler = new Sampler(
                source,
                sessions,
                listeners,
                page != null || recording != null,
                settings.warnings(),
                Clock.SYSTEM,
                System::currentTimeMillis);
        // Sampled before the server starts, so that the first scrape is complete.
        sampler.takeSample();
        this.server = page == null
                ? null
                : new MonitorServer(
                        page.address(),
                        page.allowed(),
                        page.gate(sampler.host().name()),
                        new MonitorServer.Content(
                                exposition,
                                live,
                                ignored -> Response.shared(200, "application/json", history.toArray()),
                                () -> facts(settings, sampler.host())),
                        settings.warnings());
        sampler.start();
    }

    /** Keeps the last sample for the other ends of sessions. */
    private final class Last implements SampleListener {
        @Override
        public void onSample(Sample sample, List<Figure> figures) {
            last = sample;
        }

        @Override
        public boolean isWatched() {
            return false;
        }
    }

    private static byte[] facts(Settings settings, Host host) {
        return HostFacts.of(
                host,
                settings.role(),
                Version.number(),
                KernelConfig.irqTimeAccounting(settings.root(), host.machine().kernel()));
    }

    private Push push(PushTarget target, String role) {
        return switch (target.kind()) {
            case OTLP -> new OtlpPush(target, role, host);
            case INFLUX -> new InfluxPush(target);
            case PUSHGATEWAY -> new PushgatewayPush(target);
            case APMON -> new ApmonPush(target);
        };
    }

    /** A session has started in this process. Any thread. */
    public void observe(SessionActivity session) {
        sessions.add(session);
    }

    /** This server has refused a client. Any thread. */
    public void onRefused(Cause cause) {
        sessions.countRefused(cause);
    }

    /**
     * This process serves files. Called once.
     *
     * @param expiries of the keys that admit clients, by key name; called on a thread that may block
     */
    public void watchServer(Supplier<Map<String, Instant>> expiries, List<Path> roots) {
        serverWatch = new ServerWatch(expiries, roots, sampler::tell, sampler::watch);
    }

    /** Returns the activity of this host, for the remote end of a session; null before the first sample. Any thread. */
    public @Nullable HostView hostView() {
        Sample sample = last;
        return sample == null ? null : sample.view();
    }

    /**
     * A network test has ended. Any thread.
     *
     * @param viaEngine whether it was a copy
     */
    public void onNettest(NettestPlan plan, boolean viaEngine, NettestOutcome outcome) {
        sampler.tell(ResultFigures.of(plan, viaEngine, outcome, host, nowSeconds()));
    }

    /**
     * A copy has ended. Any thread.
     *
     * @param source the host that the files come from; null for this host
     * @param destination the host that the files go to; null for this host
     */
    public void onCopy(Summary summary, @Nullable String source, @Nullable String destination) {
        sampler.tell(ResultFigures.of(
                summary,
                Objects.requireNonNullElse(source, host),
                Objects.requireNonNullElse(destination, host),
                nowSeconds()));
    }

    private static long nowSeconds() {
        return System.currentTimeMillis() / 1000;
    }

    /** Draws again after the size of the terminal has changed. Any thread. */
    public void redraw() {
        if (screenView != null) {
            screenView.draw();
        }
    }

    /** Returns the address of the page; null if none is served, or on a socket. */
    public @Nullable InetSocketAddress address() {
        return server == null ? null : server.address();
    }

    /** Takes a last sample, lets exporters send it, and stops. */
    @Override
    public void close() {
        ServerWatch watch = serverWatch;
        if (watch != null) {
            watch.close();
        }
        sampler.close();
        long until = Clock.SYSTEM.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_PUSH_MS);
        for (Pusher pusher : pushers) {
            pusher.awaitEnd(TimeUnit.NANOSECONDS.toMillis(until - Clock.SYSTEM.nanoTime()));
        }
        if (server != null) {
            server.close();
        }
    }
}
