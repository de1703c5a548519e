package io.fdt.core.nettest.stream;

import static io.fdt.core.basic.Figures.text;
import static io.fdt.core.nettest.SuiteText.gigabits;
import static io.fdt.core.nettest.SuiteText.percent;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Column;
import io.fdt.core.nettest.Csv;
import io.fdt.core.nettest.LaneBytes;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestResult.Headline;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plot;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Each lane carries bytes in one direction, as many as possible. */
public final class ThroughputSuite extends Suite {
    public static final Suite THROUGHPUT = new ThroughputSuite();

    private static final long DEFAULT_TIMEOUT_MS = 30_000;

    private ThroughputSuite() {
        super(
                "throughput",
                List.of(
                        NettestValue.DIRECTION,
                        NettestValue.STREAMS,
                        NettestValue.DURATION,
                        NettestValue.WARM_UP,
                        NettestValue.BLOCK_BYTES,
                        NettestValue.RECEIVE),
                "row,seconds,stream,direction,bytes,bits_per_second_out,bits_per_second_in,retransmits,rtt_us,"
                        + "cwnd_bytes",
                List.of(new Plot(Plot.PlotKind.STREAMS, "Throughput", "Gbit/s")));
    }

    /** A plan for this many streams over TCP without encryption, whose received data is dropped. */
    public static NettestPlan plan(String host, int port, int streams, Direction direction, Duration duration) {
        return NettestPlan.of(THROUGHPUT, new NettestPath(host, port, true, List.of(), DEFAULT_TIMEOUT_MS))
                .with(NettestValue.STREAMS, streams)
                .with(NettestValue.DIRECTION, direction)
                .with(NettestValue.DURATION, (int) duration.toMillis());
    }

    @Override
    public boolean isOfStreams() {
        return true;
    }

