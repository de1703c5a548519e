package io.fdt.core.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads one CBOR value into plain Java values: {@code Long}, {@code String}, {@code byte[]}, {@code Boolean},
 * {@code List}, {@code Map} and null. Bounded in depth and in the number of values; the message's length bounds the
 * rest.
 */
final class CborReader {
    static final CBORFactory FACTORY = CBORFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(8)
                    .maxStringLength(Bounds.MAX_MESSAGE_BYTES)
                    .maxNumberLength(32)
                    .maxNameLength(64)
                    .maxDocumentLength(Bounds.MAX_MESSAGE_BYTES)
                    .build())
            .build();

    private static final int MAX_VALUES = 4 * Bounds.MAX_LIST;

    private final JsonParser parser;
    private int values;

    private CborReader(JsonParser parser) {
        this.parser = parser;
    }

    static @Nullable Object read(byte[] message) throws IOException {
        try (JsonParser parser = FACTORY.createParser(message)) {
            CborReader reader = new CborReader(parser);
            Object value = reader.value(parser.nextToken());
            if (parser.nextToken() != null) {
                throw new IOException("bytes after the message's end");
            }
            return value;
        }
    }

    private @Nullable Object value(@Nullable JsonToken token) throws IOException {
        if (token == null) {
            throw new IOException("the message ends too early");
        }
        if (++values > MAX_VALUES) {
            throw new IOException("more than " + MAX_VALUES + " values");
        }
        return switch (token) {
            case START_OBJECT -> map();
            case START_ARRAY -> list();
            case VALUE_STRING -> parser.getText();
            case VALUE_NUMBER_INT -> parser.getLongValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case VALUE_EMBEDDED_OBJECT -> parser.getBinaryValue();
            case VALUE_NUMBER_FLOAT, NOT_AVAILABLE, FIELD_NAME, END_OBJECT, END_ARRAY ->
                throw new IOException("unexpected " + token);
        };
    }

    private List<@Nullable Object> list() throws IOException {
        List<@Nullable Object> list = new ArrayList<>();
        JsonToken token = parser.nextToken();
        while (token != JsonToken.END_ARRAY) {
            list.add(value(token));
            token = parser.nextToken();
        }
        return list;
    }

    private Map<String, @Nullable Object> map() throws IOException {
        Map<String, @Nullable Object> map = new HashMap<>();
        JsonToken token = parser.nextToken();
        while (token != JsonToken.END_OBJECT) {
            if (token != JsonToken.FIELD_NAME) {
                throw new IOException("a map without names");
            }
            String name = parser.currentName();
            map.put(name, value(parser.nextToken()));
            token = parser.nextToken();
        }
        return map;
    }
}
