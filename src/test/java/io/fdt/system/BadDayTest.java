package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.FreePort;
import io.fdt.core.transport.Await;
import io.fdt.system.DashboardPage.Panel;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The dashboards after an hour of real use, drawn from real processes. The host {@code dtn1} has a server whose root is
 * in memory. It has had fifty short sessions and a failed one, waits for a client that was killed, and sends to
 * {@code dtn2}, which has no server. The gateway to which tests and copies pushed their results is down.
 */
@Tag("dashboards")
final class BadDayTest {
    private static final int COPIES = 40;
    private static final int LISTINGS = 10;
    /** The timeline of bottlenecks is readable up to here, and so are the heat maps of lanes. */
    private static final int READABLE_ROWS = 20;

    /** The height of a table's header in pixels. */
    private static final int HEADER = 36;

    private static final Duration RANGE = Duration.ofMinutes(5);
    private static final String RED = "#f2495c";
    private static final String WHITE = "rgb(204, 204, 220)";

    @RegisterExtension
    final Workplace at = new Workplace();

    @Test
    void panelsSayWhatIsTrueAndLeadWithWhatRuns() throws IOException {
        assumeTrue(Shell.run("unshare", "--uts", "--mount", "true").exitCode() == 0, "another host needs root");
        Prometheus prometheus = liveThroughTheDay();
        DashboardPage page = DashboardPage.of(at, prometheus);
        assertHosts(draw(page, "home"), page);
        assertHost(draw(page, "host"));
        assertTransfers(draw(page, "transfers"), prometheus);
        assertNetworkTests(draw(page, "network-tests"), page);
    }

    private Prometheus liveThroughTheDay() throws IOException {
        Path root = at.directory("remote");
        Shell.ok("mount", "-t", "tmpfs", "-o", "size=64m", "none", root);
        at.closing(() -> Shell.ok("umount", "-l", root));
        FdtServer server = at.serverThrough(Workplace.onHost("dtn1"), "127.0.0.1:0", "--monitor", "127.0.0.1:0");
        String monitor =
                URI.create(MonitorReplayTest.monitorUrl(server.process())).getAuthority();
        String client = "127.0.0.1:" + FreePort.next();
        String gateway = "127.0.0.1:" + FreePort.next();
        FdtProcess gatewayRuns = Prometheus.startGateway(at, gateway);
        Prometheus prometheus =
                Prometheus.start(at, List.of(monitor, client), gateway, alerts -> alerts.replace("for: 5m", "for: 5s"));
        awaitData(prometheus, "fdt_sessions_total{host=\"dtn1\"} == 0");

        Path source = Trees.file(at.path("f"), 100_000, 1);
        for (int i = 0; i < COPIES; i++) {
            at.copy(source, server.url("/f" + i)).expectExit(0);
        }
        for (int i = 0; i < LISTINGS; i++) {
            at.fdt("ls", server.url("/")).expectExit(0);
        }
        String push = "pushgateway://" + gateway + "/nightly";
        Files.writeString(root.resolve("file"), "x");
        at.copy("--push", push, source, server.url("/file/f")).expectExit(5);
        String address = server.host() + ":" + server.port();
        at.fdt("nettest", "--json", "--duration", "1s", "--push", push, address).expectExit(0);
        at.fdt("nettest", "--json", "--duration", "1s", "--reverse", "--push", push, address)
                .expectExit(0);
        at.startThrough(
                Workplace.onHost("dtn2"),
                at.setup(
                        "client",
                        "client",
                        "--json",
                        "--monitor",
                        client,
                        "-P",
                        2,
                        "--rate-limit",
                        "80Mbit",
                        "--duration",
                        "1h",
                        server.url("/dev/zero"),
                        "/dev/null"));
        FdtProcess killed = at.startCopy(
                "--rate-limit",
                "1Mbit",
                "--chunk-size",
                "128KiB",
                Trees.file(at.path("large"), 30 << 20, 2),
                server.url("/large"));
        killed.awaitAcknowledged(Workplace.LIMIT, 1 << 17);
        awaitData(prometheus, "count(fdt_nettest_timestamp_seconds) == 2 and count(fdt_copy_exit_code == 5) == 1");
        killed.signal("KILL");
        gatewayRuns.signal("KILL");

        awaitData(prometheus, "fdt_session_bottleneck{cause=\"peer-gone\"} == 1");
        awaitData(prometheus, "ALERTS{alertname=\"FdtPushgatewayDown\",alertstate=\"firing\"}");
        awaitData(prometheus, "up{job=\"pushgateway\"} == 0 unless on () last_over_time(fdt_copy_exit_code[10s])");
        awaitData(prometheus, "count(last_over_time(fdt_session_end_timestamp_seconds[5m])) > " + COPIES);
        awaitData(prometheus, "rate(fdt_session_bytes_total{host=\"dtn2\"}[10s]) > 1e6");
        Await.until(
                "the end of the series of what has ended",
                Workplace.LIMIT,
                () -> prometheus
                        .query("last_over_time(fdt_session_end_timestamp_seconds[10s])")
                        .isEmpty());
        return prometheus;
    }

    private static void awaitData(Prometheus prometheus, String expression) {
        Await.until(
                expression, Workplace.LIMIT, () -> !prometheus.query(expression).isEmpty());
    }

