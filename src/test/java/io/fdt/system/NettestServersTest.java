package io.fdt.system;

import static io.fdt.system.NettestResults.number;
import static io.fdt.system.NettestResults.objects;
import static io.fdt.system.NettestResults.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.Json;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests from one client process to several servers at once. Each server is a process of the packaged jar. */
class NettestServersTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server() {
        return at.rootlessServer("127.0.0.1:0", at.directory());
    }

    private static String name(FdtServer server) {
        return "127.0.0.1:" + server.port();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "3"})
    @Tag("clock")
    void figuresAreTheSumOfBothServers(String concurrent) {
        FdtServer one = server();
        FdtServer other = server();

        Outcome outcome = at.fdt(
                "nettest",
                "rpc",
                "--json",
                "--sizes",
                "100,64K",
                "--duration",
                "1s",
                "--concurrent",
                concurrent,
                "--servers",
                name(other),
                name(one));

        outcome.expectExit(0);
        Map<String, Object> result = resultOf(outcome);
        assertThat(result).containsEntry("whole", true).containsEntry("way_remote", "direct");
        List<Map<String, Object>> points = objects(result, "points");
        assertThat(points)
                .hasSize(2)
                .allSatisfy(point -> assertThat(point)
                        .containsEntry("servers", 2L)
                        .containsEntry("concurrent", concurrent.equals("1") ? 2L : 3L));
        List<Map<String, Object>> servers = objects(result, "per_server");
        assertThat(servers).extracting(server -> server.get("server")).containsExactly(name(one), name(other));
        assertThat(servers)
                .extracting(server -> server.get("concurrent"))
                .containsExactly(concurrent.equals("1") ? 1L : 2L, 1L);
        for (int at = 0; at < points.size(); at++) {
            Map<String, Object> sum = points.get(at);
            double requests = 0;
            double rate = 0;
            double most = 0;
            for (Map<String, Object> server : servers) {
                Map<String, Object> part = objects(server, "points").get(at);
                assertThat(part.get("size_bytes")).isEqualTo(sum.get("size_bytes"));
                assertThat(number(part, "requests")).isPositive();
                requests += number(part, "requests");
                rate += number(part, "per_second");
                most = Math.max(most, number(part, "max_us"));
            }
            assertThat(number(sum, "requests")).isEqualTo(requests);
            assertThat(number(sum, "max_us")).isEqualTo(most);
            assertThat(number(sum, "per_second"))
                    .as("both were asked at the same time")
                    .isCloseTo(rate, within(rate / 4));
        }
        for (FdtServer server : List.of(one, other)) {
            String ended = server.process().awaitLine(Workplace.LIMIT, line -> line.contains("session_end"));
            assertThat(Json.object(ended)).containsEntry("outcome", "ok");
        }
    }

    @Test
    void tableHasALineForEachServer() {
        FdtServer one = server();
        FdtServer other = server();
        Outcome outcome = at.fdt(
                "nettest", "rpc", "-q", "--sizes", "100", "--duration", "300ms", "--servers", name(other), name(one));
        outcome.expectExit(0);
        assertThat(outcome.out())
                .anyMatch(line -> line.endsWith("  all"))
                .anyMatch(line -> line.endsWith("  " + name(one)))
                .anyMatch(line -> line.endsWith("  " + name(other)))
                .anyMatch(line -> line.contains("2 lanes to 2 servers"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("full")
    void serverThatCannotBeReachedFailsTheTestByItsName(boolean asFirst) {
        FdtServer there = server();
        String nobody = "127.0.0.1:1";
        Outcome outcome = at.fdt(
                "nettest",
                "rpc",
                "--json",
                "--timeout",
                "60s",
                "--duration",
                "5m",
                "--servers",
                asFirst ? name(there) : nobody,
                asFirst ? nobody : name(there));
        outcome.expectExit(8);
        assertThat(outcome.errText()).contains(nobody);
        assertThat(outcome.jsonOfType("result")).as("nothing was measured").isEmpty();
        assertThat(outcome.summary()).containsEntry("outcome", "failed");
    }

    @Test
    @Tag("full")
    void serverThatIsLostEndsTheTestOfAllByItsName() {
        FdtServer one = server();
        FdtServer other = server();
        FdtProcess running = at.start(
                "servers",
                "nettest",
                "rpc",
                "--json",
                "--timeout",
                "5s",
                "--duration",
                "10m",
                "--servers",
                name(other),
                name(one));
        running.awaitLine(Workplace.LIMIT, line -> line.matches(".*\"done\":[1-9].*"));
        other.process().signal("KILL");
        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(9);
        assertThat(outcome.errText()).contains(name(other)).doesNotContain(name(one));
        assertThat(objects(resultOf(outcome), "points"))
                .as("what was measured until then")
                .isNotEmpty();
    }

    @Test
    @Tag("full")
    void ctrlCShowsWhatAllServersDid() {
        FdtServer one = server();
        FdtServer other = server();
        FdtProcess running = at.start(
                "servers", "nettest", "rpc", "--json", "--duration", "10m", "--servers", name(other), name(one));
        running.awaitLine(Workplace.LIMIT, line -> line.matches(".*\"done\":[1-9].*"));
        running.signal("INT");
        Outcome outcome = running.await(Workplace.LIMIT);
        outcome.expectExit(130);
        assertThat(objects(resultOf(outcome), "per_server")).hasSize(2);
        assertThat(outcome.summary()).containsEntry("outcome", "interrupted");
    }
}
