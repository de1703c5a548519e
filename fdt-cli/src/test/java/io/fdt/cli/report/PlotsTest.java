package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.stream.ThroughputSuite;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The charts of every suite, from fictional result files: the right curves, cells, places and numbers.
 */
class PlotsTest {
    private static List<double[]> points(double... xsAndYs) {
        return IntStream.range(0, xsAndYs.length / 2)
                .mapToObj(at -> new double[] {xsAndYs[2 * at], xsAndYs[2 * at + 1]})
                .toList();
    }

    private static double[] xs(Curve curve) {
        return curve.points().stream().mapToDouble(point -> point[0]).toArray();
    }

    private static double[] ys(Curve curve) {
        return curve.points().stream().mapToDouble(point -> point[1]).toArray();
    }

    @Test
    void showsBandwidthBySizeForEveryModeOfEveryFileAndTheFiguresBeside() {
        List<Report.Section> sections = Examples.sections(List.of("sweep-a", "sweep-b"), "vmi/ia32/myrinet");
        Chart plot = Examples.chart("Bandwidth by message size", sections);
        assertThat(plot.curves())
                .extracting(Curve::name)
                .containsExactly(
                        "sweep-a blocking, tcp",
                        "sweep-a nonblocking, tcp",
                        "sweep-b blocking, tcp",
                        "sweep-b nonblocking, tcp",
                        "vmi ia32/myrinet/mpi-blocking",
                        "vmi ia32/myrinet/mpi-non-blocking",
                        "vmi ia32/myrinet/vmi");
        assertThat(plot.curves())
                .extracting(Curve::reference)
                .containsExactly(false, false, false, false, true, true, true);
        assertThat(plot.curves()).allSatisfy(curve -> assertThat(xs(curve)).hasSize(23));
        assertThat(plot.table().rows()).hasSize(23);
        assertThat(plot.table().rows().get(0)).hasSize(8).startsWith("1 B");
    }

    @Test
    void drawsCurveAtItsValues() {
        Chart plot = Chart.ofCurves(
                "t",
                Axis.log("x", Unit.NUMBER),
                Axis.linear("y", Unit.NUMBER),
                List.of(new Curve("c", false, points(1, 0, 10, 50, 100, 100))));
        assertThat(plot.curves().get(0).points())
                .extracting(point -> plot.across(point[0]), point -> plot.down(point[1]))
                .containsExactly(tuple(0.0, 1.0), tuple(0.5, 0.5), tuple(1.0, 0.0));
    }

    @Test
    void leavesOutWhatHasNoPlaceOnALogarithmicAxis() {
        Chart plot = Chart.ofCurves(
                "t",
                Axis.log("x", Unit.NUMBER),
                Axis.log("y", Unit.NUMBER),
                List.of(
                        new Curve("some", false, points(0, 1, 1, Double.NaN, 2, 5)),
                        new Curve("none", false, points(-1, 1))));
        assertThat(plot.curves()).extracting(Curve::name).containsExactly("some");
        assertThat(xs(plot.curves().get(0))).containsExactly(2);
    }

    @Test
    void showsLatencyByPercentileItsDistributionAndBySize() {
        List<Report.Section> sections = Examples.sections(List.of("latency"), "verbs-rtt", "verbs-rtt-histogram");
        Chart percentiles = Examples.chart("Latency by percentile", sections);
        assertThat(percentiles.curves())
                .extracting(Curve::name)
                .containsExactly("latency, 4 B (RTT)", "latency, 128 B (RTT)", "latency, 1 KiB (RTT)");
        assertThat(percentiles.curves())
                .allSatisfy(curve -> assertThat(ys(curve)).hasSize(5).isSorted());
        Chart sum = Examples.chart("Distribution of latency (CDF)", sections);
        assertThat(sum.curves()).hasSize(5);
        assertThat(sum.curves()).allSatisfy(curve -> {
            assertThat(ys(curve)).isSorted();
            assertThat(ys(curve)[0]).isZero();
            assertThat(ys(curve)[ys(curve).length - 1]).isEqualTo(100);
        });
        Chart histogram = Examples.chart("Histogram of latency", sections);
        assertThat(histogram.curves()).hasSize(5);
        // RC: 836703 of 999992 round trips took 5 to 6 microseconds.
        Curve rc = histogram.curves().get(3);
        assertThat(rc.name()).isEqualTo("verbs-rtt-histogram rc, 4 B (RTT)");
        assertThat(xs(rc)[1]).isEqualTo(5.5);
        assertThat(ys(rc)[1]).isBetween(83.66, 83.68);

        assertThat(Examples.chart("Latency by message size", sections).curves())
                .extracting(Curve::name)
                .contains("latency, mean (RTT)", "latency, p99 (RTT)", "verbs-rtt roce-10ge/rc/inline, mean (RTT)")
                .hasSize(3 + 8);
    }

    @Test
    void showsWhatEveryCoreDidOnBothSides() {
        List<Report.Section> sections = Examples.sections(List.of("throughput"), "fdt-40ge");
        assertThat(sections.get(0).charts())
                .extracting(Chart::title)
                .containsExactly(
                        "Throughput, out and in together",
                        "Throughput over time",
                        "Busy cores over time: throughput, local (dtn1.example)",
                        "What each core did: throughput, local (dtn1.example)",
                        "Busy cores over time: throughput, remote (dtn2.example)",
                        "What each core did: throughput, remote (dtn2.example)");
        Chart heat = Examples.chart("Busy cores over time: throughput, remote (dtn2.example)", sections);
        assertThat(heat.boxes()).hasSize(8 * 10);
        // Core 0 is always at its limit.
        assertThat(heat.boxes().subList(0, 10))
                .allSatisfy(box -> assertThat(box.depth()).isGreaterThan(0.9));
        assertThat(heat.table().rows()).hasSize(8);
        assertThat(heat.table().rows().get(0).get(0)).isEqualTo("0");

        Chart modes = Examples.chart("What each core did: throughput, remote (dtn2.example)", sections);
        assertThat(modes.boxes().stream().filter(box -> box.ink().equals("softirq")))
                .hasSize(8);
        assertThat(modes.table().columns()).containsExactly("core", "user", "system", "softirq");
        assertThat(modes.table().rows().get(0).get(3)).isEqualTo("45 %");
    }

