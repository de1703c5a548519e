package io.fdt.core.transport.tcp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.AddressRules;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that is not fdt, has another version or is too slow is rejected before authentication, on either end. */
final class TcpListenerTest {
    private static final byte[] MAGIC = {(byte) 0xfd, 'f', 'd', 't'};

    private static byte[] preamble(int version, int code) {
        return new byte[] {MAGIC[0], MAGIC[1], MAGIC[2], MAGIC[3], (byte) version, (byte) code, 0, 0};
    }

    static Stream<Arguments> garbage() {
        return Stream.of(
                Arguments.of("GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII), "HTTP"),
                Arguments.of("PRI * HTTP/2.0\r\n".getBytes(US_ASCII), "HTTP"),
                Arguments.of("SSH-2.0-OpenSSH".getBytes(US_ASCII), "SSH"),
                Arguments.of(new byte[] {(byte) 0xac, (byte) 0xed, 0, 5, 's', 'r', 0, 1}, "Java object stream"),
                Arguments.of(new byte[] {0}, "legacy FDT"),
                Arguments.of(new byte[] {1, 0, 0, 0, 0, 0, 0, 0}, "legacy FDT"),
                Arguments.of(new byte[] {0x16, 3, 1, 2, 0, 1, 0, 1}, "TLS"),
                Arguments.of(new byte[] {(byte) 0x99, 1, 2, 3, 4, 5, 6, 7}, "0x99"),
                Arguments.of(new byte[] {(byte) 0xfd, 'f', 'd', 'x'}, "0xfd"),
                Arguments.of(preamble(9, Preamble.LINK), "version 9"),
                Arguments.of(preamble(9, Preamble.TLS_LANE), "version 9"),
                Arguments.of(preamble(1, 77), "unknown kind 77"));
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void reportsAndClosesForeignProtocols(byte[] bytes, String what) throws IOException {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS);
                Socket socket = ends.knock()) {
            socket.getOutputStream().write(bytes);
            assertThat(TcpEnds.next(ends.garbage)).contains(what);
            assertThat(isClosedByTheOtherEnd(socket)).isTrue();
            Await.until("forgotten", () -> ends.listener.limits().connections() == 0);
        }
    }

