package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** The plots of every suite, from made-up result files: the right curves, cells and labels in well-formed SVG. */
class PlotsTest {
    @Test
    void showsBandwidthBySizeForEveryModeOfEveryFileAndTheFiguresBeside() throws Exception {
        List<Section> sections = Examples.sections(List.of("sweep-a", "sweep-b"), "vmi/ia32/myrinet");
        CurvePlot plot = Examples.plot(CurvePlot.class, "Bandwidth by message size", sections);
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
        assertThat(plot.curves()).allSatisfy(curve -> assertThat(curve.xs()).hasSize(23));
        Document svg = Examples.xml(SvgWriter.file(plot.draw(), plot.title()));
        // 23 points a curve and one in the legend.
        assertThat(Examples.elements(svg, "g", "p")).hasSize(7 * 24);
        assertThat(Examples.texts(svg))
                .contains("1 B", "4 KiB", "0.1", "1000", "bandwidth (MB/s)", "message size", "vmi ia32/myrinet/vmi");
        assertThat(plot.table().rows()).hasSize(23);
        assertThat(plot.table().rows().get(0)).hasSize(8).startsWith("1 B");
    }

    @Test
    void aCurveLiesWhereItsValuesAre() {
        CurvePlot plot = new CurvePlot(
                "t",
                Axis.log("x", Unit.NUMBER),
                Axis.linear("y", Unit.NUMBER),
                List.of(new Curve("c", false, new double[] {1, 10, 100}, new double[] {0, 50, 100})));
        List<double[]> points = plot.draw().shapes().stream()
                .filter(Drawing.Point.class::isInstance)
                .map(shape -> new double[] {((Drawing.Point) shape).x(), ((Drawing.Point) shape).y()})
                .limit(3)
                .toList();
        double width = Plot.WIDTH - Frame.LEFT - Frame.RIGHT;
        assertThat(points.get(0)).containsExactly(Frame.LEFT, Frame.TOP + 340);
        assertThat(points.get(1)).containsExactly(Frame.LEFT + width / 2, Frame.TOP + 170);
        assertThat(points.get(2)).containsExactly(Frame.LEFT + width, Frame.TOP);
    }

    @Test
    void leavesOutWhatHasNoPlaceOnALogarithmicAxis() {
        CurvePlot plot = new CurvePlot(
                "t",
                Axis.log("x", Unit.NUMBER),
                Axis.log("y", Unit.NUMBER),
                List.of(
                        new Curve("some", false, new double[] {0, 1, 2}, new double[] {1, Double.NaN, 5}),
                        new Curve("none", false, new double[] {-1}, new double[] {1})));
        assertThat(plot.curves()).extracting(Curve::name).containsExactly("some");
        assertThat(plot.curves().get(0).xs()).containsExactly(2);
    }

    @Test
    void showsLatencyByPercentileItsDistributionAndBySize() throws Exception {
        List<Section> sections = Examples.sections(List.of("latency"), "verbs-rtt", "verbs-rtt-histogram");
        CurvePlot percentiles = Examples.plot(CurvePlot.class, "Latency by percentile", sections);
        assertThat(percentiles.curves())
                .extracting(Curve::name)
                .containsExactly("latency, 4 B (RTT)", "latency, 128 B (RTT)", "latency, 1 KiB (RTT)");
        assertThat(percentiles.curves())
                .allSatisfy(curve -> assertThat(curve.ys()).hasSize(5).isSorted());
        assertThat(Examples.texts(Examples.xml(SvgWriter.file(percentiles.draw(), "x"))))
                .contains("50 %", "99.99 %", "latency (µs)");

        CurvePlot sum = Examples.plot(CurvePlot.class, "Distribution of latency (CDF)", sections);
        assertThat(sum.curves()).hasSize(5);
        assertThat(sum.curves()).allSatisfy(curve -> {
            assertThat(curve.ys()).isSorted();
            assertThat(curve.ys()[0]).isZero();
            assertThat(curve.ys()[curve.ys().length - 1]).isEqualTo(100);
        });
        CurvePlot histogram = Examples.plot(CurvePlot.class, "Histogram of latency", sections);
        assertThat(histogram.curves()).hasSize(5);
        // RC: 836703 of 999992 round trips took 5 to 6 microseconds.
        Curve rc = histogram.curves().get(3);
        assertThat(rc.name()).isEqualTo("verbs-rtt-histogram rc, 4 B (RTT)");
        assertThat(rc.xs()[1]).isEqualTo(5.5);
        assertThat(rc.ys()[1]).isBetween(83.66, 83.68);

        assertThat(Examples.plot(CurvePlot.class, "Latency by message size", sections)
                        .curves())
                .extracting(Curve::name)
                .contains("latency, mean (RTT)", "latency, p99 (RTT)", "verbs-rtt roce-10ge/rc/inline, mean (RTT)")
                .hasSize(3 + 8);
    }

