package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Meter;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The responses of a monitor of a recorded host to watchers, and the clients that it refuses. */
final class MonitorServerTest {
    private static final String TOKEN = "0123456789abcdef";

    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void unpack() {
        root = RecordedHost.unpack("bonded40", directory);
    }

    private Monitor monitor(@Nullable String token) {
        return new Monitor(new Monitor.Settings(
                "monitor",
                new Monitor.Page(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token, AddressRules.ANY),
                List.of(),
                null,
                null,
                text -> {},
                root));
    }

    private HttpResponse<String> get(Monitor monitor, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + monitor.address().getPort() + path))
                .timeout(Duration.ofSeconds(Await.LIMIT_SECONDS));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void scrapeShowsEveryCoreAsNodeExporterNumbersIt() throws Exception {
        try (Monitor monitor = monitor(null)) {
            String text = awaitMetric(monitor, "fdt_host_cpu_seconds_total");
            assertThat(text.lines().filter(line -> line.startsWith("fdt_host_cpu_seconds_total{")))
                    .hasSize(24 * 8)
                    .contains("fdt_host_cpu_seconds_total"
                            + "{cpu=\"2\",host=\"dtn40\",mode=\"softirq\",numa_node=\"0\"} 86.0");
            assertThat(text).contains("fdt_nic_info{").contains("fdt_nic_queue_interrupts_total{");
            assertThat(get(monitor, "/metrics", "Accept", "application/openmetrics-text")
                            .body())
                    .endsWith("# EOF\n");
        }
    }

    /** The first one is that of Prometheus 3. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3,*/*;q=0.2 | openmetrics",
                "application/openmetrics-text;q=0.1, text/plain;q=0.9 | plain",
                "application/openmetrics-text;q=0 | plain",
                "application/openmetrics-text | openmetrics",
                "APPLICATION/openmetrics-text;q=0.5, text/*;q=0.4 | openmetrics",
                "text/*;q=0.4, application/*;q=0.1 | plain",
                "*/* | plain",
                "text/html;q=x, | plain",
            })
    void scrapeHasTheFormatThatItsClientPrefers(String accept, String format) throws Exception {
        try (Monitor monitor = monitor(null)) {
            HttpResponse<String> answer = get(monitor, "/metrics", "Accept", accept);
            assertThat(answer.headers().firstValue("Content-Type"))
                    .hasValueSatisfying(type -> assertThat(type).contains(format));
            assertThat(answer.body().endsWith("# EOF\n")).isEqualTo(format.equals("openmetrics"));
        }
    }

    @Test
    void scrapeIsCompressedForClientsThatAskForIt() throws Exception {
        try (Monitor monitor = monitor(null)) {
            URI page = URI.create("http://127.0.0.1:" + monitor.address().getPort() + "/metrics");
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(page)
                            .header("Accept-Encoding", "br, gzip;q=0.8")
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            assertThat(answer.headers().firstValue("Content-Encoding")).contains("gzip");
            String text = new String(
                    new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes(),
                    StandardCharsets.UTF_8);
            assertThat(text).contains("fdt_host_cpu_seconds_total{");
            assertThat(answer.body().length).isLessThan(text.length() / 5);
            assertThat(get(monitor, "/metrics", "Accept-Encoding", "gzip;q=0, *")
                            .headers()
                            .firstValue("Content-Encoding"))
                    .isEmpty();
        }
    }

    /** A name ends with its unit, or parsers of OpenMetrics refuse the page. */
    @Test
    void openMetricsHaveUnits() throws Exception {
        try (Monitor monitor = monitor(null)) {
            String text = get(monitor, "/metrics", "Accept", "application/openmetrics-text")
                    .body();
            assertThat(text.lines().filter(line -> line.startsWith("# UNIT ")))
                    .contains(
                            "# UNIT fdt_host_cpu_seconds seconds",
                            "# UNIT fdt_nic_speed_bytes_per_second bytes_per_second",
                            "# UNIT process_resident_memory_bytes bytes")
                    .allSatisfy(line -> assertThat(line.split(" ", -1)[2]).endsWith("_" + line.split(" ", -1)[3]))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void scrapeTellsWhichProcessItIsAndWhatItUses() throws Exception {
        try (Monitor monitor = monitor(null)) {
            String text = get(monitor, "/metrics").body();
            assertThat(text)
                    .containsPattern("\nfdt_build_info\\{host=\"dtn40\",java=\"[^\"]+\",role=\"monitor\",version=\"");
            assertThat(text.lines().map(line -> line.split("[{]", 2)[0]))
                    .contains(
                            "process_start_time_seconds",
                            "process_cpu_seconds_total",
                            "process_resident_memory_bytes",
                            "process_open_fds",
                            "process_max_fds");
        }
    }

    private String awaitMetric(Monitor monitor, String name) throws Exception {
        AtomicReference<String> last = new AtomicReference<>("");
        Await.until(name + " in the scrape", () -> {
            try {
                HttpResponse<String> answer = get(monitor, "/metrics");
                assertThat(answer.statusCode()).isEqualTo(200);
                last.set(answer.body());
                return answer.body().contains("\n" + name + "{");
            } catch (Exception e) {
                throw new AssertionError("cannot scrape", e);
            }
        });
        return last.get();
    }

    @Test
    void everyNameInAScrapeIsAMeterOrOfTheJvm() throws Exception {
        try (Monitor monitor = monitor(null)) {
            String text = awaitMetric(monitor, "fdt_host_cpu_seconds_total");
            List<String> names = text.lines()
                    .filter(line -> line.startsWith("# TYPE fdt_"))
                    .map(line -> line.split(" ", -1)[2])
                    .filter(name -> !name.equals("fdt_monitor_sample_seconds_max"))
                    .toList();
            List<String> known = new ArrayList<>();
            for (Meter meter : Meter.values()) {
                known.add(meter.exportedName());
            }
            assertThat(names).isNotEmpty().isSubsetOf(known);
        }
    }

    @Test
    void liveStreamBringsSamplesWithIds() throws Exception {
        try (Monitor monitor = monitor(null)) {
            liveStreamBringsSamples(monitor);
        }
    }

    private static void liveStreamBringsSamples(Monitor monitor) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), monitor.address().getPort())) {
            socket.setSoTimeout(Await.LIMIT_MS);
            socket.getOutputStream()
                    .write("GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            List<String> ids = new ArrayList<>();
            String line;
            while (ids.size() < 2 && (line = in.readLine()) != null) {
                if (line.startsWith("id: ")) {
                    ids.add(line);
                    assertThat(in.readLine()).startsWith("data: {\"t\":").contains("\"host\":\"dtn40\"");
                }
            }
            assertThat(ids).doesNotHaveDuplicates().hasSize(2);
        }
    }

    @Test
    void oneMoreWatcherTakesThePlaceOfTheOneThatHasWatchedLongest() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Monitor monitor = monitor(null)) {
            for (int i = 0; i <= LiveClients.MAX_CLIENTS; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), monitor.address().getPort());
                socket.setSoTimeout(Await.LIMIT_MS);
                sockets.add(socket);
                socket.getOutputStream()
                        .write("GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            // Only the first reads to an end.
            sockets.get(0).getInputStream().readAllBytes();
            BufferedReader last = new BufferedReader(new InputStreamReader(
                    sockets.get(LiveClients.MAX_CLIENTS).getInputStream(), StandardCharsets.UTF_8));
            assertThat(last.lines().anyMatch("event: sample"::equals)).isTrue();
            assertThat(get(monitor, "/healthz").statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    @Test
    void nameThatIsNotThisMachinesIsRefused() throws Exception {
        try (Monitor monitor = monitor(null);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), monitor.address().getPort())) {
            socket.setSoTimeout(Await.LIMIT_MS);
            socket.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                            .readLine())
                    .isEqualTo("HTTP/1.1 403 Forbidden");
        }
    }

    @Test
    void tokenIsNeededWhereThereIsOneAndBecomesACookie() throws Exception {
        try (Monitor monitor = monitor(TOKEN)) {
            assertThat(get(monitor, "/metrics").statusCode()).isEqualTo(401);
            assertThat(get(monitor, "/metrics?token=wrong").statusCode()).isEqualTo(401);
            assertThat(get(monitor, "/healthz", "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            HttpResponse<String> first = get(monitor, "/healthz?token=" + TOKEN);
            assertThat(first.statusCode()).isEqualTo(303);
            // Relative, because a proxy may serve it below a path of its own.
            assertThat(first.headers().firstValue("Location")).contains("./healthz");
            assertThat(get(monitor, "/?token=" + TOKEN).headers().firstValue("Location"))
                    .contains("./");
            String cookie = first.headers().firstValue("Set-Cookie").orElseThrow();
            assertThat(cookie).contains("HttpOnly").contains("SameSite=Strict");
            assertThat(get(monitor, "/healthz", "Cookie", cookie.split(";", -1)[0])
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** What is encoded in it would end the header, or lead elsewhere. */
    @ParameterizedTest
    @ValueSource(strings = {"/page/%0D%0ASet-Cookie:%20a", "/page/a%20b"})
    void aPathStaysEncodedWhereItsTokenIsTakenOut(String path) throws Exception {
        try (Monitor monitor = monitor(TOKEN)) {
            HttpResponse<String> first = get(monitor, path + "?token=" + TOKEN);
            assertThat(first.statusCode()).isEqualTo(303);
            assertThat(first.headers().firstValue("Location")).contains(path.replace("/page/", "./"));
        }
    }

    @Test
    void factsShowUnknownNumbersAsNull() throws Exception {
        try (Monitor monitor = monitor(null)) {
            assertThat(get(monitor, "/api/host").body())
                    .contains("\"node\":null")
                    .doesNotContain(":-1");
        }
    }

    @Test
    void othersMayNotWatchWithoutAToken() {
        InetSocketAddress everywhere = new InetSocketAddress("0.0.0.0", 0);
        assertThatThrownBy(() -> new Monitor(new Monitor.Settings(
                        "monitor",
                        new Monitor.Page(everywhere, null, AddressRules.ANY),
                        List.of(),
                        null,
                        null,
                        text -> {},
                        root)))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining("--monitor-token-file");
    }

    @Test
    void saysWhatToDoIfThePortIsTaken() {
        try (Monitor monitor = monitor(null)) {
            assertThatThrownBy(() -> new Monitor(new Monitor.Settings(
                            "monitor",
                            new Monitor.Page(monitor.address(), null, AddressRules.ANY),
                            List.of(),
                            null,
                            null,
                            text -> {},
                            root)))
                    .hasMessageEndingWith("Address already in use");
        }
    }

    @Test
    void onlyReadsAndServesNoFileOutsideThePage() throws Exception {
        try (Monitor monitor = monitor(null)) {
            assertThat(get(monitor, "/page/..%2fMonitor.class").statusCode()).isEqualTo(404);
            assertThat(get(monitor, "/metrics/other").statusCode()).isEqualTo(404);
            HttpRequest post = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + monitor.address().getPort() + "/metrics"))
                    .POST(HttpRequest.BodyPublishers.ofString("x"))
                    .build();
            assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isEqualTo(405);
            assertThat(get(monitor, "/healthz").headers().firstValue("Content-Security-Policy"))
                    .hasValueSatisfying(policy -> assertThat(policy).startsWith("default-src 'self'"));
        }
    }

    @Test
    void networksThatMayWatchAreAboutOtherHosts() throws Exception {
        AddressRules rules = AddressRules.parse(List.of("10.1.0.0/16"));
        assertThat(MonitorServer.mayConnect(rules, InetAddress.getByName("10.1.2.3")))
                .isTrue();
        assertThat(MonitorServer.mayConnect(rules, InetAddress.getByName("10.2.0.1")))
                .isFalse();
        assertThat(MonitorServer.mayConnect(rules, InetAddress.getLoopbackAddress()))
                .isTrue();
        assertThat(MonitorServer.mayConnect(AddressRules.ANY, InetAddress.getByName("10.2.0.1")))
                .isTrue();
    }

    /** More connections of each kind than the server accepts. */
    @Test
    void connectionsThatSendNothingOrHalfARequestKeepNobodyFromThePage() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (Monitor monitor = monitor(null)) {
            for (int i = 0; i < 600; i++) {
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(), monitor.address().getPort());
                socket.setSoTimeout(Await.LIMIT_MS);
                sockets.add(socket);
                if (i < 300) {
                    socket.getOutputStream()
                            .write("GET /metrics HTTP/1.1\r\nHost: lo".getBytes(StandardCharsets.US_ASCII));
                }
            }
            for (String path : List.of("/", "/healthz", "/metrics", "/api/history", "/api/host", "/page/page.js")) {
                assertThat(get(monitor, path).statusCode()).as(path).isEqualTo(200);
            }
            liveStreamBringsSamples(monitor);
            assertThat(isGone(sockets.get(0))).as("the oldest").isTrue();
            assertThat(isGone(sockets.get(300))).as("and this one").isTrue();
        } finally {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    private static boolean isGone(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            // The server closed it before it read the half request.
            return true;
        }
    }
}
