package io.fdt.monitor;

import io.fdt.core.Clock;
import io.fdt.core.stats.SessionActivity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of one process: samples its host and its sessions every second, and shows that to whoever scrapes or watches. The
 * module's public face. Thread-safe.
 */
public final class Monitor implements AutoCloseable {
    private final SessionTable sessions = new SessionTable();
    private final Exposition exposition = new Exposition();
    private final History history = new History();
    private final LiveClients live = new LiveClients();
    private final Sampler sampler;
    private final @Nullable MonitorServer server;

    /**
     * What to monitor, and who may see it.
     *
     * @param role {@code server}, {@code client}, {@code nettest} or {@code monitor}
     * @param address where to serve the page and the scrape; null for nowhere
     * @param token that watchers must show; null for none, which only this machine may go without
     * @param targets where to push figures
     * @param warnings is told what the operator should know; one line, on any thread
     * @param root holds {@code proc} and {@code sys}: the root directory but for tests
     */
    public record Settings(
            String role,
            String version,
            @Nullable InetSocketAddress address,
            @Nullable String token,
            List<PushTarget> targets,
            Consumer<String> warnings,
            Path root) {
        public Settings {
            targets = List.copyOf(targets);
        }
    }

    public Monitor(Settings settings) {
        HostSource source = new HostSource(settings.root());
        List<SampleListener> listeners = new ArrayList<>(List.of(exposition, history, live));
        for (PushTarget target : settings.targets()) {
            String host = source.host().name();
            listeners.add(new Pusher(push(target, settings.role(), host), target.shown(), settings.warnings()));
        }
        this.sampler = new Sampler(
                source,
                sessions,
                listeners,
                exposition::onSampleTaken,
                settings.role(),
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
                                exposition,
                                live,
                                history,
                                () -> HostFacts.of(sampler.host(), settings.role(), settings.version())));
        sampler.start();
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

    /** Where the page is; null when none is served. */
    public @Nullable InetSocketAddress address() {
        return server == null ? null : server.address();
    }

    /** Takes a last sample, lets exporters send it, and ends. */
    @Override
    public void close() {
        sampler.close();
        if (server != null) {
            server.close();
        }
        exposition.close();
    }
}
