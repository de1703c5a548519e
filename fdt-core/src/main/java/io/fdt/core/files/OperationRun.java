package io.fdt.core.files;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.plan.FileOperation.Action;
import io.fdt.core.plan.FileOperation.Piece;
import io.fdt.core.run.Running;
import io.fdt.core.run.Threads;
import io.fdt.core.wire.Bounds;
import io.fdt.core.wire.FileMessage.Data;
import io.fdt.core.wire.VerifyMessage.SpaceReport;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One operation at its client: passes its answers on and counts them. Answers come on one thread, else thread-safe.
 * Those of a read are passed on in order by a thread of its own, {@code fdt-read}, so that a slow observer delays no
 * other operation.
 */
final class OperationRun implements Running<OperationSummary> {
    private static final long STOP_MS = 2_000;

    final int id;
    final FileOperation operation;
    private final OperationObserver observer;
    private final Runnable stop;
    private final CountDownLatch ended = new CountDownLatch(1);
    private @Nullable Failure firstFailed;
    private long done;
    private long failed;
    /** The data that the entries of a read have announced, and that has come. */
    private long announcedBytes;

    private long readBytes;
    private final BlockingQueue<Runnable> answers = new LinkedBlockingQueue<>();
    private @Nullable Thread reader;
    /** Why the reader stops before its last answer; null while it need not. */
    private @Nullable Failure stopping;

    private volatile @Nullable OperationSummary summary;

    /** @param stop asks for an early end, which may never come; returns at once */
    OperationRun(int id, FileOperation operation, OperationObserver observer, Runnable stop) {
        this.id = id;
        this.operation = operation;
        this.observer = observer;
        this.stop = stop;
    }

    /**
     * Takes an answer here, or on the thread of a read.
     *
     * @throws TransferException MALFORMED, if the server does not wait until enough of them are taken
     */
    void pass(Runnable answer) {
        if (operation.action() != Action.READ) {
            answer.run();
            return;
        }
        if (answers.size() > Bounds.MAX_VERIFY_PAGES) {
            throw Cause.MALFORMED.failure("the server sent data faster than permitted");
        }
        answers.add(answer);
        synchronized (this) {
            if (reader == null && summary == null) {
                reader = Threads.daemon("fdt-read", this::passAll);
                Threads.start(reader, noRoom -> {
                    stop.run();
                    finish(noRoom.failure());
                });
            }
        }
    }

    private void passAll() {
        try {
            while (!isOver()) {
                answers.take().run();
            }
        } catch (InterruptedException stopped) {
            finish(Failure.of(Cause.INTERRUPTED, "interrupted"));
        } catch (RuntimeException | Error e) {
            stop.run();
            finish(TransferException.of(e).failure());
        }
    }

    /** @throws TransferException MALFORMED, if nobody asked about this path */
    synchronized void take(CheckedEntry answer) {
        if (summary != null) {
            return;
        }
        if (operation.action() == Action.READ) {
            announce(answer);
        }
        if (operation.action().isAnsweredByPath() && !operation.paths().contains(answer.path())) {
            throw Cause.MALFORMED
                    .at(answer.path().display())
                    .failure("was not requested, and the server answered for it");
        }
        Failure failure = answer.failure();
        FileEntry entry = answer.entry();
        if (failure != null || entry == null) {
            String path = answer.path().display();
            Failure why = failure == null ? Failure.of(Cause.MISSING, "is not there") : failure;
            Failure named = why.path() == null ? why.at(path) : why;
            failed++;
            firstFailed = firstFailed == null ? named : firstFailed;
            observer.onFailed(answer.path(), named);
        } else {
            done++;
            observer.onEntry(Lister.shown(entry, Math.max(0, entry.sizeBytes())), answer.digest(), entry.doubt());
        }
    }

    private void announce(CheckedEntry answer) {
        long before = done + failed;
        if (before >= operation.paths().size()
                || !operation.paths().get((int) before).equals(answer.path())) {
            throw Cause.MALFORMED.at(answer.path().display()).failure("was not requested next");
        }
        FileEntry entry = answer.entry();
        if (entry != null && answer.failure() == null) {
            for (Piece piece : operation.piecesOf((int) before)) {
                announcedBytes += piece.lengthIn(entry.sizeBytes());
            }
        }
    }

    /** @throws TransferException INTEGRITY, if the data is damaged; MALFORMED, if it was not announced */
    void take(Data data) {
        if (summary != null) {
            return;
        }
        if (!Arrays.equals(DigestKind.XXH3_128.of(data.bytes()), data.digest())) {
            throw Cause.INTEGRITY.failure("the data does not verify");
        }
        synchronized (this) {
            readBytes += data.bytes().length;
            if (readBytes > announcedBytes) {
                throw Cause.MALFORMED.failure("the server sent more data than the files have");
            }
        }
        observer.onData(data.bytes());
    }

    synchronized void take(SpaceReport told) {
        if (summary == null) {
            done++;
            observer.onSpace(new ListObserver.Space(
                    told.path(), told.freeBytes(), told.bytes(), told.freeFiles(), told.files()));
        }
    }

    /** The last answer. */
    void endWith(@Nullable Failure failure) {
        Failure why = failure;
        synchronized (this) {
            if (why == null && (readBytes != announcedBytes || (operation.action() == Action.READ && !isAnswered()))) {
                why = Failure.of(Cause.MALFORMED, "the server sent less data than the files have");
            }
        }
        finish(why);
    }

    private boolean isAnswered() {
        return done + failed == operation.paths().size();
    }

    /** Ends it before its last answer. Only the first call counts. */
    void end(Failure failure) {
        Thread running;
        synchronized (this) {
            stopping = stopping == null ? failure : stopping;
            running = reader;
        }
        if (running == null || running == Thread.currentThread()) {
            finish(failure);
        } else {
            // It may be writing, and is the one that passes on the end.
            running.interrupt();
        }
    }

    /** @param failure null for that of the paths */
    private synchronized void finish(@Nullable Failure failure) {
        if (summary == null) {
            Failure why = stopping == null ? failure : stopping;
            OperationSummary end = new OperationSummary(why == null ? ofAnswers() : why, done, failed);
            summary = end;
            observer.onEnd(end);
            ended.countDown();
        }
    }

    /** One failed path is the failure of the operation; of several, the first with their number. */
    private @Nullable Failure ofAnswers() {
        Failure first = firstFailed;
        if (first == null || (failed == 1 && done == 0)) {
            return first;
        }
        if (done == 0) {
            return first.with(first.reason() + " (and " + (failed - 1) + " more)");
        }
        String paths = failed + (failed == 1 ? " path" : " paths");
        return Failure.of(Cause.SOME_FILES_FAILED, paths + " failed, the first: " + first.brief());
    }

    void end(TransferException failure) {
        end(failure.failure());
    }

    boolean isOver() {
        return summary != null;
    }

    @Override
    public void interrupt(Failure why) {
        stop.run();
        end(why);
    }

    @Override
    public OperationSummary await() throws InterruptedException {
        ended.await();
        OperationSummary known = summary;
        if (known == null) {
            throw new IllegalStateException("an operation ended without a result");
        }
        return known;
    }

    @Override
    public boolean await(Duration limit) throws InterruptedException {
        return ended.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        close(STOP_MS);
    }

    @Override
    public void close(long timeoutMs) {
        if (!isOver()) {
            interrupt(Failure.of(Cause.INTERRUPTED, "closed before its end"));
        }
    }
}
