package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.control.ClearLanes;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.engine.ServerSettings;
import io.fdt.core.engine.Serving;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NettestJob;
import io.fdt.core.nettest.NettestObserver;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.security.AddressRules;
import io.fdt.core.security.Identity;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.LaneWithQueues;
import io.fdt.core.transport.MemoryQueues;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.RdmaProvider;
import io.fdt.core.transport.RdmaUse;
import io.fdt.core.transport.RdmaUse.Wish;
import io.fdt.core.transport.Transport;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import io.fdt.core.wire.LaneHello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** When lanes use RDMA and when not. A second transport over TCP, on its own port, takes the place of RDMA. */
final class FdtRdmaTest {
    private static final int LANES = 2;

    @TempDir
    Path directory;

    private final MemoryQueues.Fabric fabric = new MemoryQueues.Fabric();
    private final StandIn here = new StandIn();
    private final StandIn there = new StandIn();
    private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    private final Queue<String> serverWarnings = new ConcurrentLinkedQueue<>();
    private Path home = Path.of("/nonexistent");
    private Path source = home;
    private Path root = home;
    private @Nullable Serving server;

    /** A host's RDMA support, which can be missing in every way that occurs. */
    private final class StandIn implements RdmaProvider {
        final AtomicInteger lanesTaken = new AtomicInteger();
        final AtomicInteger opened = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        volatile @Nullable String obstacle;
        volatile boolean pathIsBroken;
        volatile @Nullable Boolean takesLoopback;
        volatile boolean hasQueues = true;
        /** The server gets none of its lanes before there are this many: one of them could carry a whole copy. */
        volatile int lanesAtOnce = 1;

        private final Queue<Lane> held = new ConcurrentLinkedQueue<>();

        private Lane over(Lane lane) {
            return hasQueues ? new LaneWithQueues(lane, () -> new MemoryQueues(fabric, "port")) : lane;
        }

        @Override
        public @Nullable String obstacle() {
            return obstacle;
        }

        @Override
        public Transport open(LanePlaces places) {
            opened.incrementAndGet();
            Identity identity = Identity.loadOrCreate(home);
            TcpTransport client =
                    TcpTransport.forClient(TcpSettings.DEFAULTS, Set.of(identity.fingerprint()), accepted -> {});
            TcpTransport server = TcpTransport.forServer(
                    TcpSettings.DEFAULTS.withLaneGreetingBytes(LaneHello.LENGTH_BYTES), identity, null);
            return new Transport() {
                @Override
                public String name() {
                    return "rdma";
                }

                @Override
                public Lane connect(
                        InetSocketAddress at, @Nullable InetSocketAddress local, boolean clear, long timeoutMs) {
                    assertThat(clear).as("lanes over RDMA are clear").isTrue();
                    if (pathIsBroken) {
                        throw Cause.CANNOT_CONNECT.failure("no route to that address");
                    }
                    return over(client.connect(at, local, true, timeoutMs));
                }

                @Override
                public Listener listen(InetSocketAddress address, Acceptor acceptor) {
                    takesLoopback = acceptor.takesFrom(InetAddress.getLoopbackAddress());
                    return server.listen(address, counting(acceptor));
                }

                @Override
                public void close() {
                    closed.incrementAndGet();
                    client.close();
                    server.close();
                }
            };
        }

        private Transport.Acceptor counting(Transport.Acceptor acceptor) {
            return new Transport.Acceptor() {
                @Override
                public void onLane(Lane lane) {
                    held.add(lane);
                    if (lanesTaken.incrementAndGet() >= lanesAtOnce) {
                        for (Lane next = held.poll(); next != null; next = held.poll()) {
                            acceptor.onLane(over(next));
                        }
                    }
                }

                @Override
                public void onLink(MessageLink link) {
                    acceptor.onLink(link);
                }

                @Override
                public void onGarbage(String peer, Failure what) {
                    acceptor.onGarbage(peer, what);
                }
            };
        }

