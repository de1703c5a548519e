package io.fdt.system;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Serves the live page from the jar under test with samples from the test, so that a test knows every number that the
 * page should show. It uses the same protocol as the real monitor server.
 */
final class PageServer implements AutoCloseable {
    private static final String RESOURCES = "io/fdt/monitor/page/";
    private static final String END = "";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<BlockingQueue<String>> readers = ConcurrentHashMap.newKeySet();
    /** Guarded by itself. */
    private final List<Map<String, Object>> history = new ArrayList<>();

    private PageServer(int port) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 16);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Starts a server. Port 0 selects any free port. */
    static PageServer start(int port) {
        try {
            return new PageServer(port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    String url() {
        return "http://127.0.0.1:" + port() + "/";
    }

    /** Adds a sample to the history only, as if no page had been connected. */
    void remember(Map<String, Object> sample) {
        synchronized (history) {
            history.add(sample);
        }
    }

    void send(Map<String, Object> sample) {
        remember(sample);
        readers.forEach(reader -> reader.add(JsonText.of(sample)));
    }

    int readers() {
        return readers.size();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        exchange.getResponseHeaders().set("Content-Security-Policy", "default-src 'self'");
        switch (path) {
            case "/api/live" -> live(exchange);
            case "/api/history" -> {
                synchronized (history) {
                    reply(exchange, "application/json", JsonText.of(history).getBytes(StandardCharsets.UTF_8));
                }
            }
            case "/api/host" -> reply(exchange, "application/json", "{}".getBytes(StandardCharsets.UTF_8));
            case "/" -> resource(exchange, "index.html");
            default -> resource(exchange, path.replaceFirst("^/page/", ""));
        }
    }

    private static void resource(HttpExchange exchange, String name) throws IOException {
        try (ZipFile jar = new ZipFile(Workplace.jar().toFile())) {
            ZipEntry entry = jar.getEntry(RESOURCES + name);
            if (entry == null) {
                exchange.sendResponseHeaders(404, -1);
                exchange.close();
                return;
            }
            String type = Map.of(
                            "html",
                            "text/html; charset=utf-8",
                            "css",
                            "text/css",
                            "js",
                            "text/javascript",
                            "svg",
                            "image/svg+xml")
                    .get(name.substring(name.lastIndexOf('.') + 1));
            try (InputStream in = jar.getInputStream(entry)) {
                reply(exchange, type, in.readAllBytes());
            }
        }
    }

    private static void reply(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    private void live(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        BlockingQueue<String> reader = new LinkedBlockingQueue<>();
        try (OutputStream out = exchange.getResponseBody()) {
            out.write("retry: 200\n\n".getBytes(StandardCharsets.UTF_8));
            out.flush();
            readers.add(reader);
            for (String sample = reader.take(); !sample.equals(END); sample = reader.take()) {
                out.write(("event: sample\ndata: " + sample + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            readers.remove(reader);
        }
    }

    @Override
    public void close() {
        readers.forEach(reader -> reader.add(END));
        server.stop(0);
        threads.shutdownNow();
    }
}
