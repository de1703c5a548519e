package io.fdt.cli;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.stats.SessionActivity;
import io.fdt.monitor.Monitor;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The monitor of a command, if one was asked for. Thread-safe. */
final class Monitoring implements AutoCloseable {
    private static final Path THIS_HOST = Path.of("/");

    /** Nobody watches, and nothing is sampled. */
    static final Monitoring NONE = new Monitoring(null);

    private final @Nullable Monitor monitor;

    private Monitoring(@Nullable Monitor monitor) {
        this.monitor = monitor;
    }

    /** Starts what was asked for, and says where it can be seen. */
    static Monitoring start(MonitorRequest request, String role, boolean json, Context context) {
        if (!request.isAsked()) {
            return NONE;
        }
        Monitor monitor = new Monitor(new Monitor.Settings(
                role,
                context.version(),
                address(request.address()),
                request.token(),
                request.targets(),
                text -> context.console().message("fdt: warning: " + text),
                THIS_HOST));
        InetSocketAddress bound = monitor.address();
        if (bound != null) {
            tell(new HostPort(bound.getAddress().getHostAddress(), bound.getPort()), json, context.console());
        }
        return new Monitoring(monitor);
    }

    private static @Nullable InetSocketAddress address(@Nullable HostPort asked) {
        if (asked == null) {
            return null;
        }
        InetSocketAddress address = new InetSocketAddress(asked.host(), asked.port());
        if (address.isUnresolved()) {
            throw new TransferException(FailureKind.USAGE, "cannot monitor: unknown host " + asked.host());
        }
        return address;
    }

    private static void tell(HostPort bound, boolean json, Console console) {
        String url = "http://" + bound + "/";
        if (json) {
            console.data(JsonLine.of("monitor", line -> line.text("url", url)));
        } else {
            console.message("fdt monitor on " + url);
        }
    }

    void observe(SessionActivity session) {
        if (monitor != null) {
            monitor.observe(session);
        }
    }

    @Override
    public void close() {
        if (monitor != null) {
            monitor.close();
        }
    }
}
