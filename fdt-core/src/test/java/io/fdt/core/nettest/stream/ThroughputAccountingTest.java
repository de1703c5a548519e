package io.fdt.core.nettest.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.Word;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.ServedNetwork;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.service.ClientNettest;
import io.fdt.core.nettest.service.NettestService;
import io.fdt.core.run.Resources;
import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every byte that is sent is received and counted once, over every transport. */
class ThroughputAccountingTest {
    private static final HostFacts HOST =
            new HostFacts("fdt", "a", "6", new HostFacts.Cpu("cpu", 1, 1), HostFacts.Nic.NONE);

    private static NettestPlan plan(int port, Direction direction) {
        return Plans.throughput(
                new NettestPath("localhost", port, true, List.of(), Await.LIMIT_MS),
                3,
                direction,
                1_500,
                5000,
                Receive.DISCARD);
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void bothEndsAgreeInMemory(Direction direction, @TempDir Path home) throws Exception {
        NettestService service =
                new NettestService(true, Path.of("/"), NettestResources.inMemory(), session -> bytes -> {});
        try (ServedNetwork network = new ServedNetwork(home, service, ServerObserver.NONE)) {
            NettestOutcome outcome = new ClientNettest(
                            plan(network.address().getPort(), direction),
                            new ServerConnection(
                                    network.client, LaneTransports.over(Carrier.TCP, network.here), Resources.LENT),
                            NettestObserver.NONE,
                            Path.of("/"))
                    .await();

            assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            NettestResult result = Objects.requireNonNull(outcome.result());
            assertThat(result.whole()).isTrue();
            assertThat(result.figures().text("receive")).isEqualTo("blocks");
            assertThat(result.figures().rows("per_stream"))
                    .hasSize(direction == Direction.BOTH ? 6 : 3)
                    .allSatisfy(stream -> assertThat(stream.count("bytes")).isPositive());
            assertThat(result.figures().count("bytes_out") > 0).isEqualTo(direction != Direction.IN);
            assertThat(result.figures().count("bytes_in") > 0).isEqualTo(direction != Direction.OUT);
            assertThat(result.headlines())
                    .as("a way that was not measured has no rate, which would replace that of an earlier test")
                    .extracting(NettestResult.Headline::direction)
                    .isEqualTo(direction == Direction.BOTH ? List.of("out", "in") : List.of(Word.of(direction)));
        }
    }

    @Test
    void laneThatIsCountedDifferentlyIsNamed() {
        SuiteSide suite = ThroughputSuite.lanes(plan(1, Direction.OUT), true);
        assertThat(suite.disagreement(side(1, 2, 3), side(1, 2, 3))).isNull();
        assertThat(suite.disagreement(side(1, 2, 3), side(1, 2, 4))).contains("lane 2", "3", "4");
        assertThat(suite.disagreement(side(1, 2), side(1))).contains("2", "1");
    }

    @Test
    void computesEachIntervalFromCounterDifferences() {
        Intervals intervals = new Intervals(1, true);
        intervals.add(side(1_000_000_000L, new long[] {1000, 10}, 500), null);
        JsonObject second =
                intervals.add(side(3_000_000_000L, new long[] {5000, 20}, 1000), side(1, new long[] {0}, 250));

        assertThat(second.amount("t")).isEqualTo(3);
        assertThat(second.amount("bits_per_second_out")).isEqualTo(16_000);
        assertThat(second.amount("bits_per_second_in")).isEqualTo(40);
        assertThat(second.amounts("per_core_local")).containsExactly(0.5);
        assertThat(second.amounts("per_core_remote")).containsExactly(0.75);
        assertThat(intervals.all()).hasSize(2);
    }

    /** Only the server's TCP knows what it sends again, and how long its round trips are. */
    @Test
    void aClientThatOnlyReceivesHasNoFiguresOfTcp() {
        JsonObject second = new Intervals(0, true).add(side(1000), null);
        assertThat(second.values()).containsEntry("retransmits", null).containsEntry("rtt_us", null);
        assertThat(new Intervals(1, true).add(side(1000), null).values())
                .containsEntry("retransmits", 0L)
                .containsEntry("rtt_us", 0L);
    }

    private static SideState side(long... bytes) {
        return side(1, bytes, 0);
    }

    /** An end with one core, which was idle for this long in each second so far. */
    private static SideState side(long elapsedNanos, long[] bytes, long idleMs) {
        List<LaneState> lanes = Arrays.stream(bytes)
                .mapToObj(each -> new LaneState(each, 1, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, LanePlace.UNKNOWN))
                .toList();
        long totalMs = idleMs == 250 ? 1000 : 2 * idleMs;
        return new SideState(elapsedNanos, 0, lanes, List.of(new CoreTimes(0, totalMs - idleMs, 0, 0, 0, idleMs)));
    }

    /** The result of three lanes on which this end has sent 10, 20 and 30 bytes in a second. */
    private static NettestResult result(@Nullable SideState there) {
        Circumstances circumstances = new Circumstances(
                "memory",
                1,
                true,
                new Circumstances.Side(HOST, 0, LaneMode.DIRECT),
                new Circumstances.Side(HOST, 0, LaneMode.DIRECT));
        return new ThroughputClient(plan(1, Direction.OUT))
                .result(circumstances, side(1_000_000_000L, new long[] {10, 20, 30}, 0), there);
    }

    @Test
    void bothSidesHaveToAgreeLaneByLane() {
        assertThat(result(side(10, 20, 30)).whole()).isTrue();
        assertThat(result(side(20, 10, 30)).whole()).isFalse();
        assertThat(result(side(10, 20)).whole()).isFalse();
    }

    @Test
    void testThatWasCutShortIsNotWhole() {
        NettestResult result = result(side(500_000_000L, new long[] {5, 20, 30}, 0));
        assertThat(result.whole()).isFalse();
        assertThat(result.figures().count("bytes_out"))
                .as("what is known to have arrived")
                .isEqualTo(55);
        assertThat(result.figures().amount("bits_per_second_out")).isEqualTo(440);
    }

    @Test
    void missingRemoteFiguresAreUnknownNotZero() {
        NettestResult result = result(null);
        assertThat(result.whole()).isFalse();
        assertThat(result.figures().count("bytes_out")).isEqualTo(60);
        assertThat(result.circumstances().remote().cpuSeconds()).isNaN();
    }
}
