package io.fdt.cli.batch;

import io.fdt.cli.value.UserText;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request on standard input: a flat JSON object whose values are strings, whole numbers, truth values and lists of
 * strings. Every field must be one that its operation knows, so a misspelled one is never ignored. Immutable.
 *
 * @param id a string or a whole number, as it came; null if it is missing or something else
 */
record BatchLine(
        @Nullable Object id,
        Map<String, Object> fields,
        @Nullable String repeated) {
    static final int MAX_CHARS = JsonReader.MAX_TEXT_CHARS;
    /** What JSON calls null. Whoever asks for the field refuses it, when the id is known. */
    private static final Object NULL = new Object();

    /** @throws TransferException USAGE for anything but an object with at most one id */
    static BatchLine parse(String text) {
        if (text.length() > MAX_CHARS) {
            throw Cause.USAGE.failure("a line is longer than " + MAX_CHARS + " characters");
        }
        try (JsonReader reader = JsonReader.of(text)) {
            JsonObject line = reader.next();
            if (line == null || reader.next() != null) {
                throw Cause.USAGE.failure("one JSON object a line");
            }
            String repeated = reader.repeated();
            Map<String, Object> fields = new HashMap<>();
            line.values().forEach((name, value) -> fields.put(name, value == null ? NULL : value));
            Object id = fields.remove("id");
            if (repeated != null && repeated.equals("id")) {
                throw twice(repeated);
            }
            return new BatchLine(id instanceof String || id instanceof Long ? id : null, fields, repeated);
        } catch (IOException malformed) {
            throw Cause.USAGE.failure(
                    TransferException.reason(malformed) + "; write for example {\"id\":1,\"op\":\"stat\",…}",
                    malformed);
        }
    }

    private static TransferException twice(String name) {
        return Cause.USAGE.failure("the field " + UserText.quoted(name) + " is there twice");
    }

    String op() {
        if (repeated != null) {
            throw twice(repeated);
        }
        return text("op");
    }

    /** Refuses every field besides these, the id and the operation. */
    void allow(Set<String> known) {
        for (String name : fields.keySet()) {
            if (!name.equals("op") && !known.contains(name)) {
                throw Cause.USAGE.failure("the operation " + UserText.quoted(op()) + " has no field "
                        + UserText.quoted(name) + "; it has "
                        + String.join(", ", known.stream().sorted().toList()));
            }
        }
    }

    String text(String name) {
        String text = optionalText(name);
        if (text == null) {
            throw Cause.USAGE.failure("the field " + UserText.quoted(name) + " is missing");
        }
        return text;
    }

    @Nullable String optionalText(String name) {
        Object value = fields.get(name);
        if (value != null && !(value instanceof String)) {
            throw Cause.USAGE.failure(UserText.quoted(name) + " is a string");
        }
        return value == null ? null : withoutNul(name, (String) value);
    }

    /** Refuses what no path and no argument of a program can hold. */
    private static String withoutNul(String name, String text) {
        if (text.indexOf('\0') >= 0) {
            throw Cause.USAGE.failure(UserText.quoted(name) + " contains a NUL character; leave it out");
        }
        return text;
    }

    /** Another request's id. */
    Object reference(String name) {
        Object value = fields.get(name);
        if (value instanceof String || value instanceof Long) {
            return value;
        }
        throw Cause.USAGE.failure(UserText.quoted(name) + " is the id of a request");
    }

    boolean flag(String name) {
        Object value = fields.getOrDefault(name, false);
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw Cause.USAGE.failure(UserText.quoted(name) + " is true or false");
    }

    /** A list, or a string as the only element; empty if there is none. */
    List<String> texts(String name) {
        Object value = fields.getOrDefault(name, List.of());
        List<?> list = value instanceof List<?> several ? several : List.of(value);
        if (list.stream().allMatch(String.class::isInstance)) {
            return list.stream().map(text -> withoutNul(name, (String) text)).toList();
        }
        throw Cause.USAGE.failure(UserText.quoted(name) + " is a string or a list of strings");
    }
}
