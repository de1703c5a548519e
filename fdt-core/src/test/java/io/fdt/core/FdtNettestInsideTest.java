package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Plans;
import io.fdt.core.stats.Summary;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Carrier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Network tests over lanes inside the host, with both ends in this process. */
class FdtNettestInsideTest {
    @TempDir
    Path directory;

    private static NettestPath path(int port, Carrier carrier) {
        return new NettestPath("127.0.0.1", port, true, List.of(), Await.LIMIT_MS, carrier);
    }

    private NettestOutcome run(NettestPlan plan) throws InterruptedException {
        try (NettestJob test = Fdt.at(directory).nettest(plan, NettestObserver.NONE)) {
            NettestOutcome outcome = test.await();
            assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            return outcome;
        }
    }

    private static long servedBytes(TestServer server) {
        Await.until("the server's session has ended", () -> !server.ended.isEmpty());
        Summary served = server.ended.remove();
        assertThat(served.failure()).as("%s", served.message()).isNull();
        return served.bytes().sent();
    }

    @ParameterizedTest
    @CsvSource({
        "UNIX, BOTH, DISCARD, copy",
        "UNIX, IN, COPY, copy",
        "SHM, BOTH, DISCARD, discard",
        "SHM, OUT, COPY, copy"
    })
    void bothEndsCountTheSameAndTcpsFiguresAreAbsent(Carrier carrier, Direction direction, Receive receive, String way)
            throws Exception {
        try (TestServer server = new TestServer(directory)) {
            NettestPlan plan = Plans.throughput(path(server.port(), carrier), 2, direction, 300, 128 << 10, receive);

            NettestResult result = run(plan).result();

            assertThat(result).isNotNull();
            assertThat(result.whole()).isTrue();
            assertThat(result.figures().text("receive")).isEqualTo(way);
            assertThat(result.transport()).isEqualTo(carrier.label() + ", clear");
            long bytesOut = result.figures().count("bytes_out");
            long bytesIn = result.figures().count("bytes_in");
            assertThat(bytesOut > 0).isEqualTo(direction != Direction.IN);
            assertThat(bytesIn > 0).isEqualTo(direction != Direction.OUT);
            assertThat(bytesOut + bytesIn).isEqualTo(servedBytes(server));
            assertThat(result.figures().rows("per_stream"))
                    .hasSize(direction == Direction.BOTH ? 4 : 2)
                    .allSatisfy(stream -> {
                        assertThat(stream.has("retransmits")).isFalse();
                        assertThat(stream.amount("busy")).isNaN();
                    });
            assertThat(result.figures().part("verdict").texts("evidence"))
                    .noneMatch(line -> line.contains("retransmits"));
            assertThat(server.refused).isEmpty();
            assertThat(server.warnings).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"UNIX, false", "UNIX, true", "SHM, false", "SHM, true"})
    void everyRoundTripIsCountedOnce(Carrier carrier, boolean polling) throws Exception {
        try (TestServer server = new TestServer(directory)) {
            NettestPlan plan = Plans.latency(path(server.port(), carrier), List.of(1, 300_000), 50, polling);

            NettestResult result = run(plan).result();

            assertThat(result).isNotNull();
            assertThat(result.whole()).isTrue();
            assertThat(result.points())
                    .hasSize(2)
                    .allSatisfy(point -> assertThat(Latencies.of(point).count()).isEqualTo(50));
            assertThat(servedBytes(server)).isEqualTo(2 * (50 + plan.options().count("warm_ups")) * (1 + 300_000));
        }
    }

    @ParameterizedTest
    @CsvSource({"UNIX", "SHM"})
    void everyBurstAndEveryRequestIsCounted(Carrier carrier) throws Exception {
        try (TestServer server = new TestServer(directory)) {
            NettestPlan sweep = Plans.sweep(
                    path(server.port(), carrier),
                    List.of(1, 300_000),
                    20,
                    List.of(Mode.BLOCKING, Mode.NONBLOCKING),
                    200);
            NettestResult swept = run(sweep).result();
            assertThat(swept).isNotNull();
            // The first burst of each point warms up.
            assertThat(servedBytes(server))
                    .isEqualTo(swept.points().stream()
                            .mapToLong(point -> (point.count("bursts") + 1) * 20 * point.count("size_bytes"))
                            .sum());

            NettestPlan rpc = Plans.rpc(path(server.port(), carrier), 30, List.of(1, 300_000), 3, 300, false);
            NettestResult answered = run(rpc).result();
            assertThat(answered).isNotNull();
            assertThat(answered.points())
                    .hasSize(2)
                    .allSatisfy(point -> assertThat(Latencies.of(point).count()).isGreaterThanOrEqualTo(3));
            assertThat(servedBytes(server)).isPositive();
        }
    }

    @Test
    void reportsServerOnOtherHost() {
        int port;
        try (TestServer server = new TestServer(directory)) {
            port = server.port();
        }
        assertThatThrownBy(() -> run(Plans.latency(path(port, Carrier.SHM), List.of(1), 1, false)))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CANNOT_CONNECT))
                .hasMessageContaining("no such server here");
    }
}
