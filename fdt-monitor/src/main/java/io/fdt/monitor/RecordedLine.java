package io.fdt.monitor;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A line of a recording: a sample as {@code /api/live} sends it, or the facts of the host that the next samples are
 * from.
 *
 * @param sample null for facts
 * @param facts null for a sample
 */
record RecordedLine(long epochMs, byte @Nullable [] sample, byte @Nullable [] facts) {
    private static final Set<String> NAMES = Set.of("recording", "facts", "t");
    private static final Long VERSION = 1L;

    /** Returns the line, without a newline, for these facts. */
    static String facts(String json) {
        return "{\"recording\":" + VERSION + ",\"facts\":" + json + "}";
    }

    /** Returns the line; null if it is not one of a recording, which may contain any bytes. */
    static @Nullable RecordedLine parse(byte[] json) {
        try (JsonReader reader = JsonReader.of(json, 0)) {
            JsonObject line = reader.next(NAMES);
            Map<String, @Nullable Object> values = line == null ? Map.of() : line.values();
            boolean known = !values.containsKey("recording") || VERSION.equals(values.get("recording"));
            if (!known || reader.next() != null) {
                return null;
            }
            if (values.get("facts") instanceof JsonObject facts) {
                return new RecordedLine(-1, null, facts.bytes());
            }
            return values.get("t") instanceof Long epochMs && epochMs >= 0
                    ? new RecordedLine(epochMs, json, null)
                    : null;
        } catch (IOException malformed) {
            return null;
        }
    }
}
