package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the books of one side of a session: what was found, what became of it, and what the whole amounts to. Belongs to
 * the session's thread; the figures may be read anywhere.
 */
final class Ledger {
    private static final int MAX_LISTED_FAILURES = 1000;
    private static final byte[] NO_DIGEST = new byte[0];

    private final TransferFigures figures;
    private final TransferObserver observer;
    private final List<FailedFile> failedFiles = new ArrayList<>();
    private final List<EntryBook> books = new ArrayList<>();
    private final Set<FailureKind> failureKinds = EnumSet.noneOf(FailureKind.class);

    Ledger(TransferFigures figures, TransferObserver observer) {
        this.figures = figures;
        this.observer = observer;
    }

    /** Tells this book everything, too, from now on. */
    void writeTo(EntryBook book) {
        books.add(book);
    }

    private void write(FileEntry entry, long sizeBytes, byte[] digest, FileOutcome outcome, @Nullable String reason) {
        for (EntryBook book : books) {
            book.settled(entry, sizeBytes, digest, outcome, reason);
        }
    }

    /** Now and then, while the session runs. */
    void onTick() {
        for (EntryBook book : books) {
            book.onTick(figures);
        }
    }

    void found(FileEntry entry) {
        if (entry.kind() == FileEntry.Kind.STREAM && entry.sizeBytes() == FileEntry.UNKNOWN_SIZE) {
            figures.endless = true;
        }
        if (entry.hasData()) {
            figures.filesTotal.incrementAndGet();
            figures.bytesTotal.addAndGet(Math.max(0, entry.sizeBytes()));
        }
    }

    /** Bytes that a journal vouched for. */
    void resumed(long bytes) {
        figures.bytesResumed.addAndGet(bytes);
        figures.bytesDone.addAndGet(bytes);
    }

    /** A chunk is durable at the target. */
    void acknowledged(long bytes) {
        figures.bytesDone.addAndGet(bytes);
    }

    void skipped(FileEntry entry) {
        write(entry, entry.sizeBytes(), NO_DIGEST, FileOutcome.SKIPPED, null);
        if (entry.hasData()) {
            figures.filesSkipped.incrementAndGet();
            figures.filesDone.incrementAndGet();
            figures.bytesDone.addAndGet(entry.sizeBytes());
            figures.bytesInPlace.addAndGet(entry.sizeBytes());
            observer.onFile(entry.path().display(), FileOutcome.SKIPPED, entry.sizeBytes(), null, null);
        }
    }

    void wouldCopy(FileEntry entry) {
        if (entry.hasData()) {
            observer.onFile(entry.path().display(), FileOutcome.WOULD_COPY, entry.sizeBytes(), null, null);
        }
    }

    /** A directory or link is in place. */
    void made(FileEntry entry) {
        write(entry, 0, NO_DIGEST, FileOutcome.COPIED, null);
    }

    void done(FileEntry entry, long sizeBytes, boolean resumed, byte[] digest) {
        write(entry, sizeBytes, digest, resumed ? FileOutcome.RESUMED : FileOutcome.COPIED, null);
        if (entry.hasData()) {
            figures.filesDone.incrementAndGet();
            figures.bytesInPlace.addAndGet(sizeBytes);
            FileOutcome outcome = resumed ? FileOutcome.RESUMED : FileOutcome.COPIED;
            observer.onFile(entry.path().display(), outcome, sizeBytes, null, null);
        }
    }

    /** An entry, of whatever kind, is not in place. */
    void failed(FileEntry entry, FailureKind kind, String reason) {
        write(entry, entry.sizeBytes(), NO_DIGEST, FileOutcome.FAILED, reason);
        failed(entry.path(), Math.max(0, entry.sizeBytes()), kind, reason);
    }

    /** Something that never became an entry is not in place. */
    void failed(RawPath path, long sizeBytes, FailureKind kind, String reason) {
        figures.filesFailed.incrementAndGet();
        failureKinds.add(kind);
        String shown = path.display();
        if (failedFiles.size() < MAX_LISTED_FAILURES) {
            failedFiles.add(new FailedFile(shown, kind, reason));
        }
        observer.onFile(shown, FileOutcome.FAILED, sizeBytes, kind, reason);
    }

    void warn(String message) {
        observer.onWarning(message);
    }

    List<FailedFile> failedFiles() {
        return failedFiles;
    }

    /**
     * What the failed files make of a session that otherwise came to its end: integrity above all; if nothing at all is
     * in place for one and the same reason, that reason; otherwise some files failed. Null if none did.
     */
    @Nullable TransferException verdict() {
        long failed = figures.filesFailed.get();
        if (failed == 0) {
            return null;
        }
        FailedFile first = failedFiles.get(0);
        if (failureKinds.contains(FailureKind.INTEGRITY)) {
            return new TransferException(
                    FailureKind.INTEGRITY, "data did not verify even after it was sent again: " + first.path());
        }
        boolean nothingInPlace = figures.filesDone.get() == 0;
        if (nothingInPlace && failureKinds.size() == 1) {
            String others = failed == 1 ? "" : " (and " + (failed - 1) + " more)";
            return new TransferException(first.kind(), first.path() + ": " + first.reason() + others);
        }
        return new TransferException(
                FailureKind.SOME_FILES_FAILED,
                failed + (failed == 1 ? " file" : " files") + " failed, the first: " + first.path() + ": "
                        + first.reason());
    }

    /**
     * The whole session as it ended.
     *
     * @param session null if none came about
     * @param moved counts the payload on this side
     */
    Summary summary(
            @Nullable TransferException failure,
            @Nullable Session session,
            Counter moved,
            int lanes,
            Outcome outcome,
            long elapsedNanos) {
        if (session != null && moved == Counter.SENT_BYTES) {
            figures.bytesResent.set(session.counters().sum(Counter.RESENT_BYTES));
        }
        return new Summary(
                failure == null ? null : failure.kind(),
                failure == null ? null : failure.getMessage(),
                figures.filesDone.get(),
                figures.bytesInPlace.get(),
                session == null ? 0 : session.counters().sum(moved),
                figures.bytesResumed.get(),
                figures.bytesResent.get(),
                figures.filesSkipped.get(),
                figures.filesFailed.get(),
                List.copyOf(failedFiles),
                lanes,
                figures.lanesReplaced.get(),
                elapsedNanos,
                outcome.digest,
                outcome.bottleneck,
                session == null ? "" : session.name());
    }

    /** What both sides together found at the end. */
    record Outcome(@Nullable String digest, String bottleneck) {
        static final Outcome NONE = new Outcome(null, "none");

        static Outcome of(Sender sender) {
            TransferMessage.Finished theirs = sender.finished();
            TransferMessage.Finish mine = sender.finish();
            return theirs == null || mine == null ? NONE : of(mine, theirs);
        }

        static Outcome of(Receiver receiver) {
            TransferMessage.Finished mine = receiver.finished();
            TransferMessage.Finish theirs = receiver.finish();
            return theirs == null || mine == null ? NONE : of(theirs, mine);
        }

        private static Outcome of(TransferMessage.Finish sender, TransferMessage.Finished receiver) {
            return new Outcome(
                    receiver.digest(),
                    Bottleneck.verdict(
                            sender.senderLimit(), receiver.receiverLimit(), receiver.receiverLimitPercent()));
        }
    }
}
