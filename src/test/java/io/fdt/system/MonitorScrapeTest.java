package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The figures of a monitor for a real host and a real transfer. */
final class MonitorScrapeTest {
    private static final Pattern CPU_LINE =
            Pattern.compile("fdt_host_cpu_seconds_total\\{cpu=\"(\\d+)\",host=\"[^\"]+\",mode=\"(\\w+)\".*} (\\S+)");

    @RegisterExtension
    final Workplace at = new Workplace();

    private final HttpClient client = HttpClient.newHttpClient();

    private String get(String url) throws IOException, InterruptedException {
        HttpResponse<String> answer =
                client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static String url(FdtProcess process) {
        String line = process.awaitLine(Workplace.LIMIT, text -> text.contains("\"type\":\"monitor\""));
        return String.valueOf(Json.object(line).get("url"));
    }

    @Test
    void scrapeDuringATransferShowsItsSessionAndLanesOnBothEnds() throws Exception {
        FdtServer server = at.rootlessServer(
                "127.0.0.1:0", at.directory(), "--monitor", "127.0.0.1:0", "--monitor-token-file", token());
        String serverUrl = url(server.process());
        FdtProcess copy = at.startCopy(
                "-P",
                2,
                "--rate-limit",
                "8Mbit",
                "--duration",
                "10m",
                "--monitor",
                "127.0.0.1:0",
                "/dev/zero",
                server.url("/dev/null"));
        String clientUrl = url(copy);
        // One lane may join later than the other.
        for (String pattern : List.of(
                "fdt_lane_rtt_seconds\\{",
                "fdt_session_info\\{[^\n]*service=\"copy\"",
                "fdt_lane_sent_bytes_total\\{direction=\"out\",host=\"[^\"]+\",lane=\"1\",session=\"c1\"}",
                "fdt_session_lanes\\{direction=\"out\",host=\"[^\"]+\",session=\"c1\"} 2.0")) {
            awaitMatch(clientUrl, "", pattern);
        }
        awaitMetric(serverUrl, "0123456789abcdef", "fdt_lane_received_bytes_total{");
        awaitMatch(
                serverUrl,
                "0123456789abcdef",
                "fdt_session_bytes_total\\{direction=\"in\",host=\"[^\"]+\",session=\"s1\"}");
        // One verdict for a copy: the receiver does not say that it is idle.
        String limited = "fdt_session_bottleneck\\{cause=\"rate-limit\",host=\"[^\"]+\",session=\"%s\"} 1.0";
        awaitMatch(clientUrl, "", limited.formatted("c1"));
        awaitMatch(serverUrl, "0123456789abcdef", limited.formatted("s1"));
        Await.until("its history", Workplace.LIMIT, () -> {
            String history = Browser.get(URI.create(clientUrl + "api/history"));
            return history.contains("\"role\":\"client\"") && history.contains("\"session\":\"c1\"");
        });
        copy.signal("INT");
        copy.await(Workplace.LIMIT);

        try (Socket stranger = new Socket(server.host(), server.port())) {
            stranger.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Await.until(
                    "one that was refused",
                    Workplace.LIMIT,
                    () -> awaitMetric(serverUrl, "0123456789abcdef", "fdt_server_refused_total{")
                            .lines()
                            .anyMatch(line -> line.startsWith("fdt_server_refused_total{")
                                    && line.contains("cause=\"not-fdt\"")
                                    && line.endsWith(" 1.0")));
        }
    }

    private Path token() throws IOException {
        Path file = at.directory().resolve("token");
        java.nio.file.Files.writeString(file, "0123456789abcdef\n", StandardCharsets.UTF_8);
        return file;
    }

    /** The client has no monitor, and does not report its host. */
    @Test
    void aServerNamesTheBottleneckAtItsClient() {
        FdtServer server = at.rootlessServer("127.0.0.1:0", at.directory(), "--monitor", "127.0.0.1:0");
        FdtProcess copy = at.startCopy(
                "-P",
                1,
                "--rate-limit",
                "8Mbit",
                "--duration",
                "10m",
                "--tell-host",
                "refuse",
                "/dev/zero",
                server.url("/dev/null"));
        String page = awaitMatch(
                url(server.process()), "", "fdt_session_bottleneck\\{cause=\"rate-limit\",[^}]+session=\"s1\"} 1.0");
        assertThat(page).doesNotContain("fdt_peer_cpu_ratio{");
        copy.signal("INT");
        copy.await(Workplace.LIMIT);
    }

    @Test
    void aServerSaysThatItsClientWasKilled() {
        FdtServer server = at.rootlessServer("127.0.0.1:0", at.directory(), "--monitor", "127.0.0.1:0");
        FdtProcess copy = at.startCopy(
                "-P", 1, "--rate-limit", "8Mbit", "--duration", "10m", "/dev/zero", server.url("/dev/null"));
        String url = url(server.process());
        String page = awaitMatch(url, "", "fdt_session_bytes_total\\{[^}]+session=\"s1\"} [1-9]");
        assertThat(page).containsPattern("fdt_sessions_peer_gone\\{[^}]+} 0.0");
        copy.signal("KILL");
        awaitMatch(url, "", "fdt_sessions_peer_gone\\{[^}]+} 1.0");
        awaitMatch(url, "", "fdt_session_bottleneck\\{cause=\"peer-gone\",[^}]+session=\"s1\"} 1.0");
    }

    private String awaitMetric(String url, String token, String name) {
        return awaitMatch(url, token, Pattern.quote(name));
    }

    private String awaitMatch(String url, String token, String pattern) {
        String[] seen = {""};
        Await.until("a scrape with " + pattern, Workplace.LIMIT, () -> {
            try {
                HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "metrics"));
                if (!token.isEmpty()) {
                    request.header("Authorization", "Bearer " + token);
                }
                seen[0] = client.send(request.build(), HttpResponse.BodyHandlers.ofString())
                        .body();
                return Pattern.compile(pattern).matcher(seen[0]).find();
            } catch (IOException notYet) {
                return false;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        });
        return seen[0];
    }

