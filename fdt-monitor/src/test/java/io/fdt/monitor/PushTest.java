package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.fdt.core.FreePort;
import io.fdt.core.basic.HostView;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.host.RecordedHost;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.stream.ThroughputSums;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.push.ApmonPush;
import io.fdt.monitor.push.InfluxPush;
import io.fdt.monitor.push.OtlpPush;
import io.fdt.monitor.push.PushTarget;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Pushed metrics arrive at third-party receivers, or at receivers written from the specification of the format. */
final class PushTest {
    private static final HostFacts HOST =
            new HostFacts("fdt 1", "h", "6.1", new HostFacts.Cpu("cpu", 8, 8), new HostFacts.Nic("eth0", 0, "", 0));

    private static final Sample EMPTY = new Sample(
            7,
            "client",
            new HostView("a b", List.of(), List.of()),
            Sample.Devices.NONE,
            List.of(),
            List.of(),
            Map.of());

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    @TempDir
    Path directory;

    private Monitor monitorTo(String url, Map<String, String> environment) {
        Path root = RecordedHost.unpack("bonded40", directory.resolve("host"));
        return new Monitor(new Monitor.Settings(
                "client", null, List.of(PushTarget.of(url, environment)), null, null, warnings::add, root));
    }

    @Test
    void apmonReceiverDecodesEveryCore() throws Exception {
        try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            receiver.setSoTimeout(Await.LIMIT_MS);
            Sample sample = new Sample(
                    1_700_000_000_999L,
                    "client",
                    new HostView(
                            "dtn40",
                            List.of(
                                    new HostView.Core(0, 0, new HostView.Shares(0.25, 0.25, 0, 0, 0.5, 0, 0)),
                                    new HostView.Core(23, 1, new HostView.Shares(0, 0, 0, 0, 0, 0, 0))),
                            List.of(new HostView.Nic("eth2", -1, null, 1e6, 2e6, 0, 0))),
                    Sample.Devices.NONE,
                    List.of(),
                    List.of(),
                    Map.of());
            PushTarget target = PushTarget.of(
                    "apmon://127.0.0.1:" + receiver.getLocalPort(), Map.of("FDT_APMON_PASSWORD", "secret"));
            ApmonPush push = new ApmonPush(target);
            push.send(sample, List.of());
            ApmonDecoder.Datagram nics = receive(receiver);
            assertThat(nics.values()).containsEntry("eth2_IN", 8.0).containsEntry("eth2_OUT", 16.0);
            ApmonDecoder.Datagram cores = receive(receiver);
            assertThat(cores.head()).isEqualTo("v:2.2.7_jp:secret");
            assertThat(cores.cluster()).isEqualTo("FDT_Cores");
            assertThat(cores.node()).isEqualTo("dtn40");
            assertThat(cores.seconds()).isEqualTo(1_700_000_000);
            assertThat(cores.values())
                    .hasSize(8)
                    .containsEntry("core000_usr", 50.0)
                    .containsEntry("core000_softirq", 50.0)
                    .containsEntry("core023_idle", 100.0);
            assertThat(cores.instance()).isEqualTo(nics.instance()).isNotNegative();
            assertThat(cores.sequence()).isEqualTo(nics.sequence() + 1);
            push.close();
        }
    }

    /** Their datagrams are more than the limit of a second. */
    @Test
    void apmonReceiverGetsNicsAndSessionsOfAHostOfManyCores() throws Exception {
        try (DatagramSocket receiver = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            receiver.setSoTimeout(Await.LIMIT_MS);
            List<HostView.Core> cores = IntStream.range(0, 256)
                    .mapToObj(core -> new HostView.Core(core, 0, new HostView.Shares(0.25, 0.25, 0, 0, 0.5, 0, 0)))
                    .toList();
            Sample.SessionState session = new Sample.SessionState(
                    new Sample.SessionName("c1", "copy", "out", "dtn2", "", ""),
                    new Sample.Amounts(1, 2, 0, 1_000_000, 2_000_000, Moved.all(1_000_000), 1e6),
                    new Sample.Run(0, -1, null, -1, null),
                    null,
                    0,
                    null,
                    null);
            Sample sample = new Sample(
                    7,
                    "client",
                    new HostView("dtn40", cores, List.of(new HostView.Nic("eth2", -1, null, 1e6, 2e6, 0, 0))),
                    Sample.Devices.NONE,
                    List.of(session),
                    List.of(),
                    Map.of());
            ApmonPush push = new ApmonPush(PushTarget.of("apmon://127.0.0.1:" + receiver.getLocalPort(), Map.of()));
            push.send(sample, List.of());
            push.close();
            List<String> clusters = new ArrayList<>();
            for (int i = 0; i < 18; i++) {
                clusters.add(receive(receiver).cluster());
            }
            assertThat(clusters).contains("FDT_NICs", "FDT_Sessions", "FDT_Cores");
        }
    }

    private static ApmonDecoder.Datagram receive(DatagramSocket receiver) throws IOException {
        DatagramPacket packet = new DatagramPacket(new byte[9000], 9000);
        receiver.receive(packet);
        assertThat(packet.getLength()).isLessThanOrEqualTo(1400);
        return ApmonDecoder.decode(packet.getData(), packet.getLength());
    }

    @Test
    void otlpReceiverGetsTheLastFiguresBeforeTheEnd() throws Exception {
        LinkedBlockingQueue<byte[]> bodies = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        receiver.createContext("/v1/metrics", exchange -> {
            bodies.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        try {
            try (Monitor monitor =
                    monitorTo("otlp://127.0.0.1:" + receiver.getAddress().getPort(), Map.of())) {
                assertThat(monitor.address()).isNull();
            }
            ExportMetricsServiceRequest last = null;
            byte[] body;
            while ((body = bodies.poll()) != null) {
                last = ExportMetricsServiceRequest.parseFrom(body);
            }
            assertThat(last).as("nothing came before the monitor was closed").isNotNull();
            assertThat(last.getResourceMetrics(0).getResource().getAttributesList())
                    .anySatisfy(attribute -> {
                        assertThat(attribute.getKey()).isEqualTo("service.name");
                        assertThat(attribute.getValue().getStringValue()).isEqualTo("fdt-client");
                    });
            Metric cores = last.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
                    .filter(metric -> metric.getName().equals(Meter.HOST_CPU_SECONDS.baseName()))
                    .findFirst()
                    .orElseThrow();
            assertThat(cores.getSum().getIsMonotonic()).isTrue();
            assertThat(cores.getUnit()).isEqualTo("s");
            assertThat(cores.getSum().getDataPoints(0).getAttributesList()).anySatisfy(attribute -> {
                assertThat(attribute.getKey()).isEqualTo("host");
                assertThat(attribute.getValue().getStringValue()).isEqualTo("dtn40");
            });
            Metric sampled = last.getResourceMetrics(0).getScopeMetrics(0).getMetricsList().stream()
                    .filter(metric -> metric.getName().equals("fdt_monitor_sample_seconds"))
                    .findFirst()
                    .orElseThrow();
            assertThat(sampled.getGauge().getDataPoints(0).getAsDouble()).isPositive();
            assertThat(last.getResourceMetrics(0).getResource().getAttributesList())
                    .anySatisfy(attribute -> {
                        assertThat(attribute.getKey()).isEqualTo("service.instance.id");
                        assertThat(attribute.getValue().getStringValue())
                                .isEqualTo("dtn40:" + ProcessHandle.current().pid());
                    });
            assertThat(last.getResourceMetrics(0).getScopeMetrics(0).getMetricsList())
                    .extracting(Metric::getName)
                    .contains("fdt_nic_info", "fdt_host_cpu_seconds");
            assertThat(warnings).isEmpty();
        } finally {
            receiver.stop(0);
        }
    }

    /** Prometheus 3 adds a suffix for a unit that a name lacks. The dashboards have the names of a scrape. */
    @Test
    void prometheusGivesEveryPushedMetricTheNameThatIsScraped() throws Exception {
        LinkedBlockingQueue<byte[]> bodies = new LinkedBlockingQueue<>();
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        receiver.createContext("/v1/metrics", exchange -> {
            bodies.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        receiver.start();
        try {
            OtlpPush push = new OtlpPush(
                    PushTarget.of("otlp://127.0.0.1:" + receiver.getAddress().getPort(), Map.of()), "server", "dtn40");
            push.send(
                    EMPTY,
                    Arrays.stream(Meter.values())
                            .map(meter -> new Figure(
                                    meter, Collections.nCopies(meter.labels().size(), "x"), 1))
                            .toList());
            push.close();
            ExportMetricsServiceRequest last =
                    ExportMetricsServiceRequest.parseFrom(bodies.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS));
            assertThat(last.getResourceMetrics(0).getScopeMetrics(0).getMetricsList())
                    .extracting(PushTest::nameInPrometheus)
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(Meter.values())
                            .filter(meter -> meter.kind() != Meter.MeterKind.HISTOGRAM)
                            .map(Meter::exportedName)
                            .toList());
        } finally {
            receiver.stop(0);
        }
    }

    /** By the rules of Prometheus' otlptranslator 1.0.0, with suffixes. */
    private static String nameInPrometheus(Metric metric) {
        List<String> words = new ArrayList<>(List.of(metric.getName().split("[^A-Za-z0-9]+")));
        String[] units = metric.getUnit().split("/", 2);
        Map<String, String> known = Map.of("s", "seconds", "By", "bytes", "1", "");
        String unit = units[0].contains("{") ? "" : known.getOrDefault(units[0], units[0]);
        if (!unit.isEmpty() && !words.contains(unit)) {
            words.add(unit);
        }
        if (units.length == 2 && !units[1].contains("{")) {
            // It compares both words at once with each word of the name, so it finds them in none.
            words.addAll(List.of("per", units[1].equals("s") ? "second" : units[1]));
        }
        if (metric.getSum().getIsMonotonic()) {
            words.remove("total");
            words.add("total");
        } else if (metric.getUnit().equals("1")) {
            words.remove("ratio");
            words.add("ratio");
        }
        return String.join("_", words);
    }

    @Test
    void deadReceiverIsOneWarningAndHoldsNobodyUp() throws Exception {
        try (Socket dead = FreePort.withoutListener()) {
            String url = "influx://127.0.0.1:" + dead.getLocalPort() + "/fdt";
            Monitor monitor = monitorTo(url, Map.of());
            Await.until("the warning", () -> !warnings.isEmpty());
            // Some more pushes, one a second.
            Await.pass(Duration.ofSeconds(3));
            monitor.close();
        }
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0)).startsWith("cannot push metrics to influx://127.0.0.1:");
    }

    /** The only push of a short command is the last one. */
    @Test
    void aDeadOtlpReceiverIsAWarningAlsoOfAShortCommand() throws Exception {
        try (Socket dead = FreePort.withoutListener()) {
            monitorTo("otlp://127.0.0.1:" + dead.getLocalPort(), Map.of()).close();
        }
        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0)).startsWith("cannot push metrics to otlp://127.0.0.1:");
    }

    /** A gateway keeps values forever, so they must stay true: only results, and one series for each path. */
    @Test
    @Tag("dashboards")
    void realPushgatewayKeepsResultsAndNothingElse() throws Exception {
        Path program = Path.of("/usr/bin/prometheus-pushgateway");
        int port = FreePort.next();
        Process gateway = start(program.toString(), "--web.listen-address=127.0.0.1:" + port, "--persistence.file=");
        String url = "pushgateway://127.0.0.1:" + port + "/transfers";
        String own = "direction=\"out\",instance=\"\",job=\"transfers\",size=\"\",source=\"dtn40\",streams=";
        try {
            awaitAnswer("http://127.0.0.1:" + port + "/-/ready", "");
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onNettest(throughput("far/away", 9).plan(), false, outcome(throughput("far/away", 9)));
            }
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onNettest(throughput("near", 7).plan(), false, outcome(throughput("near", 7)));
            }
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onNettest(throughput("near", 8).plan(), false, outcome(throughput("near", 8)));
            }
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onNettest(
                        latency("near").plan(),
                        false,
                        new NettestOutcome(Failure.of(Cause.CANNOT_CONNECT, "refused"), null, 1, ""));
            }
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onNettest(latency("near").plan(), false, outcome(latency("near")));
            }
            try (Monitor monitor = monitorTo(url, Map.of())) {
                monitor.onCopy(copied(), null, "near");
            }
            assertThat(warnings).isEmpty();
            assertThat(awaitAnswer("http://127.0.0.1:" + port + "/metrics", "fdt_copy_exit_code{"))
                    .contains("{destination=\"far/away\"," + own + "\"4\",suite=\"throughput\",variant=\"\"} 1.125e+09")
                    .contains("{destination=\"near\"," + own + "\"4\",suite=\"throughput\",variant=\"\"} 1e+09")
                    .contains(
                            "fdt_nettest_loss_ratio{destination=\"near\",direction=\"out\",instance=\"\","
                                    + "job=\"transfers\",source=\"dtn40\",streams=\"4\",suite=\"throughput\",variant=\"\"} 0.002")
                    .contains("fdt_nettest_exit_code{destination=\"near.example.org\",instance=\"\",job=\"transfers\","
                            + "source=\"dtn40\",streams=\"1\",suite=\"latency\",variant=\"\"} 8")
                    .contains("fdt_nettest_exit_code{destination=\"near\",instance=\"\",job=\"transfers\","
                            + "source=\"dtn40\",streams=\"1\",suite=\"latency\",variant=\"\"} 0")
                    .as("a latency run leaves the throughput of the path alone")
                    .contains("fdt_nettest_latency_seconds{destination=\"near\",direction=\"both\",instance=\"\","
                            + "job=\"transfers\",quantile=\"0.5\",size=\"128\",source=\"dtn40\",streams=\"1\","
                            + "suite=\"latency\",variant=\"\"} 2.0")
                    .contains(
                            "fdt_copy_exit_code{destination=\"near\",instance=\"\",job=\"transfers\",source=\"dtn40\"}"
                                    + " 6")
                    .contains("fdt_copy_duration_seconds{destination=\"near\",instance=\"\",job=\"transfers\","
                            + "source=\"dtn40\"} 1.5")
                    .doesNotContain("fdt_host_", "fdt_nic_", "fdt_session_", "jvm_", "process_cpu_seconds_total{dest");
        } finally {
            stop(gateway);
        }
    }

    private static NettestOutcome outcome(NettestResult result) {
        return new NettestOutcome(null, result, 1, "0123");
    }

    private static JsonObject stream(long retransmits) {
        return new JsonObject()
                .with("direction", "out")
                .with("bytes", 1_448_000)
                .with("retransmits", retransmits);
    }

    private static NettestResult throughput(String server, int gigabits) {
        return ThroughputSums.result(
                Plans.throughput(path(server), 4, Direction.OUT, 1_000, 128 << 10, Receive.DISCARD),
                circumstances(server, 0.1, Double.NaN),
                "discard",
                gigabits * 125_000_000L,
                0,
                new ThroughputSums.Rows(List.of(stream(1), stream(3)), List.of(), List.of()),
                ThroughputSums.verdict("path", "It is the path.", List.of()));
    }

    private static NettestResult latency(String server) {
        NettestPlan plan = Plans.latency(path(server), List.of(128), 1, false);
        JsonObject point = new JsonObject()
                .with("size_bytes", 128)
                .with(Plans.latencies(20_000).figures());
        return new NettestResult(
                plan, circumstances(server, 1, 1), new JsonObject().with("points", List.of(point)), new JsonObject());
    }

    /** @param server the name of the other end, as it says itself */
    private static Circumstances circumstances(String server, double cpuSecondsLocal, double cpuSecondsRemote) {
        return new Circumstances(
                "epoll, clear",
                1,
                true,
                new Circumstances.Side(HOST, cpuSecondsLocal, LaneMode.DIRECT),
                new Circumstances.Side(HostFacts.of(server), cpuSecondsRemote, LaneMode.DIRECT));
    }

    private static NettestPath path(String server) {
        return new NettestPath(server + ".example.org", 27_321, true, List.of(), 30_000);
    }

    /** Otherwise the results of one replace those of another. */
    @Test
    void testsOfAPathWithOtherOptionsAreOthers() {
        NettestPlan plan = throughput("near", 9).plan();
        NettestOutcome failed = new NettestOutcome(Failure.of(Cause.CANNOT_CONNECT, "refused"), null, 1, "");
        assertThat(List.of(
                        plan,
                        plan.with(NettestValue.DIRECTION, Direction.IN),
                        plan.with(NettestValue.DIRECTION, Direction.BOTH)))
                .extracting(each -> ResultFigures.of(each, false, failed, "dtn40", 7))
                .containsExactly(
                        exitCode("", "throughput"), exitCode("reverse", "throughput"), exitCode("bidir", "throughput"));
        assertThat(ResultFigures.of(plan, true, failed, "dtn40", 7)).isEqualTo(exitCode("engine", "throughput"));
    }

    private static List<Figure> exitCode(String variant, String suite) {
        return List.of(
                new Figure(Meter.NETTEST_EXIT_CODE, List.of(suite, variant, "dtn40", "near.example.org", "4"), 8));
    }

    private static Summary copied() {
        return new Summary(
                Failure.of(Cause.INTEGRITY, "changed"),
                new Summary.Files(3, 0, 1, 0, List.of()),
                Summary.Bytes.of(9, new Moved(9, 9, 9, 9, 9)),
                new Summary.Run("", 4, 0, 1_500_000_000L, ""),
                null,
                null);
    }

    @Test
    @Tag("dashboards")
    void realInfluxReceiverTakesTheLines() throws Exception {
        Path program = Path.of("/usr/bin/victoria-metrics");
        int port = FreePort.next();
        Process database = start(
                program.toString(),
                "-httpListenAddr=127.0.0.1:" + port,
                "-storageDataPath=" + directory.resolve("data"),
                "-retentionPeriod=1");
        try {
            awaitAnswer("http://127.0.0.1:" + port + "/health", "OK");
            try (Monitor monitor = monitorTo("influx://127.0.0.1:" + port + "/fdt", Map.of())) {
                assertThat(monitor.address()).isNull();
            }
            assertThat(warnings).isEmpty();
            String answer = awaitAnswer(
                    "http://127.0.0.1:" + port
                            + "/api/v1/export?match=%7B__name__%3D%22fdt_host_cpu_seconds_total_value%22%7D",
                    "\"mode\":\"softirq\"");
            assertThat(answer)
                    .contains("\"host\":\"dtn40\"")
                    .contains("\"cpu\":\"2\"")
                    .contains("\"values\":[86");
        } finally {
            stop(database);
        }
    }

    private Process start(String... command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("receiver.log").toFile())
                .start();
    }

    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }

    private String awaitAnswer(String url, String part) throws Exception {
        AtomicReference<String> last = new AtomicReference<>("");
        Await.until(
                () -> "an answer with " + part + " from " + url + "; last: "
                        + last.get().substring(0, Math.min(500, last.get().length())),
                () -> {
                    try {
                        HttpResponse<String> answer = client.send(
                                HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
                        last.set(answer.body());
                        return answer.statusCode() == 200 && answer.body().contains(part);
                    } catch (IOException notYet) {
                        last.set(notYet.toString());
                        return false;
                    } catch (InterruptedException e) {
                        throw new AssertionError("interrupted", e);
                    }
                });
        return last.get();
    }

    @ParameterizedTest
    @CsvSource({
        "http://h:1/x,unknown scheme",
        "influx://h:8086,name the bucket",
        "pushgateway://h:9091/,name the job",
        "apmon://h:8884/x,ApMon has no path",
        "otlp://user:pw@h:4318,secrets belong in the environment",
        "influx://h:70000/b,not a port",
    })
    void refusesUrlsThatMakeNoSense(String url, String why) {
        assertThatThrownBy(() -> PushTarget.of(url, Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void linesEscapeWhatWouldEndATag() {
        Figure figure = new Figure(Meter.NIC_RECEIVE_BYTES, List.of("e=1,\n"), 3);
        assertThat(InfluxPush.lines(EMPTY, List.of(figure)))
                .isEqualTo("fdt_nic_receive_bytes_total,host=a\\ b,role=client,pid="
                        + ProcessHandle.current().pid() + ",device=e\\=1\\,? value=3.0 7\n");
    }

    /** InfluxDB answers with 400 if a line has one twice. */
    @ParameterizedTest
    @EnumSource(Meter.class)
    void noLineHasATagTwice(Meter meter) {
        Figure figure = new Figure(meter, Collections.nCopies(meter.labels().size(), "x"), 1);
        String tags =
                InfluxPush.lines(EMPTY, List.of(figure)).replace("\\ ", "").split(" ", -1)[0];
        assertThat(Arrays.stream(tags.split(",", -1)).map(tag -> tag.replaceFirst("=.*", "")))
                .doesNotHaveDuplicates();
    }

    /**
     * The host name of a peer may be any text. Databases disagree about a backslash before a character that ends a tag.
     */
    @ParameterizedTest
    @CsvSource({"x\\, x?", "'x\\,y=1', 'x?\\,y\\=1'", "'x\\ y', 'x?\\ y'", "x\\y, x\\y", "'x\\\\,', 'x\\?\\,'"})
    void linesHaveNoBackslashThatCouldEndATag(String peer, String tag) {
        Sample sample = new Sample(
                7,
                "server",
                new HostView("h", List.of(), List.of()),
                Sample.Devices.NONE,
                List.of(),
                List.of(),
                Map.of());
        Figure figure = new Figure(Meter.PEER_CPU_RATIO, List.of(peer, "0", "user"), 3);
        assertThat(InfluxPush.lines(sample, List.of(figure)))
                .isEqualTo("fdt_peer_cpu_ratio,host=h,role=server,pid="
                        + ProcessHandle.current().pid() + ",peer=" + tag + ",cpu=0,mode=user value=3.0 7\n");
    }
}