        @Override
        public long laneMemoryBytes() {
            return 2 << 20;
        }
    }

    @BeforeEach
    void makeDirectories() throws IOException {
        home = directory.resolve("home");
        source = Files.createDirectory(directory.resolve("source"));
        root = Files.createDirectory(directory.resolve("root"));
        byte[] bytes = new byte[5_000_000];
        new Random(7).nextBytes(bytes);
        Files.write(source.resolve("file"), bytes);
    }

    @AfterEach
    void stop() {
        Serving running = server;
        if (running != null) {
            running.close();
        }
        assertThat(here.closed).hasValue(here.opened.get());
        assertThat(there.closed).hasValue(there.opened.get());
        assertThat(fabric.open()).as("queues that nobody closed").isZero();
    }

    private Serving serve(Wish wish, ClearLanes clearLanes, TcpSettings network) {
        Serving started = Fdt.at(home)
                .withNetwork(network)
                .withRdma(new RdmaUse(wish, there))
                .serve(
                        new ServerSettings(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                new ExportedRoots(List.of(RawPath.ofText(root.toString())), false),
                                ServerLimits.builder().clearLanes(clearLanes).build(),
                                TransferLimits.SERVER_DEFAULT,
                                NettestResources.inMemory()),
                        new ServerObserver() {
                            @Override
                            public void onWarning(String text) {
                                serverWarnings.add(text);
                            }
                        });
        server = started;
        return started;
    }

    private Serving serve(Wish wish) {
        return serve(wish, ClearLanes.ALLOW, TcpSettings.DEFAULTS);
    }

    private Summary push(Serving to, Wish wish, boolean clear) throws InterruptedException {
        TestPlan plan = TestPlan.push(source + "/file", "/copy").lanes(LANES);
        try (TransferJob copy = Fdt.at(home)
                .withRdma(new RdmaUse(wish, here))
                .copy((clear ? plan.clearLanes() : plan).at(to.address().getPort()), new TransferObserver() {
                    @Override
                    public void onWarning(String message) {
                        warnings.add(message);
                    }
                })) {
            return copy.await();
        }
    }

    private void assertCopied(Summary summary) throws IOException {
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(Files.mismatch(source.resolve("file"), root.resolve("copy"))).isEqualTo(-1);
    }

