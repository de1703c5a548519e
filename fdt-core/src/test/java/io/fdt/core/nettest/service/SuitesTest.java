package io.fdt.core.nettest.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.load.LoadSuite;
import io.fdt.core.nettest.objects.ObjectsSuite;
import io.fdt.core.nettest.stream.LatencySuite;
import io.fdt.core.nettest.stream.SweepSuite;
import io.fdt.core.nettest.stream.ThroughputSuite;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The plan that a server reads from a request, and what it refuses before it creates anything. */
class SuitesTest {
    private static NettestPlan defaults(Suite suite) {
        return NettestPlan.of(suite, new NettestPath("", 0, true, List.of(), 1_000));
    }

    private static List<Suite> suites() {
        return Suites.ALL;
    }

    @ParameterizedTest
    @MethodSource("suites")
    void serverReadsTheDefaultPlanOfEachSuite(Suite suite) {
        assertThat(Suites.plan(defaults(suite).request())).isEqualTo(defaults(suite));
        assertThat(suite.serverBytes(defaults(suite))).isPositive();
    }

    private static Stream<NettestPlan> plans() {
        return Stream.of(
                defaults(ThroughputSuite.THROUGHPUT)
                        .with(NettestValue.DIRECTION, Direction.BOTH)
                        .with(NettestValue.RECEIVE, Receive.COPY)
                        .with(NettestValue.STREAMS, 64)
                        .with(NettestValue.WARM_UP, 1),
                defaults(SweepSuite.SWEEP)
                        .with(NettestValue.MODES, List.of(Mode.NONBLOCKING))
                        .with(NettestValue.SWITCH_AT, 16_384),
                defaults(LatencySuite.LATENCY)
                        .with(NettestValue.SIZES, List.of(1))
                        .with(NettestValue.BUSY_POLL, true)
                        .with(NettestValue.QUEUES, new QueueUse(QueueKind.DATAGRAM, 0)),
                defaults(ObjectsSuite.OBJECTS)
                        .with(NettestValue.OP, Op.WRITE)
                        .with(NettestValue.DURABLE, Durable.LOG)
                        .with(NettestValue.KEEP, true),
                defaults(LoadSuite.LOAD).with(NettestValue.OFFERED, List.of(1, 100_000_000)));
    }

    @ParameterizedTest
    @MethodSource("plans")
    void serverReadsThePlanOfTheClient(NettestPlan plan) {
        assertThat(Suites.plan(plan.request())).isEqualTo(plan);
    }

    private static Stream<Supplier<NettestPlan>> contradictions() {
        return Stream.of(
                () -> defaults(ThroughputSuite.THROUGHPUT)
                        .with(NettestValue.BLOCK_BYTES, NettestValue.BLOCK_BYTES.max() + 1),
                () -> defaults(ThroughputSuite.THROUGHPUT).with(NettestValue.STREAMS, 65),
                () -> defaults(SweepSuite.SWEEP).with(NettestValue.SIZES, List.of()),
                () -> defaults(SweepSuite.SWEEP).with(NettestValue.SIZES, List.of(0)),
                () -> defaults(SweepSuite.SWEEP).with(NettestValue.SIZES, Collections.nCopies(65, 1)),
                () -> defaults(LatencySuite.LATENCY).with(NettestValue.ITERATIONS, 0),
                () -> defaults(LatencySuite.LATENCY).with(NettestValue.QUEUES, new QueueUse(QueueKind.RELIABLE, 4097)),
                () -> defaults(LatencySuite.LATENCY)
                        .with(NettestValue.SIZES, List.of(8 << 20))
                        .with(NettestValue.QUEUES, new QueueUse(QueueKind.RELIABLE, 0)),
                () -> defaults(ObjectsSuite.OBJECTS).with(NettestValue.SIZES, List.of(2, 1)),
                () -> defaults(ObjectsSuite.OBJECTS).with(NettestValue.SIZES, List.of(5 << 20)),
                () -> defaults(ObjectsSuite.OBJECTS).with(NettestValue.KEY_BYTES, 7),
                () -> defaults(LoadSuite.LOAD).with(NettestValue.RX_BUFFERS, List.of(16 << 10)));
    }

    @ParameterizedTest
    @MethodSource("contradictions")
    void noPlanHasValuesThatItsServerWouldRefuse(Supplier<NettestPlan> maker) {
        assertThatThrownBy(() -> maker.get().suite().check(maker.get()))
                .satisfiesAnyOf(
                        e -> assertThat(e).isInstanceOf(IllegalArgumentException.class),
                        e -> assertThat(e)
                                .isInstanceOfSatisfying(
                                        TransferException.class,
                                        refused -> assertThat(refused.is(Cause.USAGE))
                                                .isTrue()));
    }

    private static Stream<Map<String, Object>> impossible() {
        return Stream.of(
                Map.of("sizes", List.of()),
                Map.of("sizes", 1L),
                Map.of("sizes", List.of("1")),
                Map.of("sizes", List.of(0L)),
                Map.of("sizes", List.of(1L << 32 | 1)),
                Map.of("sizes", List.of(5L << 20)),
                Map.of("sizes", List.of(2L, 1L)),
                Map.of("sizes", Collections.nCopies(65, 1L)),
                Map.of("key_bytes", 7L),
                Map.of("key_bytes", List.of(30L)),
                Map.of("key_bytes", 1L << 32 | 30),
                Map.of("keep", 1L),
                Map.of("op", -1L),
                Map.of("op", 2L));
    }

    @ParameterizedTest
    @MethodSource("impossible")
    void serverRefusesValuesThatNoClientMaySend(Map<String, Object> values) {
        OpenNettest request = new OpenNettest(ObjectsSuite.OBJECTS.name(), true, 1_000, values);
        assertThatThrownBy(() -> Suites.plan(request))
                .isInstanceOf(TransferException.class)
                .hasMessageContaining(values.keySet().iterator().next());
    }

    @Test
    void serverTakesNoOtherServers() {
        OpenNettest request = new OpenNettest("rpc", true, 1_000, Map.of("servers", List.of()));
        assertThatThrownBy(() -> Suites.plan(request)).isInstanceOf(TransferException.class);
    }

    /** Each lane of objects has a frame for the largest of them. */
    @Test
    void framesOfLanesCountAsMemoryOfTheServer() {
        NettestPlan one = defaults(ObjectsSuite.OBJECTS).with(NettestValue.SIZES, List.of(1 << 20));
        NettestPlan many = one.with(NettestValue.CONCURRENT, 64);

        assertThat(ObjectsSuite.OBJECTS.serverBytes(many) - ObjectsSuite.OBJECTS.serverBytes(one))
                .isGreaterThanOrEqualTo(63L << 20);
    }

    /** The order is part of the wire format. */
    @Test
    void pinsTheOrderOfEveryEnumThatTravels() {
        assertThat(Arrays.toString(Direction.values())).isEqualTo("[OUT, IN, BOTH]");
        assertThat(Arrays.toString(Receive.values())).isEqualTo("[DISCARD, COPY]");
        assertThat(Arrays.toString(Mode.values())).isEqualTo("[BLOCKING, NONBLOCKING]");
        assertThat(Arrays.toString(Op.values())).isEqualTo("[READ, WRITE]");
        assertThat(Arrays.toString(Durable.values())).isEqualTo("[MEMORY, LOG]");
        assertThat(Arrays.toString(Reads.values())).isEqualTo("[MESSAGE, RDMA]");
    }
}
