package io.fdt.cli.server;

import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Failure;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a line of JSON for each file that a server's copies finish to all its sinks. docs/transfer-log.schema.json
 * describes the lines. Thread-safe; callers never wait.
 */
final class TransferLog implements ServerObserver, AutoCloseable {
    private final String host;
    private final List<LineWriter> writers;
    private final AtomicLong count = new AtomicLong();

    /** @param host the name of this host */
    TransferLog(List<LineSink> sinks, String host, Consumer<String> warnings) {
        this.host = host;
        this.writers =
                sinks.stream().map(sink -> new LineWriter(sink, host, warnings)).toList();
    }

    /** Reopens its files by their names before the next line is written, for log rotation. Returns at once. */
    void reopen() {
        writers.forEach(LineWriter::reopen);
    }

    /** Keeps what it writes reachable for the server. */
    void keepReachable(ReachableFiles files) {
        writers.forEach(writer -> writer.sink().keepReachable(files));
    }

    @Override
    public boolean watchesFiles() {
        return true;
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile ended) {
        JsonObject file = new JsonObject()
                .with("time", EventLog.time(Instant.now()))
                .with("id", session + "-" + count.incrementAndGet())
                .with("host", host)
                .with("session", session)
                .with("key", key)
                .with("peer", peer)
                .with("direction", ended.incoming() ? "in" : "out")
                .with("path", ended.place().path().text())
                .with("root", text(ended.place().root()))
                .with("full_path", text(ended.place().full()))
                .with("bytes", ended.bytes())
                .with("bytes_moved", ended.moved().bytes())
                .with("lanes", ended.moved().lanes())
                .with("transport", ended.moved().transport())
                .with("seconds", ended.nanos() / 1e9, 3)
                .with("digest", ended.hashes().digest());
        JsonDisplay.withChecksums(file, ended.hashes().checksums());
        Failure why = ended.result().failure();
        String text = Printable.json(file.with("outcome", ended.result().outcome())
                .with("reason", ended.result().note())
                .with(why == null ? new JsonObject() : JsonDisplay.ofFile(why))
                .text());
        byte[] line = (text + "\n").getBytes(StandardCharsets.UTF_8);
        writers.forEach(writer -> writer.add(key, line));
    }

    private static @Nullable String text(@Nullable RawPath path) {
        return path == null ? null : path.text();
    }

    /** Writes the queued lines, within a few seconds. */
    @Override
    public void close() {
        writers.forEach(LineWriter::close);
    }
}
