package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.ThroughputResult;
import io.fdt.core.nettest.ThroughputResult.Core;
import io.fdt.core.nettest.ThroughputResult.Interval;
import io.fdt.core.nettest.ThroughputResult.Stream;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A network test as JSON lines on standard output, with what ended it early on standard error as well. The line of type
 * {@code result} stands by itself: whoever has only that can tell what was measured, how and where. Keys are public: they may
 * become more, and keep their meaning.
 */
final class NettestJson implements NettestDisplay {
    private static final int FORMAT = 1;

    private final Console console;
    private boolean ended;

    NettestJson(Console console) {
        this.console = console;
    }

    @Override
    public synchronized void onStart(String session, NettestPlan plan, String transport, String peer) {
        print("start", line -> {
            line.text("session", session);
            line.text("suite", "throughput");
            line.text("direction", word(plan.direction()));
            line.number("streams", plan.streams());
            line.text("transport", transport);
            line.text("peer", peer);
        });
    }

    @Override
    public synchronized void onInterval(Interval interval) {
        print("interval", line -> write(line, interval));
    }

    @Override
    public synchronized void onWarning(String message) {
        print("warning", line -> line.text("message", message));
    }

    @Override
    public synchronized void onEnd(NettestOutcome outcome) {
        if (ended) {
            return;
        }
        ThroughputResult result = outcome.result();
        if (result != null) {
            print("result", line -> write(line, result));
        }
        FailureKind failure = outcome.failure();
        if (failure != null) {
            String message = String.valueOf(outcome.message());
            JsonDisplay.printError(console, failure, message);
            console.message(NettestText.failureLine(failure, message));
        }
        print("summary", line -> {
            line.text("outcome", word(failure));
            line.number("exit_code", outcome.exitCode());
            line.text("suite", "throughput");
            line.number("bytes", result == null ? 0 : result.bytesOut() + result.bytesIn());
            line.fraction("seconds", Math.max(0, outcome.elapsedNanos()) / 1e9, 6);
            line.fraction("bits_per_second", result == null ? 0 : result.bitsPerSecond(), 1);
            line.text("limit", result == null ? null : result.verdict().limit());
            line.text("session", outcome.session());
        });
        ended = true;
    }

    private static void write(JsonLine line, ThroughputResult result) throws IOException {
        line.text("suite", "throughput");
        line.number("version", FORMAT);
        line.text("at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        line.text("software", result.local().software());
        line.text("transport", "tcp");
        line.text("lanes", result.transport());
        line.text("receive", result.receiveWay());
        line.flag("whole", result.whole());
        writeHost(line, "local", result.local());
        writeHost(line, "remote", result.remote());
        line.text("via", result.receiveWay().equals("engine") ? "engine" : "lanes");
        writeOptions(line, result.plan());
        line.number("streams", result.plan().streams());
        line.fraction("bits_per_second_out", result.bitsPerSecondOut(), 1);
        line.fraction("bits_per_second_in", result.bitsPerSecondIn(), 1);
        line.fraction("bits_per_second", result.bitsPerSecond(), 1);
        line.number("bytes_out", result.bytesOut());
        line.number("bytes_in", result.bytesIn());
        line.fraction("cpu_seconds_local", result.cpuSecondsLocal(), 2);
        line.fractionIfKnown("cpu_seconds_remote", result.cpuSecondsRemote(), 2);
        line.fraction("cpu_seconds_per_gb_local", result.perGigabyte(result.cpuSecondsLocal()), 4);
        line.fractionIfKnown("cpu_seconds_per_gb_remote", result.perGigabyte(result.cpuSecondsRemote()), 4);
        line.fraction("seconds", result.seconds(), 6);
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

    private static void writeHost(JsonLine line, String key, HostFacts host) throws IOException {
        line.startObject(key);
        line.text("host", host.host());
        line.text("cpu", host.cpu());
        line.number("cores", host.cores());
        line.number("allowed_cores", host.allowedCores());
        line.text("kernel", host.kernel());
        line.text("nic", host.nic());
        line.number("nic_bits_per_second", host.nicBitsPerSecond());
        line.text("software", host.software());
        line.endObject();
    }

    private static void writeOptions(JsonLine line, NettestPlan plan) throws IOException {
        line.startObject("options");
        line.text("server", plan.host() + ":" + plan.port());
        line.text("direction", word(plan.direction()));
        line.number("streams", plan.streams());
        line.fraction("duration_seconds", plan.durationMs() / 1e3, 3);
        line.number("block_bytes", plan.blockBytes());
        line.text("receive", plan.receive().name().toLowerCase(Locale.ROOT));
        line.flag("tls", !plan.clear());
        line.texts(
                "bind",
                plan.localAddresses().stream().map(InetAddress::getHostAddress).toList());
        line.endObject();
    }

    private static void write(JsonLine line, Stream stream) throws IOException {
        line.startObject();
        line.number("stream", stream.stream());
        line.text("direction", stream.out() ? "out" : "in");
        line.number("bytes", stream.bytes());
        line.fraction("bits_per_second", stream.bitsPerSecond(), 1);
        line.number("retransmits", stream.retransmits());
        line.number("rtt_us", stream.rttUs());
        line.number("cwnd_bytes", stream.cwndBytes());
        line.number("window_bytes", stream.windowBytes());
        line.fraction("busy", stream.busyShare(), 4);
        line.fraction("receiver_limited", stream.receiverLimitedShare(), 4);
        line.fraction("buffer_limited", stream.bufferLimitedShare(), 4);
        line.fraction("backlog", stream.backlogShare(), 4);
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

    private static void write(JsonLine line, Interval interval) throws IOException {
        line.fraction("t", interval.t(), 3);
        line.fraction("bits_per_second_out", interval.bitsPerSecondOut(), 1);
        line.fraction("bits_per_second_in", interval.bitsPerSecondIn(), 1);
        line.number("retransmits", interval.retransmits());
        line.number("rtt_us", interval.rttUs());
        line.fractions("per_stream", interval.perStream(), 1);
        line.fractions("per_core_local", interval.busyLocal(), 4);
        line.fractions("per_core_remote", interval.busyRemote(), 4);
    }

    private static String word(NettestPlan.Direction direction) {
        return direction.name().toLowerCase(Locale.ROOT);
    }

    /** {@code ok}, {@code failed} or {@code interrupted}. */
    private static String word(@Nullable FailureKind failure) {
        if (failure == null) {
            return "ok";
        }
        return failure == FailureKind.INTERRUPTED || failure == FailureKind.TERMINATED ? "interrupted" : "failed";
    }

    private void print(String type, JsonLine.Body body) {
        if (!ended) {
            console.data(JsonLine.of(type, body));
        }
    }
}
