package io.fdt.monitor.http;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A decoded request without its body; the query is null if there is none. */
public record Request(String method, String path, @Nullable String query, HttpHeaders headers) {
    /** Returns null if the message is malformed. */
    static @Nullable Request of(FullHttpRequest message) {
        if (message.decoderResult().isFailure()) {
            return null;
        }
        try {
            URI uri = new URI(message.uri());
            String path = uri.getPath();
            return path == null ? null : new Request(message.method().name(), path, uri.getQuery(), message.headers());
        } catch (URISyntaxException malformed) {
            return null;
        }
    }

    /** Returns the first header with this name, which is not case-sensitive. */
    public @Nullable String header(String name) {
        return headers.get(name);
    }

    public List<String> all(String name) {
        return headers.getAll(name);
    }
}
