package io.fdt.core.nettest;

import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Named figures in order: the options of a test, its results, or its progress. All displays write them in the same way,
 * so names are public: names may be added, and keep their meaning. A value is a number, a {@link Fraction}, a text, a
 * flag, figures, a list of these, or null if it is unknown. For one thread until it is passed on, then immutable.
 */
public final class NamedFigures {
    /** The names of the durations of exchanges. */
    static final List<String> LATENCIES =
            List.of("min_us", "mean_us", "p50_us", "p90_us", "p99_us", "p999_us", "p9999_us", "max_us");

    /** Smaller integers are exact as a double. */
    private static final double MAX_EXACT = 1e15;

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();
    private @Nullable Latencies latencies;

    /** A number with this many decimal places; NaN if it is unknown. */
    public record Fraction(double value, int places) {}

    public NamedFigures with(String name, @Nullable Object value) {
        values.put(name, value);
        return this;
    }

    public NamedFigures with(String name, double value, int places) {
        return with(name, new Fraction(value, places));
    }

    public NamedFigures with(String name, List<Double> each, int places) {
        return with(
                name, each.stream().map(value -> new Fraction(value, places)).toList());
    }

    /** Adds a number that is unknown if it is negative. */
    public NamedFigures withKnown(String name, long value) {
        return with(name, value < 0 ? null : (Object) value);
    }

    /** Adds all of these. */
    public NamedFigures with(NamedFigures more) {
        values.putAll(more.values);
        return this;
    }

    /** Adds the durations of exchanges, under the names that all suites use. */
    public NamedFigures with(Latencies took) {
        latencies = took;
        return with("min_us", took.minUs(), 3)
                .with("mean_us", took.meanUs(), 3)
                .with("p50_us", took.percentileUs(50), 3)
                .with("p90_us", took.percentileUs(90), 3)
                .with("p99_us", took.percentileUs(99), 3)
                .with("p999_us", took.percentileUs(99.9), 3)
                .with("p9999_us", took.percentileUs(99.99), 3)
                .with("max_us", took.maxUs(), 3);
    }

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
    public NamedFigures part(String name) {
        return values.get(name) instanceof NamedFigures part ? part : new NamedFigures();
    }

    private List<?> list(String name) {
        return values.get(name) instanceof List<?> list ? list : List.of();
    }

    /** The figures in a list; empty if there is none. */
    public List<NamedFigures> rows(String name) {
        return list(name).stream()
                .filter(NamedFigures.class::isInstance)
                .map(NamedFigures.class::cast)
                .toList();
    }

    /** The texts in a list; empty if there is none. */
    public List<String> texts(String name) {
        return list(name).stream().map(NamedFigures::text).toList();
    }

    /** The numbers in a list; empty if there is none. */
    public List<Double> amounts(String name) {
        return list(name).stream().map(each -> amount(each, Double.NaN)).toList();
    }

    /** The sum of a number over the rows of a list. */
    public long sum(String list, String name) {
        return rows(list).stream().mapToLong(row -> row.count(name)).sum();
    }

    /** The argument of {@link #with(Latencies)}. */
    public Latencies latencies() {
        if (latencies == null) {
            throw new IllegalStateException("these figures have no latencies");
        }
        return latencies;
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
