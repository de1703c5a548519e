package io.fdt.core.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Fdt;
import io.fdt.core.TestPlan;
import io.fdt.core.TestServer;
import io.fdt.core.control.ServerLimits;
import io.fdt.core.plan.TransferLimits;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.tcp.TcpSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections of a client without a key. The server serves an honest client at the same time. */
class UnauthenticatedConnectionTest {
    private static final byte[] LANE_PREAMBLE = {(byte) 0xfd, 'f', 'd', 't', 1, 2, 0, 0};

    @TempDir
    Path directory;

    private Path home;
    private Path root;
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        home = directory.resolve("home");
        root = Files.createDirectories(directory.resolve("root"));
        Files.writeString(directory.resolve("honest"), "hello");
        server = new TestServer(
                home,
                TcpSettings.DEFAULTS.withLimits(32, 4096, 60_000),
                ServerLimits.DEFAULT,
                TransferLimits.SERVER_DEFAULT,
                root);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A flood of connections from an address other than the honest client's, until it is closed. */
    private final class Flood implements AutoCloseable {
        private static final int HELD = 64;
        private static final long PERIOD_MS = 2;

        final AtomicInteger opened = new AtomicInteger();
        private final Thread thread = new Thread(this::run, "flood");
        private final byte[] firstBytes;
        private final boolean closesAtOnce;
        private final CountDownLatch over = new CountDownLatch(1);

        Flood(byte[] firstBytes, boolean closesAtOnce) {
            this.firstBytes = firstBytes;
            this.closesAtOnce = closesAtOnce;
            thread.start();
        }

        private void run() {
            ArrayDeque<Socket> held = new ArrayDeque<>();
            try {
                while (over.getCount() > 0) {
                    Socket socket = new Socket();
                    socket.bind(new InetSocketAddress("127.0.0.2", 0));
                    held.add(socket);
                    try {
                        socket.connect(server.address());
                        socket.getOutputStream().write(firstBytes);
                    } catch (IOException thrownOut) {
                        // The server may close the connection first.
                        opened.incrementAndGet();
                        continue;
                    }
                    opened.incrementAndGet();
                    if (held.size() > HELD || closesAtOnce) {
                        held.remove().close();
                    }
                    var unused = over.await(PERIOD_MS, TimeUnit.MILLISECONDS);
                }
                for (Socket socket : held) {
                    socket.close();
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            over.countDown();
            Await.until("the flood is over", () -> !thread.isAlive());
        }
    }

    private Summary honestCopy(int port, long timeoutMs) throws InterruptedException {
        TestPlan plan = TestPlan.push(directory.resolve("honest"), "/honest").timeoutMs(timeoutMs);
        try (TransferJob copy = Fdt.at(home).copy(plan.at(port))) {
            return copy.await();
        }
    }

    @Test
    void slowClientConnectsDespiteFlood() throws Exception {
        for (byte[] firstBytes : new byte[][] {{}, LANE_PREAMBLE}) {
            try (Flood flood = new Flood(firstBytes, false);
                    DelayProxy line = new DelayProxy(server.address(), 100)) {
                Await.until("the flood has risen", () -> flood.opened.get() > 100);
                for (int i = 0; i < 4; i++) {
                    Summary honest = honestCopy(line.port(), 60_000);
                    assertThat(honest.failure()).as("%s", honest).isNull();
                }
            }
        }
    }

    @Test
    void aFloodWritesFewLines() throws Exception {
        for (boolean closesAtOnce : new boolean[] {true, false}) {
            byte[] rubbish = {'r', 'u', 'b', 'b', 'i', 's', 'h', '!'};
            try (Flood flood = new Flood(rubbish, closesAtOnce)) {
                Await.until("a thousand connections", () -> flood.opened.get() > 1000);
                assertThat(honestCopy(server.port(), 60_000).failure()).isNull();
            }
        }
        assertThat(server.refused.size()).isBetween(1, 50);
    }

    /** A healthy copy never causes a warning for the operator. */
    @Test
    void shortCopiesCauseNoWarnings() throws Exception {
        for (int i = 0; i < 30; i++) {
            TestPlan plan =
                    TestPlan.push(directory.resolve("honest"), "/honest" + i).lanes(16);
            assertThat(server.run(plan).failure()).isNull();
        }
        assertThat(server.refused).isEmpty();
        assertThat(server.warnings).isEmpty();
    }

    @Test
    void retriesFirstConnectionThatIsCut() throws Exception {
        try (CuttingProxy cutting = new CuttingProxy(server.address(), 2)) {
            Summary honest = honestCopy(cutting.port(), 60_000);
            assertThat(honest.failure()).as("%s", honest).isNull();
            assertThat(cutting.cut()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionThatIsAlwaysCutIsNotReportedAsAnotherServer() throws Exception {
        try (CuttingProxy cutting = new CuttingProxy(server.address(), Integer.MAX_VALUE)) {
            Summary failed = honestCopy(cutting.port(), 10_000);
            assertThat(failed.message()).contains("closed").doesNotContain("not an fdt server");
            assertThat(failed.failure().exitCode()).isEqualTo(8);
        }
    }

    /** A proxy that cuts the first connections as soon as the client sends. */
    private static final class CuttingProxy implements AutoCloseable {
        private final ServerSocket listening;
        private final DelayProxy onward;
        private final AtomicInteger cut = new AtomicInteger();

        CuttingProxy(InetSocketAddress server, int count) throws IOException {
            listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
            onward = new DelayProxy(server, 0);
            Thread thread = new Thread(() -> accept(count), "cutting-proxy");
            thread.setDaemon(true);
            thread.start();
        }

        private void accept(int count) {
            try {
                while (true) {
                    Socket socket = listening.accept();
                    if (cut.get() < count) {
                        cut.incrementAndGet();
                        int first = socket.getInputStream().read();
                        socket.setSoLinger(first >= 0, 0);
                        socket.close();
                    } else {
                        onward.take(socket);
                    }
                }
            } catch (IOException over) {
                // The test has ended.
                return;
            }
        }

        int port() {
            return listening.getLocalPort();
        }

        int cut() {
            return cut.get();
        }

        @Override
        public void close() throws IOException {
            listening.close();
            onward.close();
        }
    }
}
