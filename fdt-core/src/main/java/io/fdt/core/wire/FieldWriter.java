package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.List;

/** Writes what several messages have: the other half of {@link Fields}. */
final class FieldWriter {
    private FieldWriter() {}

    static void code(JsonGenerator json, int code) throws IOException {
        json.writeNumberField("t", code);
    }

    static String clipped(String text) {
        return text.length() <= Bounds.MAX_TEXT_CHARS ? text : text.substring(0, Bounds.MAX_TEXT_CHARS);
    }

    static void ints(JsonGenerator json, String name, int[] values) throws IOException {
        json.writeFieldName(name);
        json.writeArray(values, 0, values.length);
    }

    static void paths(JsonGenerator json, String name, List<RawPath> paths) throws IOException {
        json.writeArrayFieldStart(name);
        for (RawPath each : paths) {
            json.writeBinary(each.toBytes());
        }
        json.writeEndArray();
    }
}
