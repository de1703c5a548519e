package io.fdt.core.nettest.load;

import static io.fdt.core.basic.Figures.text;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.Column;
import io.fdt.core.nettest.Csv;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plot;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.SuiteText;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Requests at a rising rate, whether or not the server keeps up, with buffer pools of several sizes. */
public final class LoadSuite extends Suite {
    public static final Suite LOAD = new LoadSuite();

    /** All buffers of one kind on one side. */
    static final int MAX_POOL_BYTES = 1 << 20;

    /** Of each pool, if the user does not specify the load. */
    private static final int DEFAULT_STEPS = 8;

    /** A shorter step has little meaning. */
    private static final int MIN_STEP_MS = 100;

    private LoadSuite() {
        super(
                "load",
                List.of(
                        NettestValue.SIZE_BYTES,
                        NettestValue.OFFERED,
                        NettestValue.RX_BUFFERS,
                        NettestValue.TX_BUFFERS,
                        NettestValue.DURATION,
                        NettestValue.BUSY_POLL),
                "rx_buffers,tx_buffers,offered_per_second,achieved_per_second,offered,done,completions_per_poll,"
                        + "server_completions_per_poll,tx_waits,tx_wait_seconds,busy_local,busy_remote,ran_out,"
                        + Csv.LATENCIES,
                List.of(
                        new Plot(
                                Plot.PlotKind.THROUGHPUT_BY_LOAD,
                                "Throughput against offered load",
                                "achieved requests a second",
                                "achieved_per_second"),
                        new Plot(
                                Plot.PlotKind.LATENCY_BY_LOAD,
                                "Latency against offered load",
                                "latency (µs)",
                                "p50_us",
                                "p99_us"),
                        new Plot(
                                Plot.PlotKind.NUMBER_BY_LOAD,
                                "Completions a poll",
                                "mean completions a poll",
                                "completions_per_poll")));
    }

    @Override
    public void check(NettestPlan plan) {
        long sizeBytes = plan.get(NettestValue.SIZE_BYTES);
        int buffers = Stream.concat(
                        plan.get(NettestValue.RX_BUFFERS).stream(), plan.get(NettestValue.TX_BUFFERS).stream())
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
        if (buffers * sizeBytes > MAX_POOL_BYTES) {
            throw Cause.USAGE.failure(buffers + " buffers of " + Figures.exactBytes(sizeBytes) + " are more than the "
                    + Figures.exactBytes(MAX_POOL_BYTES) + " that a pool may have");
        }
        int durationMs = plan.get(NettestValue.DURATION);
        if ((double) durationMs / steps(plan) < MIN_STEP_MS) {
            throw Cause.USAGE.failure("--duration " + Figures.exactTimeMs(durationMs) + " is too short for "
                    + steps(plan) + " steps of at least " + Figures.exactTimeMs(MIN_STEP_MS)
                    + " each; give it more, or measure fewer pools or loads");
        }
    }

    @Override
    public boolean isClearOnly() {
        return true;
    }

    private static int pools(NettestPlan plan) {
        return plan.get(NettestValue.RX_BUFFERS).size()
                * plan.get(NettestValue.TX_BUFFERS).size();
    }

    private static int stepsEach(NettestPlan plan) {
        List<Integer> offered = plan.get(NettestValue.OFFERED);
        return offered.isEmpty() ? DEFAULT_STEPS : offered.size();
    }

    /** Of all pools. */
    static int steps(NettestPlan plan) {
        return stepsEach(plan) * pools(plan);
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return new LoadClient(plan);
    }

    /** The lane tells it which buffers to use, step by step. */
    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        return (index, lane) ->
                new LoadServingLane(lane, plan.get(NettestValue.SIZE_BYTES), plan.get(NettestValue.BUSY_POLL));
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        return LoadServingLane.memoryBytes();
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        return "load to " + peer + ", " + Figures.exactBytes(plan.get(NettestValue.SIZE_BYTES)) + " each way, "
                + Figures.count(pools(plan), "pool") + " of " + Figures.count(stepsEach(plan), "step") + " over "
                + transport;
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return new JsonObject().with("steps", steps(plan));
    }

    @Override
    public List<String> lines(JsonObject second, boolean verbose) {
        long done = second.count("done");
        return List.of(
                second.count("step") == 0
                        ? text("finding out what the path can do: %d done", done)
                        : text(
                                "step %d of %d, %d rx, %d tx, %d a second: %d done",
                                second.count("step"),
                                second.count("steps"),
                                second.count("rx_buffers"),
                                second.count("tx_buffers"),
                                second.count("offered_per_second"),
                                done));
    }

    @Override
    public List<String> tables(NettestResult result) {
        return SuiteText.titled(
                "from when a request was due until its whole answer, in microseconds; c/p is completions a poll",
                Column.table(
                        result.points(),
                        List.of(
                                Column.count("rx", 6, "rx_buffers"),
                                Column.count("tx", 6, "tx_buffers"),
                                Column.count("offered/s", 10, "offered_per_second"),
                                Column.amount("done/s", 10, "achieved_per_second", 0),
                                Column.amount("p50", 9, "p50_us", 1),
                                Column.amount("p90", 9, "p90_us", 1),
                                Column.amount("p99", 9, "p99_us", 1),
                                Column.amount("p99.9", 9, "p999_us", 1),
                                Column.amount("max", 9, "max_us", 1),
                                Column.amount("c/p", 7, "completions_per_poll", 2),
                                Column.amount("there", 7, "server_completions_per_poll", 2),
                                new Column(" ran out", -1, row -> " " + LoadLimit.evidence(row)))));
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        List<String> lines = new ArrayList<>();
        lines.add(SuiteText.ways(result.circumstances()));
        lines.add(text(
                "asked   open loop, %s there and back, every request counted from when it was due%s%s",
                Figures.exactBytes(result.plan().get(NettestValue.SIZE_BYTES)),
                result.plan().get(NettestValue.BUSY_POLL) ? "; the server polls, too" : "",
                SuiteText.partial(result)));
        lines.add(text(
                "closed  %.0f requests a second with the largest pools",
                result.figures().amount("closed_loop_per_second")));
        for (JsonObject pool : result.figures().rows("pools")) {
            lines.add(text(
                    "pool    %d rx, %d tx: %s",
                    pool.count("rx_buffers"), pool.count("tx_buffers"), pool.text("sentence")));
        }
        return lines;
    }

    @Override
    public String curve(JsonObject point) {
        return SuiteText.words(pool(point, "rx"), pool(point, "tx"));
    }

    private static String pool(JsonObject point, String word) {
        String count = point.text(word + "_buffers");
        return count.isEmpty() ? "" : count + " " + word;
    }
}
