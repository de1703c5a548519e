package io.fdt.cli.monitor;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.value.HostPort;
import io.fdt.core.FailureKind;
import io.fdt.core.JsonLine;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.HostTeller;
import io.fdt.monitor.Monitor;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of a command, if one was requested, and the host figures for the other ends of its sessions. Thread-safe.
 */
public final class Monitoring implements ServerObserver, AutoCloseable {
    private static final Path THIS_HOST = Path.of("/");

    /** No monitor, no samples, no answers to peers. */
    public static final Monitoring NONE = new Monitoring(null, null, null, false);

    private final @Nullable Monitor monitor;

    /** What the monitor draws on; null for nothing. */
    private final @Nullable TerminalScreen screen;

    /** Tells of this host where no monitor does; null where one does, or nobody may be told. */
    private final @Nullable HostTeller teller;

    private final boolean tellsHost;

    private Monitoring(
            @Nullable Monitor monitor,
            @Nullable TerminalScreen screen,
            @Nullable HostTeller teller,
            boolean tellsHost) {
        this.monitor = monitor;
        this.screen = screen;
        this.teller = teller;
        this.tellsHost = tellsHost;
    }

    /**
     * Starts what was requested, and prints its address. A terminal that is drawn on is left with q, while the rest
     * goes on.
     */
    public static Monitoring start(MonitorRequest request, String role, boolean json, Context context) {
        if (!request.isAsked()) {
            return request.tellsHost() ? new Monitoring(null, null, new HostTeller(THIS_HOST), true) : NONE;
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

    /** The same, and draws on a screen of the caller's. */
    static Monitoring start(
            MonitorRequest request, String role, boolean json, @Nullable TerminalScreen screen, Context context) {
        Monitor monitor = new Monitor(new Monitor.Settings(
                role,
                context.version(),
                address(request.address()),
                request.token(),
                request.allowed(),
                request.targets(),
                request.recording(),
                screen,
                text -> context.console().warning(text),
                THIS_HOST));
        InetSocketAddress bound = monitor.address();
        if (bound != null) {
            tell(bound, json, context.console());
        }
        if (screen != null) {
            screen.keepSize(context.signals(), monitor::redraw);
        }
        return new Monitoring(monitor, screen, null, request.tellsHost());
    }

    static @Nullable InetSocketAddress address(@Nullable HostPort asked) {
        if (asked == null) {
            return null;
        }
        InetSocketAddress address = new InetSocketAddress(asked.host(), asked.port());
        if (address.isUnresolved()) {
            throw FailureKind.USAGE.failure("cannot monitor: unknown host " + asked.host());
        }
        return address;
    }

    /** Says where the page is. */
    static void tell(InetSocketAddress bound, boolean json, Console console) {
        String url = "http://" + new HostPort(bound.getAddress().getHostAddress(), bound.getPort()) + "/";
        if (json) {
            console.data(JsonLine.of("monitor", line -> line.text("url", url)));
        } else {
            console.message("fdt monitor on " + url);
        }
    }

    public void observe(SessionActivity session) {
        if (monitor != null) {
            monitor.observe(session);
        }
        if (teller != null) {
            session.tellOf(teller);
        } else if (monitor != null && tellsHost) {
            session.tellOf(monitor::hostView);
        }
    }

    /** This process is a server whose keys expire then, by their names, and which exports these roots. */
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
    public void onRefusal() {
        if (monitor != null) {
            monitor.onRefused();
        }
    }

    /** A copy has ended; a null host is this one. */
    public void onCopy(Summary summary, @Nullable String source, @Nullable String destination) {
        if (monitor != null) {
            monitor.onCopy(summary, source, destination);
        }
    }

    /** A network test has ended. */
    public void onNettest(String suite, NettestResult result) {
        if (monitor != null) {
            monitor.onNettest(suite, result);
        }
    }

    /** Leaves the terminal as it was, for what is to be said on it. Any thread, any number of times. */
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
        if (teller != null) {
            teller.close();
        }
    }
}
