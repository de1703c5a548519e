package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.ThroughputResult;
import io.fdt.core.nettest.ThroughputResult.Core;
import io.fdt.core.nettest.ThroughputResult.Stream;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A network test for people: the tables of its result on standard output, each second on standard error. */
final class NettestText implements NettestDisplay {
    private final Console console;
    private final boolean verbose;
    private final boolean quiet;
    private boolean ended;

    NettestText(Console console, boolean verbose, boolean quiet) {
        this.console = console;
        this.verbose = verbose;
        this.quiet = quiet;
    }

    @Override
    public synchronized void onStart(String session, NettestPlan plan, String transport, String peer) {
        if (!quiet) {
            console.message("fdt: throughput " + way(plan) + " " + peer + ", "
                    + Figures.count(plan.streams(), "stream")
                    + (plan.direction() == NettestPlan.Direction.BOTH ? " each way" : "")
                    + " over " + transport);
        }
    }

    private static String way(NettestPlan plan) {
        return switch (plan.direction()) {
            case OUT -> "to";
            case IN -> "from";
            case BOTH -> "to and from";
        };
    }

    @Override
    public synchronized void onInterval(ThroughputResult.Interval interval) {
        if (quiet || ended) {
            return;
        }
        console.message(text(
                "%6.1f s  out %8s  in %8s Gbit/s  %d retransmits  RTT %d us  busiest core here %s, there %s",
                interval.t(),
                gigabits(interval.bitsPerSecondOut()),
                gigabits(interval.bitsPerSecondIn()),
                interval.retransmits(),
                interval.rttUs(),
                hottest(interval.busyLocal()),
                hottest(interval.busyRemote())));
        if (verbose) {
            for (int stream = 0; stream < interval.perStream().size(); stream++) {
                console.message(text(
                        "          stream %d  %8s Gbit/s",
                        stream, gigabits(interval.perStream().get(stream))));
            }
        }
    }

    private static String hottest(List<Double> busy) {
        return busy.isEmpty()
                ? "-"
                : percent(busy.stream().mapToDouble(Double::doubleValue).max().orElse(0));
    }

    @Override
    public synchronized void onWarning(String message) {
        if (!quiet && !ended) {
            console.message("fdt: warning: " + message);
        }
    }

    @Override
    public synchronized void onEnd(NettestOutcome outcome) {
        if (ended) {
            return;
        }
        ended = true;
        ThroughputResult result = outcome.result();
        if (result != null) {
            console.data(String.join("\n", lines(result)));
        }
        FailureKind failure = outcome.failure();
        if (failure != null) {
            console.message(failureLine(failure, String.valueOf(outcome.message())));
        }
    }

    /** There is nothing to resume. */
    static String failureLine(FailureKind failure, String message) {
        return switch (failure) {
            case INTERRUPTED, TERMINATED, CONNECTION_LOST -> "fdt: " + message.replace('\n', ' ');
            default -> SummaryText.failureLine(failure, message);
        };
    }

    static List<String> lines(ThroughputResult result) {
        List<String> lines = new ArrayList<>();
        if (!result.perStream().isEmpty()) {
            lines.add("stream  way       Gbit/s     bytes  retransmits    RTT us      cwnd");
        }
        for (Stream each : result.perStream()) {
            lines.add(text(
                    "%6d  %-3s  %11s  %8s  %11d  %8d  %8s",
                    each.stream(),
                    each.out() ? "out" : "in",
                    gigabits(each.bitsPerSecond()),
                    Figures.bytes(each.bytes()),
                    each.retransmits(),
                    each.rttUs(),
                    Figures.bytes(each.cwndBytes())));
        }
        if (!lines.isEmpty()) {
            lines.add("");
        }
        lines.add("core           user  system  softirq  other   idle");
        for (Core core : result.perCore()) {
            lines.add(text(
                    "%-6s %3d  %7s %7s  %7s %6s %6s",
                    core.local() ? "here" : "there",
                    core.core(),
                    percent(core.user()),
                    percent(core.system()),
                    percent(core.softirq()),
                    percent(core.other()),
                    percent(core.idle())));
        }
        lines.add("");
        lines.add("here    " + host(result.local()));
        lines.add("there   " + host(result.remote()));
        lines.add("lanes   " + result.transport() + "; received by " + result.receiveWay());
        lines.add("out     " + Figures.rate(result.bitsPerSecondOut()));
        lines.add("in      " + Figures.rate(result.bitsPerSecondIn()));
        lines.add("sum     " + Figures.rate(result.bitsPerSecond()) + " in "
                + Figures.elapsed((long) (result.seconds() * 1e9))
                + (result.whole() ? "" : ", which is not the whole test"));
        lines.add("CPU     " + processor(result, result.cpuSecondsLocal()) + " here, "
                + processor(result, result.cpuSecondsRemote()) + " there");
        lines.add(
                "limit   " + result.verdict().limit() + ": " + result.verdict().sentence());
        for (String evidence : result.verdict().evidence()) {
            lines.add("        - " + evidence);
        }
        return lines;
    }

    private static String processor(ThroughputResult result, double cpuSeconds) {
        return Double.isFinite(cpuSeconds) ? text("%.3f s a GB", result.perGigabyte(cpuSeconds)) : "unknown";
    }

    /** What a host says of itself is for people, too, but comes from the peer. */
    private static String host(HostFacts facts) {
        if (facts.cores() == 0) {
            return UserText.visible(facts.host()) + ", which did not tell more";
        }
        String nic = facts.nic().isEmpty()
                ? "unknown interface"
                : facts.nic()
                        + (facts.nicBitsPerSecond() > 0
                                ? " at " + gigabits((double) facts.nicBitsPerSecond()) + " Gbit/s"
                                : " without a speed");
        return UserText.visible(facts.host() + ", " + facts.cpu() + ", " + facts.cores() + " cores"
                + (facts.allowedCores() < facts.cores() ? " of which " + facts.allowedCores() + " are allowed" : "")
                + ", Linux " + facts.kernel() + ", " + nic + ", " + facts.software());
    }

    private static String gigabits(double bitsPerSecond) {
        return text("%.2f", bitsPerSecond / 1e9);
    }

    private static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
