package io.fdt.monitor;

import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import io.fdt.core.framedlog.FrameReader;
import io.fdt.core.plan.Printable;
import io.fdt.monitor.SampleVector.MisfitException;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Draws the samples of another process's monitor, on this host or another, on this terminal. If the connection is lost,
 * it shows that and reconnects. Thread-safe.
 */
public final class RemoteScreen implements AutoCloseable {
    /** The live samples, as a recording with only complete samples. */
    static final String PATH = "/api/recording";

    private static final int CONNECT_MS = 5_000;
    /** Longer than the second between two samples. */
    private static final int SILENCE_MS = 10_000;

    private static final long AGAIN_MS = 2_000;
    private static final int WINDOW_BYTES = 64 << 10;
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
        this.view = new ScreenView(screen, "q quits");
        InputStream first;
        try {
            first = connect();
        } catch (IOException | TransferException e) {
            throw FailureKind.CANNOT_CONNECT.failure("cannot watch " + page + ": " + TransferException.reason(e), e);
        }
        this.reader = Threads.daemon("fdt-monitor", () -> run(first));
        reader.start();
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
        InputStream in = made.getInputStream();
        try {
            RecordingFormat.checkHead(in.readNBytes(RecordingFormat.HEAD.length), page.toString());
            return in;
        } catch (IOException | TransferException unfit) {
            made.disconnect();
            throw unfit;
        }
    }

    private static String refusal(int status, HttpURLConnection made) throws IOException {
        if (status == HttpURLConnection.HTTP_NOT_FOUND) {
            return "it is no live monitor, or one of an fdt before this version";
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
            } catch (IOException | TransferException | MisfitException lost) {
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
        try (InputStream in = samples) {
            RecordingFormat.Decoder decoder = new RecordingFormat.Decoder();
            FrameReader frames = new FrameReader(
                    (into, ignored) -> readSome(in, into),
                    ByteBuffer.allocate(WINDOW_BYTES),
                    0,
                    RecordingFormat.MAX_PAYLOAD_BYTES);
            for (ByteBuffer body = frames.next(); body != null && !closed; body = frames.next()) {
                if (body.get(0) != RecordingFormat.FACTS) {
                    view.onSample(decoder.decode(body), List.of());
                }
            }
        }
    }

    private static void readSome(InputStream in, ByteBuffer into) throws IOException {
        int count = in.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
        into.position(into.position() + Math.max(0, count));
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
