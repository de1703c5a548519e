package io.fdt.cli.report;

import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One origin of a report: a result file, or a set of published figures. Both are points with the same fields, so that
 * one plot shows them in the same way.
 *
 * @param reference whether it is for comparison
 * @param head the description in a result; empty for published figures
 * @param caption its origin and hardware, in lines
 */
record Measurement(
        String name,
        boolean reference,
        Suite suite,
        NamedFigures head,
        List<NamedFigures> points,
        List<String> caption) {
    static Measurement ofResult(String name, boolean reference, Suite suite, NamedFigures result) {
        // The result of a throughput test is itself one point.
        List<NamedFigures> points = suite == Suite.THROUGHPUT ? List.of(result) : result.rows("points");
        return new Measurement(name, reference, suite, result, points, Caption.ofResult(name, result));
    }

    static Measurement ofFigures(FigureSet figures, Suite suite) {
        return new Measurement(
                figures.name(), true, suite, new NamedFigures(), figures.rows(), Caption.ofFigures(figures));
    }

    /** Whether these are published figures: then everything known is in its points. */
    boolean published() {
        return head.values().isEmpty();
    }

    /** The points in groups by the name of a curve: this origin and the circumstances of a point. */
    Map<String, List<NamedFigures>> groups() {
        Map<String, List<NamedFigures>> groups = new LinkedHashMap<>();
        for (NamedFigures point : points) {
            groups.computeIfAbsent(groupOf(point), missing -> new ArrayList<>()).add(point);
        }
        return groups;
    }

    private String groupOf(NamedFigures point) {
        String curve = point.text("curve");
        if (!curve.isEmpty()) {
            return name + " " + curve;
        }
        String circumstances = circumstances(point);
        return circumstances.isEmpty() ? name : name + " " + circumstances;
    }

    /** What distinguishes points of one curve from those of another, for the legend; empty for nothing. */
    private String circumstances(NamedFigures point) {
        return switch (suite) {
            case THROUGHPUT, LATENCY -> "";
            case SWEEP -> words(point.text("mode"), point.text("protocol"));
            case RPC -> words(several(point, "concurrent"), several(point, "servers"));
            // Reads by messages are the default.
            case OBJECTS ->
                words(
                        point.text("op"),
                        point.text("reads").equals("rdma") ? "by RDMA" : "",
                        point.text("durable"),
                        several(point, "concurrent"));
            case LOAD -> words(pool(point, "rx"), pool(point, "tx"));
        };
    }

    /** One is the default, and is not mentioned. */
    private static String several(NamedFigures point, String field) {
        return point.amount(field) > 1 ? point.text(field) + " " + field : "";
    }

    private static String pool(NamedFigures point, String word) {
        String count = point.text(word + "_buffers");
        return count.isEmpty() ? "" : count + " " + word;
    }

    private static String words(String... words) {
        return Stream.of(words).filter(word -> !word.isEmpty()).collect(Collectors.joining(", "));
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
