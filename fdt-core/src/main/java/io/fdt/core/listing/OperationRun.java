package io.fdt.core.listing;

import io.fdt.core.FailureKind;
import io.fdt.core.Running;
import io.fdt.core.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileOperation;
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
    private @Nullable CheckedEntry firstFailed;
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

    /** @throws TransferException REFUSED, if nobody asked about this path */
    synchronized void take(CheckedEntry answer) {
        if (summary != null) {
            return;
        }
        if (operation.action().isAnsweredByPath() && !operation.paths().contains(answer.path())) {
            throw FailureKind.REFUSED.failure(
                    answer.path().display() + " was not requested, and the server answered for it");
        }
        FailureKind failure = answer.failure();
        FileEntry entry = answer.entry();
        if (failure != null || entry == null) {
            failed++;
            firstFailed = firstFailed == null ? answer : firstFailed;
            observer.onFailed(
                    answer.path(), failure == null ? FailureKind.SOURCE : failure, String.valueOf(answer.reason()));
        } else {
            done++;
            observer.onEntry(Lister.shown(entry, Math.max(0, entry.sizeBytes())), answer.digest());
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
    synchronized void end(@Nullable FailureKind failure, @Nullable String message) {
        if (summary == null) {
            OperationSummary end = failure == null ? ofAnswers() : new OperationSummary(failure, message, done, failed);
            summary = end;
            observer.onEnd(end);
            ended.countDown();
        }
    }

    private OperationSummary ofAnswers() {
        CheckedEntry first = firstFailed;
        FailureKind kind = first == null ? null : first.failure();
        if (first == null) {
            return new OperationSummary(null, null, done, failed);
        }
        FailureKind ofAll = kind == null ? FailureKind.SOURCE : kind;
        return new OperationSummary(done == 0 ? ofAll : FailureKind.SOME_FILES_FAILED, null, done, failed);
    }

    void end(TransferException failure) {
        end(failure.kind(), failure.getMessage());
    }

    boolean isOver() {
        return summary != null;
    }

    @Override
    public void interrupt(FailureKind why, String message) {
        stop.run();
        end(why, message);
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
            interrupt(FailureKind.INTERRUPTED, "closed before its end");
        }
    }
}
