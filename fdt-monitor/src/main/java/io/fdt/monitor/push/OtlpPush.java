package io.fdt.monitor.push;

import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.SeriesRegistry;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.ipc.http.HttpSender;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** OTLP over HTTP. Micrometer creates the messages every five seconds; a failure is reported with the next sample. */
public final class OtlpPush implements Push {
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final String DEFAULT_PATH = "v1/metrics";

    /** Kept in a field, because a logger without references loses its level. Failed pushes are reported anyway. */
    private static final Logger MICROMETER = Logger.getLogger("io.micrometer");

    static {
        MICROMETER.setLevel(Level.OFF);
    }

    private final OtlpMeterRegistry registry;
    private final SeriesRegistry series;
    private final Delivery delivery;

    public OtlpPush(PushTarget target, String role, String host) {
        this.delivery = new Delivery(target);
        this.registry = OtlpMeterRegistry.builder(new Config(target, role, host))
                .clock(Clock.SYSTEM)
                .metricsSender(new OtlpHttpMetricsSender(delivery))
                .build();
        this.series = new SeriesRegistry(registry, host, OtlpPush::unit);
    }

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        series.update(figures, System.nanoTime());
        delivery.throwIfFailed();
    }

    /**
     * Returns the UCUM name of the unit, as OTLP requires; units without one are in braces. Null for a plain number and
     * for a rate: Prometheus appends {@code _ratio} to the name of a gauge with the unit 1, and {@code _per_second} to
     * one with the unit By/s even if the name ends with it.
     */
    private static @Nullable String unit(Meter meter) {
        return switch (meter.unit()) {
            case "seconds" -> "s";
            case "bytes" -> "By";
            case "seconds per byte" -> "s/{byte}";
            default -> null;
        };
    }

    /** Sends the last figures. */
    @Override
    public void close() throws IOException {
        series.close();
        delivery.throwIfFailed();
    }

    private record Config(PushTarget target, String role, String host) implements OtlpConfig {
        @Override
        public @Nullable String get(String key) {
            return null;
        }

        @Override
        public String url() {
            return "http://" + target.host() + ":" + target.port() + "/"
                    + (target.path().isEmpty() ? DEFAULT_PATH : target.path());
        }

        @Override
        public Duration step() {
            return STEP;
        }

        @Override
        public Map<String, String> resourceAttributes() {
            return Map.of(
                    "service.name",
                    "fdt-" + role,
                    "service.instance.id",
                    host + ":" + ProcessHandle.current().pid(),
                    "host.name",
                    host);
        }
    }

    /** Sends Micrometer's messages. A failure is stored instead of thrown, because the library would log each one. */
    private static final class Delivery implements HttpSender {
        private final PushTarget target;
        private volatile @Nullable IOException failure;

        Delivery(PushTarget target) {
            this.target = target;
        }

        @Override
        public Response send(Request request) {
            try {
                String path = request.getUrl().getPath();
                HttpPost.send(target, path, request.getRequestHeaders(), request.getEntity());
                failure = null;
            } catch (IOException dead) {
                failure = dead;
            }
            return new Response(200, "");
        }

        void throwIfFailed() throws IOException {
            IOException last = failure;
            if (last != null) {
                throw last;
            }
        }
    }
}
