package io.fdt.cli.server;

import io.fdt.cli.display.EventLog;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Printable;
import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a sink on its own thread, {@code fdt-transfer-log}, so callers never wait. At most {@value
 * #MAX_BYTES} bytes are queued, and of each key no more than leaves room for those of other keys. Lines that do not fit
 * into the queue or the sink are lost and counted, and the sink gets a line with the number of missing ones as soon as
 * it takes lines again. Thread-safe.
 */
final class LineWriter implements AutoCloseable {
    private static final long MAX_BYTES = 16L << 20;
    /** The heap of a queued line besides its bytes. */
    private static final long LINE_BYTES = 128;

    private static final long CLOSE_MS = 2_000;
    private static final long WARN_NANOS = TimeUnit.MINUTES.toNanos(1);
    /** Wakes the thread; not written. */
    private static final Line NOTHING = new Line(new byte[0], null);

    private final LineSink sink;
    private final String host;
    private final Consumer<String> warnings;
    private final Budgets budgets = new Budgets(Map.of(Resource.LOG, MAX_BYTES), () -> true);
    private final LinkedBlockingQueue<Line> lines = new LinkedBlockingQueue<>();
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer = Threads.daemon("fdt-transfer-log", this::writeAll);
    private final SurvivedFailures failures = new SurvivedFailures();
    private volatile boolean reopening;
    private volatile boolean closing;

    /** For the writer thread only. */
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

    LineWriter(LineSink sink, String host, Consumer<String> warnings) {
        this.sink = sink;
        this.host = host;
        this.warnings = warnings;
        Threads.start(writer);
    }

    LineSink sink() {
        return sink;
    }

    /** Reopens a file by its name before the next line is written. Returns at once. */
    void reopen() {
        reopening = true;
        lines.add(NOTHING);
    }

    /** Queues a line with its end, for which this key is charged. */
    void add(String key, byte[] text) {
        Line line = new Line(text, budgets.open(key));
        if (line.take()) {
            lines.add(line);
        } else {
            lost.incrementAndGet();
        }
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
            closeSink();
        }
    }

    private void writeNext(byte[] line) {
        try {
            if (reopening) {
                reopening = false;
                sink.reopen();
            }
            writeLost();
            if (line.length > 0) {
                sink.write(line);
            }
        } catch (IOException e) {
            lost.addAndGet(line.length == 0 ? 0 : 1);
            warn(e);
        }
    }

    private void writeLost() throws IOException {
        long missing = lost.get();
        if (missing > 0) {
            String line = Printable.json(new JsonObject()
                    .with("time", EventLog.time(Instant.now()))
                    .with("host", host)
                    .with("lines_lost", missing)
                    .text());
            sink.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            lost.addAndGet(-missing);
        }
    }

    private void closeSink() {
        try {
            sink.close();
        } catch (IOException e) {
            warn(e);
        }
    }

    private void warn(IOException why) {
        long now = System.nanoTime();
        if (now - warnedNanos >= WARN_NANOS) {
            warnedNanos = now;
            warnings.accept("cannot write the transfer log " + sink.place() + ": " + TransferException.reason(why)
                    + "; copies continue, but their lines are lost until it can be written");
        }
    }

    /** Writes the queued lines, and has the sink close, within two seconds each. */
    @Override
    public void close() {
        closing = true;
        lines.add(NOTHING);
        Threads.join(writer, 2 * CLOSE_MS);
        writer.interrupt();
    }
}
