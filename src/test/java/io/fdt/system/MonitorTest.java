package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The monitor during real transfers: the page in Chromium, and every expression of the dashboards in Prometheus. */
@Tag("dashboards")
final class MonitorTest {
    private static final double AGREES = 0.02;
    private static final double LIMIT_BYTES_PER_SECOND = 50e6;

    /**
     * Metrics of hardware that this machine may lack, or of another process. {@link DashboardsTest} covers all of them.
     */
    private static final Set<String> MAY_BE_ABSENT = Set.of(
            "fdt_nic_speed_bytes_per_second",
            "fdt_nic_pcie_bytes_per_second",
            "fdt_nic_queue_interrupts_total",
            "fdt_rdma_transmit_bytes_total",
            "fdt_rdma_receive_bytes_total",
            "fdt_rdma_events_total",
            "fdt_disk_",
            "fdt_nettest_bytes_per_second",
            "fdt_nettest_cpu_seconds_per_byte",
            "fdt_nettest_exit_code",
            "fdt_nettest_latency_seconds",
            "fdt_nettest_loss_ratio",
            "fdt_nettest_operations_per_second",
            "fdt_nettest_timestamp_seconds",
            "fdt_copy_",
            // These grow when a session ends.
            "rate(fdt_sessions_total",
            "timestamp(increase(fdt_sessions_total",
            "outcome=~\"failed|partial\"}[1m]",
            "increase(fdt_key_sessions_total",
            "bond!=\"\"",
            "fdt_(nettest|copy)");

