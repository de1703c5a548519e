package io.fdt.core.basic;

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
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Named values in order, which become a JSON object: all records that fdt prints, sends to watchers or logs, and the
 * options, results and progress of network tests. A value is a number, a {@link Fraction}, a text, a flag, an object, a
 * list of these, or null if it is unknown. For one thread until it is passed on, then immutable.
 */
public final class JsonObject {
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
            .build();

    /** Smaller integers are exact as a double. */
    private static final double MAX_EXACT = 1e15;

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private @Nullable Object source;

    /** A number with this many decimal places; NaN if it is unknown. */
    public record Fraction(double value, int places) {
        /** Never with an exponent, for shell scripts. */
        private BigDecimal rounded() {
            return BigDecimal.valueOf(Double.isFinite(value) ? value : 0).setScale(places, RoundingMode.HALF_UP);
        }
    }

    public JsonObject with(String name, @Nullable Object value) {
        values.put(name, value);
        return this;
    }

    public JsonObject with(String name, double value, int places) {
        return with(name, new Fraction(value, places));
    }

    public JsonObject with(String name, List<Double> each, int places) {
        return with(
                name, each.stream().map(value -> new Fraction(value, places)).toList());
    }

    /** Adds a number that is unknown if it is negative. */
    public JsonObject withKnown(String name, long value) {
        return with(name, value < 0 ? null : (Object) value);
    }

    /** Adds all of these, and takes over their source. */
    public JsonObject with(JsonObject more) {
        values.putAll(more.values);
        source = more.source == null ? source : more.source;
        return this;
    }

    /** Keeps what the values were computed from, for readers in this process. */
    public JsonObject from(Object origin) {
        source = origin;
        return this;
    }

    public static <T> List<JsonObject> list(Collection<T> all, Function<T, JsonObject> each) {
        return all.stream().map(each).toList();
    }

    // ---- Writing.

    /** Returns the object after its type as a line in UTF-8, with its newline. */
    public byte[] line(String type) {
        return (new JsonObject().with("type", type).with(this).text() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the object in UTF-8, without a newline. */
    public byte[] bytes() {
        return text().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the object on one line, without a newline; it is valid whatever its texts contain. */
    public String text() {
        // A writer, because it replaces an unpaired surrogate, where a stream would fail.
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value instanceof JsonObject object) {
            generator.writeStartObject();
            for (Map.Entry<String, @Nullable Object> each : object.values.entrySet()) {
                generator.writeFieldName(each.getKey());
                write(generator, isUnknown(each.getValue()) ? null : each.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            for (Object each : list) {
                write(generator, each);
            }
            generator.writeEndArray();
        } else if (value instanceof Fraction fraction) {
            generator.writeNumber(fraction.rounded());
        } else if (value instanceof Double number) {
            generator.writeNumber(number);
        } else if (value instanceof Number number) {
            generator.writeNumber(number.longValue());
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else {
            generator.writeString((String) value);
        }
    }

    private static boolean isUnknown(@Nullable Object value) {
        return value instanceof Fraction fraction && !Double.isFinite(fraction.value);
    }

    // ---- Reading.

    public Map<String, @Nullable Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** Whether it exists and is known. */
    public boolean has(String name) {
        return values.get(name) != null && !Double.isNaN(amount(values.get(name), 0));
    }

    /** A number of either type; NaN if it is unknown. */
    public double amount(String name) {
        return amount(values.get(name), Double.NaN);
    }

    private static double amount(@Nullable Object value, double otherwise) {
        return value instanceof Fraction fraction
                ? fraction.value()
                : value instanceof Number number ? number.doubleValue() : otherwise;
    }

    /** An integer; -1 if it is unknown. */
    public long count(String name) {
        return values.get(name) instanceof Number number ? number.longValue() : -1;
    }

    /** A text, or a number or flag as text; empty if there is none. */
    public String text(String name) {
        return text(values.get(name));
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Double number) {
            return exact(number);
        }
        return value instanceof String || value instanceof Boolean || value instanceof Number ? value.toString() : "";
    }

    /** All digits, without an exponent and without trailing zeros; empty for NaN. */
    public static String exact(double value) {
        if (value == Math.rint(value) && Math.abs(value) < MAX_EXACT) {
            return Long.toString((long) value);
        }
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : "";
    }

    /** Empty if there are none. */
    public JsonObject part(String name) {
        return values.get(name) instanceof JsonObject part ? part : new JsonObject();
    }

    private List<?> list(String name) {
        return values.get(name) instanceof List<?> list ? list : List.of();
    }

    /** The figures in a list; empty if there is none. */
    public List<JsonObject> rows(String name) {
        return list(name).stream()
                .filter(JsonObject.class::isInstance)
                .map(JsonObject.class::cast)
                .toList();
    }

    /** The texts in a list; empty if there is none. */
    public List<String> texts(String name) {
        return list(name).stream().map(JsonObject::text).toList();
    }

    /** The numbers in a list; empty if there is none. */
    public List<Double> amounts(String name) {
        return list(name).stream().map(each -> amount(each, Double.NaN)).toList();
    }

    /** The sum of a number over the rows of a list. */
    public long sum(String list, String name) {
        return rows(list).stream().mapToLong(row -> row.count(name)).sum();
    }

    /** Returns the argument of {@link #from}. */
    public Object source() {
        if (source == null) {
            throw new IllegalStateException("these values have no source");
        }
        return source;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
