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

/** The load suite between a client and a server. */
@Tag("clock")
class NettestLoadTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server() {
        return at.rootlessServer("127.0.0.1:0", at.directory());
    }

    private Outcome load(FdtServer server, Object... options) {
        List<Object> words = new ArrayList<>(List.of("nettest", "load", "--json"));
        words.addAll(List.of(options));
        words.add("127.0.0.1:" + server.port());
        return at.fdt(words.toArray());
    }

    private static void assertAddsUp(Map<String, Object> point, double stepSeconds) {
        double offered = number(point, "offered");
        double done = number(point, "done");
        assertThat(offered).isCloseTo(number(point, "offered_per_second") * stepSeconds, within(1.0));
        assertThat(done + number(point, "never_sent")).isEqualTo(offered);
        assertThat(number(point, "server_requests")).as("sent and received").isEqualTo(done);
        double rate = done / number(point, "seconds");
        assertThat(number(point, "achieved_per_second")).isCloseTo(rate, within(rate / 1000 + 1));
        assertThat(number(point, "most_in_flight")).isBetween(1.0, number(point, "tx_buffers"));
        for (String side : List.of("", "server_")) {
            assertThat(number(point, side + "completions_per_poll"))
                    .isBetween(1.0, number(point, side + "most_completions"));
            assertThat(number(point, side + "most_completions")).isLessThanOrEqualTo(number(point, "rx_buffers"));
            assertThat(number(point, side + "full_polls")).isBetween(0.0, 1.0);
        }
        assertRising(point);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--busy-poll"})
    void whatIsOfferedIsDoneOrAccountedFor(String options) throws Exception {
        FdtServer server = server();
        List<Object> words = new ArrayList<>(List.of("--offered", "200,40M", "--rx-buffers", "1,24"));
        words.addAll(List.of("--tx-buffers", "4,64", "--duration", "4s", "--csv", at.path("load.csv")));
        words.addAll(List.of("--report", at.path("load.svg"), "--compare", "buffer-pools"));
        words.addAll(options.isEmpty() ? List.of() : List.of(options));

        Outcome outcome = load(server, words.toArray());

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result)
                .containsEntry("suite", "load")
                .containsEntry("loop", "open")
                .containsEntry("whole", true)
                .containsEntry("way_local", "direct")
                .containsEntry("way_remote", "direct")
                .containsEntry("size_bytes", 100L)
                .containsKeys("local", "remote", "options", "closed_loop_per_second");
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points).hasSize(8);
        double bytes = 0;
        for (Map<String, Object> point : points) {
            assertAddsUp(point, 0.5);
            bytes += 2 * 100 * number(point, "done");
            if (number(point, "offered_per_second") > 1_000) {
                assertThat(number(point, "never_sent"))
                        .as("nobody does 40 million a second")
                        .isPositive();
                assertThat(number(point, "most_in_flight")).isEqualTo(number(point, "tx_buffers"));
                assertThat((List<?>) point.get("ran_out")).isNotEmpty();
            }
        }
        assertThat(objects(result, "pools")).hasSize(4).allSatisfy(pool -> {
            assertThat(number(pool, "best_per_second")).isPositive();
            assertThat(pool.get("sentence"))
                    .asString()
                    .as("not even once 40 million")
                    .contains(" ran out");
        });
        assertThat(outcome.number("done") * 200.0).isEqualTo(bytes);
        assertThat(Files.readAllLines(at.path("load.csv"))).hasSize(9);
        assertThat(Files.readString(at.path("load.svg")))
                .contains("Throughput against offered load", "this run 24 rx, 64 tx", "buffer-pools");
        String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        Map<String, Object> end = Json.object(ended);
        assertThat(end).containsEntry("outcome", "ok");
        assertThat(((Number) end.get("bytes_sent")).doubleValue())
                .as("with what it took to find out what the path can do")
                .isGreaterThan(bytes);
    }

    @Test
    @Tag("full")
    void choosesLoadStepsFromTheCapacity() {
        FdtServer server = server();
        Outcome outcome = load(server, "--rx-buffers", "24", "--tx-buffers", "8", "--duration", "4s");
        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        double capacity = number(result, "closed_loop_per_second");
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points)
                .hasSize(8)
                .extracting(point -> point.get("offered_per_second"))
                .doesNotHaveDuplicates();
        for (Map<String, Object> point : points) {
            assertAddsUp(point, 0.5);
        }
        assertThat(number(points.get(0), "offered_per_second")).isCloseTo(capacity / 10, within(capacity / 50));
        assertThat(number(points.get(7), "offered_per_second")).isGreaterThan(capacity);
    }

    @Test
    @Tag("full")
    void tableSaysWhatRanOut() {
        FdtServer server = server();
        Outcome outcome = at.fdt(
                "nettest",
                "load",
                "-q",
                "--offered",
                "40M",
                "--rx-buffers",
                "1",
                "--tx-buffers",
                "1",
                "--duration",
                "500ms",
                "127.0.0.1:" + server.port());
        outcome.expectExit(0);
        assertThat(String.join("\n", outcome.out()))
                .contains(
                        "pool    1 rx, 1 tx: ",
                        "of 40000000 only ",
                        " ran out",
                        "system calls of the lane's own thread");
    }

    @Test
    @Tag("full")
    void ctrlCShowsTheStepsThatWereMeasured() {
        FdtServer server = server();
        FdtProcess running = at.start(
                "load",
                "nettest",
                "load",
                "--json",
                "--offered",
                "100,1000",
                "--rx-buffers",
                "8",
                "--tx-buffers",
                "8",
                "--duration",
                "10m",
                "127.0.0.1:" + server.port());
        running.awaitLine(Workplace.LIMIT, line -> line.matches(".*\"step\":1,.*\"done\":[1-9].*"));
        running.signal("INT");
        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(130);
        List<Map<String, Object>> points = objects(resultOf(outcome), "points");
        assertThat(points).hasSize(1);
        assertThat(number(points.get(0), "done")).isPositive().isLessThan(30_000);
        assertThat(number(points.get(0), "offered"))
                .isEqualTo(number(points.get(0), "done") + number(points.get(0), "never_sent"));
        assertThat(outcome.summary()).containsEntry("outcome", "interrupted");
    }
}
