package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Suite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * One origin of a report: a result file, or a set of published figures. Both are points with the same fields, so that
 * one plot shows them in the same way.
 *
 * @param reference whether it is for comparison
 * @param head the description in a result; empty for published figures
 * @param heading its origin and hardware
 */
record Measurement(
        String name, boolean reference, Suite suite, JsonObject head, List<JsonObject> points, Heading heading) {
    static Measurement ofResult(
            String name, boolean reference, Suite suite, JsonObject result, UnaryOperator<String> optionNames) {
        // A result without points is itself one.
        List<JsonObject> points = suite.isOfStreams() ? List.of(result) : result.rows("points");
        return new Measurement(name, reference, suite, result, points, Heading.ofResult(suite, result, optionNames));
    }

    static Measurement ofFigures(FigureSet figures, Suite suite) {
        return new Measurement(
                figures.name(), true, suite, new JsonObject(), figures.rows(), Heading.ofFigures(figures, suite));
    }

    /** Whether these are published figures: then everything known is in its points. */
    boolean published() {
        return head.values().isEmpty();
    }

    /** The points in groups by the name of a curve: this origin and the circumstances of a point. */
    Map<String, List<JsonObject>> groups() {
        Map<String, List<JsonObject>> groups = new LinkedHashMap<>();
        for (JsonObject point : points) {
            groups.computeIfAbsent(groupOf(point), missing -> new ArrayList<>()).add(point);
        }
        return groups;
    }

    private String groupOf(JsonObject point) {
        String curve = point.text("curve");
        if (!curve.isEmpty()) {
            return name + " " + curve;
        }
        String circumstances = suite.curve(point);
        return circumstances.isEmpty() ? name : name + " " + circumstances;
    }

    /** For every group, the curve of two fields of its points, in the order of x. */
    List<Curve> curves(String fieldX, String fieldY, String suffix, double factorY) {
        List<Curve> curves = new ArrayList<>();
        groups().forEach((group, members) -> {
            List<double[]> places = members.stream()
                    .map(point -> new double[] {point.amount(fieldX), point.amount(fieldY) * factorY})
                    .filter(place -> Double.isFinite(place[0]) && Double.isFinite(place[1]))
                    .sorted(Comparator.comparingDouble(place -> place[0]))
                    .toList();
            curves.add(new Curve(group + suffix, reference, places));
        });
        return curves;
    }
}
