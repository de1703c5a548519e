package io.fdt.cli.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transfer log that a receiver gets by HTTP: one that works, is down, refuses, hangs, and comes back. */
class LinePostTest {
    private static final int LINES = 3_000;

    @TempDir
    Path home;

    private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    private final List<String> accepted = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch over = new CountDownLatch(1);
    private @Nullable HttpServer receiver;

    /** Answers the first requests with these codes, does not answer for 0, and accepts all others. */
    private int receive(int port, Integer... answers) throws IOException {
        Queue<Integer> codes = new ConcurrentLinkedQueue<>(List.of(answers));
        HttpServer made = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 8);
        receiver = made;
        made.createContext("/transfers", exchange -> {
            Integer code = codes.poll();
            if (code == null) {
                accept(exchange);
            } else if (code == 0) {
                awaitEnd();
            } else {
                exchange.sendResponseHeaders(code, -1);
            }
            exchange.close();
        });
        made.setExecutor(threads);
        made.start();
        return made.getAddress().getPort();
    }

    private void awaitEnd() {
        Await.until("the end of the test", over);
    }

    private void accept(HttpExchange exchange) throws IOException {
        assertThat(exchange.getRequestHeaders().getFirst("Authorization")).isEqualTo("Bearer secret");
        assertThat(exchange.getRequestHeaders().getFirst("Content-Type")).isEqualTo("application/x-ndjson");
        byte[] body = exchange.getRequestBody().readAllBytes();
        assertThat(body.length).isLessThan(LineSpool.BATCH_BYTES + 1_000);
        String text = new String(body, StandardCharsets.UTF_8);
        assertThat(text).endsWith("\n");
        synchronized (accepted) {
            text.lines().forEach(accepted::add);
        }
        exchange.sendResponseHeaders(204, -1);
    }

    @AfterEach
    void stop() {
        over.countDown();
        if (receiver != null) {
            receiver.stop(0);
        }
        threads.shutdown();
    }

    private LinePost post(int port) {
        return new LinePost(URI.create("http://127.0.0.1:" + port + "/transfers"), "secret", home, warnings::add);
    }

    private static List<String> lines(int from, int to) {
        List<String> lines = new ArrayList<>();
        for (int i = from; i < to; i++) {
            lines.add("{\"line\":" + i + ",\"path\":\"" + "p".repeat(200) + "\"}");
        }
        return lines;
    }

    private static void write(LinePost post, List<String> lines) throws IOException {
        for (String line : lines) {
            post.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private void awaitAccepted(int count) {
        Await.until("all lines", () -> {
            synchronized (accepted) {
                return accepted.size() >= count;
            }
        });
    }

    /** The hung request ends after ten seconds. */
    @Test
    void aReceiverThatRefusesAndHangsGetsAllLinesInOrderAndOnce() throws IOException {
        LinePost post = post(receive(0, 500, 0));
        write(post, lines(0, LINES));
        awaitAccepted(LINES);
        post.close();
        assertThat(accepted).isEqualTo(lines(0, LINES));
        assertThat(warnings).as("one for each time of trouble").hasSize(1);
        assertThat(warnings.peek())
                .contains("it answers 500")
                .contains("its lines wait in " + home)
                .doesNotContain("secret");
    }

    /** As if it were down for an hour: the process ends, and the next one sends what waited, before its own lines. */
    @Test
    void whatWaitedForAReceiverThatWasDownComesFirst() throws IOException {
        int port = receive(0);
        Objects.requireNonNull(receiver).stop(0);
        LinePost down = post(port);
        write(down, lines(0, LINES));
        Await.until("the warning", () -> !warnings.isEmpty());
        down.close();
        assertThat(accepted).isEmpty();

        receive(port);
        LinePost up = post(port);
        write(up, lines(LINES, LINES + 10));
        awaitAccepted(LINES + 10);
        up.close();
        assertThat(accepted).isEqualTo(lines(0, LINES + 10));
    }
}
