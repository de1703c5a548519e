package io.fdt.core;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Creates a JSON object on one line, which is valid whatever its texts contain. */
public final class JsonLine {
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    private final JsonGenerator generator;

    private JsonLine(JsonGenerator generator) {
        this.generator = generator;
    }

    public interface Body {
        void writeTo(JsonLine line) throws IOException;
    }

    public interface Item<T> {
        void writeTo(JsonLine line, T value) throws IOException;
    }

    /** The object in UTF-8 with its newline. */
    public static byte[] of(String type, Body body) {
        String text = text(line -> {
            line.text("type", type);
            body.writeTo(line);
        });
        return (text + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** The object in UTF-8, without a newline. */
    public static byte[] bytes(Body body) {
        return text(body).getBytes(StandardCharsets.UTF_8);
    }

    /** The object without a newline. */
    public static String text(Body body) {
        // A writer, because it replaces an unpaired surrogate, where a stream would fail.
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            new JsonLine(generator).object(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    public void text(String key, @Nullable String value) throws IOException {
        generator.writeStringField(key, value);
    }

    public void number(String key, long value) throws IOException {
        generator.writeNumberField(key, value);
    }

    /** A number with all its decimal places. */
    public void decimal(String key, double value) throws IOException {
        generator.writeNumberField(key, value);
    }

    /** A number, or null if it is negative. */
    public void numberIfKnown(String key, long value) throws IOException {
        if (value < 0) {
            generator.writeNullField(key);
        } else {
            generator.writeNumberField(key, value);
        }
    }

    /** A fraction with this many places, 0 if the value is not a number; never with an exponent, for shell scripts. */
    public void fraction(String key, double value, int places) throws IOException {
        generator.writeNumberField(key, rounded(value, places));
    }

    /** Like {@link #fraction}, but null if the value is not a number. */
    public void fractionIfKnown(String key, double value, int places) throws IOException {
        if (Double.isFinite(value)) {
            fraction(key, value, places);
        } else {
            generator.writeNullField(key);
        }
    }

    private static BigDecimal rounded(double value, int places) {
        return BigDecimal.valueOf(Double.isFinite(value) ? value : 0).setScale(places, RoundingMode.HALF_UP);
    }

    public void flag(String key, boolean value) throws IOException {
        generator.writeBooleanField(key, value);
    }

    /** An object as a value. */
    public void object(String key, Body body) throws IOException {
        generator.writeFieldName(key);
        object(body);
    }

    private void object(Body body) throws IOException {
        generator.writeStartObject();
        body.writeTo(this);
        generator.writeEndObject();
    }

    /** A list of objects. */
    public <T> void objects(String key, Iterable<T> values, Item<T> item) throws IOException {
        generator.writeArrayFieldStart(key);
        for (T value : values) {
            object(line -> item.writeTo(line, value));
        }
        generator.writeEndArray();
    }

    public void texts(String key, List<String> values) throws IOException {
        generator.writeArrayFieldStart(key);
        for (String value : values) {
            generator.writeString(value);
        }
        generator.writeEndArray();
    }

    public void numbers(String key, List<Integer> values) throws IOException {
        generator.writeArrayFieldStart(key);
        for (int value : values) {
            generator.writeNumber(value);
        }
        generator.writeEndArray();
    }

    /** A list of numbers, each like {@link #fraction}. */
    public void fractions(String key, List<Double> values, int places) throws IOException {
        generator.writeArrayFieldStart(key);
        for (double value : values) {
            generator.writeNumber(rounded(value, places));
        }
        generator.writeEndArray();
    }
}
