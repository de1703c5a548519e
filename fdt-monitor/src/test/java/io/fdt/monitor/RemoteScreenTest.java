package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.FreePort;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.Await;
import io.fdt.monitor.http.Response;
import io.fdt.monitor.http.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A terminal that shows the monitor of another process: its contents, and its behavior without that process. */
final class RemoteScreenTest {
    private static final String TOKEN = "0123456789abcdef";

    @TempDir
    Path directory;

    /** Keeps the last drawn screen. */
    private static final class DrawnScreen implements Screen {
        private volatile List<String> lines = List.of();

        @Override
        public int rows() {
            return 40;
        }

        @Override
        public int columns() {
            return 100;
        }

        @Override
        public boolean hasColours() {
            return false;
        }

        @Override
        public void show(List<String> drawn) {
            lines = drawn;
        }

        void await(String what, String regex) {
            Await.until(what, () -> lines.stream().anyMatch(line -> line.matches(regex)));
        }
    }

    private Monitor monitor(Path root, int port, @Nullable String token) {
        return new Monitor(new Monitor.Settings(
                "server",
                new Monitor.Page(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port), token, AddressRules.ANY),
                List.of(),
                null,
                null,
                text -> {},
                root));
    }

    private static URI page(InetSocketAddress address) {
        return URI.create("http://127.0.0.1:" + address.getPort() + "/");
    }

    @Test
    void showsTheOtherProcessAndComesBackToItAfterItsEnd() {
        Path root = RecordedHost.unpack("bonded40", directory);
        DrawnScreen screen = new DrawnScreen();
        // One that nobody else is given while the monitor is away.
        int port = FreePort.next();
        RemoteScreen remote;
        try (Monitor monitor = monitor(root, port, TOKEN)) {
            remote = new RemoteScreen(page(monitor.address()), TOKEN, screen);
            screen.await("the head", "fdt .* on dtn40 .*busy .*q quits   http://.*/");
            assertThat(screen.lines)
                    .anyMatch(line -> line.startsWith("core "))
                    .anyMatch(line -> line.startsWith("NIC "));
        }
        try (remote) {
            screen.await("the loss", "no connection to http://127.0.0.1:[0-9]+/: .*; connecting again");
            assertThat(screen.lines).as("with what was known last").anyMatch(line -> line.startsWith("core "));
            try (Monitor again = monitor(root, port, TOKEN)) {
                assertThat(again.address()).isNotNull();
                screen.await("the head once more", "fdt .* on dtn40 .*busy .*q quits .*");
            }
        }
    }

    @Test
    void needsTheToken() {
        try (Monitor monitor = monitor(RecordedHost.unpack("bonded40", directory), 0, TOKEN)) {
            assertRefused(page(monitor.address()), null, "it requires its token; give --monitor-token-file");
            assertRefused(
                    page(monitor.address()), "fedcba9876543210", "it requires its token; give --monitor-token-file");
        }
    }

    @Test
    void refusesWhatIsNoMonitor() throws Exception {
        byte[] garbage = "\u001b]0;owned\u0007 and more".getBytes(StandardCharsets.US_ASCII);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (WebServer server = new WebServer(
                any,
                from -> true,
                request -> switch (request.path()) {
                    case RemoteScreen.PATH -> Response.of(200, "application/octet-stream", garbage);
                    case "/refuse" -> new Response(500, Map.of(), List.of(garbage), false, null);
                    default -> Response.text(404, "nothing here");
                },
                WebServer.Limits.DEFAULTS,
                text -> {})) {
            assertRefused(page(server.address()), null, "is not the monitor of an fdt");
        }
        try (WebServer server = new WebServer(
                any,
                from -> true,
                request -> new Response(500, Map.of(), List.of(garbage), false, null),
                WebServer.Limits.DEFAULTS,
                text -> {})) {
            assertRefused(page(server.address()), null, "it answers 500 \\u{1B}]0;owned\\u{7} and more");
        }
        try (WebServer server = new WebServer(
                any, from -> true, request -> Response.text(404, "no"), WebServer.Limits.DEFAULTS, text -> {})) {
            assertRefused(page(server.address()), null, "not a live monitor");
        }
    }

    @Test
    void closesTheConnectionToWhatIsNoMonitor() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> end = CompletableFuture.supplyAsync(() -> {
                try (Socket other = server.accept()) {
                    other.setSoTimeout(Await.LIMIT_MS);
                    other.getOutputStream()
                            .write("HTTP/1.1 200 OK\r\n\r\nno recording at all".getBytes(StandardCharsets.US_ASCII));
                    // All of the request, and then what comes once the client has closed.
                    other.getInputStream().readAllBytes();
                    return -1;
                } catch (IOException late) {
                    throw new UncheckedIOException(late);
                }
            });
            assertRefused(
                    page((InetSocketAddress) server.getLocalSocketAddress()), null, "is not the monitor of an fdt");
            assertThat(end.get(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(-1);
        }
    }

    private static void assertRefused(URI page, @Nullable String token, String message) {
        assertThatThrownBy(() -> new RemoteScreen(page, token, new DrawnScreen()))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("cannot watch " + page)
                .hasMessageContaining(message)
                .extracting(refused -> ((TransferException) refused).kind())
                .isEqualTo(FailureKind.CANNOT_CONNECT);
    }
}
