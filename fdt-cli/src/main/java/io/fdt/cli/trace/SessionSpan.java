package io.fdt.cli.trace;

import io.fdt.core.failure.Failure;
import io.fdt.core.stats.LaneObserver;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The span of one session at one end, with a span below it for each large file and long flush, and an event for each
 * lane that is lost. Further parts are only counted. Thread-safe.
 */
final class SessionSpan {
    /** Smaller files would be most spans of a trace, and say least. */
    static final long FILE_BYTES = 64 << 20;

    private static final long FLUSH_NANOS = 100_000_000;
    private static final int MAX_PARTS = 1_000;

    private static final AttributeKey<Long> LANE = AttributeKey.longKey("fdt.lane");
    private static final AttributeKey<Long> LANES = AttributeKey.longKey("fdt.lanes");
    private static final AttributeKey<String> REASON = AttributeKey.stringKey("fdt.reason");

    private final Tracer tracer;
    private final Span span;
    private final Context within;
    private final AtomicLong parts = new AtomicLong();

    SessionSpan(Tracer tracer, SpanKind kind, Context parent) {
        this.tracer = tracer;
        this.span = tracer.spanBuilder("session")
                .setSpanKind(kind)
                .setParent(parent)
                .startSpan();
        this.within = parent.with(span);
    }

    /** The context of what belongs to this session. */
    Context within() {
        return within;
    }

    void watch(SessionActivity session) {
        span.setAttribute("fdt.session", session.name()).setAttribute("fdt.peer", session.peer());
        session.watchLanes(new LaneObserver() {
            @Override
            public void onLane(LaneChange change, int lane, String detail) {
                if (change == LaneChange.LOST || change == LaneChange.REOPENED) {
                    span.addEvent(
                            change == LaneChange.LOST ? "lane lost" : "lane reopened",
                            Attributes.of(LANE, (long) lane, REASON, detail));
                }
            }

            @Override
            public void onCount(int lanes, String why) {
                span.addEvent("lanes changed", Attributes.of(LANES, (long) lanes, REASON, why));
            }

            @Override
            public void onFlush(long nanos, int chunks) {
                if (nanos >= FLUSH_NANOS) {
                    add("flush", nanos, Attributes.of(AttributeKey.longKey("fdt.chunks"), (long) chunks), null);
                }
            }
        });
    }

    /** A file has ended, this long after it was offered. */
    void addFile(String path, String outcome, long bytes, long nanos, @Nullable Failure why) {
        Attributes about = Attributes.builder()
                .put("fdt.path", path)
                .put("fdt.outcome", outcome)
                .put("fdt.bytes", bytes)
                .build();
        add("file", nanos, about, why);
    }

    private void add(String name, long nanos, Attributes about, @Nullable Failure why) {
        if (parts.getAndIncrement() < MAX_PARTS) {
            Instant end = Instant.now();
            Span part = tracer.spanBuilder(name)
                    .setParent(within)
                    .setStartTimestamp(end.minusNanos(nanos))
                    .setAllAttributes(about)
                    .startSpan();
            fail(part, why);
            part.end(end);
        }
    }

    void add(String event, String reason) {
        span.addEvent(event, Attributes.of(REASON, reason));
    }

    void end(Summary summary) {
        describe(span, summary);
        long left = parts.get() - MAX_PARTS;
        if (left > 0) {
            span.setAttribute("fdt.parts_left_out", left);
        }
        span.end();
    }

    static void describe(Span span, Summary summary) {
        span.setAttribute("fdt.outcome", summary.outcome())
                .setAttribute("fdt.exit_code", (long) summary.exitCode())
                .setAttribute("fdt.files", summary.files().inPlace())
                .setAttribute("fdt.bytes", summary.bytes().inPlace())
                .setAttribute("fdt.bytes_resumed", summary.bytes().resumed())
                .setAttribute("fdt.bytes_resent", summary.bytes().resent())
                .setAttribute(LANES, (long) summary.run().lanes())
                .setAttribute("fdt.bottleneck", summary.run().bottleneck());
        fail(span, summary.failure());
    }

    private static void fail(Span span, @Nullable Failure why) {
        if (why != null) {
            span.setStatus(StatusCode.ERROR, why.text())
                    .setAttribute("error.type", why.cause().word());
        }
    }
}
