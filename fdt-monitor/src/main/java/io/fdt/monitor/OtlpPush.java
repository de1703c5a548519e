package io.fdt.monitor;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.ipc.http.HttpSender;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpHttpMetricsSender;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OTLP over HTTP. Micrometer's registry makes the messages every five seconds, and once more at the end; what becomes of them is
 * told with the next sample.
 */
final class OtlpPush implements Push {
    private static final Duration STEP = Duration.ofSeconds(5);
    private static final String USUAL_PATH = "v1/metrics";

    private final OtlpMeterRegistry registry;
    private final SeriesRegistry series;
    private final Delivery delivery;

    OtlpPush(PushTarget target, String role, String host) {
        this.delivery = new Delivery(target);
        this.registry = OtlpMeterRegistry.builder(new Config(target, role, host))
                .clock(Clock.SYSTEM)
                .metricsSender(new OtlpHttpMetricsSender(delivery))
                .build();
        this.series = new SeriesRegistry(registry, EnumSet.allOf(Meter.Kind.class));
    }

    @Override
    public void send(Sample sample, List<Figure> figures) throws IOException {
        series.update(figures, System.nanoTime());
        IOException failure = delivery.failure;
        if (failure != null) {
            throw failure;
        }
    }

    /** Sends the last figures. */
    @Override
    public void close() {
        series.close();
    }

    /** Names and steps for Micrometer. */
    private record Config(PushTarget target, String role, String host) implements OtlpConfig {
        @Override
        public @Nullable String get(String key) {
            return null;
        }

        @Override
        public String url() {
            return "http://" + target.host() + ":" + target.port() + "/"
                    + (target.path().isEmpty() ? USUAL_PATH : target.path());
        }

        @Override
        public Duration step() {
            return STEP;
        }

        @Override
        public Map<String, String> resourceAttributes() {
            return Map.of("service.name", "fdt-" + role, "service.instance.id", host, "host.name", host);
        }
    }

    /** Sends what Micrometer made. A failure is kept instead of thrown, since the library would log each one. */
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
                HttpPost.send(
                        "POST", target.host(), target.port(), path, request.getRequestHeaders(), request.getEntity());
                failure = null;
            } catch (IOException dead) {
                failure = dead;
            }
            return new Response(200, "");
        }
    }
}
