package io.fdt.cli.trace;

import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Starts traces where the environment names a receiver. Uses no class of OpenTelemetry itself, see StartTest. */
public final class Traces {
    private static final String ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
    private static final String ENDPOINT_OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";

    private Traces() {}

    /** Begins the trace of a copy; null if nobody receives it. */
    public static @Nullable CopyTrace ofCopy(Map<String, String> environment, Consumer<String> warnings) {
        String receiver = receiver(environment);
        return receiver == null ? null : new CopyTrace(new Spans("client", receiver, environment, warnings));
    }

    /** Returns what traces the copies of a server; null if nobody receives it. */
    public static @Nullable ServerTrace ofServer(Map<String, String> environment, Consumer<String> warnings) {
        String receiver = receiver(environment);
        return receiver == null ? null : new ServerTrace(new Spans("server", receiver, environment, warnings));
    }

    /** Returns the URL for traces, as OpenTelemetry specifies these variables; null for none. */
    static @Nullable String receiver(Map<String, String> environment) {
        String own = environment.getOrDefault(ENDPOINT_OF_TRACES, "");
        String common = environment.getOrDefault(ENDPOINT, "");
        if (!own.isEmpty()) {
            return own;
        }
        return common.isEmpty() ? null : common + (common.endsWith("/") ? "" : "/") + "v1/traces";
    }
}
