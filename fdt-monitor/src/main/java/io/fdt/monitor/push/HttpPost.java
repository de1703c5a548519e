package io.fdt.monitor.push;

import io.fdt.core.run.Threads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Sends one HTTP request that transfers data to a receiver, within a limited time. */
public final class HttpPost {
    private static final int CONNECT_MS = 1_000;
    private static final int READ_MS = 1_500;
    private static final int MAX_ANSWER_BYTES = 300;

    /** Ends requests to a receiver that stops reading: a write has no timeout of its own. */
    private static final class Limits {
        private static final long IDLE_SECONDS = 5;
        static final ScheduledThreadPoolExecutor TIMER =
                new ScheduledThreadPoolExecutor(1, task -> Threads.daemon("fdt-push-limit", task::run));

        static {
            TIMER.setRemoveOnCancelPolicy(true);
            TIMER.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            TIMER.allowCoreThreadTimeOut(true);
        }
    }

    private HttpPost() {}

    /** @throws IOException also if the receiver refuses it, with its answer */
    static void send(PushTarget target, String pathAndQuery, Map<String, String> headers, byte[] body)
            throws IOException {
        String url = "http://" + target.host() + ":" + target.port() + pathAndQuery;
        try {
            send(new URI(url), headers, body, READ_MS);
        } catch (URISyntaxException e) {
            throw new IOException("not an address: " + url, e);
        }
    }

    /**
     * Sends the data as a POST request.
     *
     * @param answerMs how long the receiver may take to answer, and the request as a whole a second more
     * @throws IOException also if the receiver refuses it, with its answer
     */
    public static void send(URI receiver, Map<String, String> headers, byte[] body, int answerMs) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) receiver.toURL().openConnection();
        connection.setConnectTimeout(CONNECT_MS);
        connection.setReadTimeout(answerMs);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod("POST");
        headers.forEach(connection::setRequestProperty);
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        ScheduledFuture<?> limit =
                Limits.TIMER.schedule(connection::disconnect, CONNECT_MS + answerMs, TimeUnit.MILLISECONDS);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
            int status = connection.getResponseCode();
            boolean taken = status >= 200 && status < 300;
            try (InputStream answer = taken ? connection.getInputStream() : connection.getErrorStream()) {
                String text = answer == null
                        ? ""
                        : new String(answer.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8).strip();
                if (!taken) {
                    throw new IOException("it answers " + status + " " + text);
                }
            }
        } finally {
            limit.cancel(false);
        }
    }
}
