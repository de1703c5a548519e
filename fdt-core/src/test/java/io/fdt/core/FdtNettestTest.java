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
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Network tests over real sockets, with both ends in this process. */
class FdtNettestTest {
    @TempDir
    Path directory;

    private final BlockingQueue<Summary> serverEnds = new LinkedBlockingQueue<>();
    private @Nullable Serving server;

    private int serve(TcpSettings settings, ClearLanes clear, int lanes) {
        server = Fdt.at(directory.resolve("home"))
                .withNetwork(settings)
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(), false),
                                ServerLimits.builder()
                                        .lanesPerSession(lanes)
                                        .clearLanes(clear)
                                        .build(),
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
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

    private static NettestPlan plan(int port, int streams, Direction direction, Receive receive, boolean clear) {
        return Plans.throughput(
                new NettestPath("127.0.0.1", port, clear, List.of(), Await.LIMIT_MS),
                streams,
                direction,
                1_500,
                128 << 10,
                receive);
    }

    private static final class Silent implements NettestObserver {
        final CountDownLatch started = new CountDownLatch(1);

        @Override
        public void onStart(String session, NettestPlan plan, String transport, String peer) {
            started.countDown();
        }
    }

    private NettestOutcome run(TcpSettings settings, NettestPlan plan) throws InterruptedException {
        try (NettestJob test =
                Fdt.at(directory.resolve("home")).withNetwork(settings).nettest(plan, new Silent())) {
            return test.await();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "3, OUT, DISCARD, true, discard",
        "2, IN, COPY, true, copy",
        "2, BOTH, DISCARD, true, discard",
        "2, BOTH, DISCARD, false, blocks",
    })
    void bothEndsCountTheSame(int each, Direction direction, Receive receive, boolean clear, String way)
            throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.TESTS, 64);

        NettestOutcome outcome = run(TcpSettings.DEFAULTS, plan(port, each, direction, receive, clear));

        assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
        NettestResult result = outcome.result();
        assertThat(result).isNotNull();
        assertThat(result.whole()).isTrue();
        assertThat(result.figures().text("receive")).isEqualTo(way);
        List<JsonObject> streams = result.figures().rows("per_stream");
        long bytesOut = result.figures().count("bytes_out");
        long bytesIn = result.figures().count("bytes_in");
        assertThat(streams).hasSize(direction == Direction.BOTH ? 2 * each : each);
        assertThat(streams)
                .allSatisfy(stream -> assertThat(stream.count("bytes")).isGreaterThan(100_000));
        assertThat(streams.stream()
                        .filter(stream -> stream.text("direction").equals("out"))
                        .mapToLong(stream -> stream.count("bytes"))
                        .sum())
                .isEqualTo(bytesOut);
        assertThat(bytesOut > 0).isEqualTo(direction != Direction.IN);
        assertThat(bytesIn > 0).isEqualTo(direction != Direction.OUT);
        assertThat(result.seconds()).isGreaterThanOrEqualTo(1.5);
        Summary served = serverEnds.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(served).isNotNull();
        assertThat(served.failure()).as("%s", served.message()).isNull();
        assertThat(served.bytes().moved().sent()).isEqualTo(bytesOut + bytesIn);
    }

    @Test
    void serverThatRefusesClearLanesNamesTheRemedy() throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.REFUSE, 64);

        NettestOutcome refused = run(TcpSettings.DEFAULTS, plan(port, 1, Direction.OUT, Receive.DISCARD, true));
        NettestOutcome encrypted = run(TcpSettings.DEFAULTS, plan(port, 1, Direction.OUT, Receive.DISCARD, false));

        assertThat(refused.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(refused.failure().textWithRemedy()).contains("--tls");
        assertThat(refused.result()).isNull();
        assertThat(encrypted.failure()).as("%s", encrypted.message()).isNull();
    }

    @Test
    void moreStreamsThanTheServerGrantsAreRefused() throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.TESTS, 3);

        NettestOutcome outcome = run(TcpSettings.DEFAULTS, plan(port, 2, Direction.BOTH, Receive.DISCARD, true));

        assertThat(outcome.failure().cause()).isEqualTo(Cause.LIMIT);
        assertThat(outcome.failure().textWithRemedy()).contains("--max-lanes");
    }

    /** Each receiving lane has memory for a block. */
    @Test
    void blocksOfAllLanesCountAsMemoryOfTheServer() throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.TESTS, 64);
        NettestPlan plan = plan(port, 17, Direction.OUT, Receive.COPY, true);

        NettestOutcome outcome = run(TcpSettings.DEFAULTS, plan.with(NettestValue.BLOCK_BYTES, 16 << 20));

        assertThat(outcome.failure().cause()).isEqualTo(Cause.SHARE_USED_UP);
        assertThat(outcome.failure().textWithRemedy()).contains("289 MiB", "256 MiB", "--nettest-memory");
        assertThat(run(TcpSettings.DEFAULTS, plan).failure())
                .as("a test that was refused holds nothing")
                .isNull();
    }

    @Test
    void interruptedTestGivesWhatItMeasured() throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.TESTS, 64);
        NettestPlan plan = Plans.throughput(
                new NettestPath("127.0.0.1", port, true, List.of(), Await.LIMIT_MS),
                2,
                Direction.BOTH,
                60_000,
                128 << 10,
                Receive.DISCARD);
        Silent observer = new Silent();
        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, observer)) {
            assertThat(observer.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            test.interrupt(Failure.of(Cause.INTERRUPTED, "stopped by Ctrl-C"));
            NettestOutcome outcome = test.await();
            assertThat(outcome.kind()).isEqualTo(FailureKind.INTERRUPTED);
            assertThat(outcome.result()).isNotNull();
            assertThat(outcome.result().whole()).isTrue();
        }
    }

    @Test
    void lostServerEndsTheTest() throws Exception {
        int port = serve(TcpSettings.DEFAULTS, ClearLanes.TESTS, 64);
        NettestPlan plan = Plans.throughput(
                new NettestPath("127.0.0.1", port, true, List.of(), Await.LIMIT_MS),
                2,
                Direction.OUT,
                60_000,
                128 << 10,
                Receive.DISCARD);
        Silent observer = new Silent();
        try (NettestJob test = Fdt.at(directory.resolve("home")).nettest(plan, observer)) {
            assertThat(observer.started.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            server.close();
            server = null;
            assertThat(test.await().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        }
    }
}
