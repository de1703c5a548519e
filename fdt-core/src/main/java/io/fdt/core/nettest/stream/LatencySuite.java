package io.fdt.core.nettest.stream;

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
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.SuiteText;
import io.fdt.core.plan.Value;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import java.nio.ByteBuffer;
import java.util.List;

/** Messages of each size there and back, one at a time, over a lane or a queue pair. */
public final class LatencySuite extends Suite {
    public static final Suite LATENCY = new LatencySuite();

    private LatencySuite() {
        super(
                "latency",
                List.of(NettestValue.SIZES, NettestValue.ITERATIONS, NettestValue.BUSY_POLL, NettestValue.QUEUES),
                "what,size_bytes,iterations," + Csv.LATENCIES,
                List.of(
                        new Plot(Plot.PlotKind.PERCENTILES, "Latency by percentile", "percentile", Plot.PERCENTILES),
                        new Plot(
                                Plot.PlotKind.DISTRIBUTION,
                                "Distribution of latency (CDF)",
                                "share that took no longer"),
                        new Plot(Plot.PlotKind.HISTOGRAM, "Histogram of latency", "share of all, by bucket"),
                        new Plot(
                                Plot.PlotKind.LATENCY_BY_SIZE,
                                "Latency by message size",
                                "message size",
                                "mean_us",
                                "p50_us",
                                "p99_us")));
    }

    @Override
    public void check(NettestPlan plan) {
        if (plan.find(NettestValue.QUEUES) != null && plan.mostBytes() > QueueUse.MAX_MESSAGE_BYTES) {
            throw Cause.USAGE.failure("--qp supports messages of up to 4MiB; use smaller --sizes");
        }
    }

    @Override
    public boolean hasHistograms() {
        return true;
    }

    /** Uncounted round trips of each size before the counted ones. */
    static long warmUps(NettestPlan plan) {
        return Math.min(20_000, Math.max(10, plan.get(NettestValue.ITERATIONS) / 10));
    }

    @Override
    public void putOption(NettestPlan plan, Value<?> value, JsonObject into) {
        QueueUse queues = plan.find(NettestValue.QUEUES);
        if (value != NettestValue.QUEUES) {
            plan.put(value, into);
        } else if (queues != null) {
            into.with("qp", queues.word()).with("inline", queues.inlineBytes());
        }
        if (value == NettestValue.ITERATIONS) {
            into.with("warm_ups", warmUps(plan));
        }
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return new LatencyClient(plan);
    }

    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        QueueUse queues = plan.find(NettestValue.QUEUES);
        return queues != null
                ? (index, lane) -> new QueueAnsweringLane(lane, queues, plan.mostBytes())
                : AnsweringLane.side(plan, new Pongs(plan), plan.mostBytes());
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        QueueUse queues = plan.find(NettestValue.QUEUES);
        return queues != null
                ? QueueMessages.memoryBytes(queues, plan.mostBytes())
                : AnsweringLane.memoryBytes(plan, plan.mostBytes());
    }

    /** Answers with the same length: both sides know the number of messages of each size. */
    private static final class Pongs implements Answers {
        private final List<Integer> sizes;
        private final long messages;
        private int round;
        private long left;

        Pongs(NettestPlan plan) {
            this.sizes = plan.get(NettestValue.SIZES);
            this.messages = warmUps(plan) + plan.get(NettestValue.ITERATIONS);
            this.left = messages;
        }

        @Override
        public int requestBytes() {
            return round < sizes.size() ? sizes.get(round) : 0;
        }

        @Override
        public int answerBytes(ByteBuffer head) {
            int bytes = sizes.get(round);
            left--;
            if (left == 0) {
                round++;
                left = messages;
            }
            return bytes;
        }
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        QueueUse queues = plan.find(NettestValue.QUEUES);
        return "latency to " + peer + ", " + Figures.count(plan.get(NettestValue.ITERATIONS), "round trip")
                + " of each of " + Figures.count(plan.get(NettestValue.SIZES).size(), "size") + " over " + transport
                + (queues == null ? "" : ", by " + words(queues));
    }

    private static String words(QueueUse queues) {
        return queues.kind() == QueueKind.DATAGRAM ? "datagrams of a queue pair" : "a reliable queue pair";
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return Suite.some(plan, "iterations");
    }

    @Override
    public List<String> tables(NettestResult result) {
        return SuiteText.titled(
                "round trips (RTT, there and back, not RTT/2), in microseconds",
                Column.table(
                        result.points(),
                        Column.withLatencies(
                                9,
                                2,
                                "",
                                new Column("size", 9, row -> Figures.exactBytes(row.count("size_bytes"))),
                                Column.count("round trips", 11, "iterations"))));
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        NettestPlan plan = result.plan();
        QueueUse queues = plan.find(NettestValue.QUEUES);
        return List.of(
                queues == null ? SuiteText.ways(result.circumstances()) : way(queues, result.figures()),
                "waiting "
                        + (plan.get(NettestValue.BUSY_POLL)
                                ? "by busy polling on both ends"
                                : "in the kernel on both ends"),
                "before  " + warmUps(plan) + " uncounted round trips of each size" + SuiteText.partial(result));
    }

    private static String way(QueueUse queues, JsonObject figures) {
        return "way     " + words(queues) + "; inline are messages of up to " + figures.count("inline_bytes_local")
                + " B from here and " + figures.count("inline_bytes_remote") + " B from there"
                + (queues.kind() == QueueKind.DATAGRAM ? "; " + figures.count("sent_again") + " were sent again" : "");
    }
}
