package io.fdt.cli.server;

import io.fdt.cli.display.EventLog;
import io.fdt.cli.display.JsonDisplay;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.ServerObserver;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Printable;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.ServedFile;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.NamedFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Appends a line of JSON to a file for each file that a server's copies finish. Its thread, {@code fdt-transfer-log},
 * writes the lines, so callers never wait. At most {@value #MAX_BYTES} bytes are queued, and of each key no more than
 * leaves room for those of other keys. Lines that do not fit into the queue or onto the disk are lost and counted, and
 * the file notes how many lines are missing as soon as it can be written again. Thread-safe.
 */
final class TransferLog implements ServerObserver, AutoCloseable {
    private static final long MAX_BYTES = 16L << 20;
    /** The heap of a queued line besides its bytes. */
    private static final long LINE_BYTES = 128;

    private static final long CLOSE_MS = 2_000;
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Wakes the thread; not written. */
    private static final Line NOTHING = new Line(new byte[0], null);

    private final Path path;
    private final Consumer<String> warnings;
    private final Budgets budgets = new Budgets(Map.of(Resource.LOG, MAX_BYTES), () -> true);
    private final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer = Threads.daemon("fdt-transfer-log", this::writeAll);
    private final SurvivedFailures failures = new SurvivedFailures();
    private volatile boolean reopening;
    private volatile boolean closing;

    // For the writer thread only.
    private @Nullable FileChannel file;
    private boolean torn;
    private long warnedNanos = System.nanoTime() - WARN_NANOS;

    /** @param budget of its key, which holds it until it is written; null for a line that is not written */
    private record Line(byte[] text, @Nullable Budget budget) {
        long heapBytes() {
            return LINE_BYTES + text.length;
        }

        boolean take() {
            return budget == null || budget.tryTake(Resource.LOG, heapBytes());
        }

        void give() {
            if (budget != null) {
                budget.give(Resource.LOG, heapBytes());
            }
        }
    }

    /** Opens the file; creates it with mode 0640 if it does not exist. */
    TransferLog(Path path, Consumer<String> warnings) {
        this.path = path;
        this.warnings = warnings;
        try {
            file = open();
        } catch (IOException e) {
            throw Cause.NO_RECORD.failure(
                    "cannot open the transfer log " + path + ": " + TransferException.reason(e), e);
        }
        Threads.start(writer);
    }

    private FileChannel open() throws IOException {
        try (Descriptor opened = NamedFile.openToAppend(path, 0640)) {
            return FileChannel.open(NamedFile.reopened(opened), StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        }
    }

    /** Reopens the file by its name before the next line is written, for log rotation. Returns at once. */
    void reopen() {
        reopening = true;
        lines.add(NOTHING);
    }

    @Override
    public boolean watchesFiles() {
        return true;
    }

    @Override
    public void onFile(String session, String peer, String key, ServedFile ended) {
        JsonObject file = new JsonObject()
                .with("time", EventLog.time(Instant.now()))
                .with("session", session)
                .with("key", key)
                .with("peer", peer)
                .with("direction", ended.incoming() ? "in" : "out")
                .with("path", ended.place().path().text())
                .with("root", text(ended.place().root()))
                .with("full_path", text(ended.place().full()))
                .with("bytes", ended.bytes())
                .with("seconds", ended.nanos() / 1e9, 3)
                .with("digest", ended.hashes().digest());
        JsonDisplay.withChecksums(file, ended.hashes().checksums());
        Failure why = ended.result().failure();
        String text = Printable.json(file.with("outcome", ended.result().outcome())
                .with("reason", ended.result().note())
                .with(why == null ? new JsonObject() : JsonDisplay.ofFile(why))
                .text());
        Line line = new Line((text + "\n").getBytes(StandardCharsets.UTF_8), budgets.open(key));
        if (line.take()) {
            lines.add(line);
        } else {
            lost.incrementAndGet();
        }
    }

    private static @Nullable String text(@Nullable RawPath path) {
        return path == null ? null : path.text();
    }

    private void writeAll() throws InterruptedException {
        try {
            while (!closing || !lines.isEmpty()) {
                Line line = lines.take();
                line.give();
                if (!failures.survives(() -> writeNext(line.text))) {
                    lost.addAndGet(line.text.length == 0 ? 0 : 1);
                }
            }
        } finally {
            closeFile();
        }
    }

    private void writeNext(byte[] line) {
        try {
            reopenWhenAsked();
            writeLost();
            write(line);
        } catch (IOException e) {
            lost.addAndGet(line.length == 0 ? 0 : 1);
            warn(e);
        }
    }

    private void closeFile() {
        FileChannel open = file;
        file = null;
        try {
            if (open != null) {
                open.close();
            }
        } catch (IOException e) {
            warn(e);
        }
    }

    private void reopenWhenAsked() throws IOException {
        if (reopening || file == null) {
            reopening = false;
            torn = false;
            closeFile();
            file = open();
        }
    }

    private void writeLost() throws IOException {
        long missing = lost.get();
        if (missing > 0) {
            String line = Printable.json(new JsonObject()
                    .with("time", EventLog.time(Instant.now()))
                    .with("lines_lost", missing)
                    .text());
            write((line + "\n").getBytes(StandardCharsets.UTF_8));
            lost.addAndGet(-missing);
        }
    }

    /** Writes a line. If a full disk has cut off the previous line, ends that first. */
    private void write(byte[] line) throws IOException {
        FileChannel open = file;
        if (line.length == 0 || open == null) {
            return;
        }
        ByteBuffer rest = ByteBuffer.allocate(line.length + 1);
        if (torn) {
            rest.put((byte) '\n');
        }
        rest.put(line).flip();
        int lengthBytes = rest.remaining();
        try {
            while (rest.hasRemaining()) {
                open.write(rest);
            }
            torn = false;
        } finally {
            torn |= rest.hasRemaining() && rest.remaining() < lengthBytes;
        }
    }

    private void warn(IOException why) {
        long now = System.nanoTime();
        if (now - warnedNanos >= WARN_NANOS) {
            warnedNanos = now;
            warnings.accept("cannot write the transfer log " + path + ": " + TransferException.reason(why)
                    + "; copies continue, but their lines are lost until it can be written");
        }
    }

    /** Writes the queued lines, within two seconds. */
    @Override
    public void close() {
        closing = true;
        lines.add(NOTHING);
        Threads.join(writer, CLOSE_MS);
        writer.interrupt();
    }
}
