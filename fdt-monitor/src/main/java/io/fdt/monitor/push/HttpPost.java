package io.fdt.monitor.push;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Sends one HTTP request that transfers data to a receiver, within a limited time. */
public final class HttpPost {
    private static final int CONNECT_MS = 1_000;
    private static final int READ_MS = 1_500;
    private static final int MAX_ANSWER_BYTES = 300;

    private HttpPost() {}

    /** @throws IOException also if the receiver refuses it, with its answer */
    static void send(String method, PushTarget target, String pathAndQuery, Map<String, String> headers, byte[] body)
            throws IOException {
        HttpURLConnection connection = open("http://" + target.host() + ":" + target.port() + pathAndQuery);
        connection.setConnectTimeout(CONNECT_MS);
        connection.setReadTimeout(READ_MS);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestMethod(method);
        headers.forEach(connection::setRequestProperty);
        connection.setDoOutput(true);
        connection.setFixedLengthStreamingMode(body.length);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
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
    }

    private static HttpURLConnection open(String url) throws IOException {
        try {
            return (HttpURLConnection) new URI(url).toURL().openConnection();
        } catch (URISyntaxException e) {
            throw new IOException("not an address: " + url, e);
        }
    }
}
