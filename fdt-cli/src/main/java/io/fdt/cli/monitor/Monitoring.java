package io.fdt.cli.monitor;

import io.fdt.cli.command.Context;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.HostReporter;
import io.fdt.monitor.Monitor;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of a command, if one was requested, and the activity of this host for the other ends of its sessions.
 * Thread-safe.
 */
public final class Monitoring implements ServerObserver, AutoCloseable {
    private static final Path THIS_HOST = Path.of("/");

    /** No monitor, no samples, and no activity for peers. */
    public static final Monitoring NONE = new Monitoring(null, null, null, false);

    private final @Nullable Monitor monitor;

    /** The screen on which the monitor is shown; null for none. */
    private final @Nullable TerminalScreen screen;

    /**
     * Provides this host's activity to peers if there is no monitor; null if there is one, or if peers may not receive
     * it.
     */
    private final @Nullable HostReporter reporter;

    private final boolean tellsHost;

    private Monitoring(
            @Nullable Monitor monitor,
            @Nullable TerminalScreen screen,
            @Nullable HostReporter reporter,
            boolean tellsHost) {
        this.monitor = monitor;
        this.screen = screen;
        this.reporter = reporter;
        this.tellsHost = tellsHost;
    }

    /**
     * Starts the requested parts and prints the address of the page. On a terminal, q closes the view, and the command
     * continues.
     */
    public static Monitoring start(MonitorRequest request, String role, boolean json, Context context) {
        if (!request.isAsked()) {
            return request.tellsHost() ? new Monitoring(null, null, new HostReporter(THIS_HOST), true) : NONE;
        }
        TerminalScreen screen = request.onTerminal() ? TerminalScreen.open(context) : null;
        try {
            Monitoring made = start(request, role, json, screen, context);
            if (screen != null) {
                TerminalScreen.whenQuit(context.standardInput(), screen::close);
            }
            return made;
        } catch (RuntimeException unable) {
            if (screen != null) {
                screen.close();
            }
            throw unable;
        }
    }

    /** Like {@link #start(MonitorRequest, String, boolean, Context)}, but uses the caller's screen. */
    static Monitoring start(
            MonitorRequest request, String role, boolean json, @Nullable TerminalScreen screen, Context context) {
        ServedPage page = ServedPage.of(request, context);
        Monitor monitor = new Monitor(new Monitor.Settings(
                role,
                page == null ? null : page.page(),
                request.targets(),
                request.recording(),
                screen,
                text -> context.console().warning(text),
                THIS_HOST));
        if (page != null) {
            page.tell(monitor.address(), json, context.console());
        }
        if (screen != null) {
            screen.keepSize(context.signals(), monitor::redraw);
        }
        return new Monitoring(monitor, screen, null, request.tellsHost());
    }

    public void observe(SessionActivity session) {
        if (monitor != null) {
            monitor.observe(session);
        }
        if (reporter != null) {
            session.setHostSource(reporter);
        } else if (monitor != null && tellsHost) {
            session.setHostSource(monitor::hostView);
        }
    }

    /** Shows a server's key expiry times, by key name, and its exported roots. */
    public void watchServer(Supplier<Map<String, Instant>> expiries, List<Path> roots) {
        if (monitor != null) {
            monitor.watchServer(expiries, roots);
        }
    }

    @Override
    public void onSessionOpen(SessionActivity session) {
        observe(session);
    }

    @Override
    public void onRefusal(Cause cause) {
        if (monitor != null) {
            monitor.onRefused(cause);
        }
    }

    /** Called when a copy has ended; a null host is this host. */
    public void onCopy(Summary summary, @Nullable String source, @Nullable String destination) {
        if (monitor != null) {
            monitor.onCopy(summary, source, destination);
        }
    }

    /** Called when a network test has ended, which may have been a copy. */
    public void onNettest(NettestPlan plan, boolean viaEngine, NettestOutcome outcome) {
        if (monitor != null) {
            monitor.onNettest(plan, viaEngine, outcome);
        }
    }

    /** Restores the terminal so that output on it is visible. Can be called by any thread, any number of times. */
    public void leaveScreen() {
        if (screen != null) {
            screen.close();
        }
    }

    @Override
    public void close() {
        leaveScreen();
        if (monitor != null) {
            monitor.close();
        }
        if (reporter != null) {
            reporter.close();
        }
    }
}
