package io.fdt.core.wire;

import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Typed and bounded access to the values of a decoded message. Anything invalid is an IOException. */
final class Fields {
    private Fields() {}

    @SuppressWarnings("unchecked")
    static Map<String, @Nullable Object> map(@Nullable Object value, String what) throws IOException {
        if (value instanceof Map<?, ?> map) {
            return (Map<String, @Nullable Object>) map;
        }
        throw misfit(what);
    }

    static List<?> list(@Nullable Object value, int maxLength, String what) throws IOException {
        if (value instanceof List<?> list && list.size() <= maxLength) {
            return list;
        }
        throw misfit(what);
    }

    static long number(@Nullable Object value, long min, long max, String what) throws IOException {
        if (value instanceof Long number && number >= min && number <= max) {
            return number;
        }
        throw misfit(what);
    }

    static int count(@Nullable Object value, String what) throws IOException {
        return (int) number(value, 0, Integer.MAX_VALUE, what);
    }

    static boolean flag(@Nullable Object value, String what) throws IOException {
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw misfit(what);
    }

    /** Text for display on a terminal or in a log, with characters that could control these made visible. */
    static String text(@Nullable Object value, int maxChars, String what) throws IOException {
        if (value instanceof String text && text.length() <= maxChars) {
            return Printable.of(text);
        }
        throw misfit(what);
    }

    static byte[] bytes(@Nullable Object value, int maxLength, String what) throws IOException {
        if (value instanceof byte[] bytes && bytes.length <= maxLength) {
            return bytes;
        }
        throw misfit(what);
    }

    static RawPath path(@Nullable Object value, String what) throws IOException {
        return path(value, Bounds.MAX_PATH_BYTES, what);
    }

    static RawPath path(@Nullable Object value, int maxBytes, String what) throws IOException {
        byte[] bytes = bytes(value, maxBytes, what);
        for (byte b : bytes) {
            if (b == 0) {
                throw misfit(what);
            }
        }
        return RawPath.ofBytes(bytes);
    }

    /** Returns null after the last field. */
    static @Nullable Object at(List<?> fields, int index) {
        return index < fields.size() ? fields.get(index) : null;
    }

    static IOException misfit(String what) {
        return new IOException("bad or missing " + what);
    }
}
