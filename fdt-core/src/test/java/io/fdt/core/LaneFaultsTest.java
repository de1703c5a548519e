package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.budget.ServerTotals;
import io.fdt.core.control.Client;
import io.fdt.core.control.Delegations;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.Server;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.plan.TransferPlan.Direction;
import io.fdt.core.run.Resources;
import io.fdt.core.security.Identity;
import io.fdt.core.security.KeyStore;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.storage.ExportedRoots;
import io.fdt.core.storage.posix.ClaimLocks;
import io.fdt.core.transfer.ServerRates;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.receiving.TargetClaims;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transfer.service.TransferService;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.LinkTransport;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.MemoryNetwork.Wire;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.ThreadedLane;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntBiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole copies over a network in memory that cuts lanes and flips bits at exact offsets. The system test {@code
 * LaneFaultTest} does it to real processes.
 */
class LaneFaultsTest {
    private static final int LANES = 4;
    private static final int CHUNK_BYTES = 256 << 10;
    private static final int BIG_BYTES = 6 << 20;
    private static final int SMALL_FILES = 40;
    private static final long PATIENCE_MS = 600_000;

    @TempDir
    Path directory;

    private Path local;
    private Path root;
    private final MemoryNetwork network = MemoryNetwork.withThreads(1);
    private final AtomicInteger faults = new AtomicInteger();
    private int chunkBytes = CHUNK_BYTES;

    @BeforeEach
    void makeDirectories() throws IOException {
        local = Files.createDirectory(directory.resolve("local"));
        root = Files.createDirectory(directory.resolve("root"));
    }

    private Path source(Direction direction) {
        return (direction == Direction.PUSH ? local : root).resolve("tree");
    }

    private Path target(Direction direction) {
        return (direction == Direction.PUSH ? root : local).resolve("copy");
    }

    private void makeTree(Path tree) throws IOException {
        Random random = new Random(17);
        Files.createDirectory(tree);
        write(tree.resolve("big"), BIG_BYTES, random);
        for (int file = 0; file < SMALL_FILES; file++) {
            write(tree.resolve("small" + file), random.nextInt(5000), random);
        }
    }

    private static void write(Path file, int length, Random random) throws IOException {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        Files.write(file, bytes);
    }

