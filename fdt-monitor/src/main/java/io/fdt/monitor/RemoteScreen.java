package io.fdt.monitor;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Printable;
import io.fdt.core.run.Threads;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Draws the samples of another process's monitor, on this host or another, on this terminal. If the connection is lost,
 * it shows that and reconnects. Thread-safe.
 */
public final class RemoteScreen implements AutoCloseable {
    /** The live samples, as server-sent events. */
    static final String PATH = "/api/live";

    private static final int CONNECT_MS = 5_000;
    /** Longer than the second between two samples. */
    private static final int SILENCE_MS = 10_000;

    private static final long AGAIN_MS = 2_000;
    private static final int WINDOW_BYTES = 64 << 10;
    private static final String DATA = "data: ";
    private static final int MAX_REFUSAL_BYTES = 300;

    private final URI page;
    private final @Nullable String token;
    private final ScreenView view;
    private final Thread reader;
    private volatile boolean closed;

    /**
     * Connects.
     *
     * @param page the URL of the monitor: {@code http://HOST:PORT/}
     * @param token that the monitor requires; null for none
     * @throws TransferException CANNOT_CONNECT if the monitor cannot be watched
     */
    public RemoteScreen(URI page, @Nullable String token, Screen screen) {
        this.page = page;
        this.token = token;
        this.view = new ScreenView(screen, "q quits   " + page);
        InputStream first;
        try {
            first = connect();
        } catch (IOException e) {
            throw Cause.CANNOT_CONNECT.failure("cannot watch " + page + ": " + TransferException.reason(e), e);
        }
        this.reader = Threads.daemon("fdt-monitor", () -> run(first));
        Threads.start(reader);
    }

    private InputStream connect() throws IOException {
        HttpURLConnection made = (HttpURLConnection) page.resolve(PATH).toURL().openConnection(Proxy.NO_PROXY);
        made.setConnectTimeout(CONNECT_MS);
        made.setReadTimeout(SILENCE_MS);
        made.setInstanceFollowRedirects(false);
        if (token != null) {
            made.setRequestProperty("Authorization", "Bearer " + token);
        }
        int status = made.getResponseCode();
        if (status != HttpURLConnection.HTTP_OK) {
            throw new IOException(refusal(status, made));
        }
        if (!MonitorServer.EVENTS.equals(made.getContentType())) {
            made.disconnect();
            throw new IOException("it is not the monitor of an fdt");
        }
        return made.getInputStream();
    }

    private static String refusal(int status, HttpURLConnection made) throws IOException {
        if (status == HttpURLConnection.HTTP_NOT_FOUND) {
            return "it is not a live monitor";
        }
        if (status == HttpURLConnection.HTTP_UNAUTHORIZED) {
            return "it requires its token; give --monitor-token-file";
        }
        try (InputStream error = made.getErrorStream()) {
            String text = error == null
                    ? ""
                    : new String(error.readNBytes(MAX_REFUSAL_BYTES), StandardCharsets.UTF_8).strip();
            return "it answers " + status + " " + Printable.of(text);
        }
    }

    private void run(InputStream first) {
        InputStream in = first;
        while (!closed) {
            try {
                draw(in == null ? connect() : in);
                view.note("no connection to " + page + ": it has ended; connecting again");
            } catch (IOException lost) {
                view.note("no connection to " + page + ": " + TransferException.reason(lost) + "; connecting again");
            }
            in = null;
            try {
                TimeUnit.MILLISECONDS.sleep(AGAIN_MS);
            } catch (InterruptedException closing) {
                return;
            }
        }
    }

    /** Draws samples until the stream ends. */
    private void draw(InputStream samples) throws IOException {
        try (InputStream in = new BufferedInputStream(samples, WINDOW_BYTES)) {
            for (byte[] line = readLine(in); line.length > 0 && !closed; line = readLine(in)) {
                if (new String(line, 0, Math.min(line.length, DATA.length()), StandardCharsets.US_ASCII).equals(DATA)) {
                    view.onSample(SampleJson.read(line, DATA.length()), List.of());
                }
            }
        }
    }

    /** Returns the next line with its newline; empty at the end of the stream. */
    private static byte[] readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0; next = in.read()) {
            line.write(next);
            if (next == '\n') {
                break;
            }
            if (line.size() > RecordingReader.MAX_LINE_BYTES) {
                throw new IOException("it sends a line of over " + RecordingReader.MAX_LINE_BYTES + " bytes");
            }
        }
        return line.toByteArray();
    }

    /** Draws again after the size of the terminal has changed. Any thread. */
    public void redraw() {
        view.draw();
    }

    /** Stops drawing. The thread may first wait for one more sample. */
    @Override
    public void close() {
        closed = true;
        reader.interrupt();
    }
}
