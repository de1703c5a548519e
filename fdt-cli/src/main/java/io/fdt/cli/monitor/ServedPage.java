package io.fdt.cli.monitor;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Console;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.HostPort;
import io.fdt.core.basic.Addresses;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.security.Home;
import io.fdt.core.security.MonitorToken;
import io.fdt.monitor.Monitor;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where the page of a monitor is served: on a port, or on a socket for this user and root. Other hosts need a token:
 * the operator's, or one that fdt keeps in its home, unless the operator wants none.
 *
 * @param tokenFile the file of the token in the home; null if that is not used
 */
record ServedPage(Monitor.Page page, @Nullable Path tokenFile) {
    private static final String SOCKET = "unix:";

    /** Parses a value of {@code --monitor}. */
    static SocketAddress parse(String text) throws BadValueException {
        if (!text.startsWith(SOCKET)) {
            HostPort port = HostPort.parseListen(text);
            return new InetSocketAddress(port.host(), port.port());
        }
        try {
            return UnixDomainSocketAddress.of(
                    Path.of(text.substring(SOCKET.length())).toAbsolutePath());
        } catch (InvalidPathException misfit) {
            throw new BadValueException("is not a path; write unix:/run/fdt/monitor");
        }
    }

    /** Returns the page that was requested; null for none. */
    static @Nullable ServedPage of(MonitorRequest request, Context context) {
        SocketAddress address = request.address();
        if (address == null) {
            return null;
        }
        if (address instanceof InetSocketAddress port && port.isUnresolved()) {
            throw Cause.USAGE.failure("cannot monitor: unknown host " + port.getHostString());
        }
        boolean others =
                address instanceof InetSocketAddress port && !port.getAddress().isLoopbackAddress();
        MonitorToken kept = others && request.token() == null && !request.isOpen()
                ? MonitorToken.loadOrCreate(Home.directory(context.environment()))
                : null;
        String token = kept == null ? request.token() : kept.text();
        return new ServedPage(
                new Monitor.Page(address, token, request.isOpen(), request.allowed()),
                kept == null ? null : kept.file());
    }

    /**
     * Prints the address of the page.
     *
     * @param bound the port; null if it listens on a socket
     */
    void tell(@Nullable InetSocketAddress bound, boolean json, Console console) {
        String url = bound == null ? SOCKET + page.address() : "http://" + Addresses.shown(bound) + "/";
        if (json) {
            JsonObject line = new JsonObject().with("url", url);
            console.data((tokenFile == null ? line : line.with("token_file", tokenFile.toString())).line("monitor"));
        } else {
            console.message("fdt monitor on " + url
                    + (tokenFile == null ? "" : "; its viewers need the token in " + tokenFile));
        }
    }
}
