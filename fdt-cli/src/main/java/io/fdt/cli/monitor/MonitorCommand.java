package io.fdt.cli.monitor;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.LogForm;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.LiveOptions;
import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.Lifetime;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.run.UntilTold;
import io.fdt.cli.value.Words;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.monitor.Replay;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** {@code monitor}: this host, live, without any transfer. */
public final class MonitorCommand implements Command {
    private static final long PATIENCE_MS = 5_000;

    @Override
    public String name() {
        return "monitor";
    }

    @Override
    public String summary() {
        return "this host, live: cores, queues, NICs";
    }

    @Override
    public String operands() {
        return "";
    }

    @Override
    public boolean usesHome() {
        return false;
    }

    @Override
    public List<String> about() {
        return List.of(
                "Samples cores, queues and NICs of this host once a second, and serves them as a page for people and as"
                        + " /metrics for Prometheus until it is told to stop. Transfers and network tests show theirs"
                        + " with --monitor of their own. See docs/monitoring.md.");
    }

    @Override
    public List<Option> options() {
        return LiveOptions.ALL;
    }

    @Override
    public List<Example> examples() {
        return List.of(
                new Example("monitor", "look at http://127.0.0.1:27322/"),
                new Example(
                        "monitor --monitor 0.0.0.0:27322 --monitor-token-file /etc/fdt/token",
                        "for others, too, who know the token"),
                new Example("monitor --tui", "like top, with softirq; q ends it"),
                new Example("monitor --replay copy.rec", "a recording of client --record copy.rec on the page"));
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.configured(this, LiveOptions.JSON, CommonOptions.VERBOSE)
                .run(args, context, (given, settings, json) -> run(given, settings, json, context));
    }

    private static int run(GivenArguments given, Settings settings, boolean json, Context context) {
        EventLog log = EventLog.begin(context, LogForm.of(settings, false));
        // Without a handler it would end the process.
        context.signals()
                .onSignal("USR1", () -> log.tell(LogEvent.STATUS, null, null, "monitor is running", line -> {}));
        Path recording = settings.find(LiveOptions.REPLAY, Words::file);
        if (recording != null && settings.on(LiveOptions.TUI)) {
            throw new TransferException(
                    FailureKind.USAGE, "--replay shows a page and --tui this host; give one of them");
        }
        if (recording != null) {
            return replay(
                    recording, MonitorRequest.of(settings, LiveOptions.MONITOR, context.environment()), json, context);
        }
        if (settings.on(LiveOptions.TUI)) {
            Option page = given.has(LiveOptions.MONITOR) ? LiveOptions.MONITOR : MonitorOptions.MONITOR;
            return draw(MonitorRequest.of(settings, page, context.environment()), json, context);
        }
        return watch(MonitorRequest.of(settings, LiveOptions.MONITOR, context.environment()), json, context);
    }

    private static int watch(MonitorRequest request, boolean json, Context context) {
        return untilTold(context, () -> {}, told -> {
            Monitoring monitoring = Monitoring.start(request, "monitor", json, context);
            return monitoring::close;
        });
    }

    private static int replay(Path recording, MonitorRequest request, boolean json, Context context) {
        InetSocketAddress address = Monitoring.address(request.address());
        if (address == null || request.recording() != null || !request.targets().isEmpty()) {
            throw new TransferException(
                    FailureKind.USAGE,
                    "--replay shows a page: it goes without --record and --push, and needs --monitor");
        }
        return untilTold(context, () -> {}, told -> {
            Replay replay = new Replay(recording, address, request.token());
            if (replay.tornBytes() > 0) {
                context.console()
                        .warning(recording + " is not whole; its last " + replay.tornBytes() + " bytes are left out");
            }
            Monitoring.tell(replay.address(), json, context.console());
            return replay::close;
        });
    }

    private static int draw(MonitorRequest request, boolean json, Context context) {
        TerminalScreen screen = TerminalScreen.open(context);
        try {
            return untilTold(context, screen::close, told -> {
                Monitoring monitoring = Monitoring.start(request, "monitor", json, screen, context);
                context.signals().onSignal("WINCH", () -> {
                    screen.onChange();
                    monitoring.redraw();
                });
                TerminalScreen.whenQuit(context.standardInput(), told::countDown);
                return monitoring::close;
            });
        } finally {
            screen.close();
        }
    }

    /** What runs until it is closed. */
    private interface Running {
        void close();
    }

    /** Begins; whoever wants to end it counts down. */
    private interface Start {
        Running begin(CountDownLatch told);
    }

    /** @param atLast what must be done even when the process is ended without its consent */
    private static int untilTold(Context context, Runnable atLast, Start start) {
        Lifetime life = Lifetime.begin(context, new UntilTold("fdt: monitor stopping", PATIENCE_MS, atLast));
        CountDownLatch told = new CountDownLatch(1);
        Running running = start.begin(told);
        try {
            life.stoppedBy(why -> told.countDown());
            life.await(() -> {
                told.await();
                return told;
            });
        } finally {
            running.close();
        }
        life.ended();
        return life.exitCodeOr(0);
    }
}
