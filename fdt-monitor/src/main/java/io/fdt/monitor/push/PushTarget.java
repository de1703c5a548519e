package io.fdt.monitor.push;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of pushed figures, from its URL: {@code otlp://HOST:PORT[/path]}, {@code influx://HOST:PORT/BUCKET},
 * {@code pushgateway://HOST:PORT/JOB}, {@code apmon://HOST:PORT}.
 *
 * @param path after the port, without the leading slash
 * @param secret token or password from the environment; null for none
 */
public record PushTarget(
        PushProtocol kind,
        String host,
        int port,
        String path,
        @Nullable String secret) {
    private static final String FORM =
            "write otlp://HOST:PORT, influx://HOST:PORT/BUCKET, pushgateway://HOST:PORT/JOB or apmon://HOST:PORT";

    public enum PushProtocol {
        OTLP("otlp", 4318, ""),
        INFLUX("influx", 8086, "FDT_INFLUX_TOKEN"),
        PUSHGATEWAY("pushgateway", 9091, ""),
        APMON("apmon", 8884, "FDT_APMON_PASSWORD");

        private final String scheme;
        private final int defaultPort;
        private final String variable;

        PushProtocol(String scheme, int defaultPort, String variable) {
            this.scheme = scheme;
            this.defaultPort = defaultPort;
            this.variable = variable;
        }
    }

    /** @throws IllegalArgumentException if it is invalid, with the reason */
    public static PushTarget of(String url, Map<String, String> environment) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL; " + FORM, e);
        }
        for (PushProtocol kind : PushProtocol.values()) {
            if (kind.scheme.equals(uri.getScheme())) {
                return of(kind, uri, environment.get(kind.variable));
            }
        }
        throw new IllegalArgumentException("unknown scheme; " + FORM);
    }

    private static PushTarget of(PushProtocol kind, URI uri, @Nullable String secret) {
        String host = uri.getHost();
        if (host == null || uri.getUserInfo() != null || uri.getQuery() != null || uri.getFragment() != null) {
            throw new IllegalArgumentException(
                    "only a host, a port and a path are allowed here, and secrets belong in the environment; " + FORM);
        }
        String path = uri.getRawPath().replaceFirst("^/", "");
        boolean named = kind == PushProtocol.INFLUX || kind == PushProtocol.PUSHGATEWAY;
        if (named && !path.matches("[A-Za-z0-9_.%-]{1,200}")) {
            throw new IllegalArgumentException(
                    "name the " + (kind == PushProtocol.INFLUX ? "bucket" : "job") + " behind the port; " + FORM);
        }
        if (kind == PushProtocol.APMON && !path.isEmpty()) {
            throw new IllegalArgumentException("ApMon has no path; " + FORM);
        }
        int port = uri.getPort() < 0 ? kind.defaultPort : uri.getPort();
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("not a port; a number from 1 to 65535");
        }
        return new PushTarget(kind, host, port, path, secret == null || secret.isEmpty() ? null : secret);
    }

    /** Returns the URL without the secret, for messages. */
    public String shown() {
        return kind.scheme + "://" + host + ":" + port + (path.isEmpty() ? "" : "/" + path);
    }

    /** Keeps the secret out of logs. */
    @Override
    public String toString() {
        return shown();
    }
}
