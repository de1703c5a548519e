package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Plots of the ping-pong: percentiles, the distribution with its sum, and the mean against the size. */
final class LatencyPlots {
    /** Fields of a point, and 1/(1 - p) of the percentile that each holds. */
    private static final Map<String, Double> PERCENTILES =
            Map.of("p50_us", 2.0, "p90_us", 10.0, "p99_us", 100.0, "p999_us", 1_000.0, "p9999_us", 10_000.0);

    private static final List<String> IN_ORDER = List.of("p50_us", "p90_us", "p99_us", "p999_us", "p9999_us");

    private LatencyPlots() {}

    static List<Plot> of(List<Measurement> measurements) {
        List<Plot> plots = new ArrayList<>();
        plots.add(byPercentile("Latency by percentile", measurements, point -> true, true));
        plots.add(distribution(measurements, true));
        plots.add(distribution(measurements, false));
        plots.add(bySize(measurements));
        return plots;
    }

    static Plot byPercentile(
            String title, List<Measurement> measurements, Predicate<Fields> which, boolean namedBySize) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            measurement.groups().forEach((group, points) -> {
                for (Fields point : points) {
                    if (which.test(point)) {
                        String name = namedBySize ? group + sizeOf(point) + roundTrip(measurement) : group;
                        curves.add(percentiles(name, measurement.reference(), point));
                    }
                }
            });
        }
        return new CurvePlot(
                title, Axis.log("percentile", Unit.PERCENTILE), Axis.log("latency (µs)", Unit.NUMBER), curves);
    }

    private static Curve percentiles(String name, boolean reference, Fields point) {
        List<double[]> places = new ArrayList<>();
        for (String field : IN_ORDER) {
            places.add(new double[] {PERCENTILES.getOrDefault(field, Double.NaN), point.number(field)});
        }
        return Curve.of(name, reference, places);
    }

    /** The share of round trips in every bucket, or of those up to its end. */
    private static Plot distribution(List<Measurement> measurements, boolean summed) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (List<Fields> points : measurement.groups().values()) {
                if (measurement.published()) {
                    // A published set has a row a bucket.
                    addDistribution(curves, measurement, points.get(0), points, summed);
                } else {
                    points.forEach(
                            point -> addDistribution(curves, measurement, point, point.objects("histogram"), summed));
                }
            }
        }
        return summed
                ? new CurvePlot(
                        "Distribution of latency (CDF)",
                        Axis.log("latency (µs)", Unit.NUMBER),
                        Axis.linear("share that took no longer", Unit.PERCENT),
                        curves)
                : new CurvePlot(
                        "Histogram of latency",
                        Axis.log("latency (µs)", Unit.NUMBER),
                        Axis.log("share of all, by bucket", Unit.PERCENT),
                        curves);
    }

    private static void addDistribution(
            List<Curve> curves, Measurement measurement, Fields point, List<Fields> buckets, boolean summed) {
        double total = 0;
        for (Fields bucket : buckets) {
            total += countOf(bucket);
        }
        if (total == 0) {
            return;
        }
        List<double[]> places = new ArrayList<>();
        double sum = 0;
        if (summed) {
            places.add(new double[] {buckets.get(0).number("from_us"), 0});
        }
        for (Fields bucket : buckets) {
            double count = countOf(bucket);
            sum += count;
            double from = bucket.number("from_us");
            double to = bucket.number("to_us");
            places.add(
                    summed
                            ? new double[] {to, sum / total * 100}
                            : new double[] {(from + to) / 2, count / total * 100});
        }
        String curve = point.text("curve");
        String name =
                measurement.name() + (curve.isEmpty() ? "" : " " + curve) + sizeOf(point) + roundTrip(measurement);
        curves.add(Curve.of(name, measurement.reference(), places));
    }

    /** Zero for what is no count: a bucket without one adds nothing. */
    private static double countOf(Fields bucket) {
        double count = bucket.number("count");
        return count > 0 ? count : 0;
    }

    private static Plot bySize(List<Measurement> measurements) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (String field : List.of("mean_us", "p50_us", "p99_us")) {
                curves.addAll(measurement.curves(
                        "size_bytes", field, ", " + field.replace("_us", "") + roundTrip(measurement), 1));
            }
        }
        curves.removeIf(curve -> curve.xs().length == 0);
        return new CurvePlot(
                "Latency by message size",
                Axis.sizes("message size", curves),
                Axis.log("latency (µs)", Unit.NUMBER),
                curves);
    }

    private static String sizeOf(Fields point) {
        double size = point.number("size_bytes");
        return Double.isFinite(size) ? ", " + Numbers.bytes(size) : "";
    }

    /** Whether the figure is a round trip or half of one: curves of both may lie in one plot. */
    private static String roundTrip(Measurement measurement) {
        if (measurement.published()) {
            return " (RTT)";
        }
        return switch (measurement.head().text("what")) {
            case "rtt" -> " (RTT)";
            case "half-rtt" -> " (RTT/2)";
            default -> "";
        };
    }
}
