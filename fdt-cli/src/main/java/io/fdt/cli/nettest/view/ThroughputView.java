package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.ThroughputResult;
import io.fdt.core.nettest.ThroughputResult.Core;
import io.fdt.core.nettest.ThroughputResult.Interval;
import io.fdt.core.nettest.ThroughputResult.Stream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The result of a throughput test: streams, cores, sums and the verdict. */
final class ThroughputView implements ResultView {
    private final ThroughputResult result;

    ThroughputView(ThroughputResult result) {
        this.result = result;
    }

    @Override
    public void writeJson(JsonLine line) throws IOException {
        line.text("receive", result.receiveWay());
        line.text("via", result.receiveWay().equals("engine") ? "engine" : "lanes");
        line.number("streams", result.plan().streams());
        line.fraction("bits_per_second_out", result.bitsPerSecondOut(), 1);
        line.fraction("bits_per_second_in", result.bitsPerSecondIn(), 1);
        line.fraction("bits_per_second", result.bitsPerSecond(), 1);
        line.number("bytes_out", result.bytesOut());
        line.number("bytes_in", result.bytesIn());
        line.fraction("cpu_seconds_per_gb_local", result.perGigabyte(result.cpuSecondsLocal()), 4);
        line.fractionIfKnown("cpu_seconds_per_gb_remote", result.perGigabyte(result.cpuSecondsRemote()), 4);
        line.startObjects("per_stream");
        for (Stream stream : result.perStream()) {
            write(line, stream);
        }
        line.endObjects();
        line.startObjects("per_core");
        for (Core core : result.perCore()) {
            write(line, core);
        }
        line.endObjects();
        line.startObjects("intervals");
        for (Interval interval : result.intervals()) {
            line.startObject();
            write(line, interval);
            line.endObject();
        }
        line.endObjects();
        line.startObject("verdict");
        line.text("limit", result.verdict().limit());
        line.text("sentence", result.verdict().sentence());
        line.texts("evidence", result.verdict().evidence());
        line.endObject();
    }

    @Override
    public void writeSummary(JsonLine line) throws IOException {
        line.number("bytes", result.bytesOut() + result.bytesIn());
        line.fraction("bits_per_second", result.bitsPerSecond(), 1);
        line.text("limit", result.verdict().limit());
    }

    private static void write(JsonLine line, Stream stream) throws IOException {
        line.startObject();
        line.number("stream", stream.stream());
        line.text("direction", stream.out() ? "out" : "in");
        line.number("bytes", stream.bytes());
        line.fraction("bits_per_second", stream.bitsPerSecond(), 1);
        line.numberIfKnown("retransmits", stream.retransmits());
        line.numberIfKnown("rtt_us", stream.rttUs());
        line.numberIfKnown("cwnd_bytes", stream.cwndBytes());
        line.numberIfKnown("window_bytes", stream.windowBytes());
        line.fractionIfKnown("busy", stream.busyShare(), 4);
        line.fractionIfKnown("receiver_limited", stream.receiverLimitedShare(), 4);
        line.fractionIfKnown("buffer_limited", stream.bufferLimitedShare(), 4);
        line.fraction("backlog", stream.backlogShare(), 4);
        line.numberIfKnown("sender_core", stream.senderCore());
        line.numberIfKnown("core", stream.core());
        line.numberIfKnown("incoming_core", stream.incomingCore());
        line.number("incoming_napi_id", stream.incomingQueue());
        line.endObject();
    }

    private static void write(JsonLine line, Core core) throws IOException {
        line.startObject();
        line.text("side", core.local() ? "local" : "remote");
        line.number("core", core.core());
        line.fraction("user", core.user(), 4);
        line.fraction("system", core.system(), 4);
        line.fraction("softirq", core.softirq(), 4);
        line.fraction("other", core.other(), 4);
        line.fraction("idle", core.idle(), 4);
        line.endObject();
    }

    static void write(JsonLine line, Interval interval) throws IOException {
        line.fraction("t", interval.t(), 3);
        line.fraction("bits_per_second_out", interval.bitsPerSecondOut(), 1);
        line.fraction("bits_per_second_in", interval.bitsPerSecondIn(), 1);
        line.numberIfKnown("retransmits", interval.retransmits());
        line.numberIfKnown("rtt_us", interval.rttUs());
        line.fractions("per_stream", interval.perStream(), 1);
        line.fractions("per_core_local", interval.busyLocal(), 4);
        line.fractions("per_core_remote", interval.busyRemote(), 4);
    }

    /** The lines that tell of a second. */
    static List<String> lines(Interval interval, boolean verbose) {
        List<String> lines = new ArrayList<>();
        lines.add(text(
                "%6.1f s  out %8s  in %8s Gbit/s%s  busiest core here %s, there %s",
                interval.t(),
                gigabits(interval.bitsPerSecondOut()),
                gigabits(interval.bitsPerSecondIn()),
                interval.retransmits() < 0
                        ? ""
                        : text("  %d retransmits  RTT %d us", interval.retransmits(), interval.rttUs()),
                hottest(interval.busyLocal()),
                hottest(interval.busyRemote())));
        if (verbose) {
            for (int stream = 0; stream < interval.perStream().size(); stream++) {
                lines.add(text(
                        "          stream %d  %8s Gbit/s",
                        stream, gigabits(interval.perStream().get(stream))));
            }
        }
        return lines;
    }

    private static String hottest(List<Double> busy) {
        return busy.isEmpty()
                ? "-"
                : percent(busy.stream().mapToDouble(Double::doubleValue).max().orElse(0));
    }

    @Override
    public List<String> tables() {
        List<String> lines = new ArrayList<>();
        if (!result.perStream().isEmpty()) {
            lines.add("stream  way       Gbit/s     bytes  retransmits    RTT us      cwnd  cores");
        }
        for (Stream each : result.perStream()) {
            lines.add(text(
                    "%6d  %-3s  %11s  %8s  %11s  %8s  %8s  %s",
                    each.stream(),
                    each.out() ? "out" : "in",
                    gigabits(each.bitsPerSecond()),
                    Figures.bytes(each.bytes()),
                    each.hasTcp() ? each.retransmits() : "-",
                    each.hasTcp() ? each.rttUs() : "-",
                    each.hasTcp() ? Figures.bytes(each.cwndBytes()) : "-",
                    cores(each)));
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
        return lines;
    }

    /** The way through the cores: the sender's, the one that took the packets in, the receiver's. */
    private static String cores(Stream stream) {
        return core(stream.senderCore()) + " > " + core(stream.incomingCore()) + " > " + core(stream.core());
    }

    private static String core(int core) {
        return core < 0 ? "-" : String.valueOf(core);
    }

    @Override
    public List<String> conclusion() {
        List<String> lines = new ArrayList<>();
        lines.add("taken   by " + result.receiveWay());
        lines.add("out     " + Figures.rate(result.bitsPerSecondOut()));
        lines.add("in      " + Figures.rate(result.bitsPerSecondIn()));
        lines.add("sum     " + Figures.rate(result.bitsPerSecond()) + " in "
                + Figures.elapsed((long) (result.seconds() * 1e9))
                + (result.plan().warmUpMs() > 0
                        ? ", after " + Figures.exactTimeMs(result.plan().warmUpMs()) + " that do not count"
                        : "")
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

    @Override
    public List<String> csv() {
        return ThroughputCsv.lines(result);
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