    private static final Pattern SERIES = Pattern.compile("^([a-z_]+)\\{([^}]*)\\} .*");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"");

    @RegisterExtension
    final Workplace work = new Workplace();

    @Test
    void thePageAgreesWithTheSummary() throws IOException {
        FdtServer server = work.server("--monitor", "127.0.0.1:0");
        Browser browser = open(monitorUrl(server.process()));
        FdtProcess copy = work.startCopy(
                "-P", 4, "--rate-limit", "400Mbit", "--duration", "12s", "/dev/zero", server.url("/dev/null"));
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 4");

        List<Double> rates = new ArrayList<>();
        while (copy.isAlive()) {
            double rate = browser.number("(document.querySelector('.session [data-figure=rate]')?.value ?? -1) * 1");
            if (rate >= 0) {
                rates.add(rate);
            }
            Await.pass(Duration.ofMillis(500));
        }
        Outcome outcome = copy.await(Workplace.LIMIT).expectExit(0);
        browser.until("document.querySelector('#ended tbody tr') !== null");

        double moved = browser.number("document.querySelector('#ended td[data-name=Moved]').firstChild.value * 1");
        double bytes = outcome.number("bytes");
        assertThat(moved).isCloseTo(bytes, within(AGREES * bytes));
        assertThat(browser.number("document.querySelector('#ended td[data-name=Files]').firstChild.value * 1"))
                .isEqualTo((double) outcome.number("files"));
        // The mean in the summary includes the start and the end of the session. In between, the rate equals the limit.
        assertThat(rates.stream().sorted().skip(rates.size() / 2).findFirst().orElseThrow())
                .as("the rate in the middle of all that the page showed, of %s", rates)
                .isCloseTo(LIMIT_BYTES_PER_SECOND, within(AGREES * LIMIT_BYTES_PER_SECOND));
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 0");

        assertThat(browser.number("document.querySelector('#cores-here canvas').dataset.rows * 1"))
                .isEqualTo(cores());
        assertThat(browser.number("document.querySelector('#roots tbody tr').cells[1].firstChild.value * 1"))
                .as("free room")
                .isPositive();
        String origin = monitorUrl(server.process());
        assertThat(browser.requests()).allMatch(url -> url.startsWith(origin) || url.equals("about:blank"));
        assertThat(browser.complaints()).isEmpty();
    }

    /** The first server has no monitor of its own: it samples its host because the client requests it. */
    @Test
    void eachEndShowsTheCoresOfBothHosts() throws IOException {
        FdtServer plain = work.server();
        FdtProcess copy = endlessCopyTo(plain);
        Browser browser = open(monitorUrl(copy));

        browser.until("!document.getElementById('cores-there').hidden");
        browser.until("document.querySelectorAll('#cores-there tbody tr').length === " + (int) cores());
        assertThat(browser.number("document.querySelector('#cores-there canvas').dataset.rows * 1"))
                .isEqualTo(cores());
        assertThat(browser.evaluate("document.querySelector('#cores-there figcaption').textContent"))
                .isEqualTo("Remote end: " + hostName());
        // User, system, softirq, I/O wait and steal of a core in the table must not add up to more than 100 %.
        assertThat(browser.number("Math.max(...[...document.querySelectorAll('#cores-there tbody tr')].map(r =>"
                        + " [...r.cells].slice(2, 7).reduce((sum, c) => sum + parseFloat(c.textContent),"
                        + " 0)))"))
                .isBetween(0.0, 103.0);
        assertThat(browser.complaints()).isEmpty();
        copy.signal("INT");
        copy.await(Workplace.LIMIT);

        FdtServer watched = work.server("--monitor", "127.0.0.1:0");
        FdtProcess other = endlessCopyTo(watched);
        Await.until(
                "the server hears of the client",
                Workplace.LIMIT,
                () -> history(watched.process()).contains("\"peers\":{\"s1\":{\"host\":\"" + hostName() + "\""));
        other.signal("INT");
        other.await(Workplace.LIMIT);
    }

    /** Takes the screenshots of a real copy, seen from the client, for docs/images. */
    @Test
    void keepsPicturesOfARealTransfer() throws IOException {
        FdtServer server = work.server();
        FdtProcess copy = work.startCopy(
                "-P", 4, "--monitor", "127.0.0.1:0", "--size", "80GiB", "/dev/zero", server.url("/dev/null"));
        Browser browser = open(monitorUrl(copy));
        browser.evaluate("document.querySelector('#window [value=\"60\"]').click()");
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 4");
        browser.until("!document.getElementById('cores-there').hidden");
        browser.until("document.querySelector('.session progress').value > 0.25");

        Path pictures = Files.createDirectories(Path.of("target/images"));
        keep(browser, 1400, 1000, "light", pictures.resolve("monitor-light.png"));
        keep(browser, 1400, 1000, "dark", pictures.resolve("monitor-dark.png"));
        keep(browser, 390, 844, "light", pictures.resolve("monitor-phone.png"));
        copy.signal("INT");
        copy.await(Workplace.LIMIT);
    }

    private static void keep(Browser browser, int width, int height, String scheme, Path file) throws IOException {
        browser.look(width, height, scheme);
        browser.until("innerWidth === " + width + " && matchMedia('(prefers-color-scheme: " + scheme + ")').matches");
        browser.until("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
        byte[] picture = browser.screenshot();
        BufferedImage seen = ImageIO.read(new ByteArrayInputStream(picture));
        assertThat(seen.getWidth()).isEqualTo(width);
        assertThat(seen.getHeight()).isEqualTo(height);
        Files.write(file, picture);
    }

    @Test
    void hostThatRefusesToReportIsNotShown() {
        FdtServer silent = work.server("--tell-host", "refuse", "--monitor", "127.0.0.1:0");
        FdtProcess copy = endlessCopyTo(silent);
        Await.until(
                "the server hears of the client",
                Workplace.LIMIT,
                () -> history(silent.process()).contains("\"peers\":{\"s1\":{\"host\""));

        String seen = history(copy);
        assertThat(seen).contains("\"session\":\"c1\"").contains("\"peers\":{}");
        assertThat(seen).doesNotContain("\"peers\":{\"");
        copy.signal("INT");
        copy.await(Workplace.LIMIT);
    }

    private FdtProcess endlessCopyTo(FdtServer server) {
        return work.startCopy(
                "-P",
                2,
                "--monitor",
                "127.0.0.1:0",
                "--rate-limit",
                "80Mbit",
                "--duration",
                "120s",
                "/dev/zero",
                server.url("/dev/null"));
    }

    private static String history(FdtProcess process) {
        return Browser.get(URI.create(monitorUrl(process) + "api/history"));
    }

    private static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static double cores() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            return lines.filter(line -> line.matches("cpu[0-9]+ .*")).count();
        }
    }

    @Test
    void aLaneThatIsCutDisappearsFromThePage() {
        FdtServer server = work.server("--monitor", "127.0.0.1:0");
        FaultProxy proxy = work.closing(FaultProxy.before(server.port()));
        Browser browser = open(monitorUrl(server.process()));
        FdtProcess copy = work.startCopy(
                "-P",
                4,
                "--rate-limit",
                "80Mbit",
                "--duration",
                "120s",
                "/dev/zero",
                server.urlAt(proxy.port(), "/dev/null"));
        browser.until("document.querySelectorAll('#lanes tbody tr').length === 4");

        // The first connection is the link. The lane that is cut must not be reopened under the same number.
        proxy.refuseNew();
        proxy.connections().get(2).cut(Fault.Ending.RESET);

        browser.until("document.querySelectorAll('#lanes tbody tr').length === 3");
        copy.signal("INT");
        copy.await(Workplace.LIMIT);
    }

    @Test
    void pageReconnectsToARestartedServer() {
        FdtServer server = work.server("--monitor", "127.0.0.1:0");
        String url = monitorUrl(server.process());
        Browser browser = open(url);
        server.process().killHard();
        browser.until("document.getElementById('status').dataset.state === 'lost'");

        work.server("--monitor", "127.0.0.1:" + URI.create(url).getPort());

        browser.until("document.getElementById('status').dataset.state === 'live'");
        assertThat(browser.evaluate("document.getElementById('status').textContent"))
                .asString()
                .startsWith("Live again since ")
                .endsWith("the server was restarted");
        assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("ERR_"));
    }

    @Test
    void everyExpressionOfTheDashboardsHasDataDuringATransfer() throws IOException {
        // A file has a size and so a remaining time, which an endless source does not have.
        Path source = work.path("source");
        Trees.file(source, 400L << 20, 1);
        Path job = work.path("job");
        work.fdt("shard", "plan", "--into", 1, "--out", job, source).expectExit(0);
        work.fdt("key", "create", "ann", "--expires", "2d").expectExit(0);
        FdtServer server = work.server("--monitor", "127.0.0.1:0");
        // The marks of copies that ended well and of those that failed.
        work.copy(Trees.file(work.path("small"), 1, 2), server.url("/small")).expectExit(0);
        work.copy(server.url("/nothing"), work.path("nowhere/")).expectExit(4);
        FdtProcess copy = work.startCopy(
                "-P",
                2,
                "--monitor",
                "127.0.0.1:0",
                "--rate-limit",
                "16Mbit",
                "--shard",
                job.resolve("0"),
                server.url("/"));
        List<String> monitors = List.of(monitorUrl(server.process()), monitorUrl(copy));
        Prometheus prometheus = Prometheus.start(
                work,
                monitors.stream().map(url -> URI.create(url).getAuthority()).toList());
        DashboardQueries queries = DashboardQueries.read(prometheus);

        Set<String> absent = new TreeSet<>(MAY_BE_ABSENT);
        Await.until(
                "both ends are scraped",
                Workplace.LIMIT,
                () -> prometheus.query("fdt_session_bytes_total").size() == 2);
        beRefused(server, prometheus);
        prometheus.metrics().forEach(absent::remove);
        assertThat(queries.withoutData(
                        prometheus,
                        Workplace.LIMIT,
                        expression -> absent.stream().anyMatch(expression::contains)))
                .isEmpty();
        assertSameLabels(monitors.get(0));
        // It ends by itself, and may have ended while the last expressions got their data.
        copy.await(Workplace.LIMIT).expectExit(0);
    }

    /** Only refusals that are counted between two scrapes are an increase. */
    private static void beRefused(FdtServer server, Prometheus prometheus) throws IOException {
        try (Socket stranger = new Socket(server.host(), server.port())) {
            stranger.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            Await.until(
                    "one that was refused",
                    Workplace.LIMIT,
                    () -> !prometheus
                            .query("fdt_server_refused_total{cause=\"not-fdt\"} == 1")
                            .isEmpty());
        }
    }

    /** Asserts that {@link RecordedMetrics}, which the tests of the dashboards use, has the labels of a real host. */
    private static void assertSameLabels(String url) {
        Map<String, Set<String>> real = labels(Browser.get(URI.create(url + "metrics")));
        Map<String, Set<String>> recorded = labels(RecordedMetrics.page("dtn1", 1));
        recorded.keySet().retainAll(real.keySet());
        real.keySet().retainAll(recorded.keySet());
        assertThat(recorded).hasSizeGreaterThan(20).isEqualTo(real);
    }

    private static Map<String, Set<String>> labels(String page) {
        Map<String, Set<String>> labels = new TreeMap<>();
        page.lines().map(SERIES::matcher).filter(Matcher::matches).forEach(series -> {
            Set<String> names = labels.computeIfAbsent(series.group(1), name -> new TreeSet<>());
            LABEL.matcher(series.group(2)).results().forEach(label -> names.add(label.group(1)));
        });
        labels.values().removeIf(Set::isEmpty);
        return labels;
    }

    private static String monitorUrl(FdtProcess process) {
        String line = process.awaitLine(Workplace.LIMIT, text -> text.contains("\"type\":\"monitor\""));
        return (String) Json.object(line).get("url");
    }

    private Browser open(String url) {
        Browser browser = Browser.start(work);
        browser.look(1400, 1000, "light");
        browser.open(url);
        browser.until("document.getElementById('status')?.dataset.state === 'live'");
        return browser;
    }
}
