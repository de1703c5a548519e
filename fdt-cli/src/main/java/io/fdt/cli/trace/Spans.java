package io.fdt.cli.trace;

import io.fdt.core.basic.Version;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.Caption;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends the spans of this process to one receiver, in batches, on a thread of OpenTelemetry. What does not fit its
 * queue is dropped, so no caller waits. A failing receiver is reported once.
 */
final class Spans implements AutoCloseable {
    private static final String HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
    private static final String SERVICE = "OTEL_SERVICE_NAME";
    private static final int CLOSE_SECONDS = 3;

    /** Kept in a field, because a logger without references loses its level. Failures are reported anyway. */
    private static final Logger LIBRARY = Logger.getLogger("io.opentelemetry");

    static {
        LIBRARY.setLevel(Level.OFF);
    }

    private final SdkTracerProvider provider;
    private final Tracer tracer;
    private final Reported exporter;

    /** @param receiver the URL that takes traces; throws USAGE if it is none */
    Spans(String role, String receiver, Map<String, String> environment, Consumer<String> warnings) {
        OtlpHttpSpanExporterBuilder builder = OtlpHttpSpanExporter.builder();
        try {
            builder.setEndpoint(receiver);
        } catch (IllegalArgumentException e) {
            throw Cause.USAGE.failure("traces cannot be sent to " + receiver + ": " + e.getMessage(), e);
        }
        for (String header : environment.getOrDefault(HEADERS, "").split(",", -1)) {
            int equals = header.indexOf('=');
            if (equals > 0) {
                String value = header.substring(equals + 1).strip();
                builder.addHeader(
                        header.substring(0, equals).strip(), URLDecoder.decode(value, StandardCharsets.UTF_8));
            }
        }
        String host = Caption.of(Path.of("/"), null, Version.software()).host();
        Resource resource = Resource.create(Attributes.builder()
                .put("service.name", environment.getOrDefault(SERVICE, "fdt-" + role))
                .put("service.version", Version.number())
                .put("service.instance.id", host + ":" + ProcessHandle.current().pid())
                .put("host.name", host)
                .build());
        exporter = new Reported(builder.build(), receiver, warnings);
        provider = SdkTracerProvider.builder()
                .setResource(resource)
                .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
                .build();
        tracer = provider.get("fdt");
    }

    Tracer tracer() {
        return tracer;
    }

    /** Sends what is left, within a few seconds. */
    @Override
    public void close() {
        CompletableResultCode end = provider.shutdown().join(CLOSE_SECONDS, TimeUnit.SECONDS);
        if (!end.isDone()) {
            exporter.warn("it did not accept them within " + CLOSE_SECONDS + " s");
        }
    }

    /** Reports the first of failures in a row. */
    private static final class Reported implements SpanExporter {
        private final SpanExporter exporter;
        private final String receiver;
        private final Consumer<String> warnings;
        private final AtomicBoolean failing = new AtomicBoolean();

        Reported(SpanExporter exporter, String receiver, Consumer<String> warnings) {
            this.exporter = exporter;
            this.receiver = receiver;
            this.warnings = warnings;
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            CompletableResultCode result = exporter.export(spans);
            return result.whenComplete(() -> onEnd(result));
        }

        private void onEnd(CompletableResultCode result) {
            if (result.isSuccess()) {
                failing.set(false);
            } else {
                Throwable why = result.getFailureThrowable();
                warn(why == null ? "it refuses them" : TransferException.reason(why));
            }
        }

        /** Once until it works again. */
        void warn(String why) {
            if (!failing.getAndSet(true)) {
                warnings.accept("cannot send traces to " + receiver + ": " + why
                        + "; they are dropped until it accepts them again");
            }
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
