package io.fdt.cli.nettest;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.cli.display.SummaryText;
import io.fdt.cli.nettest.view.FiguresJson;
import io.fdt.cli.nettest.view.SuiteText;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.Word;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.Summary;
import io.fdt.core.wire.NettestMessage.Suite;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Displays a network test as JSON lines on standard output; a failure also on standard error. The line of type {@code
 * result} is complete by itself: it contains what was measured, how and where. Keys are public: keys may be added, and
 * keep their meaning.
 */
final class NettestJson implements NettestDisplay {
    private static final int FORMAT = 1;

    private final Console console;
    private final String suite;

    NettestJson(Console console, Suite suite) {
        this.console = console;
        this.suite = Word.of(suite);
    }

    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        print("start", line -> {
            line.text("session", session);
            line.text("suite", suite);
            FiguresJson.write(line, SuiteText.start(plan));
            line.text("transport", transport);
            line.text("peer", peer);
        });
    }

    @Override
    public void onInterval(NamedFigures progress) {
        print("interval", line -> FiguresJson.write(line, progress));
    }

    @Override
    public void onWarning(String message) {
        print("warning", line -> line.text("message", message));
    }

    @Override
    public void onEnd(NettestOutcome outcome) {
        NettestResult result = outcome.result();
        if (result != null) {
            console.data(resultLine(result));
        }
        FailureKind failure = outcome.failure();
        if (failure != null) {
            String message = String.valueOf(outcome.message());
            JsonDisplay.printError(console, failure, message);
            console.failure(SummaryText.failureLine(failure, message, ""));
        }
        print("summary", line -> {
            line.text("outcome", Summary.outcomeOf(failure));
            line.number("exit_code", outcome.exitCode());
            line.text("suite", suite);
            line.fraction("seconds", Math.max(0, outcome.elapsedNanos()) / 1e9, 6);
            if (result == null) {
                line.number("bytes", 0);
            } else {
                FiguresJson.write(line, result.summary());
            }
            line.text("session", outcome.session());
        });
    }

    /** The result as it is printed, from which a report can also be made. */
    static byte[] resultLine(NettestResult result) {
        return JsonLine.of("result", line -> {
            line.text("suite", Word.of(result.plan().suite()));
            line.number("version", FORMAT);
            line.text("at", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
            line.text("software", result.local().software());
            line.text("transport", result.plan().path().carrier().label());
            line.text("lanes", result.transport());
            line.flag("whole", result.whole());
            line.object("local", host -> writeHost(host, result.local()));
            line.object("remote", host -> writeHost(host, result.remote()));
            line.object("options", options -> writeOptions(options, result.plan()));
            line.fraction("seconds", result.seconds(), 6);
            line.fraction("cpu_seconds_local", result.circumstances().cpuSecondsLocal(), 2);
            line.fractionIfKnown("cpu_seconds_remote", result.circumstances().cpuSecondsRemote(), 2);
            FiguresJson.write(line, result.figures());
        });
    }

    private static void writeHost(JsonLine line, HostFacts host) throws IOException {
        line.text("host", host.host());
        line.text("cpu", host.cpu());
        line.number("cores", host.cores());
        line.number("allowed_cores", host.allowedCores());
        line.text("kernel", host.kernel());
        line.text("nic", host.nic());
        line.number("nic_bits_per_second", host.nicBitsPerSecond());
        if (host.slotBitsPerSecond() > 0) {
            line.text("slot", host.slot());
            line.number("slot_bits_per_second", host.slotBitsPerSecond());
        }
        line.text("software", host.software());
    }

    private static void writeOptions(JsonLine line, NettestPlan plan) throws IOException {
        NettestPath path = plan.path();
        line.text("server", path.host() + ":" + path.port());
        FiguresJson.write(line, plan.options());
        line.flag("tls", !path.clear());
        line.texts(
                "bind",
                path.localAddresses().stream().map(InetAddress::getHostAddress).toList());
    }

    private void print(String type, JsonLine.Body body) {
        console.data(JsonLine.of(type, body));
    }
}
