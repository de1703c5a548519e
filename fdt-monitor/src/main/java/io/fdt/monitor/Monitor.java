package io.fdt.monitor;

import io.fdt.core.Clock;
import io.fdt.core.HostView;
import io.fdt.core.host.Host;
import io.fdt.core.stats.SessionActivity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of one process: samples its host and its sessions every second, and shows that to whoever scrapes or watches. The
 * module's public face. Thread-safe.
 */
public final class Monitor implements AutoCloseable {
    /** How long all receivers together may take for the last figures. */
    private static final long LAST_PUSH_MS = 3_000;

    private final SessionTable sessions = new SessionTable();
    private final Exposition exposition = new Exposition();
    private final History history = new History();
    private final LiveClients live = new LiveClients();
    private final LastView lastView = new LastView();
    private final List<Pusher> pushers = new ArrayList<>();
    private final @Nullable ScreenView screenView;
    private final Sampler sampler;
    private final @Nullable MonitorServer server;

    /**
     * What to monitor, and who may see it.
     *
     * @param role {@code server}, {@code client}, {@code nettest} or {@code monitor}
     * @param address where to serve the page and the scrape; null for nowhere
     * @param token that watchers must show; null for none, which only this machine may go without
     * @param targets where to push figures
     * @param recording where to write every sample, behind what is there; null for nowhere
     * @param screen a terminal to draw on; null for none
     * @param warnings is told what the operator should know; one line, on any thread
     * @param root holds {@code proc} and {@code sys}: the root directory but for tests
     */
    public record Settings(
            String role,
            String version,
            @Nullable InetSocketAddress address,
            @Nullable String token,
            List<PushTarget> targets,
            @Nullable Path recording,
            @Nullable Screen screen,
            Consumer<String> warnings,
            Path root) {
        public Settings {
            targets = List.copyOf(targets);
        }
    }

    public Monitor(Settings settings) {
        HostSource source = new HostSource(settings.root());
        List<SampleListener> listeners = new ArrayList<>(List.of(exposition, history, live, lastView));
        Screen screen = settings.screen();
        this.screenView = screen == null ? null : new ScreenView(screen);
        if (screenView != null) {
            listeners.add(screenView);
        }
        Path recording = settings.recording();
        if (recording != null) {
            listeners.add(new Recorder(recording, () -> facts(settings, source.host()), settings.warnings()));
        }
        for (PushTarget target : settings.targets()) {
            String host = source.host().name();
            pushers.add(new Pusher(push(target, settings.role(), host), target.shown(), settings.warnings()));
        }
        listeners.addAll(pushers);
        this.sampler = new Sampler(
                source,
                sessions,
                listeners,
                exposition::onSampleTaken,
                settings.role(),
                settings.address() != null || recording != null,
                Clock.SYSTEM,
                System::currentTimeMillis);
        // Before anybody can look: the first scrape is to be whole.
        sampler.takeSample();
        InetSocketAddress address = settings.address();
        this.server = address == null
                ? null
                : new MonitorServer(
                        address,
                        new Gate(
                                settings.token(),
                                List.of(
                                        "localhost",
                                        address.getHostString(),
                                        sampler.host().name())),
                        new MonitorServer.Content(
                                exposition, live, ignored -> history.toArray(), () -> facts(settings, sampler.host())));
        sampler.start();
    }

    private static byte[] facts(Settings settings, Host host) {
        return HostFacts.of(
                host,
                settings.role(),
                settings.version(),
                KernelConfig.irqTimeAccounting(settings.root(), host.kernel()));
    }

    private Push push(PushTarget target, String role, String host) {
        return switch (target.kind()) {
            case OTLP -> new OtlpPush(target, role, host);
            case INFLUX -> new InfluxPush(target);
            case PUSHGATEWAY -> new PushgatewayPush(target, exposition);
            case APMON -> new ApmonPush(target);
        };
    }

    /** A session has begun in this process. Any thread. */
    public void observe(SessionActivity session) {
        sessions.add(session);
    }

    /** What this host does, for the other end of a session; null before the first second is over. Any thread. */
    public @Nullable HostView hostView() {
        return lastView.view();
    }

    /**
     * A network test has ended, with these results. Any thread.
     *
     * @param cpuSecondsPerByteRemote not a number where the far end has not told
     */
    public void onNettest(
            String suite,
            int streams,
            double bitsPerSecondOut,
            double bitsPerSecondIn,
            double cpuSecondsPerByteLocal,
            double cpuSecondsPerByteRemote) {
        FigureList results = new FigureList();
        String count = String.valueOf(streams);
        results.add(Meter.NETTEST_BITS_PER_SECOND, bitsPerSecondOut, suite, count, "out");
        results.add(Meter.NETTEST_BITS_PER_SECOND, bitsPerSecondIn, suite, count, "in");
        results.add(Meter.NETTEST_CPU_SECONDS_PER_BYTE, cpuSecondsPerByteLocal, suite, count, "local");
        if (!Double.isNaN(cpuSecondsPerByteRemote)) {
            results.add(Meter.NETTEST_CPU_SECONDS_PER_BYTE, cpuSecondsPerByteRemote, suite, count, "remote");
        }
        results.add(Meter.NETTEST_TIMESTAMP, System.currentTimeMillis() / 1000, suite, count);
        sampler.tell(results.figures());
    }

    /** The terminal has another size. Any thread. */
    public void redraw() {
        if (screenView != null) {
            screenView.draw();
        }
    }

    /** Where the page is; null when none is served. */
    public @Nullable InetSocketAddress address() {
        return server == null ? null : server.address();
    }

    /** Takes a last sample, lets exporters send it, and ends. */
    @Override
    public void close() {
        sampler.close();
        long until = Clock.SYSTEM.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_PUSH_MS);
        for (Pusher pusher : pushers) {
            pusher.awaitEnd(TimeUnit.NANOSECONDS.toMillis(until - Clock.SYSTEM.nanoTime()));
        }
        if (server != null) {
            server.close();
        }
        exposition.close();
    }
}
