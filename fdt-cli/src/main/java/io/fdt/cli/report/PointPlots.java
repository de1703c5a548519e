package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Plot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/** The charts of each kind of plot. */
final class PointPlots {
    private static final double MEGABYTE = 1e6;
    private static final String SIZE = "size_bytes";
    private static final String OFFERED = "offered_per_second";
    private static final Axis LATENCY = Axis.log("latency (µs)", Unit.NUMBER);
    private static final Axis OFFERED_AXIS = Axis.linear("offered requests a second", Unit.PREFIXED);

    private PointPlots() {}

    static List<Chart> of(Plot plot, List<Measurement> measurements) {
        return switch (plot.kind()) {
            case BANDWIDTH_BY_SIZE -> {
                List<Curve> curves = bySize(plot, measurements, 1 / MEGABYTE);
                yield chart(plot, Axis.sizes(plot.label(), curves), Axis.log("bandwidth (MB/s)", Unit.NUMBER), curves);
            }
            case LATENCY_BY_SIZE -> {
                List<Curve> curves = bySize(plot, measurements, 1);
                yield chart(plot, Axis.sizes(plot.label(), curves), LATENCY, curves);
            }
            case PERCENTILES -> List.of(byPercentile(plot, plot.title(), measurements, point -> true, true));
            case PERCENTILES_OF_SMALLEST ->
                numbers(measurements, SIZE).min().stream()
                        .mapToObj(size -> byPercentile(
                                plot,
                                plot.title() + ", " + Numbers.bytes(size),
                                measurements,
                                point -> point.amount(SIZE) == size,
                                false))
                        .toList();
            case DISTRIBUTION ->
                chart(plot, LATENCY, Axis.linear(plot.label(), Unit.PERCENT), distributions(measurements, true));
            case HISTOGRAM ->
                chart(plot, LATENCY, Axis.log(plot.label(), Unit.PERCENT), distributions(measurements, false));
            case THROUGHPUT_BY_LOAD -> {
                double most = mostOffered(measurements);
                List<Curve> curves = byLoad(plot, measurements);
                curves.add(new Curve(
                        "all that is offered", true, List.of(new double[] {0, 0}, new double[] {most, most})));
                yield chart(plot, OFFERED_AXIS, Axis.linear(plot.label(), Unit.PREFIXED), curves);
            }
            case LATENCY_BY_LOAD -> chart(plot, OFFERED_AXIS, LATENCY, byLoad(plot, measurements));
            case NUMBER_BY_LOAD ->
                chart(plot, OFFERED_AXIS, Axis.linear(plot.label(), Unit.NUMBER), byLoad(plot, measurements));
            case STREAMS -> ThroughputPlots.of(measurements);
        };
    }

    private static List<Chart> chart(Plot plot, Axis x, Axis y, List<Curve> curves) {
        return List.of(Chart.ofCurves(plot.title(), x, y, curves));
    }