    private static Map<String, Panel> draw(DashboardPage page, String name) throws IOException {
        page.open(name, RANGE);
        Set<String> blank = page.blank();
        page.keepPicture("bad-day-" + name);
        assertThat(blank).as("blank panels of %s", name).isEmpty();
        Map<String, Panel> panels =
                page.panels().stream().collect(Collectors.toMap(Panel::title, Function.identity(), (one, next) -> one));
        panels.forEach((title, panel) -> assertThat(String.join("\n", panel.legend()))
                .as("%s: %s", name, title)
                .doesNotContain("NaN", "in this time"));
        return panels;
    }

    private static void assertHosts(Map<String, Panel> panels, DashboardPage page) {
        assertThat(text(panels, "Hosts up")).isEqualTo("1");
        assertThat(text(panels, "Failed copies")).isEqualTo("1");
        assertThat(page.shows(panels.get("Failed copies"), RED)).isTrue();
        assertThat(text(panels, "Fullest root")).endsWith("%");
        assertThat(panels.get("Hosts").rows()).isEqualTo(2);
        assertThat(text(panels, "Hosts"))
                .contains("dtn1", "up", "dtn2", "no server")
                .doesNotContain("no host was seen", "down");
        List<String> cells = text(panels, "Hosts").lines().toList();
        assertThat(cells.get(cells.indexOf("dtn1") + cells.indexOf("peers gone")))
                .as("peers of dtn1 that have gone, in %s", cells)
                .isEqualTo("1");
        assertThat(panels.get("Who moved how much").rows()).isPositive();
        assertThat(panels.get("How copies went").rows()).isPositive();
    }

    private static void assertHost(Map<String, Panel> panels) {
        assertThat(text(panels, "Exported roots")).contains("no disk of its own", "remote");
        assertThat(text(panels, "Room in exported roots")).contains("dtn1", "%").doesNotContain("no server exports");
        assertThat(text(panels, "Disk traffic")).contains("a disk of its own");
        assertThat(panels.get("What the cores of $host do").rows()).isPositive();
    }

    private static void assertTransfers(Map<String, Panel> panels, Prometheus prometheus) {
        Set<String> present = new TreeSet<>();
        for (Object one : prometheus.query("fdt_session_info")) {
            Map<?, ?> labels = (Map<?, ?>) ((Map<?, ?>) one).get("metric");
            present.add(labels.get("host") + " (" + labels.get("instance") + ") " + labels.get("session"));
        }
        assertThat(present)
                .as("the long one at both ends, and the one without a peer")
                .hasSize(3);
        int legends = 0;
        for (Panel panel : panels.values()) {
            List<Boolean> runs = panel.legend().stream()
                    .filter(row -> row.matches("dtn[12] \\(.*\\) [sc][0-9].*"))
                    .map(row -> present.stream().anyMatch(row::startsWith))
                    .toList();
            legends += runs.contains(true) && runs.contains(false) ? 1 : 0;
            assertThat(runs.lastIndexOf(true))
                    .as("%s leads with those that run: %s", panel.title(), panel.legend())
                    .isLessThan(runs.contains(false) ? runs.indexOf(false) : runs.size());
        }
        assertThat(legends).as("legends with what runs and what has ended").isGreaterThan(2);
        assertThat(panels.get("What happened").rows()).isGreaterThan(COPIES);
        assertThat(text(panels, "What happened")).contains("failed", "ok", "copy");
        assertThat(panels.get("Sessions").rows()).isEqualTo(present.size());
        assertThat(panels.get("Bottleneck").rows()).isBetween(2, READABLE_ROWS);
        assertThat(panels.get("Lanes by time: sending").rows()).isBetween(2, READABLE_ROWS);
        assertThat(panels.get("Sessions ended per minute").legend()).isNotEmpty();
        assertThat(text(panels, "Refusals per minute")).isEqualTo("nothing was refused in this time");
    }

    private static void assertNetworkTests(Map<String, Panel> panels, DashboardPage page) {
        assertThat(page.shows(belowHeader(panels.get("Loss from each host to each")), WHITE))
                .as("names of hosts and paths without a test have no colour of a threshold")
                .isTrue();
        assertThat(text(panels, "Throughput of the last tests")).doesNotContain("variant");
        assertThat(panels.get("Tests").rows()).isEqualTo(2);
        assertThat(text(panels, "Tests")).contains("reverse", "b/s");
        assertThat(panels.get("Copies").rows()).isEqualTo(1);
        assertThat(text(panels, "Copies")).contains("5");
        for (String title : List.of(
                "Rate from each host to each",
                "Loss from each host to each",
                "Age of the last test from each host to each",
                "Throughput of the last tests",
                "CPU time per gigabyte")) {
            assertThat(panels.get(title).rows()).as(title).isPositive();
        }
    }

    private static Panel belowHeader(Panel table) {
        List<Integer> area =
                table.area().stream().map(one -> ((Number) one).intValue()).toList();
        return new Panel(
                table.title(),
                table.kind(),
                table.rows(),
                table.text(),
                table.legend(),
                table.colours(),
                List.of(area.get(0), area.get(1) + HEADER, area.get(2), area.get(3) - HEADER));
    }

    private static String text(Map<String, Panel> panels, String title) {
        return panels.get(title).text().strip();
    }
}