    @Test
    void showsThroughputOverTimeAndBesidePublishedFigures() {
        List<Report.Section> sections = Examples.sections(List.of("throughput"), "fdt-40ge/nettest");
        Chart bars = Examples.chart("Throughput, out and in together", sections);
        assertThat(bars.table().rows())
                .extracting(row -> row.get(0))
                .containsExactly(
                        "throughput, 16 streams",
                        "fdt-40ge nettest/1-nic, 16 streams",
                        "fdt-40ge nettest/2-nics-bonded, 16 streams");
        assertThat(bars.boxes().get(1).toX()).isEqualTo(46);
        Chart time = Examples.chart("Throughput over time", sections);
        assertThat(time.curves())
                .extracting(Curve::name)
                .containsExactly(
                        "throughput, out",
                        "throughput, in",
                        "fdt-40ge nettest/1-nic, both",
                        "fdt-40ge nettest/2-nics-bonded, both");
        assertThat(xs(time.curves().get(0))).hasSize(10);
        assertThat(ys(time.curves().get(3))).containsExactly(70, 70);
    }

    @Test
    void showsRequestsAndObjectsBySizeAndPercentile() {
        List<Report.Section> rpc = Examples.sections(List.of("rpc"), "ramcloud-echo/run-1");
        assertThat(Examples.chart("RPC: bandwidth by size", rpc).curves())
                .extracting(Curve::name)
                .containsExactly("rpc", "rpc 2 concurrent", "ramcloud-echo run-1");
        Chart smallest = Examples.chart("RPC: latency by percentile, 100 B", rpc);
        assertThat(smallest.curves()).hasSize(3);
        // The source has no 99.99th percentile.
        assertThat(ys(smallest.curves().get(2))).containsExactly(3.9, 5.0, 5.6, 9.4);
        List<Report.Section> objects = Examples.sections(List.of("objects"), "ramcloud-write");
        assertThat(Examples.chart("Objects: median latency by size", objects).curves())
                .extracting(Curve::name)
                .containsExactly(
                        "objects read, memory",
                        "objects write, memory",
                        "objects write, log",
                        "ramcloud-write run-1",
                        "ramcloud-write run-2",
                        "ramcloud-write run-3");
    }

    @Test
    void showsWhatIsAchievedOfWhatIsOffered() {
        List<Report.Section> load = Examples.sections(List.of("load"), "buffer-pools");
        assertThat(Examples.chart("Throughput against offered load", load).curves())
                .extracting(Curve::name)
                .containsExactly(
                        "load 24 rx, 8 tx",
                        "load 24 rx, 32 tx",
                        "load 48 rx, 8 tx",
                        "buffer-pools all-pools/high-load",
                        "all that is offered");
        assertThat(Examples.chart("Latency against offered load", load).curves())
                .hasSize(6);
        assertThat(Examples.chart("Completions a poll", load).curves()).hasSize(4);
    }

    @Test
    void cutsALongRunIntoSlicesAndKeepsEveryCore() {
        double[] times = new double[3_600];
        List<double[]> intervals = new ArrayList<>();
        for (int i = 0; i < times.length; i++) {
            times[i] = i + 1;
            double[] cores = new double[256];
            cores[200] = 1;
            intervals.add(cores);
        }
        List<String> names = IntStream.range(0, 256).mapToObj(String::valueOf).toList();
        Chart heat = Chart.ofHeat("t", times, names, intervals);
        assertThat(heat.boxes().stream().filter(box -> box.depth() == 1)).hasSize(150);
        assertThat(heat.table().rows().get(200)).containsExactly("200", "100 %", "100 %", "100 %");
        assertThat(heat.table().rows().get(199)).containsExactly("199", "0 %", "0 %", "0 %");
    }

    /** Where a core is offline, those after it are not numbered anew. */
    @Test
    void coresKeepTheirNumbersInTheHeatMap() {
        JsonObject interval = new JsonObject().with("t", 1, 3).with("per_core_local", List.of(0.5, 1.0), 4);
        JsonObject result =
                new JsonObject().with("per_core", List.of(core(0), core(2))).with("intervals", List.of(interval));
        List<Chart> charts = ThroughputPlots.of(
                List.of(Measurement.ofResult("r", false, ThroughputSuite.THROUGHPUT, result, name -> name)));
        Chart heat = charts.stream()
                .filter(chart -> chart.title().startsWith("Busy cores"))
                .findFirst()
                .orElseThrow();
        assertThat(heat.table().rows()).extracting(row -> row.get(0)).containsExactly("0", "2");
    }

    private static JsonObject core(int number) {
        return new JsonObject().with("side", "local").with("core", number);
    }

    @Test
    void limitsTheNumberOfCurvesAndSaysSo() {
        List<Curve> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(new Curve("c" + i, false, points(1, 1)));
        }
        Chart plot = Chart.ofCurves("t", Axis.linear("x", Unit.NUMBER), Axis.linear("y", Unit.NUMBER), many);
        assertThat(plot.curves()).hasSize(40);
        assertThat(plot.title()).isEqualTo("t (the first 40 of 1000)");
    }
}
