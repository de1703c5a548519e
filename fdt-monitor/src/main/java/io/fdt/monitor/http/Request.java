package io.fdt.monitor.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request without its body, decoded.
 *
 * @param rawPath the path as it was sent, which a header may contain
 * @param query null for none
 */
public record Request(
        String method,
        String path,
        String rawPath,
        @Nullable String query,
        HttpHeaders headers) {
    /** Returns null if the message is malformed. */
    static @Nullable Request of(FullHttpRequest message) {
        if (message.decoderResult().isFailure()) {
            return null;
        }
        try {
            URI uri = new URI(message.uri());
            String path = uri.getPath();
            return path == null
                    ? null
                    : new Request(message.method().name(), path, uri.getRawPath(), uri.getQuery(), message.headers());
        } catch (URISyntaxException malformed) {
            return null;
        }
    }

    /** Returns the first header with this name, which is not case-sensitive. */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    /** Returns the quality that a header gives to a value; the given one if there is no such header. */
    public double quality(String header, String value, double without) {
        List<String> lines = all(header);
        return lines.isEmpty() ? without : Preference.of(String.join(",", lines), value);
    }

    public List<String> all(String name) {
        return headers.getAll(name);
    }
}
