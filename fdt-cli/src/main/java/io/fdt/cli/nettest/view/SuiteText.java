package io.fdt.cli.nettest.view;

import io.fdt.core.Figures;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DeviceQueues.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The sentences about a network test: its start, its progress, and the lines below its tables. */
public final class SuiteText {
    private static final String PARTIAL = "; this is not the whole test";

    private SuiteText() {}

    /** The line that announces the test. */
    public static String startLine(NettestPlan plan, String transport, String peer) {
        String over = " over " + transport;
        return switch (plan.suite()) {
            case THROUGHPUT ->
                "throughput " + way(plan.get(PlanValue.DIRECTION)) + " " + peer + ", "
                        + Figures.count(plan.streams(), "stream")
                        + (plan.get(PlanValue.DIRECTION) == Direction.BOTH ? " each way" : "") + over;
            case SWEEP ->
                "sweep to " + peer + ", bursts of " + Figures.count(plan.get(PlanValue.MESSAGES), "message") + ", "
                        + sizes(plan) + over;
            case LATENCY -> {
                QueueUse queues = plan.find(PlanValue.QUEUES);
                yield "latency to " + peer + ", " + Figures.count(plan.get(PlanValue.ITERATIONS), "round trip")
                        + " of each of " + sizes(plan) + over + (queues == null ? "" : ", by " + words(queues));
            }
            case RPC -> "rpc to " + peer + ", " + sizes(plan) + ", " + Figures.count(plan.streams(), "lane") + over;
            case OBJECTS ->
                "objects " + (plan.get(PlanValue.OP) == Op.WRITE ? "written to " : "read from ") + peer + ", "
                        + plan.streams() + " at a time" + over
                        + (plan.get(PlanValue.DURABLE) == Durable.LOG ? ", through its log" : "")
                        + (plan.get(PlanValue.READS) == Reads.RDMA ? ", past its processor" : "");
            case LOAD ->
                "load to " + peer + ", " + Figures.exactBytes(plan.get(PlanValue.SIZE_BYTES)) + " each way, "
                        + Figures.count(plan.loadSteps() / plan.stepsEach(), "pool") + " of "
                        + Figures.count(plan.stepsEach(), "step") + over;
        };
    }

    private static String sizes(NettestPlan plan) {
        return Figures.count(plan.get(PlanValue.SIZES).size(), "size");
    }

    private static String way(Direction direction) {
        return switch (direction) {
            case OUT -> "to";
            case IN -> "from";
            case BOTH -> "to and from";
        };
    }

    private static String words(QueueUse queues) {
        return queues.kind() == Kind.DATAGRAM ? "datagrams of a queue pair" : "a reliable queue pair";
    }

    /** The plan, as in the line of type {@code start}. */
    public static NamedFigures start(NettestPlan plan) {
        NamedFigures start = new NamedFigures();
        NamedFigures options = plan.options();
        List<String> names = switch (plan.suite()) {
            case THROUGHPUT -> List.of("direction", "streams");
            case SWEEP -> List.of("messages");
            case LATENCY -> List.of("iterations");
            case RPC -> List.of("concurrent");
            case OBJECTS -> List.of("op", "durable", "reads", "concurrent");
            case LOAD -> List.of();
        };
        names.stream()
                .filter(options::has)
                .forEach(name -> start.with(name, options.values().get(name)));
        return switch (plan.suite()) {
            case RPC -> start.with("servers", plan.servers().size());
            case LOAD -> start.with("steps", plan.loadSteps());
            default -> start;
        };
    }

    /** The lines about a second. */
    public static List<String> lines(NamedFigures second, boolean verbose) {
        String t = text("%6.1f s  ", second.amount("t"));
        if (second.has("bits_per_second_out")) {
            List<String> lines = new ArrayList<>();
            lines.add(t
                    + text(
                            "out %8s  in %8s Gbit/s%s  busiest core here %s, there %s",
                            gigabits(second.amount("bits_per_second_out")),
                            gigabits(second.amount("bits_per_second_in")),
                            second.has("retransmits")
                                    ? text(
                                            "  %d retransmits  RTT %d us",
                                            second.count("retransmits"), second.count("rtt_us"))
                                    : "",
                            hottest(second.amounts("per_core_local")),
                            hottest(second.amounts("per_core_remote"))));
            int stream = 0;
            for (double bits : verbose ? second.amounts("per_stream") : List.<Double>of()) {
                lines.add(text("          stream %d  %8s Gbit/s", stream++, gigabits(bits)));
            }
            return lines;
        }
        long done = second.count("done");
        if (second.has("round")) {
            return List.of(t
                    + text(
                            "%d of %d, size %s: %d%s",
                            second.count("round"),
                            second.count("rounds"),
                            Figures.exactBytes(second.count("size_bytes")),
                            done,
                            second.count("of") == 0 ? "" : " of " + second.count("of")));
        }
        if (!second.has("step")) {
            return List.of(t + text("%10.0f operations/s", second.amount("per_second")));
        }
        return List.of(
                second.count("step") == 0
                        ? t + text("finding out what the path can do: %d done", done)
                        : t
                                + text(
                                        "step %d of %d, %d rx, %d tx, %d a second: %d done",
                                        second.count("step"),
                                        second.count("steps"),
                                        second.count("rx_buffers"),
                                        second.count("tx_buffers"),
                                        second.count("offered_per_second"),
                                        done));
    }

    private static String hottest(List<Double> busy) {
        return busy.isEmpty()
                ? "-"
                : percent(busy.stream().mapToDouble(Double::doubleValue).max().orElse(0));
    }

