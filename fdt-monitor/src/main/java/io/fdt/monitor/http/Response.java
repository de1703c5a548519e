package io.fdt.monitor.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An answer: a body, or a stream.
 *
 * @param body in pieces
 * @param shared whether the body is stored elsewhere anyway, so that an unfinished answer takes no extra memory
 * @param stream always called with the stream, even if the connection is closed, on a thread that it must not block;
 *     null for an answer with a body
 */
public record Response(
        int status,
        Map<String, String> headers,
        List<byte[]> body,
        boolean shared,
        @Nullable Consumer<EventStream> stream) {

    public static Response of(int status, String type, byte[] body) {
        return new Response(status, Map.of("Content-Type", type), List.of(body), false, null);
    }

    public static Response shared(int status, String type, List<byte[]> body) {
        return new Response(status, Map.of("Content-Type", type), List.copyOf(body), true, null);
    }

    public static Response text(int status, String text) {
        return of(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    public static Response stream(String type, Consumer<EventStream> stream) {
        return new Response(200, Map.of("Content-Type", type), List.of(), true, stream);
    }

    public Response with(String name, String value) {
        return with(Map.of(name, value));
    }

    public Response with(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(more);
        return new Response(status, all, body, shared, stream);
    }

    long bytes() {
        return body.stream().mapToLong(piece -> piece.length).sum();
    }
}
