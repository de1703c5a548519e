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
import java.util.function.Consumer;
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
    /** What ends each open request, by its id. */
    private final Map<Object, Consumer<TransferException>> open = new ConcurrentHashMap<>();

    private volatile @Nullable TransferException stopped;

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
        life.stoppedBy(why -> stop(why.failure("the batch was stopped")));
        Threads.start("fdt-batch-in", this::readAll);
        life.await(() -> {
            while (!ended.await(1, TimeUnit.SECONDS)) {
                // A copy reports every second. The program that wants it has ended, and may be started again.
                if (context.console().isReaderGone()) {
                    count(Cause.TERMINATED.exitCode());
                    stop(Cause.TERMINATED.failure("the reader of the answers has ended"));
                }
                work.endIdle();
            }
            return true;
        });
        life.ended();
        return life.exitCodeOr(worst.get());
    }

    private void stop(TransferException why) {
        stopped = why;
        open.values().forEach(each -> each.accept(why));
        ended.countDown();
    }

    private void readAll() throws InterruptedException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(context.standardInput(), StandardCharsets.UTF_8))) {
            for (String line = read(in); line != null && stopped == null; line = read(in)) {
                if (!line.isBlank() || line.length() > BatchLine.MAX_CHARS) {
                    take(line);
                }
            }
        } catch (IOException | RuntimeException unreadable) {
            TransferException why = TransferException.of(unreadable);
            new BatchAnswer(context.console(), null, this::count).error(why.failure());
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
            id = line.id;
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
        Consumer<TransferException> stop = open.get(line.reference("request"));
        BatchAnswer answer = new BatchAnswer(context.console(), id, this::count);
        if (stop == null) {
            answer.error(Failure.of(Cause.USAGE, "there is no open request with that id; it may have ended"));
        } else {
            stop.accept(Cause.INTERRUPTED.failure("cancelled"));
            answer.done(new JsonObject());
        }
    }

    private void begin(BatchLine line, Object id) throws InterruptedException {
        room.acquire();
        PendingStop stop = new PendingStop();
        if (open.putIfAbsent(id, stop) != null) {
            room.release();
            throw Cause.USAGE.failure("a request with this id is still open");
        }
        BatchAnswer answer = new BatchAnswer(context.console(), id, exitCode -> {
            open.remove(id);
            count(exitCode);
            room.release();
        });
        try {
            stop.is(work.begin(line, answer));
        } catch (RuntimeException failure) {
            TransferException why = TransferException.of(failure);
            answer.error(why.failure());
        }
    }

    /** Ends a request that may not have begun yet. */
    private static final class PendingStop implements Consumer<TransferException> {
        private @Nullable Consumer<TransferException> begun;
        private @Nullable TransferException early;

        synchronized void is(Consumer<TransferException> stop) {
            begun = stop;
            if (early != null) {
                stop.accept(early);
            }
        }

        @Override
        public synchronized void accept(TransferException why) {
            if (begun != null) {
                begun.accept(why);
            } else {
                early = why;
            }
        }
    }
}
