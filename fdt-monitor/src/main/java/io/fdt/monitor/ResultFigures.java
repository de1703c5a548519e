package io.fdt.monitor;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestResult.Headline;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.stream.ThroughputSums;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The results of a copy or network test, as figures for long-term storage. Pure functions. */
final class ResultFigures {
    private static final double BITS = 8;
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e6;
    private static final double BYTES_OF_GIGABYTE = 1e9;

    private ResultFigures() {}

    /**
     * @param host the name of this one
     * @param viaEngine whether the test was a copy
     */
    static List<Figure> of(NettestPlan plan, boolean viaEngine, NettestOutcome outcome, String host, long nowSeconds) {
        FigureList figures = new FigureList();
        NettestResult result = outcome.result();
        String to = result == null ? plan.destination() : destination(result);
        String[] test = {plan.suite().name(), variant(plan, viaEngine), host, to, String.valueOf(plan.streams())};
        if (result != null) {
            addResult(figures, result, test);
            figures.add(Meter.NETTEST_TIMESTAMP, nowSeconds, test);
        }
        figures.add(
                Meter.NETTEST_EXIT_CODE,
                outcome.failure() == null ? 0 : outcome.failure().exitCode(),
                test);
        return figures.figures();
    }

    /** The name of the tested host, as it says itself: users may write an address or another name. */
    private static String destination(NettestResult result) {
        String name = result.remote().host();
        return name.isEmpty() || result.plan().servers().size() > 1
                ? result.plan().destination()
                : name;
    }

    /** What distinguishes tests of a suite over a path: options of the command; empty without one. */
    private static String variant(NettestPlan plan, boolean viaEngine) {
        List<String> words = new ArrayList<>();
        Direction direction = plan.find(NettestValue.DIRECTION);
        if (direction == Direction.IN) {
            words.add("reverse");
        } else if (direction == Direction.BOTH) {
            words.add("bidir");
        }
        Op op = plan.find(NettestValue.OP);
        if (op != null) {
            words.add(Word.of(op));
        }
        if (viaEngine) {
            words.add("engine");
        }
        return String.join(" ", words);
    }

    private static void addResult(FigureList figures, NettestResult result, String... test) {
        for (Headline line : result.headlines()) {
            String size = line.sizeBytes() == 0 ? "" : String.valueOf(line.sizeBytes());
            String[] labels = with(test, line.direction(), size);
            addNumber(figures, Meter.NETTEST_BYTES_PER_SECOND, line.bitsPerSecond() / BITS, labels);
            addNumber(figures, Meter.NETTEST_OPERATIONS_PER_SECOND, line.operationsPerSecond(), labels);
            line.quantilesUs()
                    .forEach((quantile, us) ->
                            figures.add(Meter.NETTEST_LATENCY, us / MICROS, with(labels, String.valueOf(quantile))));
        }
        for (String side : List.of("local", "remote")) {
            double perGigabyte = result.figures().amount("cpu_seconds_per_gb_" + side);
            addNumber(figures, Meter.NETTEST_CPU_SECONDS_PER_BYTE, perGigabyte / BYTES_OF_GIGABYTE, with(test, side));
        }
        for (String direction : List.of("out", "in")) {
            List<JsonObject> lanes = result.figures().rows("per_stream").stream()
                    .filter(lane -> lane.text("direction").equals(direction))
                    .toList();
            if (!lanes.isEmpty() && lanes.stream().allMatch(lane -> lane.has("retransmits"))) {
                figures.add(Meter.NETTEST_LOSS, ThroughputSums.lossRatio(lanes), with(test, direction));
            }
        }
    }

    private static String[] with(String[] labels, String... more) {
        String[] all = Arrays.copyOf(labels, labels.length + more.length);
        System.arraycopy(more, 0, all, labels.length, more.length);
        return all;
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
        figures.add(Meter.COPY_TRANSFERRED, summary.bytes().moved().durable(), from, to);
        figures.add(Meter.COPY_DURATION, summary.run().elapsedNanos() / NANOS, from, to);
        figures.add(Meter.COPY_TIMESTAMP, nowSeconds, from, to);
        if (summary.failure() == null) {
            figures.add(Meter.COPY_LAST_SUCCESS, nowSeconds, from, to);
        }
        return figures.figures();
    }
}
