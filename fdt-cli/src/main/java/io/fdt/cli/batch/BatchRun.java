package io.fdt.cli.batch;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.Settings;
import io.fdt.cli.run.Lifetime;
import io.fdt.cli.value.HostPort;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One batch: its thread {@code fdt-batch-in} reads requests and starts them; they end on their own threads. At most
 * {@value #MAX_OPEN} are open, and further ones are not read until one ends.
 */
final class BatchRun {
    private static final String STOPPING = "fdt: stopping (interrupt again to stop at once)";
    private static final long PATIENCE_MS = 950;
    private static final int MAX_OPEN = 256;

    private final Context context;
    private final BatchWork work;
    private final Semaphore room = new Semaphore(MAX_OPEN);
    private final AtomicInteger worst = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Map<Object, BatchAnswer> open = new ConcurrentHashMap<>();

    private volatile boolean stopped;

    private BatchRun(Context context, BatchWork work) {
        this.context = context;
        this.work = work;
    }

    /** Returns the highest exit code of all requests. */
    static int run(Context context, @Nullable HostPort server, Settings settings) {
        try (BatchWork work = new BatchWork(context, server, settings)) {
            return new BatchRun(context, work).run();
        }
    }

    private int run() {
        Lifetime life = Lifetime.begin(context, STOPPING, PATIENCE_MS, why -> {});
        life.stoppedBy(why -> stop(Failure.of(why, "the batch was stopped")));
        Threads.start("fdt-batch-in", this::readAll);
        life.await(() -> {
            while (!ended.await(1, TimeUnit.SECONDS)) {
                // A copy reports every second. The program that wants it has ended, and may be started again.
                if (context.console().isReaderGone()) {
                    count(Cause.TERMINATED.exitCode());
                    stop(Failure.of(Cause.TERMINATED, "the reader of the answers has ended"));
                }
                work.endIdle();
            }
            return true;
        });
        life.ended();
        return life.exitCodeOr(worst.get());
    }

    private void stop(Failure why) {
        stopped = true;
        open.values().forEach(each -> each.stop(why));
        ended.countDown();
    }

    private void readAll() throws InterruptedException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(context.standardInput(), StandardCharsets.UTF_8))) {
            for (String line = read(in); line != null && !stopped; line = read(in)) {
                if (!line.isBlank() || line.length() > BatchLine.MAX_CHARS) {
                    take(line);
                }
            }
        } catch (IOException | RuntimeException unreadable) {
            Failure why = TransferException.of(unreadable).failure();
            new BatchAnswer(context.console(), null, this::count).error(why);
        }
        room.acquire(MAX_OPEN);
        ended.countDown();
    }

    /** Returns the next line, without its end and what is far too long; null at the end of the input. */
    private static @Nullable String read(BufferedReader in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.length() <= BatchLine.MAX_CHARS) {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private void count(int exitCode) {
        worst.accumulateAndGet(exitCode, Math::max);
    }

    private void take(String text) throws InterruptedException {
        Object id = null;
        try {
            BatchLine line = BatchLine.parse(text);
            id = line.id();
            if (id == null) {
                throw Cause.USAGE.failure("the field \"id\" is missing, or no string or whole number");
            }
            if (line.op().equals("cancel")) {
                cancel(line, id);
            } else {
                begin(line, id);
            }
        } catch (TransferException refused) {
            new BatchAnswer(context.console(), id, this::count).error(refused.failure());
        }
    }

    private void cancel(BatchLine line, Object id) {
        line.allow(Set.of("request"));
        BatchAnswer request = open.get(line.reference("request"));
        BatchAnswer answer = new BatchAnswer(context.console(), id, this::count);
        if (request == null) {
            answer.error(Failure.of(Cause.USAGE, "there is no open request with that id; it may have ended"));
        } else {
            request.stop(Failure.of(Cause.INTERRUPTED, "cancelled"));
            answer.done(new JsonObject());
        }
    }

    private void begin(BatchLine line, Object id) throws InterruptedException {
        room.acquire();
        BatchAnswer answer = new BatchAnswer(context.console(), id, exitCode -> {
            open.remove(id);
            count(exitCode);
            room.release();
        });
        if (open.putIfAbsent(id, answer) != null) {
            room.release();
            throw Cause.USAGE.failure("a request with this id is still open");
        }
        try {
            work.begin(line, answer);
        } catch (RuntimeException failure) {
            answer.error(TransferException.of(failure).failure());
        }
    }
}
