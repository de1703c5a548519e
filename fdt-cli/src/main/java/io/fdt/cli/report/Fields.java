package io.fdt.cli.report;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The named values of one JSON object, or of one row of a figure set. A value that is missing, or of another kind than
 * is asked for, reads as absent: a report shows what is there.
 */
final class Fields {
    static final Fields NONE = new Fields(Map.of());

    /** Longer texts are cut: they stand in captions and legends. */
    private static final int MAX_TEXT = 400;

    private final Map<String, Object> values;

    /** The values are Strings, Doubles, Booleans, Fields for nested objects, and Lists of these. */
    Fields(Map<String, Object> values) {
        this.values = values;
    }

    /** A text, a number or a flag as text; empty when absent. */
    String text(String name) {
        return text(values.get(name));
    }

    private static String text(@Nullable Object value) {
        if (value instanceof Double number) {
            return Numbers.exact(number);
        }
        String text = value instanceof String || value instanceof Boolean ? value.toString() : "";
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "…";
    }

    /** NaN when absent. */
    double number(String name) {
        return values.get(name) instanceof Double number ? number : Double.NaN;
    }

    Fields object(String name) {
        return values.get(name) instanceof Fields fields ? fields : NONE;
    }

    /** The objects of an array; other elements are left out. */
    List<Fields> objects(String name) {
        return list(name)
                .filter(Fields.class::isInstance)
                .map(Fields.class::cast)
                .toList();
    }

    /** The numbers of an array, NaN for what is none. */
    double[] numbers(String name) {
        return list(name)
                .mapToDouble(element -> element instanceof Double number ? number : Double.NaN)
                .toArray();
    }

    /** The texts of an array. */
    List<String> texts(String name) {
        return list(name).map(element -> text(element)).toList();
    }

    private Stream<?> list(String name) {
        return values.get(name) instanceof List<?> list ? list.stream() : Stream.empty();
    }

    List<String> names() {
        return List.copyOf(values.keySet());
    }

    boolean isEmpty() {
        return values.isEmpty();
    }
}
