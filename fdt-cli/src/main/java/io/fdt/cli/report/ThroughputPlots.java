package io.fdt.cli.report;

import io.fdt.core.basic.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Charts of the throughput suite: rates side by side and over time, and the time of the cores. Tables contain the cost
 * in CPU, every stream, and the evidence.
 */
final class ThroughputPlots {
    private static final double GIGABIT = 1e9;
    private static final List<String> MODES = List.of("user", "system", "softirq");
    private static final List<String> SIDES = List.of("local", "remote");

    private ThroughputPlots() {}

    static List<Chart> of(List<Measurement> measurements) {
        List<Chart> charts = new ArrayList<>(List.of(rates(measurements), overTime(measurements)));
        for (Measurement measurement : measurements) {
            SIDES.forEach(side -> addCores(charts, measurement, side));
        }
        return charts;
    }

    private static Chart rates(List<Measurement> measurements) {
        List<Chart.Bar> bars = new ArrayList<>();
        for (Measurement measurement : measurements) {
            measurement.groups().forEach((group, points) -> {
                for (JsonObject point : points) {
                    double rate = point.amount("bits_per_second") / GIGABIT;
                    bars.add(new Chart.Bar(group + streamsOf(point), measurement.reference(), rate));
                }
            });
        }
        return Chart.ofBars("Throughput, out and in together", Axis.linear("Gbit/s", Unit.NUMBER), bars);
    }

    private static String streamsOf(JsonObject point) {
        String streams = point.text("streams");
        return streams.isEmpty() ? "" : ", " + streams + (streams.equals("1") ? " stream" : " streams");
    }

    private static Chart overTime(List<Measurement> measurements) {
        List<Curve> curves = new ArrayList<>();
        double end = 1;
        for (Measurement measurement : measurements) {
            List<JsonObject> intervals = measurement.head().rows("intervals");
            for (String direction : List.of("out", "in")) {
                Curve curve = curve(measurement, intervals, direction);
                // A direction without data has no curve: a test in one direction has only one.
                if (curve.points().stream().anyMatch(point -> point[1] > 0)) {
                    curves.add(curve);
                }
                end = curve.points().stream().mapToDouble(point -> point[0]).reduce(end, Math::max);
            }
        }
        for (Measurement measurement : measurements) {
            if (measurement.published()) {
                double until = end;
                measurement.groups().forEach((group, points) -> {
                    double level = points.get(0).amount("bits_per_second") / GIGABIT;
                    curves.add(Curve.level(group + ", both", until, level));
                });
            }
        }
        Axis time = Axis.linear("time (s)", Unit.TIME);
        return Chart.ofCurves("Throughput over time", time, Axis.linear("Gbit/s", Unit.NUMBER), curves);
    }

    private static Curve curve(Measurement measurement, List<JsonObject> intervals, String direction) {
        List<double[]> places = intervals.stream()
                .map(interval ->
                        new double[] {interval.amount("t"), interval.amount("bits_per_second_" + direction) / GIGABIT})
                .filter(place -> Double.isFinite(place[0]) && Double.isFinite(place[1]))
                .toList();
        return new Curve(measurement.name() + ", " + direction, measurement.reference(), places);
    }

    private static void addCores(List<Chart> charts, Measurement measurement, String side) {
        JsonObject head = measurement.head();
        String host = head.part(side).text("host");
        String where = measurement.name() + ", " + side + (host.isEmpty() ? "" : " (" + host + ")");
        List<JsonObject> intervals = head.rows("intervals");
        double[] times =
                intervals.stream().mapToDouble(interval -> interval.amount("t")).toArray();
        List<double[]> busy = intervals.stream()
                .map(interval -> interval.amounts("per_core_" + side).stream()
                        .mapToDouble(Double::doubleValue)
                        .toArray())
                .toList();
        List<JsonObject> cores = head.rows("per_core").stream()
                .filter(core -> core.text("side").equals(side))
                .toList();
        List<String> names = cores.stream().map(core -> core.text("core")).toList();
        int most = busy.stream().mapToInt(shares -> shares.length).max().orElse(0);
        if (most > 0) {
            // Numbers may be missing among those of the cores, where some are offline.
            List<String> known = names.size() == most
                    ? names
                    : IntStream.range(0, most).mapToObj(String::valueOf).toList();
            charts.add(Chart.ofHeat("Busy cores over time: " + where, times, known, busy));
        }
        if (!cores.isEmpty()) {
            List<double[]> shares = cores.stream()
                    .map(core -> MODES.stream()
                            .mapToDouble(core::amount)
                            .map(share -> share > 0 ? Math.min(1, share) : 0)
                            .toArray())
                    .toList();
            charts.add(Chart.ofStacks("What each core did: " + where, "core", MODES, names, shares));
        }
    }

    static List<Table> tables(JsonObject result) {
        List<List<String>> costs = new ArrayList<>();
        for (String side : SIDES) {
            double seconds = result.amount("cpu_seconds_" + side);
            double aGigabyte = result.amount("cpu_seconds_per_gb_" + side);
            if (Double.isFinite(seconds) || Double.isFinite(aGigabyte)) {
                costs.add(List.of(side, Numbers.rounded(seconds, 4), Numbers.rounded(aGigabyte, 4)));
            }
        }
        List<JsonObject> streams = result.rows("per_stream");
        List<List<String>> rows = streams.stream()
                .limit(Table.MAX_ROWS)
                .map(stream -> List.of(
                        stream.text("stream"),
                        stream.text("direction"),
                        Numbers.rounded(stream.amount("bits_per_second") / GIGABIT, 4),
                        stream.text("bytes"),
                        stream.text("retransmits"),
                        Numbers.rounded(stream.amount("rtt_us"), 4),
                        stream.text("cwnd_bytes")))
                .toList();
        JsonObject verdict = result.part("verdict");
        List<String> evidence = verdict.texts("evidence");
        List<List<String>> reasons = evidence.stream()
                .limit(Table.MAX_ROWS)
                .map(text -> List.of(verdict.text("limit"), text))
                .toList();
        return List.of(
                new Table("Cost in CPU time", List.of("side", "CPU seconds", "CPU seconds a GB"), costs, costs.size()),
                new Table(
                        "Streams",
                        List.of("stream", "direction", "Gbit/s", "bytes", "retransmits", "RTT (µs)", "window (bytes)"),
                        rows,
                        streams.size()),
                new Table("Evidence of the verdict", List.of("limit", "evidence"), reasons, evidence.size()));
    }
}
