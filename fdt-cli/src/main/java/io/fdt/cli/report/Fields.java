package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The named values of one JSON object, or of one row of a figure set. A value that is missing, or of another kind than is
 * asked for, reads as absent: a report shows what is there.
 */
final class Fields {
    static final Fields NONE = new Fields(Map.of());

    /** Longer texts are cut: they stand in captions and legends. */
    private static final int MAX_TEXT = 400;

    private final Map<String, Object> values;

    /** The values are Strings, Doubles, Booleans, Lists of these, and Maps for nested objects. */
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
        return of(values.get(name));
    }

    /** The objects of an array; what else stands in it is left out. */
    List<Fields> objects(String name) {
        List<Fields> objects = new ArrayList<>();
        if (values.get(name) instanceof List<?> list) {
            for (Object element : list) {
                if (element instanceof Map<?, ?>) {
                    objects.add(of(element));
                }
            }
        }
        return objects;
    }

    /** The numbers of an array, NaN for what is none. */
    double[] numbers(String name) {
        if (!(values.get(name) instanceof List<?> list)) {
            return new double[0];
        }
        double[] numbers = new double[list.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = list.get(i) instanceof Double number ? number : Double.NaN;
        }
        return numbers;
    }

    /** The texts of an array. */
    List<String> texts(String name) {
        List<String> texts = new ArrayList<>();
        if (values.get(name) instanceof List<?> list) {
            for (Object element : list) {
                texts.add(text(element));
            }
        }
        return texts;
    }

    List<String> names() {
        return List.copyOf(values.keySet());
    }

    boolean isEmpty() {
        return values.isEmpty();
    }

    private static Fields of(@Nullable Object value) {
        if (!(value instanceof Map<?, ?> map)) {
            return NONE;
        }
        Map<String, Object> copy = new LinkedHashMap<>();
        map.forEach((key, inner) -> copy.put(String.valueOf(key), inner));
        return new Fields(copy);
    }
}
