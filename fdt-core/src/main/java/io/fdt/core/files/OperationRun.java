package io.fdt.core.files;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
import io.fdt.core.run.Running;
import io.fdt.core.wire.VerifyMessage.SpaceReport;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One operation at its client: passes its answers on and counts them. Answers come on one thread; else thread-safe. */
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
    private volatile @Nullable OperationSummary summary;

    /** @param stop asks for an early end, which may never come; returns at once */
    OperationRun(int id, FileOperation operation, OperationObserver observer, Runnable stop) {
        this.id = id;
        this.operation = operation;
        this.observer = observer;
        this.stop = stop;
    }

    /** @throws TransferException MALFORMED, if nobody asked about this path */
    synchronized void take(CheckedEntry answer) {
        if (summary != null) {
            return;
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

    synchronized void take(SpaceReport told) {
        if (summary == null) {
            done++;
            observer.onSpace(new ListObserver.Space(
                    told.path(), told.freeBytes(), told.bytes(), told.freeFiles(), told.files()));
        }
    }

    /** Only the first call counts. */
    synchronized void end(@Nullable Failure failure) {
        if (summary == null) {
            OperationSummary end = new OperationSummary(failure == null ? ofAnswers() : failure, done, failed);
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

    void endWithAnswers() {
        end((Failure) null);
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
