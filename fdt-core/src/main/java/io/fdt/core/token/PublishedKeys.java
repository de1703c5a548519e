package io.fdt.core.token;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonReader;
import io.fdt.core.failure.TransferException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Fetches the keys that an issuer publishes: its metadata names their URL. Bounds what is read and how long it takes,
 * whatever is at the other end, and follows no redirect.
 */
final class PublishedKeys implements FetchedKeys.Source {
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;

    private final String issuer;
    private final long timeoutMs;

    PublishedKeys(String issuer, long timeoutMs) {
        this.issuer = issuer;
        this.timeoutMs = timeoutMs;
    }

    @Override
    public KeySet fetch() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(Duration.ofMillis(timeoutMs))
                .build();
        URI keys = keysOf(metadata(client));
        return KeySet.parse(require(keys, get(client, keys)));
    }

    private String metadata(HttpClient client) throws IOException, InterruptedException {
        String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
        URI openId = URI.create(base + "/.well-known/openid-configuration");
        HttpResponse<byte[]> answer = get(client, openId);
        if (answer.statusCode() != NOT_FOUND) {
            return require(openId, answer);
        }
        URI plain = URI.create(base);
        String path = plain.getRawPath() == null ? "" : plain.getRawPath();
        URI oauth = plain.resolve("/.well-known/oauth-authorization-server" + path);
        return require(oauth, get(client, oauth));
    }

    private URI keysOf(String metadata) throws IOException {
        try (JsonReader reader = JsonReader.of(metadata)) {
            JsonObject values = reader.next();
            if (values == null || !issuer.equals(values.values().get("issuer"))) {
                throw new IOException("its metadata is that of another issuer");
            }
            String url = values.text("jwks_uri");
            if (!TokenSettings.isSafe(url) || (issuer.startsWith("https:") && !url.startsWith("https:"))) {
                throw new IOException("its metadata names no URL of keys that begins with https://");
            }
            return URI.create(url);
        }
    }

    private static String require(URI url, HttpResponse<byte[]> answer) throws IOException {
        if (answer.statusCode() != OK) {
            throw new IOException(url + " answers with status " + answer.statusCode());
        }
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private HttpResponse<byte[]> get(HttpClient client, URI url) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(url).header("Accept", "application/json").build();
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request, head -> new BoundedBody());
        try {
            return answer.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new IOException(url + " does not answer within " + TimeUnit.MILLISECONDS.toSeconds(timeoutMs) + " s");
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            Throwable reason = cause instanceof CompletionException wrapped ? wrapped.getCause() : cause;
            throw new IOException(url + ": " + TransferException.reason(reason == null ? failed : reason), failed);
        } finally {
            // Without an effect on a complete answer; otherwise closes the connection.
            boolean unused = answer.cancel(true);
        }
    }

    private static final class BoundedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> body = new CompletableFuture<>();
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();

        @Override
        public CompletionStage<byte[]> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            var unused = body.exceptionally(failed -> {
                subscription.cancel();
                return new byte[0];
            });
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> parts) {
            for (ByteBuffer part : parts) {
                if (read.size() + part.remaining() > KeySet.MAX_BYTES) {
                    boolean unused = body.completeExceptionally(new IOException("the answer is longer than 256 KiB"));
                    return;
                }
                byte[] bytes = new byte[part.remaining()];
                part.get(bytes);
                read.writeBytes(bytes);
            }
        }

        @Override
        public void onError(Throwable failure) {
            boolean unused = body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            boolean unused = body.complete(read.toByteArray());
        }
    }
}
