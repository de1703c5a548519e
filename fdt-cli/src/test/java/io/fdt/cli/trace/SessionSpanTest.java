package io.fdt.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.Summary;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class SessionSpanTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final List<SpanData> spans = new CopyOnWriteArrayList<>();
    private final SessionActivity activity = new SessionActivity("ab12", "peer", new SessionCounters());
    private final SessionSpan session = new SessionSpan(
            SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(new Keeping()))
                    .build()
                    .get("test"),
            SpanKind.CLIENT,
            Context.root());

    private final class Keeping implements SpanExporter {
        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    private static Summary ended(Cause why) {
        return Summary.of(why == null ? null : why.failure("full"), 1, 2, 3, 4, 5, "ab12");
    }

    @Test
    void longFlushesAreSpansAndShortOnesAreNot() {
        session.watch(activity);
        activity.onFlush(SECOND / 20, 1);
        activity.onFlush(2 * SECOND, 7);
        session.end(ended(null));

        assertThat(spans).extracting(SpanData::getName).containsExactly("flush", "session");
        SpanData flush = spans.get(0);
        assertThat(flush.getEndEpochNanos() - flush.getStartEpochNanos()).isEqualTo(2 * SECOND);
        assertThat(flush.getAttributes().asMap().toString()).contains("fdt.chunks=7");
        assertThat(flush.getParentSpanId()).isEqualTo(spans.get(1).getSpanId());
    }

    @Test
    void aFailedFileNamesItsCause() {
        session.addFile(
                "a/b", "failed", 10, SECOND, Cause.NO_SPACE.failure("full").failure());
        SpanData file = spans.get(0);
        assertThat(file.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(file.getAttributes().asMap().toString()).contains("error.type=no-space", "fdt.path=a/b");
    }

    @Test
    void manyPartsAreCountedOnly() {
        for (int i = 0; i < 1_005; i++) {
            session.addFile("f" + i, "copied", 1, 1, null);
        }
        session.end(ended(Cause.NO_SPACE));
        assertThat(spans).hasSize(1_001);
        assertThat(spans.get(1_000).getAttributes().asMap().toString())
                .contains("fdt.parts_left_out=5", "fdt.outcome=failed");
    }

    @Test
    void theReceiverIsAsOpenTelemetrySpecifiesIt() {
        assertThat(Traces.receiver(Map.of())).isNull();
        assertThat(Traces.receiver(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", ""))).isNull();
        assertThat(Traces.receiver(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318")))
                .isEqualTo("http://c:4318/v1/traces");
        assertThat(Traces.receiver(Map.of("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/x/")))
                .isEqualTo("http://c:4318/x/v1/traces");
        assertThat(Traces.receiver(Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT",
                        "http://c:4318",
                        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                        "http://t/y")))
                .isEqualTo("http://t/y");
    }
}
