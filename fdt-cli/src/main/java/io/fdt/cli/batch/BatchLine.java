package io.fdt.cli.batch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import io.fdt.cli.value.UserText;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request on standard input: a flat JSON object whose values are strings, whole numbers, truth values and lists of
 * strings. Every field must be one that its operation knows, so a misspelled one is never ignored. Immutable.
 */
final class BatchLine {
    static final int MAX_CHARS = 1 << 20;
    private static final JsonFactory JSON = new JsonFactoryBuilder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxStringLength(MAX_CHARS).build())
            .build();

    /** Any other value. Whoever asks for the field refuses it, when the id is known. */
    private static final Object OTHER = new Object();

    /** A string or a whole number, as it came; null if it is missing or something else. */
    final @Nullable Object id;

    private final Map<String, Object> fields;
    private final @Nullable String repeated;

    private BatchLine(@Nullable Object id, Map<String, Object> fields, @Nullable String repeated) {
        this.id = id;
        this.fields = fields;
        this.repeated = repeated;
    }

    /** @throws TransferException USAGE for anything but an object with at most one id */
    static BatchLine parse(String text) {
        if (text.length() > MAX_CHARS) {
            throw Cause.USAGE.failure("a line is longer than " + MAX_CHARS + " characters");
        }
        Map<String, Object> fields = new HashMap<>();
        String repeated = null;
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw Cause.USAGE.failure("not a JSON object; write for example {\"id\":1,\"op\":\"stat\",…}");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (fields.put(name, value(parser)) != null) {
                    repeated = name;
                    if (name.equals("id")) {
                        throw twice(name);
                    }
                }
            }
            if (parser.nextToken() != null) {
                throw Cause.USAGE.failure("one JSON object a line");
            }
        } catch (JsonProcessingException malformed) {
            // Its message is about the parser, in terms of its code.
            int column = malformed.getLocation() == null
                    ? 1
                    : malformed.getLocation().getColumnNr();
            throw Cause.USAGE.failure("not a JSON object; see column " + column, malformed);
        } catch (IOException malformed) {
            throw Cause.USAGE.failure("not a JSON object: " + TransferException.reason(malformed), malformed);
        }
        Object id = fields.remove("id");
        return new BatchLine(id instanceof String || id instanceof Long ? id : null, fields, repeated);
    }

    private static TransferException twice(String name) {
        return Cause.USAGE.failure("the field " + UserText.quoted(name) + " is there twice");
    }

    private static Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.nextToken();
        if (token == JsonToken.START_ARRAY) {
            List<String> texts = new ArrayList<>();
            boolean onlyTexts = true;
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                if (parser.currentToken() == JsonToken.VALUE_STRING) {
                    texts.add(parser.getText());
                } else {
                    onlyTexts = false;
                    parser.skipChildren();
                }
            }
            return onlyTexts ? List.copyOf(texts) : OTHER;
        }
        if (token == JsonToken.VALUE_STRING) {
            return parser.getText();
        } else if (token == JsonToken.VALUE_NUMBER_INT && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
            return parser.getLongValue();
        } else if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
            return token == JsonToken.VALUE_TRUE;
        }
        parser.skipChildren();
        return OTHER;
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
    @SuppressWarnings("unchecked") // only lists of strings are made
    List<String> texts(String name) {
        Object value = fields.getOrDefault(name, List.of());
        if (value instanceof String text) {
            return List.of(withoutNul(name, text));
        } else if (value instanceof List<?> list) {
            List<String> texts = (List<String>) list;
            texts.forEach(text -> withoutNul(name, text));
            return texts;
        }
        throw Cause.USAGE.failure(UserText.quoted(name) + " is a string or a list of strings");
    }
}
