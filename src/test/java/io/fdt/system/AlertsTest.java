package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
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
     * The dead peer, a copy without data, a failed one and the strangers are on one server. A server of another host
     * has a good copy, a failed listing and one stranger, and a third one is down.
     */
    @Test
    void eachAlertFiresForTheServerInThatStateOnly() throws Exception {
        assumeTrue(Shell.run("unshare", "--uts", "true").exitCode() == 0, "another host needs root");
        FdtServer bad = at.serverThrough(Workplace.onHost("dtn-bad"), "127.0.0.1:0", "--monitor", "127.0.0.1:0");
        FdtServer good = at.serverThrough(Workplace.onHost("dtn-good"), "127.0.0.1:0", "--monitor", "127.0.0.1:0");
        FdtServer down = at.serverThrough(Workplace.onHost("dtn-down"), "127.0.0.1:0", "--monitor", "127.0.0.1:0");
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
                "FdtPeerGone dtn-bad",
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
        assertPanelsOfEachHost(prometheus);

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

        at.fdt("key", "revoke", "soon").expectExit(0);
        stalled.stdin().close();
        at.serverThrough(Workplace.onHost("dtn-down"), "127.0.0.1:0", "--monitor", monitor(down));
        // The only server that knows of the dead peer.
        bad.process().signal("TERM");
        Await.until(
                () -> "the end of the alerts, of which fire " + firing(prometheus, servers),
                () -> firing(prometheus, servers).stream()
                        .noneMatch(each -> each.matches("Fdt(KeyExpires|TransferStalled|PeerGone|ServerDown down).*")));
    }

    /** Their times are shortened: they may have ended before a busy machine looks. */
    @Test
    void alertsAboutWhatHappenedEnd() throws IOException {
        FdtServer server = at.server("--monitor", "127.0.0.1:0");
        Prometheus prometheus =
                Prometheus.startIn(List.of(), at, List.of(monitor(server)), alerts -> alerts.replace("[5m]", "[20s]"));
        Await.until(
                "counters of all refusals",
                Workplace.LIMIT,
                () -> !prometheus.query("fdt_server_refused_total == 0").isEmpty());
        Trees.file(server.root().resolve("f"), 40L << 20, 1);
        Files.writeString(server.root().resolve("file"), "x");
        FaultProxy proxy = at.closing(FaultProxy.before(server.port()));
        proxy.script(new Fault.Cut(2, Way.TO_CLIENT, 2 << 20, Ending.RESET));
        at.copy("--chunk-size", "1MiB", "-P", 3, server.urlAt(proxy.port(), "/f"), at.path("a"))
                .expectExit(0);
        at.copy(at.path("a"), server.url("/file/f")).expectExit(5);
        for (int i = 0; i < STRANGERS; i++) {
            speakHttp(server.port());
        }
        Set<String> expected = Set.of("FdtChunksResent", "FdtRefused", "FdtSessionFailed");
        Await.until(
                () -> "the alerts, of which fired " + prometheus.firing(true),
                () -> prometheus.firing(true).equals(expected));
        Await.until(
                () -> "their end; these fire: " + prometheus.firing(false),
                () -> prometheus.firing(false).isEmpty());
    }

    private static void assertPanelsOfEachHost(Prometheus prometheus) {
        Map<String, String> panels = DashboardQueries.read(prometheus).expressions();
        assertThat(hosts(prometheus, panels.get("home.json: Hosts A") + " > 0")).containsOnly("dtn-bad", "dtn-good");
        assertThat(hosts(prometheus, panels.get("home.json: Hosts A") + " == 0"))
                .containsOnly("dtn-down");
        assertThat(hosts(prometheus, panels.get("home.json: Hosts D") + " > 0")).containsOnly("dtn-bad");
        assertThat(hosts(prometheus, panels.get("home.json: Hosts E"))).containsOnly("dtn-bad", "dtn-good");
        for (String query : List.of("A", "B", "C", "D", "E", "F", "G")) {
            assertThat(hosts(prometheus, panels.get("home.json: How copies went " + query)))
                    .as("hosts with copies, by query %s", query)
                    .containsOnly("dtn-good");
        }
        assertThat(hosts(prometheus, panels.get("host.json: Cores of $host now A")))
                .containsOnly("dtn-bad", "dtn-good");
        // Those that have ended are there for a while.
        Await.until(
                "the sessions that run",
                Workplace.LIMIT,
                () -> Set.copyOf(hosts(prometheus, panels.get("transfers.json: Bottleneck A")))
                        .equals(Set.of("dtn-bad")));
        assertThat(hosts(prometheus, panels.get("transfers.json: Refusals per minute A")))
                .contains("dtn-bad", "dtn-good");
    }

    private static List<Object> hosts(Prometheus prometheus, String expression) {
        return prometheus.query(expression).stream()
                .<Object>map(one -> ((Map<?, ?>) ((Map<?, ?>) one).get("metric")).get("host"))
                .toList();
    }

    /** The results of copies, with their hosts as they were typed: those to one fail, and those to the other do not. */
    @Test
    void copiesThatFailAndTheirGateway() throws IOException {
        FdtServer server = at.server();
        String gateway = "127.0.0.1:" + FreePort.next();
        FdtProcess running = Prometheus.startGateway(at, gateway);
        // The test does not wait five minutes for the last one.
        Prometheus prometheus =
                Prometheus.start(at, List.of(), gateway, alerts -> alerts.replace("for: 5m", "for: 5s"));
        Files.writeString(server.root().resolve("file"), "x");
        Path source = Trees.file(at.path("f"), 1000, 1);
        String push = "pushgateway://" + gateway + "/copies";
        at.copy("--push", push, source, server.url("/file/f")).expectExit(5);
        at.copy("--push", push, source, server.url("/f").replace("127.0.0.1", "localhost"))
                .expectExit(0);

        String ended = "time() - fdt_copy_last_success_timestamp_seconds{destination=\"localhost\"} < 600";
        Await.until(
                "both results",
                Workplace.LIMIT,
                () -> !prometheus.query(ended).isEmpty()
                        && prometheus.firing(false, "destination").equals(Set.of("FdtCopyFailed 127.0.0.1")));

        // The same result, of 27 hours ago.
        String result = Browser.get(URI.create("http://" + gateway + "/metrics"))
                .lines()
                .filter(line -> line.startsWith("fdt_copy_last_success_timestamp_seconds{"))
                .findFirst()
                .orElseThrow();
        double seconds = Double.parseDouble(result.substring(result.indexOf("} ") + 2));
        String host = result.replaceAll(".*source=\"([^\"]*)\".*", "$1");
        Shell.ok(
                "sh",
                "-c",
                "printf '# TYPE %s gauge\\n%s %s\\n' fdt_copy_last_success_timestamp_seconds"
                        + " fdt_copy_last_success_timestamp_seconds " + (seconds - 97_200)
                        + " | curl -fsS --data-binary @- http://" + gateway + "/metrics/job/copies/source/" + host
                        + "/destination/localhost");
        Await.until(
                "the old result",
                Workplace.LIMIT,
                () -> prometheus
                        .firing(false, "destination")
                        .equals(Set.of("FdtCopyFailed 127.0.0.1", "FdtNoGoodCopy localhost")));
        at.copy("--push", push, source, server.url("/g")).expectExit(0);
        at.copy("--push", push, source, server.url("/g").replace("127.0.0.1", "localhost"))
                .expectExit(0);
        Await.until(
                () -> "the end of both; these fire: " + prometheus.firing(false, "destination"),
                () -> prometheus.firing(false).isEmpty());

        running.signal("KILL");
        Await.until(
                "the gateway's end",
                Workplace.LIMIT,
                () -> prometheus.firing(false).equals(Set.of("FdtPushgatewayDown")));
        Prometheus.startGateway(at, gateway);
        Await.until(
                "the gateway's return",
                Workplace.LIMIT,
                () -> prometheus.firing(false).isEmpty());
    }

    @Test
    void chunksThatAreSentAgainAreOfTheServerWhoseLaneBroke() {
        FdtServer bad = at.server("--monitor", "127.0.0.1:0");
        FdtServer good = at.server("--monitor", "127.0.0.1:0");
        Map<String, String> servers = Map.of(monitor(bad), "bad", monitor(good), "good");
        Prometheus prometheus = Prometheus.start(at, List.copyOf(servers.keySet()));
        Await.until(
                "counters of both",
                Workplace.LIMIT,
                () -> prometheus
                                .query("fdt_chunks_resent_total{direction=\"out\"} == 0")
                                .size()
                        == servers.size());
        Trees.file(bad.root().resolve("f"), 40L << 20, 1);
        FaultProxy proxy = at.closing(FaultProxy.before(bad.port()));
        proxy.script(new Fault.Cut(2, Way.TO_CLIENT, 2 << 20, Ending.RESET));
        at.copy("--chunk-size", "1MiB", "-P", 3, bad.urlAt(proxy.port(), "/f"), at.path("a"))
                .expectExit(0);
        at.copy("--chunk-size", "1MiB", "-P", 3, good.url("/f"), at.path("b")).expectExit(0);
        Await.until(
                "the alert", Workplace.LIMIT, () -> firing(prometheus, servers).contains("FdtChunksResent bad"));
        assertThat(firing(prometheus, servers)).containsExactly("FdtChunksResent bad");
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

    /** Returns the names of the alerts that fire, each with its server, or else its host, and its service. */
    private static Set<String> firing(Prometheus prometheus, Map<String, String> servers) {
        Set<String> firing = new TreeSet<>();
        for (Object one : prometheus.query("ALERTS{alertstate=\"firing\"}")) {
            Map<?, ?> labels = (Map<?, ?>) ((Map<?, ?>) one).get("metric");
            Object server = labels.get("instance");
            Object service = labels.get("service");
            firing.add(labels.get("alertname") + " " + (server == null ? labels.get("host") : servers.get(server))
                    + (service == null ? "" : " " + service));
        }
        return firing;
    }
}
