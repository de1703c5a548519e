package io.fdt.system;

import static io.fdt.system.NettestResults.assertRising;
import static io.fdt.system.NettestResults.number;
import static io.fdt.system.NettestResults.objects;
import static io.fdt.system.NettestResults.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects suite between a client and a server. */
class NettestObjectsTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server(Object... options) {
        return at.rootlessServer("127.0.0.1:0", at.directory(), options);
    }

    private FdtServer serverWithLog(Object... options) {
        List<Object> words = new ArrayList<>(List.of("--nettest-log", at.path("log")));
        words.addAll(List.of(options));
        return server(words.toArray());
    }

    private Outcome measure(FdtServer server, String options) {
        return measureFor("600ms", server, options);
    }

    private Outcome measureFor(String duration, FdtServer server, String options) {
        List<Object> words = new ArrayList<>(List.of("nettest", "objects", "--json", "--duration", duration));
        words.addAll(List.of(options.split(" ")));
        words.add(server.host() + ":" + server.port());
        return at.fdt(words.toArray());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--op read --concurrent 1",
                "--op read --concurrent 4",
                "--op write --concurrent 3",
                "--op write --concurrent 4 --durable log",
            })
    @Tag("clock")
    void figuresAddUpAndEveryAnswerIsRight(String options) {
        FdtServer server = serverWithLog();

        Outcome outcome = measure(server, "--sizes 100,10KB,1MB " + options);

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result.get("whole")).isEqualTo(true);
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points).extracting(point -> number(point, "size_bytes")).containsExactly(100.0, 10e3, 1e6);
        double operations = 0;
        for (Map<String, Object> point : points) {
            assertThat(options).contains("--op " + point.get("op"));
            assertThat(point.get("durable")).isEqualTo(options.contains("log") ? "log" : "memory");
            assertThat(number(point, "operations")).isPositive();
            operations += number(point, "operations");
            // The warm-up is a fifth of the time; from there on it lasts until the last answer.
            double longest = number(point, "max_us") / 1e6;
            assertThat(number(point, "operations") / number(point, "per_second"))
                    .isCloseTo(0.48, within(0.01 + longest));
            assertThat(number(point, "bytes_per_second"))
                    .isCloseTo(
                            number(point, "per_second") * number(point, "size_bytes"),
                            within(number(point, "size_bytes")));
            assertRising(point);
            // Each lane has one request at a time: the sum of all response times per lane cannot exceed the duration.
            assertThat(number(point, "operations") * number(point, "mean_us") / 1e6 / number(point, "concurrent"))
                    .isLessThan(0.6);
        }
        assertThat(outcome.number("operations")).isEqualTo((long) operations);
        assertThat(number(result, "objects_held")).isEqualTo(10_000 + 1677 + 16);
        if (options.contains("log")) {
            assertThat(number(result, "log_records"))
                    .isGreaterThanOrEqualTo(operations + number(result, "objects_held"));
            // Requests that wait at the same time share a flush. A single request has its own.
            assertThat(number(result, "log_flushes")).isPositive().isLessThan(number(result, "log_records"));
        }
        String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
        assertThat(Json.object(ended)).containsEntry("outcome", "ok");
    }

    @Test
    void acknowledgedWritesAreThereAfterTheServerIsKilledInTheMiddle() throws Exception {
        FdtServer server = serverWithLog();
        Outcome first = measure(server, "--op write --durable log --sizes 100,1KB --objects 500 --concurrent 2");
        first.expectExit(0);
        double acknowledged = number(resultOf(first), "log_records");

        FdtProcess writing = at.start(
                "writing",
                "nettest",
                "objects",
                "--json",
                "--op",
                "write",
                "--durable",
                "log",
                "--keep",
                "--sizes",
                "100,1KB",
                "--objects",
                "500",
                "--duration",
                "60s",
                "--timeout",
                "60s",
                "127.0.0.1:" + server.port());
        writing.awaitLine(Workplace.LIMIT, line -> line.contains("\"interval\""));
        server.process().signal("KILL");
        writing.await(Workplace.LIMIT);
        // As if the power had also failed in the middle of a record.
        try (RandomAccessFile log =
                new RandomAccessFile(at.path("log/objects.log").toFile(), "rw")) {
            log.seek(log.length());
            log.write(new byte[] {1, 2, 3, 4, 5, 6, 7});
        }

        Outcome again =
                measure(serverWithLog(), "--op read --durable log --keep --sizes 100,1KB --objects 500 --concurrent 2");
        again.expectExit(0);
        Map<String, Object> result = resultOf(again);
        assertThat(number(result, "objects_kept")).isEqualTo(1000);
        assertThat(number(result, "log_records")).isGreaterThan(acknowledged);
    }

    @Test
    @Tag("full")
    void withoutKeepTheLogBeginsAnew() {
        FdtServer server = serverWithLog();
        measure(server, "--op write --durable log --sizes 100 --objects 50").expectExit(0);
        Map<String, Object> result = resultOf(measure(server, "--op read --durable log --sizes 100 --objects 50"));
        assertThat(number(result, "objects_kept")).isZero();
        assertThat(number(result, "log_records")).isEqualTo(50);
    }

    @Test
    @Tag("full")
    void fullLogIsReported() {
        FdtServer server = serverWithLog("--nettest-log-size", "1MiB");
        // Long enough for a disk of any speed: the log is full after a hundred objects, which ends the run.
        Outcome outcome = measureFor("5m", server, "--op write --durable log --sizes 10K --objects 10");
        outcome.expectExit(10);
        assertThat(outcome.errText()).contains("limit of 1048576 bytes").contains("--nettest-log-size");
    }

    @Test
    @Tag("full")
    void memoryThatTheServerDoesNotGiveIsRefused() {
        Outcome outcome = measure(server("--nettest-memory", "2MiB"), "--sizes 1M --objects 3");
        outcome.expectExit(10);
        assertThat(outcome.errText()).contains("--nettest-memory");
    }

    @Test
    void refusesLogUnlessTheServerHasADirectoryForIt() throws Exception {
        Outcome outcome = measure(server(), "--op write --durable log --sizes 100");
        outcome.expectExit(7);
        assertThat(outcome.errText()).contains("--nettest-log");
        try (var files = Files.walk(at.directory())) {
            assertThat(files.map(Path::getFileName).map(String::valueOf)).doesNotContain("objects.log");
        }
    }

    @Test
    void readOnlyKeyCannotWriteTheLog() {
        FdtServer server = serverWithLog();
        String line = at.fdt("key", "create", "guest", "--allow", "list,read").out().stream()
                .filter(each -> each.startsWith("fdt-key:"))
                .findFirst()
                .orElseThrow();
        at.environment("FDT_HOME", at.directory("home/guest").toString());
        at.environment("FDT_KEY", line);

        Outcome refused = measure(server, "--op write --durable log --sizes 100");
        refused.expectExit(7);
        assertThat(refused.errText()).contains("read-only");
        assertThat(at.path("log")).isEmptyDirectory();
        measure(server, "--op write --sizes 100").expectExit(0);
    }

    @Test
    @Tag("full")
    void csvHasARowForEverySize() throws Exception {
        measure(server(), "--sizes 100,1KB --csv " + at.path("points.csv")).expectExit(0);
        assertThat(Files.readAllLines(at.path("points.csv")))
                .hasSize(3)
                .anyMatch(line -> line.startsWith("read,memory,100,1,"))
                .anyMatch(line -> line.startsWith("read,memory,1000,1,"));
    }
}
