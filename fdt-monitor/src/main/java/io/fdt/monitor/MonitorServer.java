package io.fdt.monitor;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The web server of the monitor: the page, the scrape and the live figures. It only reads. It has its own few threads, so that
 * whoever looks never touches a thread that moves data.
 */
final class MonitorServer implements AutoCloseable {
    private static final int THREADS = LiveClients.MAX_CLIENTS + 4;
    private static final int BACKLOG = 64;
    private static final int MAX_PATH = 100;
    private static final String PAGE = "/io/fdt/monitor/page/";
    private static final String JSON = "application/json";
    private static final Pattern UNTIL = Pattern.compile("until=([0-9]{1,15})");

    /** What the page may load: nothing but what came with it. */
    private static final String CONTENT_POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "mjs", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "json", JSON,
            "txt", "text/plain; charset=utf-8");

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Gate gate;
    private final Content content;

    /**
     * Where the answers come from.
     *
     * @param exposition null where there is nothing to scrape
     * @param live null where nothing happens any more
     * @param history the samples up to a time, or the last ones for none
     */
    record Content(
            @Nullable Exposition exposition,
            @Nullable LiveClients live,
            Function<@Nullable Long, byte[]> history,
            Supplier<byte[]> facts) {}

    /** One answer; the exchange is closed after it. */
    private interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    MonitorServer(InetSocketAddress address, Gate gate, Content content) {
        this.gate = gate;
        this.content = content;
        boolean local = address.getAddress() != null && address.getAddress().isLoopbackAddress();
        if (!local && !gate.hasToken()) {
            throw new TransferException(
                    FailureKind.USAGE,
                    "others could watch at " + address.getHostString()
                            + "; name a file with a token (--monitor-token-file), or listen on 127.0.0.1");
        }
        try {
            this.server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new TransferException(
                    FailureKind.CANNOT_CONNECT,
                    "cannot listen for the monitor on " + address.getHostString() + ":" + address.getPort() + ": "
                            + e.getMessage(),
                    e);
        }
        AtomicInteger numbers = new AtomicInteger();
        this.threads = new ThreadPoolExecutor(
                THREADS, THREADS, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(BACKLOG), task -> {
                    Thread thread = new Thread(task, "fdt-monitor-http-" + numbers.getAndIncrement());
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        server.setExecutor(threads);
        Exposition exposition = content.exposition();
        if (exposition != null) {
            route("/metrics", exchange -> metrics(exchange, exposition));
        }
        LiveClients watchers = content.live();
        if (watchers != null) {
            route("/api/live", exchange -> live(exchange, watchers));
        }
        route("/api/history", this::history);
        route("/api/host", exchange -> send(exchange, 200, JSON, content.facts().get()));
        route("/healthz", exchange -> text(exchange, 200, "ok"));
        route("/page/", this::page);
        route("/", this::front);
        server.start();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    private void route(String path, Answer answer) {
        server.createContext(path, exchange -> {
            try (exchange) {
                answer(exchange, path, answer);
            } catch (IOException watcherGone) {
                // Who asked is not there any more; there is nobody to tell.
                exchange.close();
            }
        });
    }

    private void answer(HttpExchange exchange, String path, Answer answer) throws IOException {
        exchange.getResponseHeaders().set("Content-Security-Policy", CONTENT_POLICY);
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
        exchange.getResponseHeaders().set("Referrer-Policy", "no-referrer");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            text(exchange, 405, "only GET");
            return;
        }
        if (takesToken(exchange)) {
            return;
        }
        int refusal = gate.refusal(exchange);
        if (refusal == 401) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            text(exchange, 401, "a token is needed: Authorization: Bearer TOKEN, or ?token=TOKEN once");
        } else if (refusal != 0) {
            text(exchange, refusal, "this is not a name of this machine");
        } else if (!path.endsWith("/") && !exchange.getRequestURI().getPath().equals(path)) {
            text(exchange, 404, "nothing here");
        } else {
            answer.to(exchange);
        }
    }

    /** A token in the address is taken out of it at once, so that it stays neither in a history nor on a screen. */
    private boolean takesToken(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        if (query == null || !query.startsWith("token=") || !gate.isToken(query.substring("token=".length()))) {
            return false;
        }
        exchange.getResponseHeaders()
                .set(
                        "Set-Cookie",
                        Gate.COOKIE + "=" + query.substring("token=".length()) + "; HttpOnly; SameSite=Strict; Path=/");
        exchange.getResponseHeaders().set("Location", exchange.getRequestURI().getPath());
        exchange.sendResponseHeaders(303, -1);
        return true;
    }

    private void history(HttpExchange exchange) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        Long until = null;
        if (query != null) {
            Matcher asked = UNTIL.matcher(query);
            if (!asked.matches()) {
                text(exchange, 400, "only ?until=, in milliseconds");
                return;
            }
            until = Long.valueOf(asked.group(1));
        }
        send(exchange, 200, JSON, content.history().apply(until));
    }

    private static void metrics(HttpExchange exchange, Exposition exposition) throws IOException {
        String accept = exchange.getRequestHeaders().getFirst("Accept");
        String type = Exposition.contentType(accept == null ? "" : accept);
        send(exchange, 200, type, exposition.scrape(type).getBytes(StandardCharsets.UTF_8));
    }

    private static void live(HttpExchange exchange, LiveClients watchers) throws IOException {
        if (!watchers.enter()) {
            exchange.getResponseHeaders().set("Retry-After", "5");
            text(exchange, 503, "all " + LiveClients.MAX_CLIENTS + " places for watchers are taken");
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        try {
            exchange.sendResponseHeaders(200, 0);
        } catch (IOException watcherGone) {
            watchers.leave();
            throw watcherGone;
        }
        watchers.serve(exchange.getResponseBody());
    }

    private void front(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/")) {
            resource(exchange, "index.html");
        } else if (path.equals("/favicon.ico")) {
            resource(exchange, "favicon.svg");
        } else {
            text(exchange, 404, "nothing here");
        }
    }

    private void page(HttpExchange exchange) throws IOException {
        resource(exchange, exchange.getRequestURI().getPath().substring("/page/".length()));
    }

    private static void resource(HttpExchange exchange, String name) throws IOException {
        String type = isPlain(name) ? TYPES.get(name.substring(name.lastIndexOf('.') + 1)) : null;
        try (InputStream in = type == null ? null : MonitorServer.class.getResourceAsStream(PAGE + name)) {
            if (in == null || type == null) {
                text(exchange, 404, "nothing here");
            } else {
                send(exchange, 200, type, in.readAllBytes());
            }
        }
    }

    /** Names of our own files only: no dots but single ones, so that no path leads out. */
    private static boolean isPlain(String name) {
        return name.length() <= MAX_PATH && name.matches("[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)*");
    }

    private static void text(HttpExchange exchange, int status, String text) throws IOException {
        send(exchange, status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void send(HttpExchange exchange, int status, @Nullable String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
