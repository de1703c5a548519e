package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Direction;
import io.fdt.core.nettest.NettestPlan.Mode;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestPlan.Receive;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.RdmaProvider;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.LaneHello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole sessions with lanes over the lab's device: copies, network tests, and leaks. */
@Tag("lab")
@Timeout(900)
final class RdmaSessionLabTest {
    private static final String HERE = "10.77.0.1";
    private static final long TIMEOUT_MS = 60_000;
    private static final int MIB = 1 << 20;
    private static final int LANES = 2;
    private static final int SESSIONS = Integer.getInteger("fdt.sessions", 200);

    private static final RdmaUse RDMA = new RdmaUse(Wish.REQUIRED, Rdma.provider(RdmaSettings.DEFAULT));

    @TempDir
    Path directory;

    private final Queue<String> refused = new ConcurrentLinkedQueue<>();
    private final Queue<String> starts = new ConcurrentLinkedQueue<>();
    private final Queue<Summary> served = new ConcurrentLinkedQueue<>();
    private Path home = Path.of("/nonexistent");
    private Path source = home;
    private Path root = home;
    private @Nullable Serving serving;

    @BeforeEach
    void serve() throws IOException {
        home = directory.resolve("home");
        source = Files.createDirectory(directory.resolve("source"));
        root = Files.createDirectory(directory.resolve("root"));
        serving = Fdt.at(home)
                .withRdma(RDMA)
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getByName(HERE), 0),
                                new ExportedRoots(List.of(RawPath.ofText(root.toString())), false),
                                ServerLimits.builder()
                                        .clearLanes(ClearLanes.ALLOW)
                                        .handshakeMs(TIMEOUT_MS)
                                        .build(),
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        new ServerObserver() {
                            @Override
                            public void onSessionEnd(String session, String peer, String key, Summary summary) {
                                served.add(summary);
                            }

                            @Override
                            public void onRefused(String peer, String why) {
                                refused.add(why);
                            }
                        });
    }

    @AfterEach
    void stop() {
        server().close();
    }

    private Serving server() {
        Serving running = serving;
        if (running == null) {
            throw new AssertionError("no server");
        }
        return running;
    }

    private int port() {
        return server().address().getPort();
    }

    // ---- Copies.

    private void fill(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        Files.createDirectories(source.resolve(name).getParent());
        Files.write(source.resolve(name), content);
    }

    private void fillTree() throws IOException {
        fill("large", 2 * MIB + 77);
        fill("sub/leaf", 131_072);
        fill("sub/small", 5);
        Files.createFile(source.resolve("empty"));
    }

    private void assertSame(Path copy) throws IOException {
        for (String name : List.of("large", "sub/leaf", "sub/small", "empty")) {
            assertThat(Files.mismatch(source.resolve(name), copy.resolve(name)))
                    .as(name)
                    .isEqualTo(-1);
        }
    }

    private TransferJob start(RdmaProvider provider, TestPlan plan) {
        TransferPlan whole =
                plan.lanes(LANES).clearLanes().timeoutMs(TIMEOUT_MS).at(HERE, port());
        return Fdt.at(home).withRdma(new RdmaUse(Wish.REQUIRED, provider)).copy(whole, new TransferObserver() {
            @Override
            public void onStart(String session, int lanes, String transport, String peer) {
                starts.add(transport);
            }
        });
    }

    private Summary copy(TestPlan plan) throws InterruptedException {
        try (TransferJob copy = start(Rdma.provider(RdmaSettings.DEFAULT), plan)) {
            Summary summary = copy.await();
            assertThat(summary.failure()).as("%s", summary).isNull();
            return summary;
        }
    }

    @Test
    void aTreeGoesThereAndComesBack() throws Exception {
        fillTree();
        assertThat(copy(TestPlan.push(source + "/", "/there")).bytes().moved().sent())
                .isEqualTo(2 * MIB + 77 + 131_072 + 5);
        assertSame(root.resolve("there"));
        copy(TestPlan.pull("/there/", directory.resolve("back")));
        assertSame(directory.resolve("back"));
        assertThat(starts).hasSize(2).allMatch(transport -> transport.equals("rdma rxe0, clear"));
        assertThat(refused).isEmpty();
    }

    /** Records the connected lanes. The first is a probe that carries no data. */
    private static final class Remembering implements RdmaProvider {
        final Queue<Lane> lanes = new ConcurrentLinkedQueue<>();

        @Override
        public @Nullable String obstacle() {
            return Rdma.provider(RdmaSettings.DEFAULT).obstacle();
        }

        @Override
        public long laneMemoryBytes() {
            return Rdma.provider(RdmaSettings.DEFAULT).laneMemoryBytes();
        }

        @Override
        public Transport open(LanePlaces places) {
            Transport transport = Rdma.provider(RdmaSettings.DEFAULT).open(places);
            return new Transport() {
                @Override
                public String name() {
                    return transport.name();
                }

                @Override
                public Lane connect(
                        InetSocketAddress server, @Nullable InetSocketAddress local, boolean clear, long timeoutMs) {
                    Lane lane = transport.connect(server, local, clear, timeoutMs);
                    lanes.add(lane);
                    return lane;
                }

                @Override
                public Listener listen(InetSocketAddress address, Acceptor acceptor) {
                    return transport.listen(address, acceptor);
                }

                @Override
                public void close() {
                    transport.close();
                }
            };
        }
    }

    @Test
    void aTornConnectionIsALostLaneAndNothingMore() throws Exception {
        fillTree();
        fill("large", 6 * MIB);
        Remembering remembering = new Remembering();
        try (TransferJob copy =
                start(remembering, TestPlan.push(source + "/", "/there").rate(16_000_000))) {
            Await.until(
                    "a chunk is durable", () -> copy.progress().bytes().moved().durable() >= MIB);
            List<Lane> lanes = List.copyOf(remembering.lanes);
            assertThat(lanes).hasSize(1 + LANES);
            // Without an end message, so that the remote end loses the lane too.
            lanes.get(1).abort(Cause.CONNECTION_LOST.failure("torn by the test"));
            Summary summary = copy.await();
            assertThat(summary.failure()).as("%s", summary).isNull();
        }
        assertSame(root.resolve("there"));
        assertThat(remembering.lanes).as("it was dialled again").hasSize(2 + LANES);
        Await.until("the server has summed up", () -> !served.isEmpty());
        assertThat(served)
                .singleElement()
                .satisfies(summary -> assertThat(summary.failure()).isNull());
    }

    // ---- Admission.

    @Test
    void aLaneThatCannotProveItsSessionIsRefused() throws Exception {
        byte[] nobody = new byte[LaneHello.SESSION_ID_BYTES];
        CountDownLatch closed = new CountDownLatch(1);
        try (Transport stranger = Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE)) {
            Lane lane = stranger.connect(
                    new InetSocketAddress(InetAddress.getByName(HERE), server().rdmaPort()), null, true, TIMEOUT_MS);
            lane.start(new LaneHandler() {
                private boolean greeted;

                @Override
                public int wantedBytes() {
                    return 1;
                }

                @Override
                public void onReceived(Block block) {
                    throw new AssertionError("a stranger was answered");
                }

                @Override
                public void onSendable() {
                    Block block = greeted ? null : lane.acquire();
                    if (block != null) {
                        greeted = true;
                        new LaneHello(nobody, 0, 0, new byte[LaneHello.PROOF_BYTES]).write(block.buffer());
                        block.buffer().flip();
                        lane.send(block);
                    }
                }

                @Override
                public void onClosed(@Nullable TransferException cause) {
                    closed.countDown();
                }
            });
            Await.until("the lane is closed", closed);
        }
        assertThat(refused).containsExactly("a lane for a session that does not exist");
    }

    // ---- Network tests.

    private NettestPath path(Carrier carrier) {
        return new NettestPath(HERE, port(), true, List.of(), TIMEOUT_MS, carrier);
    }

    private NettestPath path() {
        return path(Carrier.RDMA);
    }

    private NettestResult run(RdmaUse rdma, NettestPlan plan) throws InterruptedException {
        try (NettestJob test = Fdt.at(home).withRdma(rdma).nettest(plan, NettestObserver.NONE)) {
            NettestOutcome outcome = test.await();
            assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            NettestResult result = outcome.result();
            assertThat(result).isNotNull();
            assertThat(result.whole()).isTrue();
            assertThat(result.transport()).isEqualTo("rdma rxe0, clear");
            assertThat(result.plan().path().carrier()).isEqualTo(Carrier.RDMA);
            return result;
        }
    }

    private NettestResult run(NettestPlan plan) throws InterruptedException {
        return run(RDMA, plan);
    }

    @Test
    @Tag("sanitized")
    void everySuiteGoesOverRdma() throws Exception {
        run(Plans.throughput(path(), 2, Direction.BOTH, 500, 131_072, Receive.DISCARD));
        run(Plans.latency(path(), List.of(4, 200_000), 20, false));
        run(Plans.rpc(path(), 30, List.of(100, 200_000), 2, 400, false));
        run(Plans.objects(path(), 30, List.of(100, 10_000), 20, 2, 300));
        run(Plans.load(path(), 100, List.of(20, 40), List.of(24), List.of(8), 1_000, false));
    }

    @ParameterizedTest
    @EnumSource(QueueKind.class)
    void roundTripsGoByQueuePairsBesideTheLane(QueueKind kind) throws Exception {
        NettestResult result = run(Plans.latency(path(), List.of(1, 64, 4000), 50, true, new QueueUse(kind, 64)));
        assertThat(result.points())
                .hasSize(3)
                .allSatisfy(point -> assertThat(Latencies.of(point).count()).isEqualTo(50));
        assertThat(result.figures().count("inline_bytes_local"))
                .as("soft-RoCE takes them")
                .isEqualTo(64);
        assertThat(result.figures().count("inline_bytes_remote")).isEqualTo(64);
    }

    /** Uses two lanes, which share the memory that the server registers, and objects of all sizes. */
    @Test
    @Tag("sanitized")
    void objectsAreReadOutOfTheServersMemory() throws Exception {
        NettestResult result = run(Plans.objects(path(), 30, List.of(100, 10_000, 300_000), 20, 2, 1_000)
                .with(NettestValue.READS, Reads.RDMA));
        assertThat(result.points())
                .hasSize(3)
                .allSatisfy(point -> assertThat(point.count("operations")).isPositive());
        assertThat(result.figures().count("objects_held")).isEqualTo(60);
    }

    @Test
    void whereBothEndsHaveItNobodyNeedAskForIt() throws Exception {
        run(
                new RdmaUse(Wish.IF_PRESENT, Rdma.provider(RdmaSettings.DEFAULT)),
                Plans.latency(path(Carrier.TCP), List.of(4), 10, false));
    }

    @Test
    void aSweepSwitchesFromEagerToRendezvous() throws Exception {
        NettestPlan plan = Plans.sweep(
                path(), List.of(1, 1000, 16_384, 200_000), 8, List.of(Mode.BLOCKING, Mode.NONBLOCKING), 400);
        NettestResult result = run(plan);
        assertThat(result.points()).hasSize(8).allSatisfy(point -> {
            assertThat(point.count("messages")).isPositive();
            int sizeBytes = (int) point.count("size_bytes");
            assertThat(point.text("protocol")).isEqualTo(sizeBytes < 16_384 ? "eager" : "rendezvous");
        });
    }

    // ---- Leaks.

    /**
     * Each session has its own transport, as in a command. Every third has several lanes, and every fourth has queues
     * as well.
     */
    @Test
    void manySessionsLeaveNothingBehind() throws Exception {
        session(0);
        session(1);
        Map<String, Integer> before = RdmaLabTest.settled(Map.of());
        for (int round = 0; round < SESSIONS; round++) {
            session(round);
        }
        assertThat(RdmaLabTest.settled(before)).isEqualTo(before);
        assertThat(before.get("cm_id")).as("the listener is counted").isPositive();
        assertThat(before.get("mapped KiB")).as("its event is counted").isPositive();
        assertThat(refused).isEmpty();
    }

    private void session(int round) throws InterruptedException {
        if (round % 4 == 1) {
            run(Plans.latency(path(), List.of(64), 2, true, new QueueUse(QueueKind.RELIABLE, 64)));
        } else {
            run(Plans.rpc(path(), 30, List.of(100), round % 3 == 0 ? 3 : 1, 100, false));
        }
    }
}
