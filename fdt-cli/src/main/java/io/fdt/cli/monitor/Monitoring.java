package io.fdt.cli.monitor;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.HostPort;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nettest.ThroughputResult;
import io.fdt.core.stats.SessionActivity;
import io.fdt.monitor.HostTeller;
import io.fdt.monitor.Monitor;
import io.fdt.monitor.Screen;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The monitor of a command, if one was asked for, and what the other ends of its sessions are told. Thread-safe. */
public final class Monitoring implements AutoCloseable {
    private static final Path THIS_HOST = Path.of("/");
    private static final double BYTES_OF_GIGABYTE = 1e9;

    /** Nobody watches, nothing is sampled, and nobody is told anything. */
    public static final Monitoring NONE = new Monitoring(null, null, false);

    private final @Nullable Monitor monitor;

    /** Tells of this host where no monitor does; null where one does, or nobody may be told. */
    private final @Nullable HostTeller teller;

    private final boolean tellsHost;

    private Monitoring(@Nullable Monitor monitor, @Nullable HostTeller teller, boolean tellsHost) {
        this.monitor = monitor;
        this.teller = teller;
        this.tellsHost = tellsHost;
    }

    /** Starts what was asked for, and says where it can be seen. */
    public static Monitoring start(MonitorRequest request, String role, boolean json, Context context) {
        return start(request, role, json, null, context);
    }

    /** The same, and draws on a screen. */
    static Monitoring start(
            MonitorRequest request, String role, boolean json, @Nullable Screen screen, Context context) {
        if (!request.isAsked() && screen == null) {
            return request.tellsHost() ? new Monitoring(null, new HostTeller(THIS_HOST), true) : NONE;
        }
        Monitor monitor = new Monitor(new Monitor.Settings(
                role,
                context.version(),
                address(request.address()),
                request.token(),
                request.targets(),
                request.recording(),
                screen,
                text -> context.console().warning(text),
                THIS_HOST));
        InetSocketAddress bound = monitor.address();
        if (bound != null) {
            tell(bound, json, context.console());
        }
        return new Monitoring(monitor, null, request.tellsHost());
    }

    static @Nullable InetSocketAddress address(@Nullable HostPort asked) {
        if (asked == null) {
            return null;
        }
        InetSocketAddress address = new InetSocketAddress(asked.host(), asked.port());
        if (address.isUnresolved()) {
            throw new TransferException(FailureKind.USAGE, "cannot monitor: unknown host " + asked.host());
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

    /** A throughput test has ended. */
    public void onThroughput(String suite, ThroughputResult result) {
        if (monitor != null) {
            monitor.onNettest(
                    suite,
                    result.plan().streams(),
                    result.bitsPerSecondOut(),
                    result.bitsPerSecondIn(),
                    result.perGigabyte(result.cpuSecondsLocal()) / BYTES_OF_GIGABYTE,
                    result.perGigabyte(result.cpuSecondsRemote()) / BYTES_OF_GIGABYTE);
        }
    }

    /** The screen has another size. Any thread. */
    void redraw() {
        if (monitor != null) {
            monitor.redraw();
        }
    }

    @Override
    public void close() {
        if (monitor != null) {
            monitor.close();
        }
        if (teller != null) {
            teller.close();
        }
    }
}
