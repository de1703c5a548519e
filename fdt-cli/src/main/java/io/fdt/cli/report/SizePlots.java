package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Plots of what depends on a size: the sweep, echo requests and objects. */
final class SizePlots {
    private static final double MEGABYTE = 1e6;

    private SizePlots() {}

    static List<Plot> ofSweep(List<Measurement> measurements) {
        return List.of(bandwidth("Bandwidth by message size", "message size", measurements));
    }

    static List<Plot> ofRequests(List<Measurement> measurements, String what) {
        List<Plot> plots = new ArrayList<>();
        plots.add(bandwidth(what + ": bandwidth by size", "size", measurements));
        plots.add(latencyBySize(what + ": median latency by size", measurements, "p50_us"));
        plots.add(latencyBySize(what + ": 99th percentile of latency by size", measurements, "p99_us"));
        OptionalDouble smallest = measurements.stream()
                .flatMap(measurement -> measurement.points().stream())
                .mapToDouble(point -> point.number("size_bytes"))
                .filter(Double::isFinite)
                .min();
        if (smallest.isPresent()) {
            double size = smallest.getAsDouble();
            plots.add(LatencyPlots.byPercentile(
                    what + ": latency by percentile, " + Numbers.bytes(size),
                    measurements,
                    point -> point.number("size_bytes") == size,
                    false));
        }
        return plots;
    }

    private static Plot bandwidth(String title, String sizeLabel, List<Measurement> measurements) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            curves.addAll(measurement.curves("size_bytes", "bytes_per_second", "", 1 / MEGABYTE));
        }
        return new CurvePlot(title, Axis.sizes(sizeLabel, curves), Axis.log("bandwidth (MB/s)", Unit.NUMBER), curves);
    }

    private static Plot latencyBySize(String title, List<Measurement> measurements, String field) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            curves.addAll(measurement.curves("size_bytes", field, "", 1));
        }
        return new CurvePlot(title, Axis.sizes("size", curves), Axis.log("latency (µs)", Unit.NUMBER), curves);
    }
}
