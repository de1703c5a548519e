package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.List;

/** Plots of the load test: what is achieved, how long it takes and how much a poll finds, against what is offered. */
final class LoadPlots {
    private static final String OFFERED = "offered_per_second";

    private LoadPlots() {}

    static List<Plot> of(List<Measurement> measurements) {
        Axis offered = Axis.linear("offered requests a second", Unit.PREFIXED);
        double most = measurements.stream()
                .flatMap(measurement -> measurement.points().stream())
                .mapToDouble(point -> point.number(OFFERED))
                .filter(Double::isFinite)
                .max()
                .orElse(1);
        List<Plot> plots = new ArrayList<>();
        List<Curve> achieved = new ArrayList<>(curves(measurements, "achieved_per_second", "", most));
        achieved.add(new Curve("all that is offered", true, new double[] {0, most}, new double[] {0, most}));
        plots.add(new CurvePlot(
                "Throughput against offered load",
                offered,
                Axis.linear("achieved requests a second", Unit.PREFIXED),
                achieved));
        List<Curve> latency = new ArrayList<>(curves(measurements, "p50_us", ", p50", most));
        latency.addAll(curves(measurements, "p99_us", ", p99", most));
        plots.add(
                new CurvePlot("Latency against offered load", offered, Axis.log("latency (µs)", Unit.NUMBER), latency));
        plots.add(new CurvePlot(
                "Completions a poll",
                offered,
                Axis.linear("mean completions a poll", Unit.NUMBER),
                curves(measurements, "completions_per_poll", "", most)));
        return plots;
    }

    /** A published figure that says nothing of the load offered is a level: a line across. */
    private static List<Curve> curves(List<Measurement> measurements, String field, String suffix, double most) {
        List<Curve> curves = new ArrayList<>();
        for (Measurement measurement : measurements) {
            curves.addAll(measurement.curves(OFFERED, field, suffix, 1));
            if (measurement.published()) {
                measurement.groups().forEach((group, points) -> {
                    for (Fields point : points) {
                        if (Double.isNaN(point.number(OFFERED))) {
                            double level = point.number(field);
                            curves.add(new Curve(
                                    group + suffix, true, new double[] {0, most}, new double[] {level, level}));
                        }
                    }
                });
            }
        }
        return curves;
    }
}
