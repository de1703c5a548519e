package io.fdt.cli.trace;

import io.fdt.core.control.ServerObserver;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.Summary;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The copies of a server, each in the trace of its client if that has one. Thread-safe. */
public final class ServerTrace implements ServerObserver, AutoCloseable {
    static final String TRACE_PARENT = "traceparent";

    private final Spans spans;
    private final Map<String, SessionSpan> sessions = new ConcurrentHashMap<>();

    ServerTrace(Spans spans) {
        this.spans = spans;
    }

    private enum OfRequest implements TextMapGetter<String> {
        GETTER;

        @Override
        public Iterable<String> keys(String trace) {
            return List.of(TRACE_PARENT);
        }

        @Override
        public @Nullable String get(@Nullable String trace, String key) {
            return key.equals(TRACE_PARENT) ? trace : null;
        }
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        SessionActivity.Kind kind = session.state().admission().kind();
        if (kind != null && kind.service() == Service.COPY) {
            Context client =
                    W3CTraceContextPropagator.getInstance().extract(Context.root(), session.trace(), OfRequest.GETTER);
            SessionSpan begun = new SessionSpan(spans.tracer(), SpanKind.SERVER, client);
            sessions.put(session.name(), begun);
            begun.watch(session);
        }
    }

    @Override
    public boolean watchesFiles() {
        return true;
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile file) {
        SessionSpan open = sessions.get(session);
        if (open != null && file.bytes() >= SessionSpan.FILE_BYTES) {
            open.addFile(
                    file.place().path().display(),
                    file.result().outcome(),
                    file.bytes(),
                    file.nanos(),
                    file.result().failure());
        }
    }

    @Override
    public void onSessionEnd(String session, String peer, String key, Summary summary) {
        SessionSpan open = sessions.remove(session);
        if (open != null) {
            open.end(summary);
        }
    }

    @Override
    public void close() {
        spans.close();
    }
}
