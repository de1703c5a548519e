package io.fdt.monitor.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.transport.Await;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that send, read or stay silent in ways that could block others. A well-behaved client is always served. */
final class WebServerTest {
    private static final long LONG_MS = 60_000;
    private static final int LARGE_BYTES = 32 << 20;

    private final List<Socket> sockets = new ArrayList<>();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final BlockingQueue<EventStream> streams = new LinkedBlockingQueue<>();

    private static WebServer.Limits limits(int connections, long requestMs, long idleMs, long answerMs) {
        return new WebServer.Limits(connections, connections, 2L * LARGE_BYTES, requestMs, idleMs, answerMs);
    }

    private WebServer server(WebServer.Limits limits) throws IOException {
        return new WebServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                address -> true,
                this::answer,
                limits,
                warnings::add);
    }

    private Response answer(Request request) {
        return switch (request.path()) {
            case "/large" -> Response.of(200, "text/plain", new byte[LARGE_BYTES]);
            case "/stream" -> Response.stream("text/plain", streams::add);
            case "/events" ->
                Response.stream("text/plain", stream -> {
                    streams.add(stream);
                    stream.send(new byte[LARGE_BYTES / 2]);
                    stream.send(new byte[LARGE_BYTES / 2]);
                });
            case "/mistake" -> throw new IllegalStateException("a mistake of ours");
            default -> Response.text(200, request.method() + " " + request.path());
        };
    }

    @AfterEach
    void close() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket connect(WebServer server, String text) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.setSoTimeout(Await.LIMIT_MS);
        socket.connect(server.address());
        socket.getOutputStream().write(text.getBytes(US_ASCII));
        return socket;
    }

    private static String request(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n";
    }

    /** Reads one response with its body. */
    private static String answer(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(US_ASCII).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed after " + head.toString(US_ASCII));
            }
            head.write(next);
        }
        String text = head.toString(US_ASCII);
        String length = text.toLowerCase(java.util.Locale.ROOT).split("content-length: ", -1)[1];
        int bytes = Integer.parseInt(length.substring(0, length.indexOf('\r')));
        return text + new String(in.readNBytes(bytes), US_ASCII);
    }

    private void assertServes(WebServer server) throws IOException {
        try (Socket honest = connect(server, request("/honest"))) {
            assertThat(answer(honest)).startsWith("HTTP/1.1 200 OK").endsWith("GET /honest\n");
        }
    }

    /** On a busy machine, the time for a request may be over before an honest client has sent one. */
    private void awaitServed(WebServer server) {
        Await.until("an honest client is served", () -> {
            try {
                assertServes(server);
                return true;
            } catch (IOException late) {
                return false;
            }
        });
    }

    private static long bytesToTheEnd(Socket socket) throws IOException {
        long bytes = 0;
        InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
        try {
            while (in.read() >= 0) {
                bytes++;
            }
        } catch (java.net.SocketTimeoutException stillOpen) {
            throw stillOpen;
        } catch (IOException reset) {
            return bytes;
        }
        return bytes;
    }

    /**
     * Waits without reading, because reading would count as progress. After the close, the server answers written bytes
     * with a reset.
     */
    private static void awaitClosed(Socket socket) {
        Await.until("closed by the server", () -> {
            try {
                socket.getOutputStream().write('x');
                return false;
            } catch (IOException closed) {
                return true;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "G",
                "GET / HTTP/1.1\r\nHost: he",
                "POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nonly",
                "POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n"
            })
    void aRequestThatIsNotCompletedIsClosedInTime(String half) throws IOException {
        try (WebServer server = server(limits(64, 300, LONG_MS, LONG_MS))) {
            Socket socket = connect(server, half);
            awaitServed(server);
            assertThat(bytesToTheEnd(socket)).isZero();
            awaitServed(server);
        }
    }

    @Test
    void aConnectionWithoutANextRequestIsClosedInTime() throws IOException {
        try (WebServer server = server(limits(64, LONG_MS, 300, LONG_MS))) {
            Socket socket = connect(server, request("/first"));
            assertThat(answer(socket)).endsWith("GET /first\n");
            assertServes(server);
            assertThat(bytesToTheEnd(socket)).isZero();
        }
    }

    @Test
    void anAnswerThatIsNotReadIsClosedInTime() throws IOException {
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, 500))) {
            Socket slow = connect(server, request("/large"));
            assertServes(server);
            awaitClosed(slow);
            assertServes(server);
        }
    }

    @Test
    void unfinishedAnswersAreBoundedInMemory() throws IOException {
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, LONG_MS))) {
            List<Socket> slow = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                slow.add(connect(server, request("/large")));
                assertThat(slow.get(i).getInputStream().read()).isEqualTo('H');
            }
            awaitClosed(slow.get(0));
            awaitClosed(slow.get(1));
            assertServes(server);
            assertThat(bytesToTheEndOfAnswer(slow.get(3))).isGreaterThanOrEqualTo(LARGE_BYTES);
        }
    }

    private static long bytesToTheEndOfAnswer(Socket socket) throws IOException {
        return socket.getInputStream().readNBytes(LARGE_BYTES).length;
    }

    @Test
    void closesIdleConnectionsWhenFull() throws IOException {
        try (WebServer server = server(limits(16, LONG_MS, LONG_MS, LONG_MS))) {
            assertServes(server);
            for (int i = 0; i < 300; i++) {
                connect(server, i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nHost:");
            }
            assertServes(server);
            for (Socket socket : sockets.subList(1, 300 - 16)) {
                assertThat(bytesToTheEnd(socket)).isZero();
            }
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().startsWith("fdt-monitor"))
                    .hasSizeLessThanOrEqualTo(3);
        }
    }

    @Test
    void aStreamIsNotClosedToMakeRoom() throws Exception {
        try (WebServer server = server(limits(4, LONG_MS, LONG_MS, LONG_MS))) {
            Socket watcher = connect(server, request("/stream"));
            EventStream stream = streams.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            assertThat(stream).isNotNull();
            for (int i = 0; i < 20; i++) {
                connect(server, "");
            }
            assertServes(server);
            stream.send("still here".getBytes(US_ASCII));
            stream.end();
            assertThat(new String(watcher.getInputStream().readAllBytes(), US_ASCII))
                    .contains("still here");
        }
    }

    /** A client that does not read loses events. Other clients lose none. */
    @Test
    void aStreamThatIsNotReadIsBounded() throws Exception {
        byte[] event = new byte[256 << 10];
        int events = 200;
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, LONG_MS))) {
            Socket slow = connect(server, "GET /stream HTTP/1.0\r\n\r\n");
            EventStream toSlow = streams.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            Socket fast = connect(server, "GET /stream HTTP/1.0\r\n\r\n");
            EventStream toFast = streams.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            InputStream in = fast.getInputStream();
            StringBuilder head = new StringBuilder();
            while (!head.toString().endsWith("\r\n\r\n")) {
                head.append((char) in.read());
            }
            for (int i = 0; i < events; i++) {
                toSlow.send(event);
                toFast.send(event);
                assertThat(in.readNBytes(event.length)).hasSize(event.length);
            }
            toSlow.end();
            toFast.end();
            assertThat(in.read()).isNegative();
            assertThat(bytesToTheEnd(slow)).isLessThan((long) events * event.length / 2);
        }
    }

    @Test
    void aStreamThatIsNotReadIsClosedInTime() throws Exception {
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, 500))) {
            connect(server, request("/stream"));
            EventStream stream = streams.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
            CountDownLatch closed = new CountDownLatch(1);
            stream.whenClosed(closed::countDown);
            byte[] event = new byte[1 << 20];
            Await.until("closed by the server", () -> {
                stream.send(event);
                return closed.getCount() == 0;
            });
            assertServes(server);
        }
    }

    /** Two events are queued before the first is written. */
    @Test
    void aStreamOfWhichNothingIsReadIsClosedInTime() throws Exception {
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, 500))) {
            connect(server, request("/events"));
            CountDownLatch closed = new CountDownLatch(1);
            streams.take().whenClosed(closed::countDown);
            Await.until("closed by the server", () -> closed.getCount() == 0);
        }
    }

    /** Each request is refused before it is complete, and the client never reads the refusals. */
    @Test
    void refusalsThatAreNotReadDoNotFillTheMemory() throws IOException {
        byte[] many = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9999\r\n\r\n"
                .repeat(1000)
                .getBytes(US_ASCII);
        try (WebServer server = server(limits(64, LONG_MS, LONG_MS, LONG_MS))) {
            Socket socket = connect(server, "");
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 2000; i++) {
                            socket.getOutputStream().write(many);
                        }
                    })
                    .isInstanceOf(IOException.class);
            assertServes(server);
        }
    }

    @Test
    void requestsThatComeTogetherAreAnsweredInTurn() throws IOException {
        try (WebServer server = server(WebServer.Limits.DEFAULTS)) {
            Socket socket = connect(server, request("/one") + "HEAD /two HTTP/1.0\r\n\r\n");
            assertThat(answer(socket)).endsWith("GET /one\n");
            String rest = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            assertThat(rest)
                    .startsWith("HTTP/1.1 200")
                    .contains("content-length: 10")
                    .endsWith("\r\n\r\n");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"no request at all\r\n\r\n", "GET %zz HTTP/1.1\r\n\r\n", "LONG"})
    void refusesMalformedRequests(String text) throws IOException {
        try (WebServer server = server(WebServer.Limits.DEFAULTS)) {
            String sent = text.equals("LONG") ? "GET / HTTP/1.1\r\nX: " + "x".repeat(20_000) + "\r\n\r\n" : text;
            Socket socket = connect(server, sent);
            assertThat(answer(socket)).startsWith("HTTP/1.1 400");
            assertThat(bytesToTheEnd(socket)).isZero();
            assertServes(server);
        }
    }

    @Test
    void anAnswerThatFailsIsReportedOnceAndHarmsNobody() throws IOException {
        try (WebServer server = server(WebServer.Limits.DEFAULTS)) {
            for (int i = 0; i < 2; i++) {
                assertThat(answer(connect(server, request("/mistake")))).startsWith("HTTP/1.1 500");
            }
            assertServes(server);
            assertThat(warnings).singleElement().asString().contains("a mistake of ours");
        }
    }

    @Test
    void connectionsFromElsewhereAreRefused() throws IOException {
        try (WebServer server = new WebServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                address -> false,
                this::answer,
                WebServer.Limits.DEFAULTS,
                warnings::add)) {
            for (int i = 0; i < 2; i++) {
                assertThat(bytesToTheEnd(connect(server, request("/honest")))).isZero();
            }
            assertThat(warnings).singleElement().asString().contains("127.0.0.1", "--allow");
        }
    }
}
