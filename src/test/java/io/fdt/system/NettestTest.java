package io.fdt.system;

import static io.fdt.system.NettestResults.assertRising;
import static io.fdt.system.NettestResults.number;
import static io.fdt.system.NettestResults.objects;
import static io.fdt.system.NettestResults.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Network tests between two processes of the packaged jar. */
class NettestTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server(Object... options) {
        return at.rootlessServer("127.0.0.1:0", at.directory(), options);
    }

    private Outcome nettest(FdtServer server, Object... options) {
        return nettestFor("1200ms", server, options);
    }

    private Outcome nettestFor(String duration, FdtServer server, Object... options) {
        List<Object> words = new ArrayList<>(List.of("nettest", "--json", "--duration", duration));
        words.addAll(List.of(options));
        words.add(server.host() + ":" + server.port());
        return at.fdt(words.toArray());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--reverse", "--bidir", "--tls --bidir", "--receive copy"})
    void figuresAddUpAndBothEndsAgree(String options) {
        FdtServer server = server();
        List<Object> words = new ArrayList<>(List.of("-P", "3"));
        words.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ")));

        // A second that is noticed when the test is over has no line.
        Outcome outcome = nettestFor("2200ms", server, words.toArray());

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result.get("whole")).isEqualTo(true);
        double out = number(result, "bits_per_second_out");
        double in = number(result, "bits_per_second_in");
        assertThat(out > 0).isEqualTo(!options.contains("--reverse"));
        assertThat(in > 0).isEqualTo(options.contains("--reverse") || options.contains("--bidir"));
        assertThat(number(result, "bits_per_second")).isCloseTo(out + in, within(1.0));
        List<Map<String, Object>> streams = objects(result, "per_stream");
        assertThat(streams).hasSize(options.contains("--bidir") ? 6 : 3);
        double bytesOut = 0;
        double bytesIn = 0;
        for (Map<String, Object> stream : streams) {
            assertThat(number(stream, "bytes")).isPositive();
            bytesOut += stream.get("direction").equals("out") ? number(stream, "bytes") : 0;
            bytesIn += stream.get("direction").equals("in") ? number(stream, "bytes") : 0;
        }
        assertThat(bytesOut).isEqualTo(number(result, "bytes_out"));
        assertThat(bytesIn).isEqualTo(number(result, "bytes_in"));
        assertThat(bytesOut * 8 / number(result, "seconds")).isCloseTo(out, within(out / 1000 + 1));
        assertThat(objects(result, "per_core"))
                .isNotEmpty()
                .allSatisfy(core -> assertThat(number(core, "user")
                                + number(core, "system")
                                + number(core, "softirq")
                                + number(core, "other")
                                + number(core, "idle"))
                        .isCloseTo(1, within(0.01)));
        assertThat(number(result, "cpu_seconds_local")).isPositive();
        assertThat(number(result, "cpu_seconds_remote")).isPositive();
        assertThat(outcome.jsonOfType("interval")).isNotEmpty();
        assertThat(objects(result, "intervals")).hasSameSizeAs(outcome.jsonOfType("interval"));
        assertThat(outcome.number("bytes")).isEqualTo((long) (bytesOut + bytesIn));
        String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        assertThat(Json.object(ended)).containsEntry("outcome", "ok").containsEntry("bytes_sent", (long)
                (bytesOut + bytesIn));
    }

    @Test
    @Tag("full")
    void timeToWarmUpIsMeasuredAndNotCounted() {
        FdtServer server = server();
        Outcome outcome = nettest(server, "-P", "2", "--bidir", "--warm-up", "1500ms");
        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result).containsEntry("whole", true);
        assertThat(number(result, "seconds")).isBetween(1.1, 60.0);
        double bytes = number(result, "bytes_out") + number(result, "bytes_in");
        assertThat(objects(result, "per_stream").stream()
                        .mapToDouble(stream -> number(stream, "bytes"))
                        .sum())
                .isEqualTo(bytes);
        assertThat(number(result, "bits_per_second") * number(result, "seconds") / 8)
                .isCloseTo(bytes, within(bytes / 1000));
        String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        assertThat(((Number) Json.object(ended).get("bytes_sent")).doubleValue())
                .as("with what warmed up")
                .isGreaterThan(bytes);
    }

    /** As of a container: the verdict must not compare what the test used with cores that it may not use. */
    @Test
    void allowedCoresAreThoseThatJavaMayUse() {
        at.environment("JAVA_TOOL_OPTIONS", "-XX:ActiveProcessorCount=1");
        Map<String, Object> result = resultOf(nettest(server(), "-P", "1"));
        assertThat(result.get("remote")).asString().contains("allowed_cores=1,");
    }

    @Test
    void saysWhichWayBytesWereReceived() {
        FdtServer server = server();
        assertThat(resultOf(nettest(server, "-P", "1"))).containsEntry("receive", "discard");
        assertThat(resultOf(nettest(server, "-P", "1", "--receive", "copy"))).containsEntry("receive", "copy");
        assertThat(resultOf(nettest(server, "-P", "1", "--tls"))).containsEntry("receive", "blocks");
    }

    @Test
    void ctrlCShowsWhatWasMeasured() {
        FdtServer server = server();
        FdtProcess running =
                at.start("nettest", "nettest", "--json", "--duration", "10m", "-P", "2", "127.0.0.1:" + server.port());
        running.awaitLine(Workplace.LIMIT, line -> line.contains("\"interval\""));
        running.signal("INT");
        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(130);
        assertThat(number(resultOf(outcome), "bits_per_second_out")).isPositive();
        assertThat(outcome.summary()).containsEntry("outcome", "interrupted");
    }

    @Test
    void serverThatRefusesClearLanesIsMeasuredWithTls() {
        FdtServer server = server("--clear-lanes", "refuse");
        Outcome clear = nettest(server);
        clear.expectExit(7);
        assertThat(clear.errText()).contains("--tls");
        nettest(server, "--tls", "-P", "1").expectExit(0);
    }

    @Test
    void wrongKeyAndNoServerHaveTheirExitCodes() {
        FdtServer server = server();
        at.environment("FDT_HOME", at.directory("home/stranger").toString());
        nettest(server).expectExit(7);
        at.fdt("nettest", "--json", "--timeout", "60s", "127.0.0.1:1").expectExit(8);
    }

    @Test
    @Tag("full")
    void csvHasEveryStream() throws Exception {
        FdtServer server = server();
        nettest(server, "-P", "2", "--csv", at.path("seconds.csv")).expectExit(0);
        assertThat(Files.readAllLines(at.path("seconds.csv")))
                .anyMatch(line -> line.startsWith("interval,"))
                .anyMatch(line -> line.matches("stream,[^,]+,0,out,.*"))
                .anyMatch(line -> line.matches("stream,[^,]+,1,out,.*"))
                .anyMatch(line -> line.startsWith("sum,"));
    }

    /** The number of bytes that the server reports as moved. */
    private static long servedBytes(FdtServer server) {
        String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        Map<String, Object> end = Json.object(ended);
        assertThat(end).containsEntry("outcome", "ok");
        return (Long) end.get("bytes_sent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--busy-poll", "--tls"})
    void pingPongCountsEveryRoundTrip(String options) throws Exception {
        FdtServer server = server();
        List<Object> words = new ArrayList<>(List.of("nettest", "latency", "--json", "--sizes", "4,100K"));
        words.addAll(List.of("--iterations", "500", "--hdr", at.path("rtt"), "--report", at.path("rtt.svg")));
        words.addAll(List.of("--compare", "verbs-rtt"));
        words.addAll(options.isEmpty() ? List.of() : List.of(options.split(" ")));
        words.add("127.0.0.1:" + server.port());

        Outcome outcome = at.fdt(words.toArray());

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result).containsEntry("what", "rtt").containsEntry("whole", true);
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points).extracting(point -> point.get("size_bytes")).containsExactly(4L, 102_400L);
        for (Map<String, Object> point : points) {
            assertThat(point).containsEntry("iterations", 500L);
            assertRising(point);
            assertThat(objects(point, "histogram").stream()
                            .mapToDouble(bucket -> number(bucket, "count"))
                            .sum())
                    .isEqualTo(500);
        }
        // 50 round trips are the warm-up.
        assertThat(servedBytes(server)).isEqualTo(2L * 550 * (4 + 102_400));
        assertThat(Files.readString(at.path("rtt.4"))).contains("TotalCount", "500");
        assertThat(Files.readString(at.path("rtt.svg"))).contains("this run", "verbs-rtt");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--tls"})
    void sweepAcknowledgesEveryBurst(String options) {
        FdtServer server = server();
        List<Object> words = new ArrayList<>(List.of("nettest", "sweep", "--json", "--sizes", "1..16,64K"));
        words.addAll(List.of("--messages", "50", "--duration", "1s"));
        words.addAll(options.isEmpty() ? List.of() : List.of(options));
        words.add("127.0.0.1:" + server.port());

        Outcome outcome = at.fdt(words.toArray());

        outcome.expectExit(0);
        List<Map<String, Object>> points = objects(resultOf(outcome), "points");
        assertThat(points).hasSize(12);
        double bytes = 0;
        for (Map<String, Object> point : points) {
            double moved = number(point, "messages") * number(point, "size_bytes");
            assertThat(number(point, "messages")).isEqualTo(50 * number(point, "bursts"));
            assertThat(number(point, "bytes_per_second"))
                    .isCloseTo(moved / number(point, "seconds"), within(moved / number(point, "seconds") / 100 + 1));
            bytes += moved + 50 * number(point, "size_bytes");
        }
        assertThat((double) servedBytes(server))
                .as("with a burst a point to warm up")
                .isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--tls", "--busy-poll"})
    void requestsAreAnsweredInTheirSizes(String options) {
        FdtServer server = server();
        List<Object> words =
                new ArrayList<>(List.of("nettest", "rpc", "--json", "--duration", "1s", "--concurrent", "2"));
        words.addAll(options.isEmpty() ? List.of() : List.of(options));
        words.add("127.0.0.1:" + server.port());

        Outcome outcome = at.fdt(words.toArray());

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result).containsEntry("whole", true);
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points)
                .extracting(point -> point.get("size_bytes"))
                .containsExactly(100L, 1_000L, 10_000L, 100_000L, 1_000_000L);
        double bytes = 0;
        for (Map<String, Object> point : points) {
            assertRising(point);
            assertThat(number(point, "bytes_per_second"))
                    .isCloseTo(number(point, "per_second") * number(point, "size_bytes"), within(1e6));
            bytes += number(point, "requests") * (number(point, "size_bytes") + 30);
        }
        assertThat((double) servedBytes(server)).as("with those that warm up").isGreaterThanOrEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"latency --iterations 900000000", "sweep --duration 10m", "rpc --duration 10m"})
    @Tag("full")
    void ctrlCShowsThePointsThatWereMeasured(String suite) {
        FdtServer server = server();
        List<Object> words = new ArrayList<>(List.of("nettest"));
        words.addAll(List.of(suite.split(" ")));
        words.addAll(List.of("--json", "127.0.0.1:" + server.port()));
        FdtProcess running = at.start("suite", words.toArray());
        running.awaitLine(Workplace.LIMIT, line -> line.contains("\"interval\""));
        running.awaitLine(Workplace.LIMIT, line -> line.matches(".*\"done\":[1-9].*"));
        running.signal("INT");
        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(130);
        assertThat(objects(resultOf(outcome), "points")).isNotEmpty();
        assertThat(outcome.summary()).containsEntry("outcome", "interrupted");
    }
}
