package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transport.Await;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All suites except throughput, over real sockets, with both ends in this process. */
class FdtNettestSuitesTest {
    @TempDir
    Path directory;

    private final BlockingQueue<Summary> serverEnds = new LinkedBlockingQueue<>();
    private @Nullable Serving server;

    private int serve() {
        return serve(NettestResources.inMemory());
    }

    private int serve(NettestResources resources) {
        server = Fdt.at(directory.resolve("home"))
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(), false),
                                ServerLimits.builder()
                                        .lanesPerSession(8)
                                        .clearLanes(ClearLanes.TESTS)
                                        .build(),
                                TransferLimits.SERVER_DEFAULT,
                                resources),
                        new ServerObserver() {
                            @Override
                            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                                serverEnds.add(summary);
                            }
                        });
        return server.address().getPort();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static NettestPath path(int port, boolean clear) {
        return new NettestPath("127.0.0.1", port, clear, List.of(), Await.LIMIT_MS);
    }

    private static final class Silent implements NettestObserver {
        final CountDownLatch started = new CountDownLatch(1);
        final Queue<SessionActivity> sessions = new ConcurrentLinkedQueue<>();

        @Override
        public void onStart(String session, NettestPlan plan, String transport, String peer) {
            started.countDown();
        }

        @Override
        public void onActivity(SessionActivity session) {
            sessions.add(session);
        }
    }

    private NettestOutcome run(NettestPlan plan) throws Exception {
        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, new Silent())) {
            NettestOutcome outcome = test.await();
            assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            return outcome;
        }
    }

    private long servedBytes() throws InterruptedException {
        Summary served = serverEnds.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(served).isNotNull();
        assertThat(served.failure()).as("%s", served.message()).isNull();
        return served.bytes().moved().sent();
    }

    private static void assertRising(Latencies latencies) {
        assertThat(List.of(
                        latencies.minUs(),
                        latencies.percentileUs(50),
                        latencies.percentileUs(90),
                        latencies.percentileUs(99),
                        latencies.percentileUs(99.9),
                        latencies.percentileUs(99.99),
                        latencies.maxUs()))
                .isSorted()
                .allSatisfy(us -> assertThat(us).isPositive());
        assertThat(latencies.meanUs()).isBetween(latencies.minUs(), latencies.maxUs());
        assertThat(latencies.buckets().stream()
                        .mapToLong(bucket -> bucket.count("count"))
                        .sum())
                .isEqualTo(latencies.count());
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false"})
    void everyRoundTripIsCountedOnce(boolean clear, boolean polling) throws Exception {
        int port = serve();
        NettestPlan plan = Plans.latency(path(port, clear), List.of(1, 4, 300_000), 50, polling);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.points())
                .extracting(point -> point.count("size_bytes"))
                .containsExactly(1L, 4L, 300_000L);
        for (JsonObject point : result.points()) {
            assertThat(Latencies.of(point).count()).isEqualTo(50);
            assertRising(Latencies.of(point));
        }
        assertThat(servedBytes()).isEqualTo(2 * (50 + plan.options().count("warm_ups")) * (1 + 4 + 300_000));
    }

    /** Lanes with TLS send in blocks, as those over RDMA do. */
    @Test
    void messagesOfEachWayAreCounted() throws Exception {
        int port = serve();
        List<Integer> sizes = List.of(1, 999, 1000, 300_000);
        NettestPlan plan = Plans.sweep(path(port, false), sizes, 40, List.of(Mode.BLOCKING, Mode.NONBLOCKING), 200)
                .with(NettestValue.SWITCH_AT, 1000);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.points()).hasSize(2 * sizes.size()).allSatisfy(point -> {
            assertThat(point.count("messages"))
                    .isEqualTo(40 * point.count("bursts"))
                    .isPositive();
            assertThat(point.amount("seconds")).isPositive();
        });
        assertThat(result.points().subList(0, sizes.size()))
                .extracting(point -> point.text("protocol"))
                .containsExactly("eager", "eager", "rendezvous", "rendezvous");
        assertThat(servedBytes())
                .isGreaterThanOrEqualTo(result.points().stream()
                        .mapToLong(point -> point.count("messages") * point.count("size_bytes"))
                        .sum());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyBurstIsAcknowledgedAndCounted(boolean clear) throws Exception {
        int port = serve();
        NettestPlan plan = Plans.sweep(
                path(port, clear), List.of(1, 1000, 300_000), 20, List.of(Mode.BLOCKING, Mode.NONBLOCKING), 200);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.points()).hasSize(6);
        // The first burst of each point warms up.
        long bytes = 0;
        for (JsonObject point : result.points()) {
            assertThat(point.count("bursts")).isPositive();
            assertThat(point.count("messages")).isEqualTo(20 * point.count("bursts"));
            assertThat(point.amount("bytes_per_second")).isPositive();
            bytes += (point.count("bursts") + 1) * 20 * point.count("size_bytes");
        }
        assertThat(servedBytes()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyRequestIsAnsweredInItsSize(boolean clear) throws Exception {
        int port = serve();
        NettestPlan plan = Plans.rpc(path(port, clear), 30, List.of(1, 100, 300_000), 3, 300, false);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.points())
                .extracting(point -> point.count("size_bytes"))
                .containsExactly(1L, 100L, 300_000L);
        long bytes = 0;
        for (JsonObject point : result.points()) {
            assertThat(Latencies.of(point).count()).isGreaterThanOrEqualTo(3);
            assertRising(Latencies.of(point));
            assertThat(point.amount("per_second")).isPositive();
            bytes += Latencies.of(point).count() * (30 + point.count("size_bytes"));
        }
        // The other requests were warm-up.
        assertThat(servedBytes()).isGreaterThanOrEqualTo(bytes);
    }

    @Test
    void everySessionOfATestWithSeveralServersCanBeWatched() throws Exception {
        int port = serve();
        NettestPlan plan = Plans.rpc(path(port, true), 30, List.of(100), 3, 200, false)
                .with(NettestValue.OTHER_SERVERS, List.of(path(port, true)));
        Silent observer = new Silent();
        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, observer)) {
            assertThat(test.await().failure()).isNull();
        }
        assertThat(observer.sessions)
                .extracting(session -> session.lanes().size())
                .containsExactlyInAnyOrder(2, 1);
    }

    private static NettestPlan load(
            int port, List<Integer> offered, List<Integer> rx, List<Integer> tx, boolean polling) {
        return Plans.load(
                path(port, true), 100, offered, rx, tx, 500 * offered.size() * rx.size() * tx.size(), polling);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyOfferedRequestIsAccountedForUnderLoad(boolean polling) throws Exception {
        int port = serve();
        NettestPlan plan = load(port, List.of(500, 50_000_000), List.of(1, 24), List.of(3, 64), polling);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.circumstances().local().way()).isEqualTo(LaneMode.DIRECT);
        assertThat(result.circumstances().remote().way()).isEqualTo(LaneMode.DIRECT);
        assertThat(result.figures().amount("closed_loop_per_second")).isPositive();
        assertThat(result.points()).hasSize(8);
        long bytes = 0;
        for (JsonObject point : result.points()) {
            long rxBuffers = point.count("rx_buffers");
            long txBuffers = point.count("tx_buffers");
            long offered = point.count("offered");
            long done = point.count("done");
            assertThat(offered).isEqualTo(point.count("offered_per_second") / 2);
            assertThat(Latencies.of(point).count()).isEqualTo(offered);
            assertRising(Latencies.of(point));
            // A busy host may complete nothing in a step.
            long least = Math.min(1, done);
            assertThat(point.amount("completions_per_poll")).isBetween((double) least, (double) rxBuffers);
            assertThat(point.count("server_requests")).isEqualTo(done);
            assertThat(point.count("most_in_flight")).isBetween(1L, txBuffers);
            assertThat(point.count("most_completions")).isBetween(least, rxBuffers);
            assertThat(point.count("server_most_completions")).isBetween(least, rxBuffers);
            assertThat(point.amount("full_polls")).isLessThanOrEqualTo(1);
            assertThat(point.amount("tx_wait_seconds")).isBetween(0.0, point.amount("seconds"));
            bytes += 2 * done * 100;
            if (point.count("offered_per_second") == 500) {
                // All of it, unless this host does not schedule the threads.
                assertThat(done).isBetween(0L, offered);
            } else {
                assertThat(done).as("nobody can do that").isLessThan(offered);
                assertThat(point.count("most_in_flight")).isEqualTo(txBuffers);
                assertThat(point.count("tx_waits")).isPositive();
                assertThat(point.texts("ran_out")).isNotEmpty();
                // Requests that never got a buffer have waited for most of the step.
                assertThat(Latencies.of(point).percentileUs(99)).isGreaterThan(100_000);
            }
        }
        assertThat(bytes).isPositive();
        // The total includes the turns, and the requests that measured what the path can do.
        assertThat(servedBytes()).isGreaterThan(bytes);
    }

    @Test
    void stepsGoFromATenthOfWhatThePathCanDoToBeyond() throws Exception {
        int port = serve();
        NettestPlan plan = Plans.load(path(port, true), 64, List.of(), List.of(8), List.of(8), 2_400, false);
        long steps = plan.suite().start(plan).count("steps");

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        assertThat(result.points()).hasSize((int) steps);
        double capacity = result.figures().amount("closed_loop_per_second");
        assertThat(result.points().get(0).count("offered_per_second") / capacity)
                .isBetween(0.08, 0.12);
        assertThat(result.points().get((int) steps - 1).count("offered_per_second"))
                .isGreaterThan((long) capacity);
        assertThat(result.points())
                .extracting(point -> point.count("offered_per_second"))
                .isSorted();
        assertThat(result.figures().rows("pools")).hasSize(1);
    }

    /** A lane carries it with the same fields as a message. */
    @Test
    void aFailedRequestForAnObjectHasItsCauseItsPlaceAndItsRemedy() throws Exception {
        int port = serve(new NettestResources(64 << 20, directory.resolve("log"), 64 << 10));
        NettestPlan plan =
                Plans.objects(path(port, true), Op.WRITE, 30, List.of(1000), 1, 1, Durable.LOG, false, Await.LIMIT_MS);

        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, new Silent())) {
            Failure failure = test.await().failure();
            assertThat(failure).isNotNull();
            assertThat(failure.cause()).isEqualTo(Cause.LIMIT);
            assertThat(failure.place()).isEqualTo("fdt://127.0.0.1:" + port);
            assertThat(failure.remedy()).contains("--nettest-log-size");
            assertThat(failure.text()).doesNotContain("--nettest-log-size");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void resultNamesTheModeOfBothSides(boolean clear) throws Exception {
        int port = serve();
        NettestPlan plan = Plans.rpc(path(port, clear), 30, List.of(100), 1, 100, false);

        NettestResult result = run(plan).result();

        assertThat(result).isNotNull();
        LaneMode expected = clear ? LaneMode.DIRECT : LaneMode.BLOCKS;
        assertThat(result.circumstances().local().way()).isEqualTo(expected);
        assertThat(result.circumstances().remote().way()).isEqualTo(expected);
    }

    @Test
    void interruptedPingPongReturnsWhatItMeasured() throws Exception {
        int port = serve();
        NettestPlan plan = Plans.latency(path(port, true), List.of(4), 999_999_999, false);
        Silent observer = new Silent();
        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, observer)) {
            assertThat(observer.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            test.interrupt(Failure.of(Cause.INTERRUPTED, "stopped by Ctrl-C"));
            NettestOutcome outcome = test.await();
            assertThat(outcome.kind()).isEqualTo(FailureKind.INTERRUPTED);
            assertThat(outcome.result()).isNotNull();
            assertThat(outcome.result().figures().text("what")).isEqualTo("rtt");
        }
    }
}
