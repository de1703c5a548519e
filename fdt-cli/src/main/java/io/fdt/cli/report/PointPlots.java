package io.fdt.cli.report;

import io.fdt.core.nettest.NamedFigures;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;

/** Charts of the suites whose result is a list of points: sweep, latency, requests, objects and load. */
final class PointPlots {
    private static final double MEGABYTE = 1e6;
    private static final String SIZE = "size_bytes";
    private static final String OFFERED = "offered_per_second";
    private static final Axis LATENCY = Axis.log("latency (µs)", Unit.NUMBER);
    /** Fields of a point; the position of each on the axis is 1/(1 - p): 2, and then every power of ten. */
    private static final List<String> PERCENTILES = List.of("p50_us", "p90_us", "p99_us", "p999_us", "p9999_us");

    private PointPlots() {}

    static List<Chart> ofSweep(List<Measurement> measurements) {
        return List.of(bandwidth("Bandwidth by message size", "message size", measurements));
    }

    /** Percentiles, the distribution with its sum, and the mean by size. */
    static List<Chart> ofLatency(List<Measurement> measurements) {
        List<Curve> bySize = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (String field : List.of("mean_us", "p50_us", "p99_us")) {
                String suffix = ", " + field.replace("_us", "") + roundTrip(measurement);
                bySize.addAll(measurement.curves(SIZE, field, suffix, 1));
            }
        }
        bySize.removeIf(curve -> curve.points().isEmpty());
        Axis share = Axis.linear("share that took no longer", Unit.PERCENT);
        Axis ofBucket = Axis.log("share of all, by bucket", Unit.PERCENT);
        return List.of(
                byPercentile("Latency by percentile", measurements, point -> true, true),
                Chart.ofCurves("Distribution of latency (CDF)", LATENCY, share, distributions(measurements, true)),
                Chart.ofCurves("Histogram of latency", LATENCY, ofBucket, distributions(measurements, false)),
                Chart.ofCurves("Latency by message size", Axis.sizes("message size", bySize), LATENCY, bySize));
    }

    static List<Chart> ofRequests(List<Measurement> measurements, String what) {
        List<Chart> charts = new ArrayList<>();
        charts.add(bandwidth(what + ": bandwidth by size", "size", measurements));
        charts.add(latencyBySize(what + ": median latency by size", measurements, "p50_us"));
        charts.add(latencyBySize(what + ": 99th percentile of latency by size", measurements, "p99_us"));
        numbers(measurements, SIZE)
                .min()
                .ifPresent(size -> charts.add(byPercentile(
                        what + ": latency by percentile, " + Numbers.bytes(size),
                        measurements,
                        point -> point.amount(SIZE) == size,
                        false)));
        return charts;
    }

    /** The completed load, its latencies and the messages found by a poll, by offered load. */
    static List<Chart> ofLoad(List<Measurement> measurements) {
        Axis offered = Axis.linear("offered requests a second", Unit.PREFIXED);
        double most = numbers(measurements, OFFERED).max().orElse(1);
        List<Curve> achieved = load(measurements, "achieved_per_second", "", most);
        achieved.add(new Curve("all that is offered", true, List.of(new double[] {0, 0}, new double[] {most, most})));
        List<Curve> latency = load(measurements, "p50_us", ", p50", most);
        latency.addAll(load(measurements, "p99_us", ", p99", most));
        Axis rate = Axis.linear("achieved requests a second", Unit.PREFIXED);
        Axis polls = Axis.linear("mean completions a poll", Unit.NUMBER);
        return List.of(
                Chart.ofCurves("Throughput against offered load", offered, rate, achieved),
                Chart.ofCurves("Latency against offered load", offered, LATENCY, latency),
                Chart.ofCurves(
                        "Completions a poll", offered, polls, load(measurements, "completions_per_poll", "", most)));
    }

    private static DoubleStream numbers(List<Measurement> measurements, String field) {
        return measurements.stream()
                .flatMap(measurement -> measurement.points().stream())
                .mapToDouble(point -> point.amount(field))
                .filter(Double::isFinite);
    }

    private static Chart bandwidth(String title, String sizeLabel, List<Measurement> measurements) {
        List<Curve> curves = curves(measurements, "bytes_per_second", 1 / MEGABYTE);
        Axis bandwidth = Axis.log("bandwidth (MB/s)", Unit.NUMBER);
        return Chart.ofCurves(title, Axis.sizes(sizeLabel, curves), bandwidth, curves);
    }

    private static Chart latencyBySize(String title, List<Measurement> measurements, String field) {
        List<Curve> curves = curves(measurements, field, 1);
        return Chart.ofCurves(title, Axis.sizes("size", curves), LATENCY, curves);
    }

    private static List<Curve> curves(List<Measurement> measurements, String field, double factor) {
        return measurements.stream()
                .flatMap(measurement -> measurement.curves(SIZE, field, "", factor).stream())
                .toList();
    }

    private static Chart byPercentile(
            String title, List<Measurement> measurements, Predicate<NamedFigures> which, boolean namedBySize) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            measurement
                    .groups()
                    .forEach((group, points) -> points.stream().filter(which).forEach(point -> {
                        String name = namedBySize ? group + sizeOf(point) + roundTrip(measurement) : group;
                        List<double[]> places = new ArrayList<>();
                        for (String field : PERCENTILES) {
                            double place = places.isEmpty() ? 2 : Math.pow(10, places.size());
                            places.add(new double[] {place, point.amount(field)});
                        }
                        curves.add(new Curve(name, measurement.reference(), places));
                    }));
        }
        return Chart.ofCurves(title, Axis.log("percentile", Unit.PERCENTILE), LATENCY, curves);
    }

    /** The share of round trips in every bucket, or of those up to its end. */
    private static List<Curve> distributions(List<Measurement> measurements, boolean summed) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            for (List<NamedFigures> points : measurement.groups().values()) {
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
            List<Curve> curves,
            Measurement measurement,
            NamedFigures point,
            List<NamedFigures> buckets,
            boolean summed) {
        double total = buckets.stream().mapToDouble(PointPlots::countOf).sum();
        if (total == 0) {
            return;
        }
        List<double[]> places = new ArrayList<>();
        double sum = 0;
        if (summed) {
            places.add(new double[] {buckets.get(0).amount("from_us"), 0});
        }
        for (NamedFigures bucket : buckets) {
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
    private static double countOf(NamedFigures bucket) {
        double count = bucket.amount("count");
        return count > 0 ? count : 0;
    }

    private static String sizeOf(NamedFigures point) {
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