    @Override
    public long limitMs(NettestPlan plan) {
        return (long) plan.get(NettestValue.WARM_UP) + plan.get(NettestValue.DURATION);
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return new ThroughputClient(plan);
    }

    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        return lanes(plan, false);
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        long blockBytes = LaneBytes.allocated(plan.get(NettestValue.BLOCK_BYTES));
        return blockBytes + plan.lanesOut() * ReceivingLane.memoryBytes(plan);
    }

    /** The lanes of one side. Those that send share their memory. */
    static SuiteSide lanes(NettestPlan plan, boolean client) {
        int blockBytes = plan.get(NettestValue.BLOCK_BYTES);
        LaneBytes source = new LaneBytes(blockBytes);
        return (index, lane) -> (index < plan.lanesOut()) == client
                ? new SendingLane(lane, source, blockBytes)
                : new ReceivingLane(lane, blockBytes, plan.get(NettestValue.RECEIVE) == Receive.COPY);
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        Direction direction = plan.get(NettestValue.DIRECTION);
        return "throughput " + way(direction) + " " + peer + ", " + Figures.count(plan.streams(), "stream")
                + (direction == Direction.BOTH ? " each way" : "") + " over " + transport;
    }

    private static String way(Direction direction) {
        return switch (direction) {
            case OUT -> "to";
            case IN -> "from";
            case BOTH -> "to and from";
        };
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return Suite.some(plan, "direction", "streams");
    }

    @Override
    public List<String> lines(JsonObject second, boolean verbose) {
        List<String> lines = new ArrayList<>();
        lines.add(text(
                "out %8s  in %8s Gbit/s%s  busiest core here %s, there %s",
                gigabits(second.amount("bits_per_second_out")),
                gigabits(second.amount("bits_per_second_in")),
                second.has("retransmits")
                        ? text("  %d retransmits  RTT %d us", second.count("retransmits"), second.count("rtt_us"))
                        : "",
                hottest(second.amounts("per_core_local")),
                hottest(second.amounts("per_core_remote"))));
        int stream = 0;
        for (double bits : verbose ? second.amounts("per_stream") : List.<Double>of()) {
            lines.add(text("          stream %d  %8s Gbit/s", stream++, gigabits(bits)));
        }
        return lines;
    }

    private static String hottest(List<Double> busy) {
        return busy.isEmpty()
                ? "-"
                : percent(busy.stream().mapToDouble(Double::doubleValue).max().orElse(0));
    }

    @Override
    public List<String> tables(NettestResult result) {
        JsonObject figures = result.figures();
        List<String> lines = new ArrayList<>();
        if (!figures.rows("per_stream").isEmpty()) {
            lines.addAll(Column.table(
                    figures.rows("per_stream"),
                    List.of(
                            Column.count("stream", 6, "stream"),
                            new Column(" way", -4, row -> " " + row.text("direction")),
                            new Column("Gbit/s", 12, row -> gigabits(row.amount("bits_per_second"))),
                            new Column("bytes", 9, row -> Figures.bytes(row.count("bytes"))),
                            Column.count("retransmits", 12, "retransmits"),
                            Column.count("RTT us", 9, "rtt_us"),
                            new Column(
                                    "cwnd",
                                    9,
                                    row -> row.has("cwnd_bytes") ? Figures.bytes(row.count("cwnd_bytes")) : "-"),
                            new Column(" cores", -1, ThroughputSuite::cores))));
            lines.add("");
        }
        lines.addAll(Column.table(
                figures.rows("per_core"),
                List.of(
                        new Column("core", -6, row -> row.text("side").equals("local") ? "here" : "there"),
                        Column.count("", 3, "core"),
                        Column.share("user", 8, "user"),
                        Column.share("system", 7, "system"),
                        Column.share("softirq", 8, "softirq"),
                        Column.share("other", 6, "other"),
                        Column.share("idle", 6, "idle"))));
        return lines;
    }

    /** The cores on the path: the sender's, the one that processed the packets, the receiver's. */
    private static String cores(JsonObject stream) {
        return Stream.of("sender_core", "incoming_core", "core")
                .map(name -> stream.has(name) ? String.valueOf(stream.count(name)) : "-")
                .collect(Collectors.joining(" > ", " ", ""));
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        JsonObject figures = result.figures();
        int warmUpMs = result.plan().get(NettestValue.WARM_UP);
        JsonObject verdict = figures.part("verdict");
        List<String> lines = new ArrayList<>();
        String receive = figures.text("receive");
        boolean discarded = receive.equals("discard");
        lines.add("sum     " + Figures.rate(figures.amount("bits_per_second")) + " in "
                + Figures.elapsed((long) (result.seconds() * 1e9))
                + (warmUpMs > 0 ? ", after " + Figures.exactTimeMs(warmUpMs) + " that do not count" : "")
                + (discarded ? ", discarded" : "")
                + (result.whole() ? "" : ", which is not the whole test"));
        lines.add("out     " + Figures.rate(figures.amount("bits_per_second_out")));
        lines.add("in      " + Figures.rate(figures.amount("bits_per_second_in")));
        lines.add("limit   " + verdict.text("sentence"));
        verdict.texts("evidence").forEach(evidence -> lines.add("        - " + evidence));
        lines.add("CPU     " + processor(figures, "local") + " here, " + processor(figures, "remote") + " there");
        lines.add("receive " + receive
                + (discarded ? ": the kernel drops what arrives; --receive copy copies it to the program" : ""));
        return lines;
    }

    private static String processor(JsonObject figures, String side) {
        String name = "cpu_seconds_per_gb_" + side;
        return figures.has(name) ? text("%.3f s a GB", figures.amount(name)) : "unknown";
    }

    /**
     * A row for every second, a row for every stream, and the sum, distinguished by the first column. Figures that only
     * TCP has are empty for other lanes, and where they are unknown.
     */
    @Override
    public List<String> csv(NettestResult result) {
        JsonObject figures = result.figures();
        List<String> lines = new ArrayList<>(List.of(csvColumns()));
        for (JsonObject each : figures.rows("intervals")) {
            lines.add(text("interval,%.3f,,,,", each.amount("t")) + rates(each) + "," + Csv.cell(each, "retransmits")
                    + "," + Csv.cell(each, "rtt_us") + ",");
        }
        List<JsonObject> streams = figures.rows("per_stream");
        for (JsonObject each : streams) {
            double bits = each.amount("bits_per_second");
            boolean out = each.text("direction").equals("out");
            lines.add(text(
                    "stream,%.3f,%d,%s,%d,%.0f,%.0f,%s,%s,%s",
                    result.seconds(),
                    each.count("stream"),
                    each.text("direction"),
                    each.count("bytes"),
                    out ? bits : 0,
                    out ? 0 : bits,
                    Csv.cell(each, "retransmits"),
                    Csv.cell(each, "rtt_us"),
                    Csv.cell(each, "cwnd_bytes")));
        }
        // A test of the engine has no streams.
        boolean known = !streams.isEmpty() && streams.stream().allMatch(each -> each.has("retransmits"));
        lines.add(text("sum,%.3f,,,%d,", result.seconds(), figures.count("bytes_out") + figures.count("bytes_in"))
                + rates(figures) + "," + (known ? figures.sum("per_stream", "retransmits") : "") + ",,");
        return lines;
    }

    private static String rates(JsonObject row) {
        return text("%.0f,%.0f", row.amount("bits_per_second_out"), row.amount("bits_per_second_in"));
    }

    @Override
    public List<Headline> headlines(NettestResult result) {
        List<Headline> lines = new ArrayList<>();
        if (result.plan().lanesOut() > 0) {
            lines.add(Headline.ofWay(result, "out"));
        }
        if (result.plan().lanesIn() > 0) {
            lines.add(Headline.ofWay(result, "in"));
        }
        return lines;
    }
}