    @Test
    void showsWhatEveryCoreDidOnBothSides() throws Exception {
        List<Section> sections = Examples.sections(List.of("throughput"), "fdt-40ge");
        assertThat(sections.get(0).plots())
                .extracting(Plot::title)
                .containsExactly(
                        "Throughput, out and in together",
                        "Throughput over time",
                        "Busy cores over time: throughput, local (dtn1.example)",
                        "What each core did: throughput, local (dtn1.example)",
                        "Busy cores over time: throughput, remote (dtn2.example)",
                        "What each core did: throughput, remote (dtn2.example)");
        HeatMap heat =
                Examples.plot(HeatMap.class, "Busy cores over time: throughput, remote (dtn2.example)", sections);
        Document svg = Examples.xml(SvgWriter.file(heat.draw(), heat.title()));
        assertThat(svg.getElementsByTagName("rect").getLength()).isEqualTo(1 + 8 * 10 + Ink.shareSteps());
        // Core 0 is at its limit all the time; the legend has one more of that ink.
        assertThat(Examples.elements(svg, "rect", "f-h11")).hasSize(10 + 1);
        assertThat(heat.table().rows()).hasSize(8);
        assertThat(heat.table().rows().get(0).get(0)).isEqualTo("0");

        StackPlot modes =
                Examples.plot(StackPlot.class, "What each core did: throughput, remote (dtn2.example)", sections);
        Document stack = Examples.xml(SvgWriter.file(modes.draw(), modes.title()));
        assertThat(Examples.elements(stack, "rect", "f-c2")).hasSize(8 + 1);
        assertThat(modes.table().columns()).containsExactly("core", "user", "system", "softirq");
        assertThat(modes.table().rows().get(0).get(3)).isEqualTo("45 %");
    }

    @Test
    void showsThroughputOverTimeAndBesidePublishedFigures() {
        List<Section> sections = Examples.sections(List.of("throughput"), "fdt-40ge/nettest");
        BarPlot bars = Examples.plot(BarPlot.class, "Throughput, out and in together", sections);
        assertThat(bars.bars())
                .extracting(BarPlot.Bar::name)
                .containsExactly(
                        "throughput, 16 streams",
                        "fdt-40ge nettest/1-nic, 16 streams",
                        "fdt-40ge nettest/2-nics-bonded, 16 streams");
        assertThat(bars.bars().get(1).value()).isEqualTo(46);
        CurvePlot time = Examples.plot(CurvePlot.class, "Throughput over time", sections);
        assertThat(time.curves())
                .extracting(Curve::name)
                .containsExactly(
                        "throughput, out",
                        "throughput, in",
                        "fdt-40ge nettest/1-nic, both",
                        "fdt-40ge nettest/2-nics-bonded, both");
        assertThat(time.curves().get(0).xs()).hasSize(10);
        assertThat(time.curves().get(3).ys()).containsExactly(70, 70);
    }

    @Test
    void showsRequestsAndObjectsBySizeAndPercentile() {
        List<Section> rpc = Examples.sections(List.of("rpc"), "ramcloud-echo/run-1");
        assertThat(Examples.plot(CurvePlot.class, "RPC: bandwidth by size", rpc).curves())
                .extracting(Curve::name)
                .containsExactly("rpc", "rpc 2 concurrent", "ramcloud-echo run-1");
        CurvePlot smallest = Examples.plot(CurvePlot.class, "RPC: latency by percentile, 100 B", rpc);
        assertThat(smallest.curves()).hasSize(3);
        // The source has no 99.99th percentile.
        assertThat(smallest.curves().get(2).ys()).containsExactly(3.9, 5.0, 5.6, 9.4);
        List<Section> objects = Examples.sections(List.of("objects"), "ramcloud-write");
        assertThat(Examples.plot(CurvePlot.class, "Objects: median latency by size", objects)
                        .curves())
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
        List<Section> load = Examples.sections(List.of("load"), "buffer-pools");
        assertThat(Examples.plot(CurvePlot.class, "Throughput against offered load", load)
                        .curves())
                .extracting(Curve::name)
                .containsExactly(
                        "load 24 rx, 8 tx",
                        "load 24 rx, 32 tx",
                        "load 48 rx, 8 tx",
                        "buffer-pools all-pools/high-load",
                        "all that is offered");
        assertThat(Examples.plot(CurvePlot.class, "Latency against offered load", load)
                        .curves())
                .hasSize(6);
        assertThat(Examples.plot(CurvePlot.class, "Completions a poll", load).curves())
                .hasSize(4);
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
        HeatMap heat = new HeatMap("t", times, intervals);
        long busy = heat.draw().shapes().stream()
                .filter(shape -> shape instanceof Drawing.Box box && box.ink() == Ink.H11)
                .count();
        assertThat(busy).isEqualTo(150 + 1);
        assertThat(heat.table().rows().get(200)).containsExactly("200", "100 %", "100 %", "100 %");
        assertThat(heat.table().rows().get(199)).containsExactly("199", "0 %", "0 %", "0 %");
    }

    @Test
    void drawsNoMoreCurvesThanAnybodyCanTellApartAndSaysSo() {
        List<Curve> many = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            many.add(new Curve("c" + i, false, new double[] {1}, new double[] {1}));
        }
        CurvePlot plot = new CurvePlot("t", Axis.linear("x", Unit.NUMBER), Axis.linear("y", Unit.NUMBER), many);
        assertThat(plot.curves()).hasSize(40);
        assertThat(plot.title()).isEqualTo("t (the first 40 of 1000)");
    }
}
