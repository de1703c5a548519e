package io.fdt.cli.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Plots of the throughput test: rates side by side and over time, and where the time of the cores went. */
final class ThroughputPlots {
    private static final double GIGABIT = 1e9;
    private static final List<String> MODES = List.of("user", "system", "softirq");
    private static final List<String> SIDES = List.of("local", "remote");

    private ThroughputPlots() {}

    static List<Plot> of(List<Measurement> measurements) {
        List<Plot> plots = new ArrayList<>();
        plots.add(rates(measurements));
        plots.add(overTime(measurements));
        for (Measurement measurement : measurements) {
            for (String side : SIDES) {
                addCores(plots, measurement, side);
            }
        }
        return plots;
    }

    private static Plot rates(List<Measurement> measurements) {
        List<BarPlot.Bar> bars = new ArrayList<>();
        for (Measurement measurement : measurements) {
            measurement.groups().forEach((group, points) -> {
                for (Fields point : points) {
                    double rate = point.number("bits_per_second") / GIGABIT;
                    bars.add(new BarPlot.Bar(group + streamsOf(point), measurement.reference(), rate));
                }
            });
        }
        return new BarPlot("Throughput, out and in together", Axis.linear("Gbit/s", Unit.NUMBER), bars);
    }

    private static String streamsOf(Fields point) {
        String streams = point.text("streams");
        return streams.isEmpty() ? "" : ", " + streams + (streams.equals("1") ? " stream" : " streams");
    }

    private static Plot overTime(List<Measurement> measurements) {
        List<Curve> curves = new ArrayList<>();
        double end = 1;
        for (Measurement measurement : measurements) {
            List<Fields> intervals = measurement.head().objects("intervals");
            Curve out = curve(measurement, intervals, "out");
            Curve in = curve(measurement, intervals, "in");
            // What never flowed is no curve: a test in one direction has one.
            for (Curve curve : List.of(out, in)) {
                if (Arrays.stream(curve.ys()).anyMatch(rate -> rate > 0)) {
                    curves.add(curve);
                }
            }
            for (double time : out.xs()) {
                end = Math.max(end, time);
            }
        }
        for (Measurement measurement : measurements) {
            if (measurement.published()) {
                double until = end;
                measurement.groups().forEach((group, points) -> {
                    double level = points.get(0).number("bits_per_second") / GIGABIT;
                    curves.add(new Curve(group + ", both", true, new double[] {0, until}, new double[] {level, level}));
                });
            }
        }
        return new CurvePlot(
                "Throughput over time",
                Axis.linear("time (s)", Unit.NUMBER),
                Axis.linear("Gbit/s", Unit.NUMBER),
                curves);
    }

    private static Curve curve(Measurement measurement, List<Fields> intervals, String direction) {
        List<double[]> places = new ArrayList<>();
        for (Fields interval : intervals) {
            double rate = interval.number("bits_per_second_" + direction) / GIGABIT;
            if (Double.isFinite(rate) && Double.isFinite(interval.number("t"))) {
                places.add(new double[] {interval.number("t"), rate});
            }
        }
        return Curve.of(measurement.name() + ", " + direction, measurement.reference(), places);
    }

    private static void addCores(List<Plot> plots, Measurement measurement, String side) {
        String host = measurement.head().object(side).text("host");
        String where = measurement.name() + ", " + side + (host.isEmpty() ? "" : " (" + host + ")");
        List<StackPlot.Column> columns = new ArrayList<>();
        for (Fields core : measurement.head().objects("per_core")) {
            if (core.text("side").equals(side)) {
                double[] shares = new double[MODES.size()];
                for (int i = 0; i < shares.length; i++) {
                    double share = core.number(MODES.get(i));
                    shares[i] = share > 0 ? Math.min(1, share) : 0;
                }
                columns.add(new StackPlot.Column(core.text("core"), shares));
            }
        }
        addHeat(plots, measurement.head().objects("intervals"), "per_core_" + side, where);
        if (!columns.isEmpty()) {
            plots.add(new StackPlot("What each core did: " + where, "core", MODES, columns));
        }
    }

    private static void addHeat(List<Plot> plots, List<Fields> intervals, String field, String where) {
        List<double[]> shares = new ArrayList<>();
        double[] times = new double[intervals.size()];
        for (int i = 0; i < times.length; i++) {
            times[i] = intervals.get(i).number("t");
            shares.add(intervals.get(i).numbers(field));
        }
        if (shares.stream().anyMatch(cores -> cores.length > 0)) {
            plots.add(new HeatMap("Busy cores over time: " + where, times, shares));
        }
    }
}
