package io.fdt.monitor;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A line of a recording: a sample as {@code /api/live} sends it, or the facts of the host that the next samples are
 * from.
 *
 * @param sample null for facts
 * @param facts null for a sample
 */
record RecordedLine(long epochMs, byte @Nullable [] sample, byte @Nullable [] facts) {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int VERSION = 1;

    /** Returns the line, without a newline, for these facts. */
    static String facts(String json) {
        return "{\"recording\":" + VERSION + ",\"facts\":" + json + "}";
    }

    /** Returns the line; null if it is not one of a recording, which may contain any bytes. */
    static @Nullable RecordedLine parse(byte[] json) {
        long epochMs = -1;
        byte[] facts = null;
        boolean known = true;
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                JsonToken value = parser.nextToken();
                int begin = (int) parser.currentTokenLocation().getByteOffset();
                if (name.equals("t")) {
                    epochMs = value == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : -1;
                } else if (name.equals("recording")) {
                    known = value == JsonToken.VALUE_NUMBER_INT && parser.getLongValue() == VERSION;
                }
                parser.skipChildren();
                if (name.equals("facts") && value == JsonToken.START_OBJECT) {
                    facts = Arrays.copyOfRange(
                            json, begin, (int) parser.currentLocation().getByteOffset());
                }
            }
            if (!known || parser.nextToken() != null) {
                return null;
            }
        } catch (IOException malformed) {
            return null;
        }
        if (facts != null) {
            return new RecordedLine(-1, null, facts);
        }
        return epochMs < 0 ? null : new RecordedLine(epochMs, json, null);
    }
}