    /** Whether the other end closes or resets the connection before the timeout of the socket. */
    private static boolean isClosedByTheOtherEnd(Socket socket) throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException reset) {
            return true;
        }
    }

    @Test
    void reportsSilentAndIncompleteConnections() throws IOException {
        TcpSettings hasty = TcpEnds.SETTINGS.withLimits(256, 4096, 1_000);
        try (TcpEnds ends = new TcpEnds(hasty);
                Socket silent = ends.knock()) {
            assertThat(TcpEnds.next(ends.garbage)).contains("sent nothing for 1");
            assertThat(isClosedByTheOtherEnd(silent)).isTrue();
            for (byte[] start : List.of(
                    new byte[] {MAGIC[0], MAGIC[1]},
                    preamble(Preamble.VERSION, Preamble.LINK),
                    preamble(Preamble.VERSION, Preamble.TLS_LANE))) {
                String reported;
                do {
                    try (Socket half = ends.knock()) {
                        half.getOutputStream().write(start);
                        reported = TcpEnds.next(ends.garbage);
                        assertThat(isClosedByTheOtherEnd(half)).isTrue();
                    }
                    // On a busy machine its time may be over before it sends something.
                } while (reported.contains("sent nothing"));
                assertThat(reported).contains("did not complete its greeting");
            }
            Await.until("forgotten", () -> ends.listener.limits().connections() == 0);
        }
    }

    /** A client whose copy is complete before all of its lanes are open leaves like this. */
    @Test
    void doesNotReportConnectionClosedEarly() throws IOException {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withLaneGreetingBytes(72))) {
            for (byte[] start : List.of(
                    new byte[0],
                    new byte[] {MAGIC[0], MAGIC[1]},
                    preamble(Preamble.VERSION, Preamble.LINK),
                    preamble(Preamble.VERSION, Preamble.TLS_LANE),
                    preamble(Preamble.VERSION, Preamble.CLEAR_LANE))) {
                for (boolean reset : new boolean[] {false, true}) {
                    Socket leaving = ends.knock();
                    leaving.getOutputStream().write(start);
                    Await.until("it has come", () -> ends.listener.limits().connections() == 1);
                    leaving.setSoLinger(reset, 0);
                    leaving.close();
                    Await.until("forgotten", () -> ends.listener.limits().connections() == 0);
                }
            }
            assertThat(ends.garbage).isEmpty();
        }
    }

    @Test
    void reportsInvalidTlsAsGarbage() throws IOException {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            for (int code : new int[] {Preamble.LINK, Preamble.TLS_LANE}) {
                try (Socket socket = ends.knock()) {
                    socket.getOutputStream().write(preamble(Preamble.VERSION, code));
                    socket.getOutputStream().write("no TLS at all, but long enough to be seen".getBytes(US_ASCII));
                    assertThat(TcpEnds.next(ends.garbage)).containsAnyOf("TLS", "lane did not open");
                    assertThat(isClosedByTheOtherEnd(socket)).isTrue();
                }
            }
            assertThat(ends.lanes).isEmpty();
            assertThat(ends.links).isEmpty();
        }
    }

    /** The owner of the session decides whether a clear lane is allowed, so the owner must be able to recognise one. */
    @Test
    void distinguishesClearAndEncryptedLanes() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            for (boolean clear : new boolean[] {true, false}) {
                Lane near = ends.client.connect(ends.listener.address(), null, clear, TcpEnds.TIMEOUT_MS);
                Lane far = TcpEnds.next(ends.lanes);
                assertThat(near.isClear()).isEqualTo(clear);
                assertThat(far.isClear()).isEqualTo(clear);
                near.close();
                far.close();
            }
        }
    }

    @Test
    void admitsClientsDespiteThousandSilentConnections() throws IOException {
        List<Socket> silent = new ArrayList<>();
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withLimits(64, 128, 600_000))) {
            ends.connectLink().close();
            int threads = TcpEnds.threads().size();
            for (int index = 0; index < 1000; index++) {
                Socket socket = ends.knock();
                silent.add(socket);
                if (index % 2 == 0) {
                    // Every second connection sends as much as it can without intending to finish.
                    socket.getOutputStream().write(preamble(Preamble.VERSION, Preamble.TLS_LANE));
                }
                assertThat(ends.listener.limits().unadmitted()).isLessThanOrEqualTo(64);
            }
            try (MessageLink link = ends.connectLink()) {
                assertThat(link.description()).contains("TLSv1.3");
            }
            // Some that were there before may have been of the test before, and have ended.
            Await.until("no more threads", () -> TcpEnds.threads().size() <= threads);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    @Test
    void acceptsOnlyAllowedNetworks() throws IOException {
        TcpSettings elsewhere = TcpEnds.SETTINGS.withAllowed(AddressRules.parse(List.of("192.0.2.0/24", "::1")));
        try (TcpEnds ends = new TcpEnds(elsewhere);
                Socket socket = ends.knock()) {
            assertThat(TcpEnds.next(ends.garbage)).contains("--allow");
            assertThat(isClosedByTheOtherEnd(socket)).isTrue();
            assertThat(TcpEnds.failureOf(ends::connectLink)).isNotNull();
            assertThat(ends.links).isEmpty();
        }
        TcpSettings here = TcpEnds.SETTINGS.withAllowed(AddressRules.parse(List.of("127.0.0.0/8")));
        try (TcpEnds ends = new TcpEnds(here)) {
            ends.connectLink().close();
            assertThat(TcpEnds.next(ends.links).peer()).startsWith("127.");
        }
    }

    /** Until a peer has sent its greeting, its connection takes neither a lane nor a thread. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void laneAllocatesNothingBeforeHello(boolean clear) throws Exception {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withLaneGreetingBytes(72))) {
            Lane client = ends.connectLane(clear);
            Talker talker = new Talker(client);
            client.start(talker);
            // With TLS each is a record, and most of it is not part of the greeting.
            for (int i = 0; i < 71; i++) {
                talker.say(1);
            }
            Await.until("all but the last byte is on its way", () -> talker.sent.get() == 71);
            MessageLink link = ends.connectLink();
            assertThat(TcpEnds.next(ends.links)).isNotNull();
            assertThat(ends.lanes).isEmpty();
            talker.say(3);
            Lane server = TcpEnds.next(ends.lanes);
            Talker counter = new Talker(server);
            server.start(counter);
            talker.say(5);
            Await.until("all of it arrives", () -> counter.received.get() == 79);
            link.close();
        }
    }

    /** Sends this many zeros on request, each time as one block, and counts what arrives. */
    private record Talker(Lane lane, AtomicInteger sent, AtomicInteger received) implements LaneHandler {
        Talker(Lane lane) {
            this(lane, new AtomicInteger(), new AtomicInteger());
        }

        void say(int lengthBytes) {
            lane.execute(() -> {
                Block block = lane.acquire();
                if (block == null) {
                    say(lengthBytes);
                    return;
                }
                block.buffer().put(new byte[lengthBytes]).flip();
                lane.send(block);
                sent.addAndGet(lengthBytes);
            });
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            received.addAndGet(block.buffer().remaining());
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    /** The PROXY protocol is not supported, and a client's address in it is not believed. */
    @Test
    void ignoresProxyProtocol() throws IOException {
        TcpSettings elsewhere = TcpEnds.SETTINGS.withAllowed(AddressRules.parse(List.of("192.0.2.0/24")));
        for (TcpSettings settings : List.of(elsewhere, TcpEnds.SETTINGS)) {
            try (TcpEnds ends = new TcpEnds(settings);
                    Socket socket = ends.knock()) {
                socket.getOutputStream().write("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n".getBytes(US_ASCII));
                assertThat(TcpEnds.next(ends.garbage)).isNotEmpty();
                assertThat(isClosedByTheOtherEnd(socket)).isTrue();
                assertThat(ends.links).isEmpty();
            }
        }
    }

    /** A header from an unauthenticated client that announces a megabyte must not make the server allocate one. */
    @Test
    void limitsMessagesBeforeAuthentication() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            TcpLinkTest.Recorder server = new TcpLinkTest.Recorder();
            TcpEnds.next(ends.links).start(server);
            client.send(new byte[21_000]);
            Await.until("thrown out", server.closed);
            assertThat(server.cause).isNotNull().hasMessageContaining("the limit is 20480");
            assertThat(server.messages).isEmpty();
        }
    }

    @Test
    void limitsAllConnections() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withLimits(100, 3, 600_000))) {
            for (int index = 0; index < 3; index++) {
                ends.connectLink();
                TcpEnds.next(ends.links).admitted();
            }
            assertThat(TcpEnds.failureOf(ends::connectLink)).isNotNull();
            assertThat(TcpEnds.next(ends.garbage)).contains("too many");
        }
    }

    // ---- The client's end.

    private interface Answer {
        void to(Socket socket) throws IOException;
    }

    private static @Nullable TransferException failureWith(Answer answer, boolean link, long timeoutMs)
            throws IOException {
        InBackground<Void> answering;
        TransferException failure;
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                TcpTransport client = TcpTransport.forClient(
                        TcpEnds.SETTINGS, Set.of(TcpEnds.IDENTITY.fingerprint()), accepted -> {})) {
            answering = InBackground.run(() -> {
                try (Socket socket = server.accept()) {
                    answer.to(socket);
                    var unused = isClosedByTheOtherEnd(socket);
                } catch (IOException e) {
                    // The client closed the connection, as it should.
                    return;
                }
            });
            InetSocketAddress address = TcpEnds.loopback(server.getLocalPort());
            failure = TcpEnds.failureOf(() -> {
                if (link) {
                    client.connectLink(address, null, timeoutMs);
                } else {
                    client.connect(address, null, false, timeoutMs);
                }
            });
        }
        answering.result();
        return failure;
    }

    private static void assertFailure(@Nullable TransferException failure, FailureKind kind, String words) {
        assertThat(failure).isNotNull();
        assertThat(failure.kind()).isEqualTo(kind);
        assertThat(failure).hasMessageContaining(words).hasMessageContaining("127.0.0.1:");
    }

    @Test
    void clientRecognizesOtherServers() throws IOException {
        assertFailure(
                failureWith(
                        socket -> socket.getOutputStream().write("HTTP/1.1 400 Bad\r\n\r\n".getBytes(US_ASCII)),
                        true,
                        TcpEnds.TIMEOUT_MS),
                FailureKind.CANNOT_CONNECT,
                "is not an fdt server");
    }

    @Test
    void clientReportsClosedConnectionAsLoss() throws IOException {
        assertCut(failureWith(TcpListenerTest::endInTls, true, TcpEnds.TIMEOUT_MS));
        for (boolean link : new boolean[] {true, false}) {
            assertCut(failureWith(Socket::shutdownOutput, link, TcpEnds.TIMEOUT_MS));
            assertCut(failureWith(TcpListenerTest::reset, link, TcpEnds.TIMEOUT_MS));
        }
    }

    private static void assertCut(@Nullable TransferException failure) {
        assertFailure(failure, FailureKind.CONNECTION_LOST, "closed the connection before it answered");
        assertThat(failure).hasMessageNotContaining("not an fdt server");
    }

    private static void reset(Socket socket) throws IOException {
        socket.getInputStream().readNBytes(Preamble.BYTES);
        socket.setSoLinger(true, 0);
        socket.close();
    }

    private static void endInTls(Socket socket) throws IOException {
        socket.getOutputStream().write(preamble(Preamble.VERSION, Preamble.WELCOME));
        socket.getInputStream().readNBytes(Preamble.BYTES + 1);
        socket.shutdownOutput();
    }

    @Test
    void clientReportsSilentServer() throws IOException {
        for (boolean link : new boolean[] {true, false}) {
            TransferException failure;
            long timeoutMs = 150;
            do {
                // A busy machine may need more for the connection alone.
                timeoutMs *= 2;
                failure = Objects.requireNonNull(failureWith(socket -> {}, link, timeoutMs));
            } while (String.valueOf(failure.getMessage()).contains("no answer within"));
            assertFailure(failure, FailureKind.CANNOT_CONNECT, "did not answer within");
        }
    }

    @Test
    void clientReportsOtherVersion() throws IOException {
        assertFailure(
                failureWith(
                        socket -> socket.getOutputStream().write(preamble(7, Preamble.OTHER_VERSION)),
                        true,
                        TcpEnds.TIMEOUT_MS),
                FailureKind.VERSION,
                "protocol version 7");
    }

    /** The server answers even if the client has already sent more, as clients do. */
    @Test
    void serverAnswersOtherVersionWithItsOwn() throws IOException {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS);
                Socket socket = ends.knock()) {
            socket.getOutputStream().write(preamble(200, Preamble.LINK));
            socket.getOutputStream().write(new byte[512]);
            assertThat(socket.getInputStream().readAllBytes())
                    .isEqualTo(preamble(Preamble.VERSION, Preamble.OTHER_VERSION));
            assertThat(TcpEnds.next(ends.garbage)).contains("version 200");
            socket.shutdownOutput();
            Await.until("forgotten", () -> ends.listener.limits().connections() == 0);
            assertThat(ends.garbage).isEmpty();
        }
    }

    /** So a link costs two round trips until the server can send: one for TCP, one for TLS. */
    @Test
    void beginsTlsBeforeTheServerHasAnswered() throws IOException {
        byte[] first = new byte[1];
        assertCut(failureWith(
                socket -> {
                    socket.getInputStream().readNBytes(Preamble.BYTES);
                    first[0] = (byte) socket.getInputStream().read();
                    socket.setSoLinger(true, 0);
                    socket.close();
                },
                true,
                TcpEnds.TIMEOUT_MS));
        assertThat(first[0]).as("the first byte of a TLS handshake").isEqualTo((byte) 0x16);
    }

    @Test
    void refusesServerWithoutTls() throws IOException {
        // The server accepts the link, then continues without TLS.
        byte[] clear = new byte[64];
        assertFailure(
                failureWith(
                        socket -> {
                            socket.getOutputStream().write(preamble(Preamble.VERSION, Preamble.WELCOME));
                            socket.getOutputStream().write(clear);
                        },
                        true,
                        TcpEnds.TIMEOUT_MS),
                FailureKind.REFUSED,
                "did not prove its identity");
        assertFailure(
                failureWith(socket -> socket.getOutputStream().write(clear), false, TcpEnds.TIMEOUT_MS),
                FailureKind.REFUSED,
                "did not prove its identity");
    }
}
