package io.fdt.cli.monitor;

import io.fdt.cli.command.Command;
import io.fdt.cli.command.Context;
import io.fdt.cli.command.Help;
import io.fdt.cli.console.LogEvent;
import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.LogForm;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.MonitorCommandOptions;
import io.fdt.cli.option.MonitorOptions;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.Lifetime;
import io.fdt.cli.run.PlainRun;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.cli.value.UserText;
import io.fdt.core.failure.Cause;
import io.fdt.monitor.RemoteScreen;
import io.fdt.monitor.Replay;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

/** {@code monitor}: shows the live state of this host, without a transfer. */
public final class MonitorCommand extends Command {
    private static final long PATIENCE_MS = 5_000;

    public MonitorCommand() {
        super("monitor", "show cores, queues and NICs of this host live", "[http://HOST:PORT/]");
    }

    @Override
    protected Help help() {
        return Help.of(MonitorCommandOptions.ALL)
                .takesPaths(false)
                .about("""
                        Samples cores, queues and NICs of this host once a second, and serves them as a live page and as
                        /metrics for Prometheus until it is stopped. Transfers and network tests have their own
                        --monitor. With --tui and the address of such a page, it shows that process and its sessions on
                        this terminal. See docs/monitoring.md.""")
                .example("monitor", "then open http://127.0.0.1:27322/")
                .example("monitor --monitor 0.0.0.0:27322", "also for other hosts, which need the token that it names")
                .example("monitor --monitor unix:/run/fdt/monitor", "on a socket that only this user and root can open")
                .example("monitor --tui", "like top, with softirq; q ends it")
                .example("monitor --tui http://127.0.0.1:27322/", "the same of a server that runs with --monitor")
                .example("monitor --replay copy.rec", "show a recording of client --record copy.rec on the page");
    }

    @Override
    public int run(List<String> args, Context context) {
        return PlainRun.run(this, args, context, (given, settings, json) -> run(given, settings, json, context));
    }

    private static int run(GivenArguments given, Settings settings, boolean json, Context context) {
        EventLog log = EventLog.begin(context, LogForm.of(settings, false));
        // Without a handler, this signal would end the process.
        context.signals().onSignal("USR1", () -> log.tell(LogEvent.STATUS, "monitor is running"));
        Path recording = settings.file(MonitorCommandOptions.REPLAY);
        if (!given.operands().isEmpty()) {
            return watchOther(given, settings, context);
        }
        if (recording != null && settings.on(MonitorOptions.TUI)) {
            throw Cause.USAGE.failure("--replay shows a recording and --tui shows this host; give only one of them");
        }
        if (recording != null) {
            return replay(
                    recording,
                    MonitorRequest.of(settings, MonitorCommandOptions.MONITOR, context.environment()),
                    json,
                    context);
        }
        // With a terminal view, the page is served only on request.
        boolean served = given.has(MonitorCommandOptions.MONITOR) || !settings.on(MonitorOptions.TUI);
        return show(
                MonitorRequest.of(
                        settings,
                        served ? MonitorCommandOptions.MONITOR : MonitorOptions.MONITOR,
                        context.environment()),
                json,
                context);
    }

    private static int show(MonitorRequest request, boolean json, Context context) {
        try (TerminalScreen screen = request.onTerminal() ? TerminalScreen.open(context) : null) {
            return runUntilStopped(context, screen == null ? () -> {} : screen::close, stopped -> {
                Monitoring monitoring = Monitoring.start(request, "monitor", json, screen, context);
                if (screen != null) {
                    TerminalScreen.whenQuit(context.standardInput(), stopped::countDown);
                }
                return monitoring::close;
            });
        }
    }

    private static int replay(Path recording, MonitorRequest request, boolean json, Context context) {
        ServedPage page = ServedPage.of(request, context);
        if (page == null || request.recording() != null || !request.targets().isEmpty()) {
            throw Cause.USAGE.failure("--replay needs --monitor, and cannot be combined with --record or --push");
        }
        return runUntilStopped(context, () -> {}, stopped -> {
            Replay replay =
                    new Replay(recording, page.page(), text -> context.console().warning(text));
            if (replay.damagedBytes() > 0) {
                context.console()
                        .warning(recording + " is damaged; its last " + replay.damagedBytes() + " bytes are ignored");
            }
            page.tell(replay.address(), json, context.console());
            return replay::close;
        });
    }

    private static int watchOther(GivenArguments given, Settings settings, Context context) {
        if (!settings.on(MonitorOptions.TUI)) {
            throw UserText.refusal("add --tui to show that page on this terminal, or open it in a browser");
        }
        given.refuse(
                List.of(
                        MonitorCommandOptions.MONITOR,
                        MonitorOptions.RECORD,
                        MonitorOptions.PUSH,
                        MonitorOptions.ALLOW,
                        MonitorCommandOptions.REPLAY),
                " is not for the page of another process; leave one of them out");
        URI page = page(given.operands());
        String token = MonitorRequest.of(settings, MonitorOptions.MONITOR, context.environment())
                .token();
        try (TerminalScreen screen = TerminalScreen.open(context)) {
            return runUntilStopped(context, screen::close, stopped -> {
                RemoteScreen other = new RemoteScreen(page, token, screen);
                screen.keepSize(context.signals(), other::redraw);
                TerminalScreen.whenQuit(context.standardInput(), stopped::countDown);
                return other::close;
            });
        }
    }

    /** Returns the address of another process's page. */
    private static URI page(List<String> operands) {
        if (operands.size() > 1) {
            throw UserText.refusal("one page at a time; open several in a browser");
        }
        String address = operands.get(0).replaceFirst("^http://", "").replaceFirst("/$", "");
        try {
            String withPort = address.matches(".*:[0-9]+") ? address : address + ":" + MonitorCommandOptions.PORT;
            return new URI("http://" + HostPort.parse(withPort) + "/");
        } catch (BadValueException | URISyntaxException misfit) {
            throw UserText.refusal(UserText.quoted(operands.get(0)) + " is not the address of a monitor's page; write"
                    + " http://HOST:PORT/");
        }
    }

    /**
     * @param atLast called even if the process is halted
     * @param start starts the work and returns an action that ends it; can count down the latch to request the end
     */
    private static int runUntilStopped(Context context, Runnable atLast, Function<CountDownLatch, Runnable> start) {
        Lifetime life = Lifetime.untilSignal(context, "fdt: monitor stopping", PATIENCE_MS, atLast);
        CountDownLatch stopped = new CountDownLatch(1);
        Runnable close = start.apply(stopped);
        try {
            life.stoppedBy(why -> stopped.countDown());
            life.await(() -> {
                stopped.await();
                return stopped;
            });
        } finally {
            close.run();
        }
        life.ended();
        return life.exitCodeOr(0);
    }
}
