package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fault proxy follows its script to the byte. The server behind it is an echo server. */
final class FaultProxyTest {
    private ServerSocket echo;
    private FaultProxy proxy;

    @BeforeEach
    void startEchoServer() throws IOException {
        echo = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(this::acceptEchoes, "echo-accept");
        acceptor.setDaemon(true);
        acceptor.start();
        proxy = FaultProxy.before(echo.getLocalPort());
    }

    @AfterEach
    void stop() throws IOException {
        proxy.close();
        echo.close();
    }

    private void acceptEchoes() {
        while (!echo.isClosed()) {
            try {
                Socket socket = echo.accept();
                Thread thread = new Thread(() -> sendBack(socket), "echo");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void sendBack(Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (IOException e) {
            // A test cut the connection.
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout(Await.LIMIT_MS);
        return socket;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(1).nextBytes(bytes);
        return bytes;
    }

    private static byte[] echoOf(Socket socket, byte[] sent) throws IOException {
        Thread writer = new Thread(
                () -> {
                    try {
                        socket.getOutputStream().write(sent);
                        socket.shutdownOutput();
                    } catch (IOException e) {
                        // The reader gets the same exception.
                    }
                },
                "echo-writer");
        writer.start();
        return socket.getInputStream().readAllBytes();
    }

    @Test
    void forwardsEverythingBothWaysAndCountsIt() throws Exception {
        byte[] sent = random(1_000_000);
        try (Socket socket = connect()) {
            assertThat(echoOf(socket, sent)).isEqualTo(sent);
        }
        FaultProxy.Connection connection = proxy.connections().get(0);
        assertThat(connection.bytes(Way.TO_SERVER)).isEqualTo(1_000_000);
        assertThat(connection.bytes(Way.TO_CLIENT)).isEqualTo(1_000_000);
        assertThat(proxy.totalBytes()).isEqualTo(2_000_000);
        Await.until("both directions have ended", Workplace.LIMIT, () -> !connection.isOpen());
    }

    @Test
    void flipsExactlyTheBitsOfTheScript() throws Exception {
        byte[] sent = random(300_000);
        proxy.script(
                new Fault.FlipBit(0, Way.TO_SERVER, 0, 7),
                new Fault.FlipBit(0, Way.TO_SERVER, 123_456, 0),
                new Fault.FlipBit(0, Way.TO_CLIENT, 123_457, 3),
                new Fault.FlipBit(1, Way.TO_SERVER, 5, 1));
        byte[] expected = sent.clone();
        expected[0] ^= (byte) 0x80;
        expected[123_456] ^= 1;
        expected[123_457] ^= 8;
        try (Socket socket = connect()) {
            assertThat(echoOf(socket, sent)).isEqualTo(expected);
        }
    }

    @Test
    void cutsAtTheOffsetAndNotBefore() throws Exception {
        proxy.script(new Fault.Cut(0, Way.TO_CLIENT, 100_000, Ending.CLOSE));
        try (Socket socket = connect()) {
            assertThat(echoOf(socket, random(300_000))).hasSizeLessThanOrEqualTo(100_000);
        } catch (SocketException e) {
            // A connection that is closed with unread bytes is reset. Only the count below matters.
        }
        FaultProxy.Connection connection = proxy.connections().get(0);
        Await.until("the connection is cut", Workplace.LIMIT, () -> !connection.isOpen());
        assertThat(connection.bytes(Way.TO_CLIENT)).isEqualTo(100_000);
    }

    @Test
    void cutOfOneConnectionLeavesTheOthers() throws Exception {
        proxy.script(new Fault.Cut(1, Way.TO_SERVER, 0, Ending.RESET));
        byte[] sent = random(50_000);
        try (Socket first = connect()) {
            first.getOutputStream().write(1);
            assertThat(first.getInputStream().read()).isEqualTo(1);
            try (Socket second = connect()) {
                assertThatThrownBy(() -> {
                            second.getOutputStream().write(1);
                            if (second.getInputStream().read() < 0) {
                                throw new SocketException("ended");
                            }
                        })
                        .isInstanceOf(SocketException.class);
            }
            assertThat(echoOf(first, sent)).isEqualTo(sent);
        }
    }

    @Test
    void stalledConnectionStaysOpenAndGoesOnWhenResumed() throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            proxy.stallAll();
            socket.getOutputStream().write(2);
            socket.setSoTimeout(200);
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(SocketTimeoutException.class);
            socket.setSoTimeout(Await.LIMIT_MS);
            proxy.connections().get(0).resume();
            assertThat(socket.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void scriptedStallHoldsBackWhatFollows() throws Exception {
        proxy.script(new Fault.Stall(Fault.EVERY_CONNECTION, Way.TO_SERVER, 10));
        try (Socket socket = connect()) {
            socket.getOutputStream().write(random(20));
            Await.until(
                    "ten bytes are through",
                    Workplace.LIMIT,
                    () -> proxy.connections().size() == 1
                            && proxy.connections().get(0).bytes(Way.TO_SERVER) == 10);
            socket.setSoTimeout(200);
            assertThatThrownBy(() -> socket.getInputStream().readNBytes(11)).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void throttleKeepsTheRate() throws Exception {
        proxy.throttle(1_000_000);
        long startNanos = System.nanoTime();
        try (Socket socket = connect()) {
            assertThat(echoOf(socket, random(250_000))).hasSize(250_000);
        }
        // 500,000 bytes pass in total, 250,000 to the server and 250,000 back.
        assertThat((System.nanoTime() - startNanos) / 1e9).isGreaterThan(0.45);
    }

    @Test
    void delayHoldsEachPieceBack() throws Exception {
        proxy.delay(Duration.ofMillis(100));
        try (Socket socket = connect()) {
            long startNanos = System.nanoTime();
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            assertThat(System.nanoTime() - startNanos).isGreaterThan(200_000_000L);
        }
    }

    @Test
    void refusesAndAcceptsOnTheSamePort() throws Exception {
        proxy.refuseNew();
        assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class);
        proxy.acceptNew();
        try (Socket socket = connect()) {
            assertThat(echoOf(socket, random(10))).hasSize(10);
        }
    }

    @Test
    void actionRunsOnceAtItsByte() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        proxy.when(100_000, () -> {
            assertThat(ran.getCount()).isOne();
            ran.countDown();
        });
        try (Socket socket = connect()) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            assertThat(ran.getCount()).isOne();
            echoOf(socket, random(200_000));
        }
        assertThat(ran.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void sameSeedGivesTheSameFaults() {
        Random first = new Random(42);
        Random second = new Random(42);
        for (int i = 0; i < 50; i++) {
            assertThat(Fault.random(first, Way.TO_SERVER, 4, 1 << 20))
                    .isEqualTo(Fault.random(second, Way.TO_SERVER, 4, 1 << 20));
        }
    }
}
