package io.fdt.cli.trace;

import io.fdt.cli.display.Display;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The trace of a copy at its client: a span for the copy, and below it one for the session of each attempt. */
public final class CopyTrace implements Display, AutoCloseable {
    private final Spans spans;
    private final Span copy;
    private final Map<String, Long> foundNanos = new ConcurrentHashMap<>();
    private volatile @Nullable SessionSpan session;

    CopyTrace(Spans spans) {
        this.spans = spans;
        this.copy = spans.tracer().spanBuilder("copy").setNoParent().startSpan();
    }

    /** Begins the span of an attempt. Returns it for the request. */
    public String begin() {
        foundNanos.clear();
        SessionSpan begun =
                new SessionSpan(spans.tracer(), SpanKind.CLIENT, Context.root().with(copy));
        session = begun;
        Map<String, String> headers = new HashMap<>();
        W3CTraceContextPropagator.getInstance().inject(begun.within(), headers, Map::put);
        return headers.getOrDefault(ServerTrace.TRACE_PARENT, "");
    }

    @Override
    public void onActivity(SessionActivity activity) {
        SessionSpan open = session;
        if (open != null) {
            open.watch(activity);
        }
    }

    @Override
    public void onFound(Supplier<String> path, long sizeBytes) {
        if (sizeBytes >= SessionSpan.FILE_BYTES) {
            foundNanos.put(path.get(), System.nanoTime());
        }
    }

    @Override
    public void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {
        Long found = foundNanos.remove(path);
        SessionSpan open = session;
        if (found != null && open != null) {
            open.addFile(path, outcome.name().toLowerCase(Locale.ROOT), sizeBytes, System.nanoTime() - found, why);
        }
    }

    @Override
    public void onWarning(String message) {
        SessionSpan open = session;
        if (open != null) {
            open.add("warning", message);
        }
    }

    @Override
    public void onRetry(int attempt, Summary failed, long pauseNanos) {
        end(failed);
        copy.addEvent(
                "retry",
                Attributes.of(
                        AttributeKey.longKey("fdt.attempt"),
                        (long) attempt,
                        AttributeKey.doubleKey("fdt.pause_seconds"),
                        pauseNanos / 1e9));
    }

    private void end(Summary summary) {
        SessionSpan open = session;
        if (open != null) {
            open.end(summary);
            session = null;
        }
    }

    @Override
    public void onEnd(Summary summary) {
        end(summary);
        SessionSpan.describe(copy, summary);
        copy.end();
    }

    @Override
    public void close() {
        copy.end();
        spans.close();
    }
}
