package io.fdt.system;

import static io.fdt.system.NettestResults.objects;
import static io.fdt.system.NettestResults.resultOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Network tests between two processes of the packaged jar over lanes that stay inside the host. */
class NettestInsideTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server() {
        return at.rootlessServer("127.0.0.1:0", at.directory());
    }

    private Outcome nettest(FdtServer server, String line) {
        List<Object> words = new ArrayList<>(List.of("nettest"));
        words.addAll(List.of(line.split(" ")));
        words.add("--json");
        words.add(server.host() + ":" + server.port());
        return at.fdt(words.toArray());
    }

    @ParameterizedTest
    @CsvSource({"unix, copy", "shm, discard"})
    void throughputHasItsFiguresAndNoneOfTcp(String transport, String way) {
        Map<String, Object> result =
                resultOf(nettest(server(), "-P 2 --bidir --duration 1200ms --transport " + transport)
                        .expectExit(0));
        assertThat(result)
                .containsEntry("transport", transport)
                .containsEntry("lanes", transport + ", clear")
                .containsEntry("receive", way)
                .containsEntry("whole", true);
        List<Map<String, Object>> streams = objects(result, "per_stream");
        assertThat(streams).hasSize(4).allSatisfy(stream -> {
            assertThat((Long) stream.get("bytes")).isPositive();
            assertThat(stream).containsEntry("retransmits", Json.NULL).containsEntry("rtt_us", Json.NULL);
        });
        assertThat(streams.stream()
                        .mapToLong(stream -> (Long) stream.get("bytes"))
                        .sum())
                .isEqualTo((Long) result.get("bytes_out") + (Long) result.get("bytes_in"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix", "shm"})
    void sweepAndLatencyAndRpcGoThroughAllTheirSizes(String transport) {
        FdtServer server = server();
        Map<String, Object> sweep =
                resultOf(nettest(server, "sweep --sizes 1,4K,1M --duration 600ms --transport " + transport)
                        .expectExit(0));
        assertThat(sweep).containsEntry("transport", transport);
        assertThat(objects(sweep, "points"))
                .hasSize(6)
                .allSatisfy(point ->
                        assertThat((Double) point.get("bytes_per_second")).isPositive());
        Map<String, Object> latency =
                resultOf(nettest(server, "latency --sizes 1,4K --iterations 500 --transport " + transport)
                        .expectExit(0));
        assertThat(objects(latency, "points"))
                .hasSize(2)
                .allSatisfy(point -> assertThat(point).containsEntry("iterations", 500L));
        Map<String, Object> rpc =
                resultOf(nettest(server, "rpc --sizes 100,64K --duration 600ms --transport " + transport)
                        .expectExit(0));
        assertThat(objects(rpc, "points")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"unix", "shm"})
    @Tag("full")
    void aServerThatIsKilledLeavesNothingAndItsClientKnowsAtOnce(String transport) throws IOException {
        FdtServer server = server();
        FdtProcess running = at.start(
                "nettest",
                "nettest",
                "--json",
                "--duration",
                "10m",
                "-P",
                "2",
                "--transport",
                transport,
                "127.0.0.1:" + server.port());
        running.awaitLine(Workplace.LIMIT, line -> line.contains("\"interval\""));
        assertThat(listenersOf(server)).isPositive();

        server.process().killHard();

        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(9);
        assertThat(listenersOf(server)).isZero();
        try (Stream<Path> left = Files.list(Path.of("/dev/shm"))) {
            assertThat(left.filter(path -> path.getFileName().toString().contains("fdt")))
                    .isEmpty();
        }
        try (Stream<Path> left = Files.list(at.directory("tmp"))) {
            assertThat(left.filter(path -> path.getFileName().toString().contains("door")))
                    .isEmpty();
        }
    }

    private static long listenersOf(FdtServer server) throws IOException {
        return Files.readAllLines(Path.of("/proc/net/unix")).stream()
                .filter(line -> line.contains("@fdt-local/") && line.endsWith("/" + server.port()))
                .count();
    }

    @Test
    void namesWhyLanesWithinTheHostAreImpossible() {
        FdtServer server = server();
        at.fdt(
                        "nettest",
                        "--json",
                        "--transport",
                        "unix",
                        "--timeout",
                        "60s",
                        "127.0.0.1:" + (server.port() == 1 ? 2 : 1))
                .expectExit(8);
        Outcome encrypted = nettest(server, "--transport shm --tls");
        encrypted.expectExit(2);
        assertThat(encrypted.errText()).contains("works only within this host");
    }
}
