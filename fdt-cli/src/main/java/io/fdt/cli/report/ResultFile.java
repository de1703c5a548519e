package io.fdt.cli.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the result of a network test: the last object of type {@code result} in a file of JSON objects, one per line or
 * in any other layout. The file is untrusted, so its length, its depth and the number of its values are bounded.
 */
final class ResultFile {
    private static final long MAX_FILE_BYTES = 256L << 20;
    private static final int MAX_DEPTH = 16;
    private static final int MAX_TEXT = 64 << 10;
    /** Longer texts are truncated, because they appear in captions and legends. */
    private static final int MAX_SHOWN = 400;

    private static final int MAX_VALUES = 2_000_000;
    private static final int MAX_NAME = 256;
    private static final double MAX_NUMBER = 1e18;
    private static final double MIN_NUMBER = 1e-12;
    private static final int VERSION = 1;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxDocumentLength(MAX_FILE_BYTES)
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_TEXT)
                    .maxNumberLength(64)
                    .maxNameLength(MAX_NAME)
                    .build())
            // Names are untrusted: they are neither interned nor kept.
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build();

    private final JsonParser parser;
    private int values;

    private ResultFile(JsonParser parser) {
        this.parser = parser;
    }

    /** Reads the result from a file; throws SOURCE if the file cannot be read or contains no result. */
    static JsonObject read(Path file) {
        String shown = shown(file);
        try {
            if (Files.isDirectory(file)) {
                throw Cause.SOURCE
                        .advise("name a file that fdt nettest --json wrote")
                        .failure(shown + " is a directory");
            }
            try (InputStream in = Files.newInputStream(file)) {
                return read(FACTORY.createParser(in), shown);
            }
        } catch (NoSuchFileException e) {
            throw Cause.MISSING.failure("there is no file " + shown, e);
        } catch (IOException e) {
            throw TransferException.causeOfReading(e)
                    .failure("cannot read " + shown + ": " + TransferException.reason(e), e);
        }
    }

    /** Reads the result from a text, which has the given name in messages. */
    static JsonObject parse(String json, String shown) {
        try {
            return read(FACTORY.createParser(json), shown);
        } catch (IOException e) {
            throw Cause.SOURCE.failure("cannot read " + shown + ": " + TransferException.reason(e), e);
        }
    }

    private static JsonObject read(JsonParser opened, String shown) throws IOException {
        JsonObject last = null;
        try (JsonParser parser = opened) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token != JsonToken.START_OBJECT) {
                    int line = parser.currentTokenLocation().getLineNr();
                    throw Cause.SOURCE.failure(
                            shown + ", line " + line + ": not a JSON object; a result file has one per line");
                }
                JsonObject object = new ResultFile(parser).object();
                if (object.text("type").equals("result")) {
                    last = object;
                }
            }
        } catch (StreamConstraintsException e) {
            throw Cause.SOURCE.failure(shown + " is beyond the limits of a result file: " + e.getOriginalMessage(), e);
        } catch (JsonProcessingException e) {
            long line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
            throw Cause.SOURCE.failure(shown + ", line " + line + ": not valid JSON", e);
        }
        if (last == null) {
            throw Cause.SOURCE
                    .advise("fdt nettest --json prints one as its last line")
                    .failure(shown + " contains no result");
        }
        if (last.amount("version") > VERSION) {
            throw Cause.SOURCE.failure(shown + " contains a result of version " + last.text("version")
                    + "; this release reads version " + VERSION);
        }
        return last;
    }

    private JsonObject object() throws IOException {
        JsonObject object = new JsonObject();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            Object value = value();
            if (value != null) {
                object.with(name, value);
            }
        }
        return object;
    }

    private List<Object> array() throws IOException {
        List<Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            Object value = value();
            // Positions in an array have a meaning, so null values remain as NaN.
            array.add(value == null ? "" : value);
        }
        return array;
    }

    private @Nullable Object value() throws IOException {
        if (++values > MAX_VALUES) {
            throw new IOException("more than " + MAX_VALUES + " values in one result");
        }
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new IOException("the file ends within an object");
        }
        return switch (token) {
            case START_OBJECT -> object();
            case START_ARRAY -> array();
            case VALUE_STRING -> shortened(parser.getText());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> plausible(parser.getDoubleValue());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            default -> null;
        };
    }

    private static String shortened(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    /** No network test measures a larger value; a smaller one is zero. */
    private static @Nullable Double plausible(double value) {
        if (!(Math.abs(value) <= MAX_NUMBER)) {
            return null;
        }
        return Math.abs(value) < MIN_NUMBER ? 0.0 : value;
    }

    static String shown(Path file) {
        return "'" + RawPath.ofText(file.toString()).display() + "'";
    }
}
