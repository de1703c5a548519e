package io.fdt.monitor;

import io.fdt.core.JsonObject;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestResult.Headline;
import io.fdt.core.nettest.stream.ThroughputSums;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.util.List;

/** The results of a copy or network test, as figures for long-term storage. Pure functions. */
final class ResultFigures {
    private static final double BITS = 8;
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e6;
    private static final double BYTES_OF_GIGABYTE = 1e9;

    private ResultFigures() {}

    static List<Figure> of(String suite, String host, NettestResult result, long nowSeconds) {
        String to = result.destination();
        String streams = String.valueOf(result.plan().streams());
        FigureList figures = new FigureList();
        for (Headline line : result.headlines()) {
            String size = line.sizeBytes() == 0 ? "" : String.valueOf(line.sizeBytes());
            String[] labels = {suite, host, to, streams, line.direction(), size};
            addNumber(figures, Meter.NETTEST_BYTES_PER_SECOND, line.bitsPerSecond() / BITS, labels);
            addNumber(figures, Meter.NETTEST_OPERATIONS_PER_SECOND, line.operationsPerSecond(), labels);
            line.quantilesUs()
                    .forEach((quantile, us) -> figures.add(
                            Meter.NETTEST_LATENCY,
                            us / MICROS,
                            suite,
                            host,
                            to,
                            streams,
                            line.direction(),
                            size,
                            String.valueOf(quantile)));
        }
        for (String side : List.of("local", "remote")) {
            double perGigabyte = result.figures().amount("cpu_seconds_per_gb_" + side);
            addNumber(
                    figures,
                    Meter.NETTEST_CPU_SECONDS_PER_BYTE,
                    perGigabyte / BYTES_OF_GIGABYTE,
                    suite,
                    host,
                    to,
                    streams,
                    side);
        }
        for (String direction : List.of("out", "in")) {
            List<JsonObject> lanes = result.figures().rows("per_stream").stream()
                    .filter(lane -> lane.text("direction").equals(direction))
                    .toList();
            if (!lanes.isEmpty() && lanes.stream().allMatch(lane -> lane.has("retransmits"))) {
                figures.add(Meter.NETTEST_LOSS, ThroughputSums.lossRatio(lanes), suite, host, to, streams, direction);
            }
        }
        figures.add(Meter.NETTEST_TIMESTAMP, nowSeconds, suite, host, to, streams);
        return figures.figures();
    }

    private static void addNumber(FigureList figures, Meter meter, double value, String... labels) {
        if (!Double.isNaN(value)) {
            figures.add(meter, value, labels);
        }
    }

    static List<Figure> of(Summary summary, String from, String to, long nowSeconds) {
        FigureList figures = new FigureList();
        figures.add(Meter.COPY_EXIT_CODE, summary.exitCode(), from, to);
        figures.add(Meter.COPY_FILES, summary.files().inPlace(), from, to);
        figures.add(Meter.COPY_FILES_FAILED, summary.files().failed(), from, to);
        figures.add(Meter.COPY_SIZE, summary.bytes().inPlace(), from, to);
        figures.add(Meter.COPY_TRANSFERRED, summary.bytes().moved(), from, to);
        figures.add(Meter.COPY_DURATION, summary.run().elapsedNanos() / NANOS, from, to);
        figures.add(Meter.COPY_TIMESTAMP, nowSeconds, from, to);
        if (summary.failure() == null) {
            figures.add(Meter.COPY_LAST_SUCCESS, nowSeconds, from, to);
        }
        return figures.figures();
    }
}