    /** The curves of all fields; if there are several, each is named. */
    private static List<Curve> bySize(Plot plot, List<Measurement> measurements, double factor) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (String field : plot.fields()) {
                String suffix =
                        plot.fields().size() == 1 ? "" : ", " + field.replace("_us", "") + roundTrip(measurement);
                curves.addAll(measurement.curves(SIZE, field, suffix, factor));
            }
        }
        if (plot.fields().size() > 1) {
            curves.removeIf(curve -> curve.points().isEmpty());
        }
        return curves;
    }

    private static List<Curve> byLoad(Plot plot, List<Measurement> measurements) {
        double most = mostOffered(measurements);
        List<Curve> curves = new ArrayList<>();
        for (String field : plot.fields()) {
            String suffix = plot.fields().size() == 1 ? "" : ", " + field.replace("_us", "");
            curves.addAll(load(measurements, field, suffix, most));
        }
        return curves;
    }

    private static double mostOffered(List<Measurement> measurements) {
        return numbers(measurements, OFFERED).max().orElse(1);
    }

    private static DoubleStream numbers(List<Measurement> measurements, String field) {
        return measurements.stream()
                .flatMap(measurement -> measurement.points().stream())
                .mapToDouble(point -> point.amount(field))
                .filter(Double::isFinite);
    }

    private static Chart byPercentile(
            Plot plot, String title, List<Measurement> measurements, Predicate<JsonObject> which, boolean namedBySize) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            measurement
                    .groups()
                    .forEach((group, points) -> points.stream().filter(which).forEach(point -> {
                        String name = namedBySize ? group + sizeOf(point) + roundTrip(measurement) : group;
                        List<double[]> places = new ArrayList<>();
                        for (String field : plot.fields()) {
                            // The position of a percentile on the axis is 1/(1 - p): 2, and then every power of ten.
                            double place = places.isEmpty() ? 2 : Math.pow(10, places.size());
                            places.add(new double[] {place, point.amount(field)});
                        }
                        curves.add(new Curve(name, measurement.reference(), places));
                    }));
        }
        return Chart.ofCurves(title, Axis.log(plot.label(), Unit.PERCENTILE), LATENCY, curves);
    }

    /** The share of round trips in every bucket, or of those up to its end. */
    private static List<Curve> distributions(List<Measurement> measurements, boolean summed) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (List<JsonObject> points : measurement.groups().values()) {
                if (measurement.published()) {
                    // A published set has a row for each bucket.
                    addDistribution(curves, measurement, points.get(0), points, summed);
                } else {
                    points.forEach(
                            point -> addDistribution(curves, measurement, point, point.rows("histogram"), summed));
                }
            }
        }
        return curves;
    }

    private static void addDistribution(
            List<Curve> curves, Measurement measurement, JsonObject point, List<JsonObject> buckets, boolean summed) {
        double total = buckets.stream().mapToDouble(PointPlots::countOf).sum();
        if (total == 0) {
            return;
        }
        List<double[]> places = new ArrayList<>();
        double sum = 0;
        if (summed) {
            places.add(new double[] {buckets.get(0).amount("from_us"), 0});
        }
        for (JsonObject bucket : buckets) {
            double count = countOf(bucket);
            sum += count;
            double from = bucket.amount("from_us");
            double to = bucket.amount("to_us");
            double[] upTo = {to, sum / total * 100};
            places.add(summed ? upTo : new double[] {(from + to) / 2, count / total * 100});
        }
        String curve = point.text("curve");
        String name =
                measurement.name() + (curve.isEmpty() ? "" : " " + curve) + sizeOf(point) + roundTrip(measurement);
        curves.add(new Curve(name, measurement.reference(), places));
    }

    /** Zero if it is not a count: a bucket without one adds nothing. */
    private static double countOf(JsonObject bucket) {
        double count = bucket.amount("count");
        return count > 0 ? count : 0;
    }

    private static String sizeOf(JsonObject point) {
        double size = point.amount(SIZE);
        return Double.isFinite(size) ? ", " + Numbers.bytes(size) : "";
    }

    /** Whether the figure is a round trip or half of one: curves of both may be in one chart. */
    private static String roundTrip(Measurement measurement) {
        String what = measurement.published() ? "rtt" : measurement.head().text("what");
        return what.equals("rtt") ? " (RTT)" : what.equals("half-rtt") ? " (RTT/2)" : "";
    }

    /** A published figure without an offered load is a horizontal line. */
    private static List<Curve> load(List<Measurement> measurements, String field, String suffix, double most) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            curves.addAll(measurement.curves(OFFERED, field, suffix, 1));
            if (measurement.published()) {
                measurement
                        .groups()
                        .forEach((group, points) -> points.stream()
                                .filter(point -> Double.isNaN(point.amount(OFFERED)))
                                .forEach(point -> curves.add(Curve.level(group + suffix, most, point.amount(field)))));
            }
        }
        return curves;
    }
}