    @ParameterizedTest
    @CsvSource({"IF_PRESENT, IF_PRESENT", "PREFERRED, REQUIRED", "REQUIRED, PREFERRED"})
    void lanesOfACopyGoOverRdmaWhereBothEndsHaveIt(Wish client, Wish server) throws Exception {
        there.lanesAtOnce = LANES;
        Serving serving = serve(server);
        assertThat(serving.rdmaPort()).isPositive();

        assertCopied(push(serving, client, true));

        // The lane that probed the path sent nothing, so it does not count.
        assertThat(there.lanesTaken).hasValue(LANES);
        assertThat(warnings).isEmpty();
        assertThat(serverWarnings).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "PREFERRED, lanes go over TCP: lanes over RDMA are not encrypted",
        "IF_PRESENT, ",
    })
    void encryptedLanesStayOnTcp(Wish wish, @Nullable String why) throws Exception {
        assertCopied(push(serve(Wish.IF_PRESENT), wish, false));
        assertThat(there.lanesTaken).hasValue(0);
        assertWarned(why);
    }

    @ParameterizedTest
    @CsvSource({"PREFERRED, lanes go over TCP: no device here", "IF_PRESENT, "})
    void aClientWithoutADeviceGoesOverTcp(Wish wish, @Nullable String why) throws Exception {
        here.obstacle = "no device here";
        assertCopied(push(serve(Wish.REQUIRED), wish, true));
        assertThat(there.lanesTaken).hasValue(0);
        assertThat(here.opened).hasValue(0);
        assertWarned(why);
    }

    @ParameterizedTest
    @CsvSource({"PREFERRED, accepts no lanes over RDMA", "IF_PRESENT, "})
    void aServerWithoutRdmaIsServedOverTcp(Wish wish, @Nullable String why) throws Exception {
        Serving serving = serve(Wish.NEVER);
        assertThat(serving.rdmaPort()).isZero();
        assertCopied(push(serving, wish, true));
        assertWarned(why);
    }

    /** Both ends have RDMA but it does not work. The user is warned about that, whatever the client requested. */
    @ParameterizedTest
    @CsvSource({"PREFERRED", "IF_PRESENT"})
    void fallsBackToTcpWithNotice(Wish wish) throws Exception {
        here.pathIsBroken = true;
        assertCopied(push(serve(Wish.IF_PRESENT), wish, true));
        assertThat(there.lanesTaken).hasValue(0);
        assertWarned("lanes go over TCP: no route to that address");
    }

    private void assertWarned(@Nullable String what) {
        if (what == null) {
            assertThat(warnings).isEmpty();
        } else {
            assertThat(warnings).singleElement().asString().contains(what);
        }
    }

    @Test
    void requiredRdmaFailsWithoutPath() throws Exception {
        here.pathIsBroken = true;
        Summary summary = push(serve(Wish.REQUIRED), Wish.REQUIRED, true);
        assertThat(summary.kind()).isEqualTo(FailureKind.CANNOT_CONNECT);
        assertThat(summary.message()).contains("no route to that address");
    }

    @Test
    void requiredRdmaRefusesServerWithoutIt() throws Exception {
        Summary summary = push(serve(Wish.NEVER), Wish.REQUIRED, true);
        assertThat(summary.failure().cause()).isEqualTo(Cause.NO_RDMA);
        assertThat(summary.message()).contains("accepts no lanes over RDMA");
    }

    @Test
    void requiredRdmaFailsFirstOnHostWithoutIt() {
        here.obstacle = "no device here";
        there.obstacle = "no device there";
        assertRefused(() -> push(serve(Wish.IF_PRESENT), Wish.REQUIRED, false), Cause.NO_RDMA, "no device here");
        assertThat(serverWarnings).isEmpty();
        assertRefused(() -> serve(Wish.REQUIRED), Cause.NO_RDMA, "no device there");
        Serving first = server;
        if (first != null) {
            first.close();
        }
        serve(Wish.PREFERRED);
        assertThat(serverWarnings).containsExactly("no lanes over RDMA: no device there");
    }

    @Test
    void neverSendsUnencryptedByDefault() {
        Serving serving = serve(Wish.REQUIRED);
        assertRefused(() -> push(serving, Wish.REQUIRED, false), Cause.USAGE, "--clear-lanes");
    }

    @Test
    void aServerThatRefusesClearLanesRefusesThemOverRdma() throws Exception {
        Serving serving = serve(Wish.REQUIRED, ClearLanes.TESTS, TcpSettings.DEFAULTS);
        Summary summary = push(serving, Wish.REQUIRED, true);
        assertThat(summary.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(there.lanesTaken).hasValue(0);
    }

    @Test
    void theSameNetworksMayComeAsOverTcp() {
        serve(
                        Wish.REQUIRED,
                        ClearLanes.ALLOW,
                        TcpSettings.DEFAULTS.withAllowed(AddressRules.parse(List.of("10.0.0.0/8"))))
                .close();
        assertThat(there.takesLoopback).isFalse();
        serve(Wish.REQUIRED, ClearLanes.ALLOW, TcpSettings.DEFAULTS.withAllowed(AddressRules.ANY));
        assertThat(there.takesLoopback).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"IF_PRESENT, RDMA", "NEVER, TCP"})
    void networkTestReportsItsTransport(Wish wish, Carrier carrier) throws Exception {
        Serving serving = serve(Wish.IF_PRESENT, ClearLanes.TESTS, TcpSettings.DEFAULTS);
        NettestPath path = new NettestPath("127.0.0.1", serving.address().getPort(), true, List.of(), Await.LIMIT_MS);
        try (NettestJob test = Fdt.at(home)
                .withRdma(new RdmaUse(wish, here))
                .nettest(Plans.latency(path, List.of(4), 20, false), new NettestObserver() {
                    @Override
                    public void onWarning(String message) {
                        warnings.add(message);
                    }
                })) {
            NettestOutcome outcome = test.await();
            assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            assertThat(outcome.result())
                    .isNotNull()
                    .satisfies(
                            result -> assertThat(result.plan().path().carrier()).isEqualTo(carrier));
        }
        assertThat(warnings).isEmpty();
    }

    /** The lanes of these suites send and receive in turns, not in blocks. */
    @Test
    void objectsAndLoadGoOverRdma() throws Exception {
        Serving serving = serve(Wish.REQUIRED);
        NettestPath path = new NettestPath(
                "127.0.0.1", serving.address().getPort(), true, List.of(), Await.LIMIT_MS, Carrier.RDMA);
        List<NettestPlan> plans = List.of(
                Plans.objects(path, 30, List.of(100), 10, 1, 100),
                Plans.load(path, 100, List.of(10), List.of(24), List.of(8), 200, false));
        for (NettestPlan plan : plans) {
            int before = there.lanesTaken.get();
            try (NettestJob test =
                    Fdt.at(home).withRdma(new RdmaUse(Wish.REQUIRED, here)).nettest(plan, NettestObserver.NONE)) {
                NettestOutcome outcome = test.await();
                assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
            }
            assertThat(there.lanesTaken.get()).isGreaterThan(before);
        }
    }

    /** As a library's user may write it: the paths do not say yet what will carry the lanes. */
    @ParameterizedTest
    @EnumSource(
            value = Carrier.class,
            names = {"TCP", "RDMA"})
    void requestsToSeveralServersOverRdmaAreAllSummedUp(Carrier said) throws Exception {
        int port = serve(Wish.REQUIRED).address().getPort();
        NettestPath path = new NettestPath("127.0.0.1", port, true, List.of(), Await.LIMIT_MS, said);
        NettestOutcome outcome = test(
                Plans.rpc(path, 30, List.of(1, 100), 2, 300, false).with(NettestValue.OTHER_SERVERS, List.of(path)));
        assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
        NettestResult result = outcome.result();
        assertThat(result).isNotNull();
        assertThat(result.plan().path().carrier()).isEqualTo(Carrier.RDMA);
        assertThat(result.figures().rows("per_server")).hasSize(2);
        long ofEach = result.figures().rows("per_server").stream()
                .mapToLong(server -> server.sum("points", "requests"))
                .sum();
        assertThat(result.figures().sum("points", "requests")).isEqualTo(ofEach).isPositive();
    }

    private NettestOutcome test(NettestPlan plan) throws InterruptedException {
        try (NettestJob test =
                Fdt.at(home).withRdma(new RdmaUse(Wish.REQUIRED, here)).nettest(plan, NettestObserver.NONE)) {
            return test.await();
        }
    }

    private static NettestPath path(Serving to) {
        return new NettestPath("127.0.0.1", to.address().getPort(), true, List.of(), Await.LIMIT_MS, Carrier.RDMA);
    }

    private NettestResult roundTrips(QueueKind kind, int... sizes) throws InterruptedException {
        List<Integer> list = Arrays.stream(sizes).boxed().toList();
        NettestOutcome outcome =
                test(Plans.latency(path(serve(Wish.REQUIRED)), list, 100, true, new QueueUse(kind, 32)));
        assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
        NettestResult result = outcome.result();
        assertThat(result).isNotNull();
        assertThat(result.whole()).as("both sides count the same").isTrue();
        assertThat(result.points())
                .hasSize(sizes.length)
                .allSatisfy(point -> assertThat(Latencies.of(point).count()).isEqualTo(100));
        return result;
    }

    @ParameterizedTest
    @EnumSource(QueueKind.class)
    void roundTripsGoByQueuePairsBesideTheLane(QueueKind kind) throws Exception {
        NettestResult result = roundTrips(kind, 1, 64, 1024);
        assertThat(result.figures().values())
                .as("as the devices gave it")
                .containsEntry("inline_bytes_local", 16)
                .containsEntry("inline_bytes_remote", 16)
                .containsEntry("sent_again", 0L);
    }

    /**
     * A datagram can be lost in either direction. Both ends still count the same, and no point contains the time of
     * such an exchange.
     */
    @Test
    void datagramsThatAreLostAreSentAgain() throws Exception {
        fabric.loseEach(97);
        NettestResult result = roundTrips(QueueKind.DATAGRAM, 4);
        assertThat(result.figures().count("sent_again")).isPositive();
    }

    @Test
    void aDatagramThatNoPacketHoldsIsRefused() throws Exception {
        NettestOutcome outcome = test(Plans.latency(
                path(serve(Wish.REQUIRED)), List.of(4, 2000), 10, true, new QueueUse(QueueKind.DATAGRAM, 0)));
        assertThat(outcome.kind()).as("%s", outcome.message()).isEqualTo(FailureKind.USAGE);
        assertThat(outcome.message()).contains("holds 1024 bytes at most", "--qp rc");
    }

    @Test
    void lanesWithoutADeviceHaveNoQueuesBesideThem() throws Exception {
        here.hasQueues = false;
        Serving serving = serve(Wish.REQUIRED);
        NettestOutcome outcome =
                test(Plans.latency(path(serving), List.of(4), 10, true, new QueueUse(QueueKind.RELIABLE, 0)));
        assertThat(outcome.kind()).isEqualTo(FailureKind.USAGE);
        assertThat(outcome.failure().textWithRemedy()).contains("--transport rdma");
    }

    @Test
    void objectsAreReadOutOfTheServersMemoryAndOfNoOther() throws Exception {
        NettestPlan plan = Plans.objects(path(serve(Wish.REQUIRED)), 30, List.of(1, 100, 5000), 40, 3, 3_000)
                .with(NettestValue.READS, Reads.RDMA);
        NettestOutcome outcome = test(plan);
        assertThat(outcome.failure()).as("%s", outcome.message()).isNull();
        NettestResult result = outcome.result();
        assertThat(result).isNotNull();
        assertThat(result.whole()).as("both sides count the same").isTrue();
        assertThat(result.points()).hasSize(3);
        long measured = result.figures().sum("points", "operations");
        assertThat(measured).as("all by reads").isPositive().isLessThanOrEqualTo(fabric.reads());
        // A slot has 16 bytes, the key and the value, each rounded up to 8. The grants cover all slots once, and
        // nothing else.
        assertThat(fabric.grantedBytes()).isEqualTo(40L * (3 * (16 + 32) + 8 + 104 + 5000));
        // The server ends its lanes after the client's, and the client has its result before that.
        Await.until("no key is good after the test", () -> fabric.grants() == 0);
    }

    @Test
    void objectsAreNotReadWhereTheServersLanesHaveNoDevice() throws Exception {
        there.hasQueues = false;
        NettestOutcome outcome = test(Plans.objects(path(serve(Wish.REQUIRED)), 30, List.of(100), 10, 1, 200)
                .with(NettestValue.READS, Reads.RDMA));
        assertThat(outcome.kind()).isEqualTo(FailureKind.USAGE);
        assertThat(outcome.failure().textWithRemedy()).contains("--transport rdma");
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private static void assertRefused(Attempt attempt, Cause cause, String why) {
        assertThatThrownBy(attempt::run)
                .asInstanceOf(type(TransferException.class))
                .satisfies(refused -> assertThat(refused.failure().cause()).isEqualTo(cause))
                .satisfies(refused -> assertThat(refused).hasMessageContaining(why));
    }
}
