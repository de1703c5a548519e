package io.fdt.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.Version;
import io.fdt.core.control.Client;
import io.fdt.core.control.LaneTransports;
import io.fdt.core.control.ServerConnection;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.run.Resources;
import io.fdt.core.security.KnownServers;
import io.fdt.core.security.ServerAccess;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.service.ClientTransfer;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.SpreadWatch;
import io.fdt.core.transport.tcp.TcpSettings;
import io.fdt.core.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lanes that should take another path are replaced in the middle of a transfer, and nothing is lost or sent twice. */
class LaneReplacementTest {
    private static final int FILES = 160;
    private static final int FILE_BYTES = 128 << 10;

    /** The copy takes about four seconds, so the watch looks four times. */
    private static final long RATE = 8L * FILES * FILE_BYTES / 4;

    @TempDir
    Path directory;

    private Path home;
    private Path source;
    private Path root;

    @BeforeEach
    void makeFiles() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectory(directory.resolve("root"));
        source = Files.createDirectory(directory.resolve("source"));
        Random random = new Random(17);
        for (int file = 0; file < FILES; file++) {
            byte[] bytes = new byte[FILE_BYTES];
            random.nextBytes(bytes);
            Files.write(source.resolve("f" + file), bytes);
        }
    }

    /** A watch that requests the replacement of the first connection of each of these lanes, whatever it is. */
    private static final class Picky implements SpreadWatch {
        final Map<Integer, Integer> firstPorts = new HashMap<>();
        final Map<Integer, Set<Integer>> ports = new HashMap<>();
        private final int asMany;

        Picky(int asMany) {
            this.asMany = asMany;
        }

        @Override
        public Advice look(long nowNanos, List<Stream> streams) {
            List<Integer> replaced = new ArrayList<>();
            for (Stream stream : streams) {
                int port = stream.ends().local().getPort();
                ports.computeIfAbsent(stream.lane(), lane -> new HashSet<>()).add(port);
                if (stream.lane() < asMany && firstPorts.putIfAbsent(stream.lane(), port) == null) {
                    replaced.add(stream.lane());
                }
            }
            return new Advice(replaced, null);
        }

        /** Returns the number of lanes that had more than one connection. */
        long replaced() {
            return ports.values().stream().filter(seen -> seen.size() > 1).count();
        }
    }

    private Summary run(TestPlan plan, SpreadWatch watch) throws InterruptedException {
        try (TestServer server = new TestServer(home, root)) {
            TransferPlan whole = plan.lanes(4).rate(RATE).at(server.port());
            ServerAccess access = new KnownServers(home)
                    .find(whole.server().host(), whole.server().port());
            try (TcpTransport transport =
                            TcpTransport.forClient(TcpSettings.DEFAULTS, Set.of(access.fingerprint()), accepted -> {});
                    LaneTransports transports = LaneTransports.over(Carrier.TCP, transport);
                    Client client = new Client(transport, access, Version.software(), Clock.SYSTEM, null)) {
                ServerConnection connection = new ServerConnection(client, transports, Resources.LENT);
                return new ClientTransfer(whole, connection, role -> watch, TransferObserver.NONE).await();
            }
        }
    }

    private static void assertSame(Path one, Path other) throws IOException {
        for (int file = 0; file < FILES; file++) {
            assertThat(other.resolve("f" + file)).hasSameBinaryContentAs(one.resolve("f" + file));
        }
    }

    private static void assertNothingLost(Summary summary) {
        assertThat(summary.failure()).as("%s", summary).isNull();
        assertThat(summary.files().inPlace()).isEqualTo(FILES);
        assertThat(summary.bytes().moved().sent()).isEqualTo((long) FILES * FILE_BYTES);
        assertThat(summary.bytes().resent()).isZero();
    }

    @Test
    void senderEndsLanesWithoutSendingAnythingAgain() throws Exception {
        Picky watch = new Picky(2);
        Summary summary = run(TestPlan.push(source + "/", "/copy"), watch);
        assertNothingLost(summary);
        assertThat(summary.run().lanesReplaced()).isEqualTo(2);
        assertThat(watch.replaced()).isEqualTo(2);
        assertSame(source, root.resolve("copy"));
    }

    @Test
    void receiverHasTheSenderEndThem() throws Exception {
        Files.move(source, root.resolve("source"));
        Picky watch = new Picky(2);
        Path target = directory.resolve("pulled");
        Summary summary = run(TestPlan.pull("/source/", target), watch);
        assertNothingLost(summary);
        assertThat(summary.run().lanesReplaced()).isEqualTo(2);
        assertThat(watch.replaced()).isEqualTo(2);
        assertSame(root.resolve("source"), target);
    }

    /** If all lanes were replaced at once, no lane would carry data. */
    @Test
    void oneLaneAlwaysStays() throws Exception {
        Picky watch = new Picky(4);
        Summary summary = run(TestPlan.push(source + "/", "/copy"), watch);
        assertNothingLost(summary);
        assertThat(summary.run().lanesReplaced()).isEqualTo(3);
        assertSame(source, root.resolve("copy"));
    }
}
