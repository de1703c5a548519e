package io.fdt.monitor;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.monitor.http.Response;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Shows a recording on the page, any quarter of an hour at a time. The file is read once to index it, and the requested
 * parts again on each request, so a recording of weeks needs little memory. Thread-safe.
 */
public final class Replay implements AutoCloseable {
    private static final long SHOWN_MS = TimeUnit.MINUTES.toMillis(15);

    private final Path file;
    private final List<RecordedSpan> parts = new ArrayList<>();
    private final byte[] facts;
    private final long damagedBytes;
    private final MonitorServer server;
    private long samples;
    private long firstMs = Long.MAX_VALUE;
    private long lastMs = Long.MIN_VALUE;

    /** A gzip member, and the range of the times of its samples. */
    private record RecordedSpan(long memberBytes, long firstMs, long lastMs) {
        boolean touches(long fromMs, long untilMs) {
            return firstMs <= untilMs && lastMs >= fromMs;
        }
    }

    /**
     * @param page where it is served, and for whom
     * @param warnings receives messages for the operator; one line each, on any thread
     * @throws TransferException SOURCE if the file cannot be read, USAGE if it is not a recording or has no samples
     */
    public Replay(Path file, Monitor.Page page, Consumer<String> warnings) {
        this.file = file;
        byte[] described = "{}".getBytes(StandardCharsets.UTF_8);
        try (RecordingReader reader = RecordingReader.open(file)) {
            for (byte[] json = reader.next(); json != null; json = reader.next()) {
                RecordedLine line = RecordedLine.parse(json);
                if (line != null && line.facts() != null) {
                    described = line.facts();
                } else if (line != null) {
                    index(line.epochMs(), reader.memberBytes());
                }
            }
            damagedBytes = reader.isTorn() ? 0 : Files.size(file) - reader.wholeBytes();
        } catch (IOException e) {
            throw unreadable(e);
        }
        if (samples == 0) {
            throw Cause.USAGE.failure("the recording " + file + " holds no sample");
        }
        this.facts = withTimes(described);
        this.server = new MonitorServer(
                page.address(),
                page.allowed(),
                page.gate("localhost"),
                new MonitorServer.Content(null, null, this::history, () -> facts),
                warnings);
    }

    private TransferException unreadable(IOException e) {
        return TransferException.causeOfReading(e)
                .failure("cannot read the recording " + file + ": " + TransferException.reason(e), e);
    }

    private void index(long timeMs, long memberBytes) {
        samples++;
        firstMs = Math.min(firstMs, timeMs);
        lastMs = Math.max(lastMs, timeMs);
        RecordedSpan part = parts.isEmpty() ? null : parts.get(parts.size() - 1);
        if (part == null || part.memberBytes != memberBytes) {
            parts.add(new RecordedSpan(memberBytes, timeMs, timeMs));
        } else {
            parts.set(
                    parts.size() - 1,
                    new RecordedSpan(memberBytes, Math.min(part.firstMs, timeMs), Math.max(part.lastMs, timeMs)));
        }
    }

    /** Returns the facts of the host with the times of the recording, which tell the page that it shows a recording. */
    private byte[] withTimes(byte[] described) {
        String recording = new JsonObject()
                .with("from", firstMs)
                .with("until", lastMs)
                .with("samples", samples)
                .with("damaged_bytes", damagedBytes)
                .text();
        String text = new String(described, StandardCharsets.UTF_8);
        return ("{\"recording\":" + recording + ",\"facts\":" + text + "}").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the samples of the quarter of an hour before this time, or before the end of the recording. */
    private Response history(@Nullable Long askedMs) {
        long untilMs = askedMs == null ? lastMs : askedMs;
        long fromMs = untilMs - SHOWN_MS;
        History shown = new History();
        try (RecordingReader reader = RecordingReader.open(file)) {
            for (RecordedSpan part : parts) {
                if (part.touches(fromMs, untilMs)) {
                    reader.seek(part.memberBytes);
                    byte[] json = reader.next();
                    while (json != null && reader.memberBytes() == part.memberBytes) {
                        RecordedLine line = RecordedLine.parse(json);
                        if (line != null && line.epochMs() >= fromMs && line.epochMs() <= untilMs) {
                            shown.add(json);
                        }
                        json = reader.next();
                    }
                }
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
        return new Response(200, Map.of("Content-Type", "application/json"), shown.toArray(), false, null);
    }

    /** Returns the address of the page; null if it is served on a socket. */
    public @Nullable InetSocketAddress address() {
        return server.address();
    }

    /** Returns the number of bytes from the first damaged gzip member on. Its first samples may have been readable. */
    public long damagedBytes() {
        return damagedBytes;
    }

    @Override
    public void close() {
        server.close();
    }
}