    private Summary copy(Direction direction) throws InterruptedException {
        Identity identity = Identity.create();
        KeyStore keys = new KeyStore(directory.resolve("home"));
        keys.createDefaultOnce();
        ServerAccess access = ServerAccess.of(identity, Objects.requireNonNull(keys.defaultKey()));
        TransferService transfers = new TransferService(
                new ExportedRoots(List.of(RawPath.ofText(root.toString())), false),
                true,
                TransferLimits.SERVER_DEFAULT,
                role -> SpreadWatch.NONE,
                new ServerRates(0, new ServerTotals()),
                ServerObserver.NONE,
                new TargetClaims(new ClaimLocks(), ServerObserver.NONE));
        try (LinkTransport there = network.newTransport(ThreadedLane.BLOCK_BYTES, 3);
                LinkTransport here = network.newTransport(ThreadedLane.BLOCK_BYTES, 3);
                Server server = new Server(
                        new Server.Keys(identity.fingerprint(), keys, new Delegations(Clock.SYSTEM, "")),
                        request -> transfers,
                        ServerLimits.DEFAULT,
                        ServerObserver.NONE,
                        "fdt",
                        Clock.SYSTEM);
                Transport.Listener listener =
                        there.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), server);
                LaneTransports lanes = LaneTransports.over(Carrier.TCP, here);
                Client client = new Client(here, access, "fdt", Clock.SYSTEM, null)) {
            return new ClientTransfer(
                            plan(direction, listener.address().getPort()),
                            new ServerConnection(client, lanes, Resources.LENT),
                            role -> SpreadWatch.NONE,
                            TransferObserver.NONE)
                    .await();
        }
    }

    private TransferPlan plan(Direction direction, int port) {
        TestPlan plan = direction == Direction.PUSH
                ? TestPlan.push(source(direction) + "/", "/copy")
                : TestPlan.pull("/tree/", target(direction));
        return plan.lanes(LANES)
                .clearLanes()
                .chunkBytes(chunkBytes)
                .timeoutMs(PATIENCE_MS)
                .at(port);
    }

    private void assertComplete(Direction direction) throws IOException {
        assertNothingWrong(direction);
        try (Stream<Path> files = Files.list(target(direction))) {
            assertThat(files.filter(Files::isRegularFile)).hasSize(SMALL_FILES + 1);
        }
    }

    /** What has a final name is whole. */
    private void assertNothingWrong(Direction direction) throws IOException {
        if (!Files.exists(target(direction))) {
            return;
        }
        try (Stream<Path> files = Files.list(target(direction))) {
            files.filter(file -> !file.getFileName().toString().startsWith(".")).forEach(file -> {
                Path original = source(direction).resolve(file.getFileName());
                try {
                    assertThat(Files.mismatch(file, original)).as("%s", file).isEqualTo(-1);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    /** Cuts a connection within the data that crosses an offset. */
    private int cutAt(long cut, long offset, ByteBuffer data) {
        if (offset <= cut && cut < offset + data.remaining()) {
            faults.incrementAndGet();
            return (int) (cut - offset);
        }
        return data.remaining();
    }

    private int flipAt(long flip, long offset, ByteBuffer data) {
        if (offset <= flip && flip < offset + data.remaining()) {
            faults.incrementAndGet();
            int index = data.position() + (int) (flip - offset);
            data.put(index, (byte) (data.get(index) ^ 4));
        }
        return data.remaining();
    }

    private static boolean carriesData(Direction direction, boolean toServer) {
        return (direction == Direction.PUSH) == toServer;
    }

    /** One fault on whichever lane gets there first: on a busy machine, one may carry nearly everything. */
    private Wire onFirstLane(Direction direction, ToIntBiFunction<Long, ByteBuffer> fault) {
        return (connection, toServer, offset, data) -> {
            if (!carriesData(direction, toServer)) {
                return data.remaining();
            }
            synchronized (faults) {
                return faults.get() == 0 ? fault.applyAsInt(offset, data) : data.remaining();
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void completesAfterALaneIsCut(Direction direction) throws Exception {
        makeTree(source(direction));
        network.setWire(onFirstLane(direction, (offset, data) -> cutAt(CHUNK_BYTES + 321, offset, data)));
        assertThat(copy(direction).failure()).isNull();
        assertThat(faults).hasValue(1);
        assertComplete(direction);
    }

    /** Longer than a chunk with its headers: otherwise no chunk would ever arrive. */
    @ParameterizedTest
    @EnumSource
    void completesWhenEveryConnectionIsCutAfterALittle(Direction direction) throws Exception {
        makeTree(source(direction));
        network.setWire((connection, toServer, offset, data) ->
                carriesData(direction, toServer) ? cutAt(3 * CHUNK_BYTES / 2, offset, data) : data.remaining());
        assertThat(copy(direction).failure()).isNull();
        assertThat(faults).hasValueGreaterThanOrEqualTo(BIG_BYTES / (2 * CHUNK_BYTES));
        assertComplete(direction);
    }

    /** Each carries one leaf of a chunk: then chunks are sent in leaves. */
    @ParameterizedTest
    @CsvSource({"PUSH, 300000", "PULL, 300000", "PUSH, 140000", "PULL, 140000"})
    void completesWhenConnectionsCarryHardlyMoreThanALeaf(Direction direction, int cutBytes) throws Exception {
        chunkBytes = 8 << 20;
        makeTree(source(direction));
        network.setWire((connection, toServer, offset, data) ->
                carriesData(direction, toServer) ? cutAt(cutBytes, offset, data) : data.remaining());
        Summary summary = copy(direction);
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertComplete(direction);
    }

    @ParameterizedTest
    @EnumSource
    void sendsADamagedChunkAgain(Direction direction) throws Exception {
        makeTree(source(direction));
        network.setWire(onFirstLane(direction, (offset, data) -> flipAt(CHUNK_BYTES + 77, offset, data)));
        Summary summary = copy(direction);
        assertThat(summary.failure()).isNull();
        assertThat(faults).hasValue(1);
        assertThat(summary.bytes().resent()).isPositive();
        assertComplete(direction);
    }

    static Stream<Arguments> seeds() {
        long first = Long.getLong("fdt.seed", 1);
        return IntStream.range(0, Integer.getInteger("fdt.seeds", 15))
                .boxed()
                .flatMap(seed -> Arrays.stream(Direction.values()).map(each -> Arguments.of(first + seed, each)));
    }

    /** Any connection is cut or damaged at any offset, in both directions. */
    @ParameterizedTest
    @MethodSource("seeds")
    void randomFaultsNeverChangeWhatArrives(long seed, Direction direction) throws Exception {
        makeTree(source(direction));
        Random random = new Random(seed);
        List<Wire> plan = new ArrayList<>();
        for (int fault = 0; fault < 2 * LANES; fault++) {
            int which = random.nextInt(2 * LANES);
            boolean there = random.nextInt(8) == 0 ? random.nextBoolean() : carriesData(direction, true);
            long where = (long) (BIG_BYTES / LANES * Math.pow(random.nextDouble(), 2));
            boolean cuts = random.nextBoolean();
            plan.add((connection, toServer, offset, data) -> {
                if (connection != which || toServer != there) {
                    return data.remaining();
                }
                return cuts ? cutAt(where, offset, data) : flipAt(where, offset, data);
            });
        }
        network.setWire((connection, toServer, offset, data) -> plan.stream()
                .mapToInt(each -> each.pass(connection, toServer, offset, data))
                .min()
                .orElseThrow());
        FailureKind failure = copy(direction).kind();
        assertNothingWrong(direction);
        if (failure != null) {
            // The faults may damage one chunk on every attempt.
            assertThat(failure).isEqualTo(FailureKind.INTEGRITY);
            network.setWire(Wire.PERFECT);
            assertThat(copy(direction).failure()).isNull();
        }
        assertComplete(direction);
    }
}
