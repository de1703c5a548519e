package io.fdt.monitor;

import io.fdt.core.basic.Addresses;
import io.fdt.core.failure.Cause;
import io.fdt.core.security.AddressRules;
import io.fdt.monitor.figure.Exposition;
import io.fdt.monitor.http.Request;
import io.fdt.monitor.http.Response;
import io.fdt.monitor.http.WebServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The web server of the monitor: the page, the metrics and the live figures. Read-only. It runs on the threads of the
 * {@link WebServer}, so requests never use a thread that moves data.
 */
final class MonitorServer implements AutoCloseable {
    private static final int MAX_PATH = 100;
    private static final String PAGE = "/io/fdt/monitor/page/";
    static final String EVENTS = "text/event-stream";
    private static final String ACCEPT = "Accept";
    private static final String JSON = "application/json";
    private static final Response NOTHING_HERE = Response.text(404, "nothing here");
    private static final Pattern UNTIL = Pattern.compile("until=([0-9]{1,15})");

    /** The page may only load its own resources. */
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

    /** Sent with every answer. */
    private static final Map<String, String> HEADERS = Map.of(
            "Content-Security-Policy", CONTENT_POLICY,
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-store");

    private final WebServer server;
    private final boolean onSocket;
    private final Gate gate;
    private final Content content;

    /**
     * The sources of the answers.
     *
     * @param exposition null if there is nothing to scrape
     * @param live null if there are no live samples
     * @param history returns the samples up to a time, or the last ones if it is null
     */
    record Content(
            @Nullable Exposition exposition,
            @Nullable LiveClients live,
            Function<@Nullable Long, Response> history,
            Supplier<byte[]> facts) {}

    /** @param allowed the addresses that may connect, in addition to this host */
    MonitorServer(SocketAddress address, AddressRules allowed, Gate gate, Content content, Consumer<String> warnings) {
        this.onSocket = !(address instanceof InetSocketAddress);
        this.gate = gate;
        this.content = content;
        if (isForOthers(address) && !gate.isForOthers()) {
            throw Cause.USAGE.failure("other hosts could watch at " + shown(address)
                    + "; give a token file (--monitor-token-file), or listen on 127.0.0.1");
        }
        try {
            this.server = new WebServer(
                    address,
                    from -> mayConnect(allowed, from),
                    request -> answer(request).with(HEADERS),
                    WebServer.Limits.DEFAULTS,
                    warnings);
        } catch (IOException e) {
            throw Cause.CANNOT_CONNECT
                    .advise("give another HOST:PORT with --monitor")
                    .failure("cannot listen for the monitor on " + shown(address) + ": " + e.getMessage(), e);
        }
    }

    private static boolean isForOthers(SocketAddress address) {
        return address instanceof InetSocketAddress port
                && (port.getAddress() == null || !port.getAddress().isLoopbackAddress());
    }

    private static String shown(SocketAddress address) {
        return address instanceof InetSocketAddress ? Addresses.shown(address) : address.toString();
    }

    /** The rules only concern other hosts: otherwise they could make a page on loopback unusable. */
    static boolean mayConnect(AddressRules allowed, InetAddress from) {
        return from.isLoopbackAddress() || allowed.allow(from);
    }

    /** Null if it listens on a socket. */
    @Nullable InetSocketAddress address() {
        return onSocket ? null : server.address();
    }

    private Response answer(Request request) {
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            return Response.text(405, "only GET").with("Allow", "GET, HEAD");
        }
        String token = newToken(request);
        if (token != null) {
            return Response.text(303, "the token is a cookie now")
                    .with("Set-Cookie", Gate.COOKIE + "=" + token + "; HttpOnly; SameSite=Strict; Path=/")
                    .with("Location", besides(request.rawPath()));
        }
        int refusal = gate.refusal(request);
        if (refusal == 401) {
            return Response.text(
                            401, "a token is required: send Authorization: Bearer TOKEN, or open ?token=TOKEN once")
                    .with("WWW-Authenticate", "Bearer");
        }
        if (refusal != 0) {
            return Response.text(refusal, "this host name does not belong to this machine");
        }
        return switch (request.path()) {
            case "/metrics" -> metrics(request);
            case RemoteScreen.PATH -> live();
            case "/api/history" -> history(request);
            case "/api/host" -> Response.of(200, JSON, content.facts().get());
            case "/healthz" -> Response.text(200, "ok");
            case "/" -> resource("index.html");
            case "/favicon.ico" -> resource("favicon.svg");
            default ->
                request.path().startsWith("/page/")
                        ? resource(request.path().substring("/page/".length()))
                        : NOTHING_HERE;
        };
    }

    /** A token in the URL is moved to a cookie at once, so that it remains neither in a history nor on a screen. */
    private @Nullable String newToken(Request request) {
        String query = request.query();
        if (query == null || !query.startsWith("token=")) {
            return null;
        }
        String token = query.substring("token=".length());
        return gate.isToken(token) ? token : null;
    }

    /** The same path, relative to it: a proxy may serve the page below another one. */
    private static String besides(String path) {
        return "./" + path.substring(path.lastIndexOf('/') + 1);
    }

    private Response history(Request request) {
        String query = request.query();
        if (query == null) {
            return content.history().apply(null);
        }
        Matcher asked = UNTIL.matcher(query);
        return asked.matches()
                ? content.history().apply(Long.valueOf(asked.group(1)))
                : Response.text(400, "only ?until= is supported, in milliseconds");
    }

    private Response metrics(Request request) {
        Exposition exposition = content.exposition();
        if (exposition == null) {
            return NOTHING_HERE;
        }
        double openMetrics = request.quality(ACCEPT, "application/openmetrics-text", 0);
        double text = request.quality(ACCEPT, "text/plain", 1);
        boolean named = String.join(",", request.all(ACCEPT)).contains("application/openmetrics-text");
        boolean open = openMetrics > text || (named && openMetrics > 0 && openMetrics >= text);
        String type = open ? Exposition.OPEN_METRICS : Exposition.TEXT;
        byte[] page = exposition.scrape(type).getBytes(StandardCharsets.UTF_8);
        Map<String, String> vary = Map.of("Vary", "Accept, Accept-Encoding");
        return request.quality("Accept-Encoding", "gzip", 0) > 0
                ? Response.of(200, type, compressed(page))
                        .with("Content-Encoding", "gzip")
                        .with(vary)
                : Response.of(200, type, page).with(vary);
    }

    private static byte[] compressed(byte[] page) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private Response live() {
        LiveClients watchers = content.live();
        if (watchers == null) {
            return NOTHING_HERE;
        }
        return Response.stream(EVENTS, watchers::serve);
    }

    private static Response resource(String name) {
        String type = isPlain(name) ? TYPES.get(name.substring(name.lastIndexOf('.') + 1)) : null;
        try (InputStream in = type == null ? null : MonitorServer.class.getResourceAsStream(PAGE + name)) {
            return in == null || type == null ? NOTHING_HERE : Response.of(200, type, in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Accepts only names of our own files: no consecutive or leading dots, so that no path leads outside. */
    private static boolean isPlain(String name) {
        return name.length() <= MAX_PATH && name.matches("[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)*");
    }

    @Override
    public void close() {
        server.close();
    }
}
