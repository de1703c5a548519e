package io.fdt.cli.nettest;

import io.fdt.core.JsonLine;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NamedFigures.Fraction;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes figures as fields of a JSON object. */
final class FiguresJson {
    private FiguresJson() {}

    static void write(JsonLine line, NamedFigures figures) throws IOException {
        for (Map.Entry<String, @Nullable Object> each : figures.values().entrySet()) {
            write(line, each.getKey(), each.getValue());
        }
    }

    private static void write(JsonLine line, String name, @Nullable Object value) throws IOException {
        if (value instanceof Fraction fraction) {
            line.fractionIfKnown(name, fraction.value(), fraction.places());
        } else if (value instanceof Number number) {
            line.number(name, number.longValue());
        } else if (value instanceof Boolean flag) {
            line.flag(name, flag);
        } else if (value instanceof NamedFigures part) {
            line.object(name, inner -> write(inner, part));
        } else if (value instanceof List<?> list) {
            writeList(line, name, list);
        } else {
            line.text(name, (String) value);
        }
    }

    private static void writeList(JsonLine line, String name, List<?> list) throws IOException {
        Object first = list.isEmpty() ? null : list.get(0);
        if (first instanceof Fraction fraction) {
            line.fractions(
                    name, list.stream().map(each -> ((Fraction) each).value()).toList(), fraction.places());
        } else if (first instanceof Integer) {
            line.numbers(name, list.stream().map(Integer.class::cast).toList());
        } else if (first instanceof String) {
            line.texts(name, list.stream().map(String.class::cast).toList());
        } else {
            line.objects(name, list, (inner, each) -> write(inner, (NamedFigures) each));
        }
    }
}