    /**
     * Measures for ten seconds with one core kept busy. The tolerance is 3 points, because the two programs do not
     * sample at the same moment.
     */
    @Test
    @Tag("clock")
    @Tag("dashboards")
    void coresAgreeWithMpstat() throws Exception {
        FdtProcess monitor = at.start("monitor", "monitor", "--json", "--monitor", "127.0.0.1:0");
        String url = url(monitor);
        Process busy = new ProcessBuilder("taskset", "-c", "0", "sh", "-c", "while :; do :; done").start();
        try {
            Await.pass(Duration.ofSeconds(2));
            Process mpstat = new ProcessBuilder("env", "LC_ALL=C", "mpstat", "-P", "ALL", "10", "1")
                    .redirectErrorStream(true)
                    .start();
            Map<String, Double> first = ticks(get(url + "metrics"));
            String table = new String(mpstat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(mpstat.waitFor()).as(table).isZero();
            Map<String, Double> last = ticks(get(url + "metrics"));
            List<String[]> rows = table.lines()
                    .filter(line -> line.startsWith("Average:"))
                    .map(line -> line.trim().split("\\s+"))
                    .filter(row -> row[1].matches("\\d+"))
                    .toList();
            assertThat(rows).as(table).isNotEmpty();
            for (String[] row : rows) {
                int core = Integer.parseInt(row[1]);
                // Average: CPU %usr %nice %sys %iowait %irq %soft %steal %guest %gnice %idle
                assertThat(share(first, last, core, "user", "nice"))
                        .as("user of core " + core + "\n" + table)
                        .isCloseTo(number(row, 2) + number(row, 3) + number(row, 9) + number(row, 10), within(3.0));
                assertThat(share(first, last, core, "system")).isCloseTo(number(row, 4), within(3.0));
                assertThat(share(first, last, core, "softirq")).isCloseTo(number(row, 7), within(3.0));
                assertThat(share(first, last, core, "idle")).isCloseTo(number(row, 11), within(3.0));
            }
            assertThat(share(first, last, 0, "idle", "iowait"))
                    .as("core 0 was kept busy")
                    .isLessThan(20.0);
        } finally {
            busy.destroyForcibly();
        }
        monitor.signal("TERM");
        monitor.await(Workplace.LIMIT).expectExit(0);
    }

    private static double number(String[] row, int column) {
        return Double.parseDouble(row[column]);
    }

    private static Map<String, Double> ticks(String scrape) {
        Map<String, Double> ticks = new TreeMap<>();
        scrape.lines().forEach(line -> {
            Matcher matcher = CPU_LINE.matcher(line);
            if (matcher.matches()) {
                ticks.put(
                        Integer.parseInt(matcher.group(1)) + " " + matcher.group(2), Double.valueOf(matcher.group(3)));
            }
        });
        return ticks;
    }

    /** Returns the share of these modes in the time of the core between the two samples, in percent. */
    private static double share(Map<String, Double> first, Map<String, Double> last, int core, String... modes) {
        double all = 0;
        double wanted = 0;
        for (Map.Entry<String, Double> value : last.entrySet()) {
            if (value.getKey().startsWith(core + " ")) {
                double spent = value.getValue() - first.get(value.getKey());
                all += spent;
                wanted += List.of(modes).contains(value.getKey().split(" ", -1)[1]) ? spent : 0;
            }
        }
        return 100 * wanted / all;
    }
}
