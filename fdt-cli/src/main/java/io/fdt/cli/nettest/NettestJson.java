package io.fdt.cli.nettest;

import io.fdt.cli.console.Console;
import io.fdt.cli.display.FailureReport;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Failure;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Suite;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.Summary;
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
        this.suite = suite.name();
    }

    @Override
    public void onStart(String session, NettestPlan plan, String transport, String peer) {
        console.data(new JsonObject()
                .with("session", session)
                .with("suite", suite)
                .with(plan.suite().start(plan))
                .with("transport", transport)
                .with("peer", peer)
                .line("start"));
    }

    @Override
    public void onInterval(JsonObject progress) {
        console.data(progress.line("interval"));
    }

    @Override
    public void onWarning(String message) {
        console.data(new JsonObject().with("message", message).line("warning"));
    }

    @Override
    public void onEnd(NettestOutcome outcome) {
        NettestResult result = outcome.result();
        if (result != null) {
            console.data(resultLine(result));
        }
        Failure failure = outcome.failure();
        if (failure != null) {
            FailureReport.show(console, true, failure);
        }
        console.data(new JsonObject()
                .with("outcome", Summary.outcomeOf(outcome.kind()))
                .with("exit_code", outcome.exitCode())
                .with("suite", suite)
                .with("seconds", Math.max(0, outcome.elapsedNanos()) / 1e9, 6)
                .with(result == null ? new JsonObject().with("bytes", 0) : result.summary())
                .with("session", outcome.session())
                .line("summary"));
    }

    /** The result as it is printed, from which a report can also be made. */
    static byte[] resultLine(NettestResult result) {
        return figures(result, Instant.now().truncatedTo(ChronoUnit.SECONDS)).line("result");
    }

    private static JsonObject figures(NettestResult result, Instant at) {
        NettestPlan plan = result.plan();
        return new JsonObject()
                .with("suite", plan.suite().name())
                .with("version", FORMAT)
                .with("at", at.toString())
                .with("software", result.local().software())
                .with("transport", plan.path().carrier().label())
                .with("lanes", result.transport())
                .with("whole", result.whole())
                .with("local", figures(result.local()))
                .with("remote", figures(result.remote()))
                .with("options", options(plan))
                .with("seconds", result.seconds(), 6)
                .with("cpu_seconds_local", result.circumstances().local().cpuSeconds(), 2)
                .with("cpu_seconds_remote", result.circumstances().remote().cpuSeconds(), 2)
                .with(result.figures());
    }

    private static JsonObject figures(HostFacts host) {
        JsonObject figures = new JsonObject()
                .with("host", host.host())
                .with("cpu", host.cpu().model())
                .with("cores", host.cpu().cores())
                .with("allowed_cores", host.cpu().allowedCores())
                .with("kernel", host.kernel())
                .with("nic", host.nic().name())
                .with("nic_bits_per_second", host.nic().bitsPerSecond());
        if (host.nic().slotBitsPerSecond() > 0) {
            figures.with("slot", host.nic().slot())
                    .with("slot_bits_per_second", host.nic().slotBitsPerSecond());
        }
        return figures.with("software", host.software());
    }

    private static JsonObject options(NettestPlan plan) {
        NettestPath path = plan.path();
        return new JsonObject()
                .with("server", plan.serverName(0))
                .with(plan.options())
                .with("tls", !path.clear())
                .with(
                        "bind",
                        path.localAddresses().stream()
                                .map(InetAddress::getHostAddress)
                                .toList());
    }
}
