package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bad day of real servers, which a real Prometheus scrapes with fdt's alerts. */
@Tag("dashboards")
final class AlertsTest {
    private static final int STRANGERS = 40;

    @RegisterExtension
    final Workplace at = new Workplace();

    /**
     * The dead peer, a copy without data, a failed one and the strangers are on one server. Another server has a good
     * copy, a failed listing and one stranger, and a third one is down.
     */
    @Test
    void eachAlertFiresForTheServerInThatStateOnly() throws Exception {
        FdtServer bad = at.server("--monitor", "127.0.0.1:0");
        FdtServer good = at.server("--monitor", "127.0.0.1:0");
        FdtServer down = at.server("--monitor", "127.0.0.1:0");
        Map<String, String> servers = Map.of(monitor(bad), "bad", monitor(good), "good", monitor(down), "down");
        Prometheus prometheus = Prometheus.start(at, List.copyOf(servers.keySet()));
        Await.until(
                "three servers",
                Workplace.LIMIT,
                () -> prometheus.query("fdt_build_info{role=\"server\"}").size() == servers.size());
        Path source = Trees.file(at.path("f"), 1 << 20, 1);

        FdtProcess killed = at.startCopy(
                "--rate-limit",
                "1Mbit",
                "--chunk-size",
                "128KiB",
                Trees.file(at.path("large"), 30 << 20, 2),
                bad.url("/l"));
        killed.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        killed.signal("KILL");
        down.process().signal("KILL");
        FdtProcess stalled = at.track(FdtProcess.start(
                at.setup("client", "client", "-", bad.url("/s")),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
        assertThat(stalled.stdin()).as("open, and nothing is written to it").isNotNull();
        Files.writeString(bad.root().resolve("file"), "x");
        at.copy(source, bad.url("/file/f")).expectExit(5);
        at.copy(source, good.url("/f")).expectExit(0);
        at.fdt("ls", good.url("/mistyped")).expectExit(4);
        for (int i = 0; i < STRANGERS; i++) {
            speakHttp(bad.port());
        }
        speakHttp(good.port());

        // A peer is gone for 30 seconds before anybody is told.
        Set<String> expected = new TreeSet<>(Set.of(
                "FdtPeerGone all",
                "FdtRefused bad",
                "FdtServerDown down",
                "FdtSessionFailed bad copy",
                "FdtTransferStalled bad"));
        Await.until(
                () -> "the alerts, of which fire " + firing(prometheus, servers),
                () -> firing(prometheus, servers).containsAll(expected));
        assertThat(firing(prometheus, servers)).isEqualTo(expected);
        assertThat(prometheus.query("ALERTS{alertname=\"FdtTransferStalled\",alertstate=\"firing\"}"))
                .as("not of the session whose peer is gone")
                .hasSize(1);

        at.fdt("key", "create", "soon", "--expires", "3d").expectExit(0);
        at.fdt("key", "create", "later", "--expires", "30d").expectExit(0);
        Await.until(
                "the alert about the key",
                Workplace.LIMIT,
                () ->
                        prometheus
                                .query("ALERTS{alertname=\"FdtKeyExpires\",alertstate=\"firing\",key=\"soon\"}")
                                .stream()
                                .findAny()
                                .isPresent());
        assertThat(prometheus.query("ALERTS{alertname=\"FdtKeyExpires\",key=\"later\"}"))
                .isEmpty();
    }

    private static String monitor(FdtServer server) {
        URI page = URI.create(MonitorReplayTest.monitorUrl(server.process()));
        return page.getHost() + ":" + page.getPort();
    }

    /** The server closes the connection, with a reset if it had not read everything. */
    private static void speakHttp(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).isNotNull();
        } catch (SocketException reset) {
            return;
        }
    }

    /** Returns the names of the alerts that fire, each with its server and service. */
    private static Set<String> firing(Prometheus prometheus, Map<String, String> servers) {
        Set<String> firing = new TreeSet<>();
        for (Object one : prometheus.query("ALERTS{alertstate=\"firing\"}")) {
            Map<?, ?> labels = (Map<?, ?>) ((Map<?, ?>) one).get("metric");
            Object server = labels.get("instance");
            Object service = labels.get("service");
            firing.add(labels.get("alertname") + " " + (server == null ? "all" : servers.get(server))
                    + (service == null ? "" : " " + service));
        }
        return firing;
    }
}
