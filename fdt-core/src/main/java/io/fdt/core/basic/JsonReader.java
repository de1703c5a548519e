package io.fdt.core.basic;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON objects that another program or a person wrote: whole numbers become a Long, all others a Double, and
 * lists and objects what {@link JsonObject} holds. Their depth, their texts and the number of their values are bounded.
 * For one thread.
 */
public final class JsonReader implements AutoCloseable {
    /** No text may be longer. */
    public static final int MAX_TEXT_CHARS = 1 << 20;

    private static final int MAX_VALUES = 2_000_000;
    /** In all texts and names of an object. */
    private static final long MAX_CHARS = 64 << 20;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(16)
                    .maxStringLength(MAX_TEXT_CHARS)
                    .maxNumberLength(64)
                    .maxNameLength(256)
                    .build())
            // Names are untrusted: they are neither interned nor kept.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final JsonParser parser;
    private int values;
    private long chars;
    private @Nullable String repeated;

    /** Takes the rows of a list that is too long to be kept. */
    public interface Rows {
        /** @param before what precedes the list */
        void onRow(JsonObject before, JsonObject row) throws IOException;
    }

    /** It is not JSON, or beyond a bound; the message says what and where. */
    public static final class Malformed extends IOException {
        private static final long serialVersionUID = 1;

        private Malformed(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private JsonReader(JsonParser parser) {
        this.parser = parser;
    }

    public static JsonReader of(String text) throws IOException {
        return new JsonReader(FACTORY.createParser(text));
    }

    public static JsonReader of(byte[] text, int offset) throws IOException {
        return new JsonReader(FACTORY.createParser(text, offset, text.length - offset));
    }

    /** @param in is closed with this */
    public static JsonReader of(InputStream in) throws IOException {
        return new JsonReader(FACTORY.createParser(in));
    }

    /** The next object, or null at the end. @throws Malformed, or the stream's own failure */
    public @Nullable JsonObject next() throws IOException {
        return next(Set.of(), "", (before, row) -> {});
    }

    /** Likewise, with its members of these names alone. */
    public @Nullable JsonObject next(Set<String> names) throws IOException {
        return next(names, "", (before, row) -> {});
    }

    /**
     * Likewise, for an object with a list of any length: its rows are passed on, and it is empty in the object.
     * Anything else of that name remains.
     */
    public @Nullable JsonObject next(String list, Rows rows) throws IOException {
        return next(Set.of(), list, rows);
    }

    private @Nullable JsonObject next(Set<String> names, String list, Rows rows) throws IOException {
        try {
            begin();
            JsonToken token = parser.nextToken();
            if (token != null && token != JsonToken.START_OBJECT) {
                throw wrong("not a JSON object");
            }
            return token == null ? null : object(names, list, rows);
        } catch (StreamConstraintsException e) {
            throw new Malformed("deeper or longer than it may be" + at(e.getLocation()), e);
        } catch (JsonProcessingException e) {
            throw new Malformed("not valid JSON" + at(e.getLocation()), e);
        }
    }

    /** The first name that an object had twice; of its values, only the last one is there. */
    public @Nullable String repeated() {
        return repeated;
    }

    private void begin() {
        values = 0;
        chars = 0;
    }

    /** @param names of its members; all if it is empty */
    private JsonObject object(Set<String> names, String list, Rows rows) throws IOException {
        JsonObject object = new JsonObject();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            JsonToken token = parser.nextToken();
            if (!names.isEmpty() && !names.contains(name)) {
                parser.skipChildren();
                continue;
            }
            count(name);
            if (repeated == null && object.values().containsKey(name)) {
                repeated = name;
            }
            if (token == JsonToken.START_ARRAY && name.equals(list)) {
                passOn(object, name, rows);
                object.with(name, List.of());
            } else {
                object.with(name, value(token));
            }
        }
        return object;
    }

    private void passOn(JsonObject before, String list, Rows rows) throws IOException {
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            if (token != JsonToken.START_OBJECT) {
                throw wrong("its field " + list + " lists something other than objects");
            }
            begin();
            rows.onRow(before, object(Set.of(), "", rows));
        }
    }

    private @Nullable Object value(@Nullable JsonToken token) throws IOException {
        if (++values > MAX_VALUES) {
            throw wrong("more than " + MAX_VALUES + " values");
        }
        if (token == null) {
            throw wrong("ends within an object");
        }
        return switch (token) {
            case START_OBJECT -> object(Set.of(), "", (before, row) -> {});
            case START_ARRAY -> {
                List<@Nullable Object> array = new ArrayList<>();
                for (JsonToken item = parser.nextToken(); item != JsonToken.END_ARRAY; item = parser.nextToken()) {
                    array.add(value(item));
                }
                yield array;
            }
            case VALUE_STRING -> count(parser.getText());
            case VALUE_NUMBER_INT ->
                parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? (Object) parser.getDoubleValue()
                        : (Object) parser.getLongValue();
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private String count(String text) throws IOException {
        chars += text.length();
        if (chars > MAX_CHARS) {
            throw wrong("longer than it may be");
        }
        return text;
    }

    private Malformed wrong(String what) {
        return new Malformed(what + at(parser.currentTokenLocation()), null);
    }

    private static String at(@Nullable JsonLocation place) {
        return place == null ? "" : ", in line " + place.getLineNr() + ", column " + place.getColumnNr();
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }
}