    /** The lines below the tables. */
    public static List<String> conclusion(NettestResult result) {
        NettestPlan plan = result.plan();
        NamedFigures figures = result.figures();
        String partial = result.whole() ? "" : PARTIAL;
        return switch (plan.suite()) {
            case THROUGHPUT -> throughput(result);
            case SWEEP ->
                List.of(
                        ways(result.circumstances()),
                        "bursts  of " + Figures.count(plan.get(PlanValue.MESSAGES), "message")
                                + ", each with one acknowledgement; blocking is a call a message, nonblocking many a"
                                + " call" + partial);
            case LATENCY ->
                List.of(
                        queues(result),
                        "waiting "
                                + (plan.get(PlanValue.BUSY_POLL)
                                        ? "by busy polling on both ends"
                                        : "in the kernel on both ends"),
                        "before  " + plan.warmUps() + " uncounted round trips of each size" + partial);
            case RPC ->
                List.of(
                        ways(result.circumstances()),
                        "asked   " + Figures.count(plan.streams(), "lane")
                                + (plan.servers().size() > 1
                                        ? " to " + plan.servers().size() + " servers"
                                        : "")
                                + " with one request of "
                                + Figures.exactBytes(plan.get(PlanValue.REQUEST_BYTES)) + " at a time"
                                + (plan.get(PlanValue.BUSY_POLL) ? ", busy polling" : "") + partial,
                        "        The loop is closed: a slow answer delays the next request instead of hiding behind it,"
                                + " so there is",
                        "        no coordinated omission to correct; it does not say how requests wait that come by"
                                + " themselves.");
            case OBJECTS -> {
                String test = text(
                        "test    %s%s of %d objects with keys of %d bytes, %d at a time, each answer checked%s",
                        plan.options().text("op"),
                        plan.get(PlanValue.READS) == Reads.RDMA ? " by RDMA out of the server's memory" : "",
                        figures.count("objects_held"),
                        plan.get(PlanValue.KEY_BYTES),
                        plan.streams(),
                        result.whole() ? "" : ", which is not the whole test");
                yield plan.get(PlanValue.DURABLE) == Durable.MEMORY
                        ? List.of(test)
                        : List.of(
                                test,
                                text(
                                        "log     %d objects were in it before; %d writes in it now, %d flushes in this"
                                                + " test",
                                        figures.count("objects_kept"),
                                        figures.count("log_records"),
                                        figures.count("log_flushes")));
            }
            case LOAD -> load(result, partial);
        };
    }

    private static List<String> throughput(NettestResult result) {
        NamedFigures figures = result.figures();
        int warmUpMs = result.plan().get(PlanValue.WARM_UP);
        NamedFigures verdict = figures.part("verdict");
        List<String> lines = new ArrayList<>();
        lines.add("taken   by " + figures.text("receive"));
        lines.add("out     " + Figures.rate(figures.amount("bits_per_second_out")));
        lines.add("in      " + Figures.rate(figures.amount("bits_per_second_in")));
        lines.add("sum     " + Figures.rate(figures.amount("bits_per_second")) + " in "
                + Figures.elapsed((long) (result.seconds() * 1e9))
                + (warmUpMs > 0 ? ", after " + Figures.exactTimeMs(warmUpMs) + " that do not count" : "")
                + (result.whole() ? "" : ", which is not the whole test"));
        lines.add("CPU     " + processor(figures, "local") + " here, " + processor(figures, "remote") + " there");
        lines.add("limit   " + verdict.text("limit") + ": " + verdict.text("sentence"));
        verdict.texts("evidence").forEach(evidence -> lines.add("        - " + evidence));
        return lines;
    }

    private static String processor(NamedFigures figures, String side) {
        String name = "cpu_seconds_per_gb_" + side;
        return figures.has(name) ? text("%.3f s a GB", figures.amount(name)) : "unknown";
    }

    private static List<String> load(NettestResult result, String partial) {
        List<String> lines = new ArrayList<>();
        lines.add(ways(result.circumstances()));
        lines.add(text(
                "asked   open loop, %s there and back, every request counted from when it was due%s%s",
                Figures.exactBytes(result.plan().get(PlanValue.SIZE_BYTES)),
                result.plan().get(PlanValue.BUSY_POLL) ? "; the server polls, too" : "",
                partial));
        lines.add(text(
                "closed  %.0f requests a second with the largest pools",
                result.figures().amount("closed_loop_per_second")));
        for (NamedFigures pool : result.figures().rows("pools")) {
            lines.add(text(
                    "pool    %d rx, %d tx: %s",
                    pool.count("rx_buffers"), pool.count("tx_buffers"), pool.text("sentence")));
        }
        return lines;
    }

    private static String queues(NettestResult result) {
        QueueUse use = result.plan().find(PlanValue.QUEUES);
        NamedFigures figures = result.figures();
        if (use == null) {
            return ways(result.circumstances());
        }
        return "way     " + words(use) + "; inline are messages of up to " + figures.count("inline_bytes_local")
                + " B from here and " + figures.count("inline_bytes_remote") + " B from there"
                + (use.kind() == Kind.DATAGRAM ? "; " + figures.count("sent_again") + " were sent again" : "");
    }

    /** How each side moved the bytes. */
    private static String ways(Circumstances circumstances) {
        String here = words(circumstances.wayLocal());
        String there = words(circumstances.wayRemote());
        return "way     " + (here.equals(there) ? here + " on both ends" : here + " here, " + there + " there");
    }

    private static String words(LaneMode way) {
        return switch (way) {
            case DIRECT -> "system calls of the lane's own thread";
            case BLOCKS -> "blocks through the engine";
            case UNKNOWN -> "unknown";
        };
    }

    public static String gigabits(double bitsPerSecond) {
        return text("%.2f", bitsPerSecond / 1e9);
    }

    static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
