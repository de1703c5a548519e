package io.fdt.core.transfer;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.control.Session;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.TransferMessage;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Records what one side of a session found, what happened to it, and the totals. For the session's thread; the figures
 * are thread-safe.
 */
public final class Ledger {
    private static final int MAX_LISTED_FAILURES = 1000;
    /** Further failures are only counted, as is the rest of a long reason. */
    private static final int MAX_LISTED_CHARS = 128 << 10;
    /** At a server, every session's are logged. */
    private static final int SERVER_LISTED_CHARS = 16 << 10;

    /** The heap of a listed failure: two bytes for each character, and the objects. */
    private static final long FAILURE_BYTES = 128;

    private static final byte[] NO_DIGEST = new byte[0];

    private final TransferFigures figures;
    private final TransferObserver observer;
    private final Budget budget;
    /** With less data in less time, the shares of the lanes mean nothing. */
    private static final long MEASURED_BYTES = 1 << 20;

    private static final long MEASURED_NANOS = 10_000_000_000L;

    private final List<FailedFile> failedFiles = new ArrayList<>();
    private final int maxListedChars;
    private int listedChars;
    private final List<EntryBook> books = new ArrayList<>();
    private NodeHash hash = DigestKind.NONE;
    private final Set<Cause> causes = EnumSet.noneOf(Cause.class);

    /** Of a client, for which its own user pays. */
    public Ledger(TransferFigures figures, TransferObserver observer) {
        this(figures, observer, Budgets.ofProcess(), MAX_LISTED_CHARS);
    }

    /**
     * Of a server.
     *
     * @param budget charged with the reasons that are listed; without room, failures are only counted
     */
    public Ledger(TransferFigures figures, Budget budget) {
        this(figures, TransferObserver.NONE, budget, SERVER_LISTED_CHARS);
    }

    private Ledger(TransferFigures figures, TransferObserver observer, Budget budget, int maxListedChars) {
        this.budget = budget;
        this.maxListedChars = maxListedChars;
        this.figures = figures;
        this.observer = observer;
    }

    /** Sets the hash of the values that follow. */
    public void hashesWith(NodeHash agreed) {
        hash = agreed;
    }

    public TransferFigures figures() {
        return figures;
    }

    /** Also notifies this book from now on. */
    public void writeTo(EntryBook book) {
        books.add(book);
    }

    private void write(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
        for (EntryBook book : books) {
            book.settled(entry, sizeBytes, value, outcome, why);
        }
    }

    /** Called periodically while the session runs. */
    public void onTick() {
        for (EntryBook book : books) {
            book.onTick(figures);
        }
    }

    public void found(FileEntry entry) {
        for (EntryBook book : books) {
            book.found(entry);
        }
        if (entry.kind() == FileEntry.Kind.STREAM && entry.sizeBytes() == FileEntry.UNKNOWN_SIZE) {
            figures.endless = true;
        }
        if (entry.isFile()) {
            observer.onFound(entry.path()::display, entry.dataBytes());
            figures.filesTotal.incrementAndGet();
            if (figures.file == null) {
                figures.file = entry.path().display();
            }
            figures.bytesTotal.addAndGet(entry.dataBytes());
        }
    }

    /** Bytes that the journal shows as durable. */
    public void resumed(FileEntry entry, long bytes) {
        for (EntryBook book : books) {
            book.resumed(entry, bytes);
        }
        figures.bytesResumed.addAndGet(bytes);
        figures.bytesDone.addAndGet(bytes);
    }

    /** Thread-safe. */
    public void acknowledged(long bytes) {
        figures.bytesMoved.addAndGet(bytes);
        figures.bytesDone.addAndGet(bytes);
    }

    /**
     * Takes what the lanes have counted so far, and what the receiver has told of its side. Thread-safe.
     *
     * @param payload counts the bytes over the lanes on this side
     */
    public void count(Session session, Counter payload) {
        SessionCounters lanes = session.counters();
        figures.bytesSent.set(lanes.sum(payload));
        if (payload == Counter.RECEIVED_BYTES) {
            figures.bytesArrived.set(lanes.sum(payload));
            figures.bytesVerified.set(lanes.sum(Counter.VERIFIED_BYTES));
            return;
        }
        figures.bytesResent.set(lanes.sum(Counter.RESENT_BYTES));
        SessionMessage.Counted told = session.counted();
        if (told != null) {
            figures.bytesArrived.set(told.arrived());
            figures.bytesVerified.set(told.verified());
            figures.bytesKept.set(told.kept());
        }
    }

    /** At the sender's end: after a stop, it has not heard the last acknowledgements. */
    private void countLast(SessionMessage.@Nullable Counted told) {
        if (told != null && told.last()) {
            figures.bytesDone.addAndGet(told.durable() - figures.bytesMoved.getAndSet(told.durable()));
            figures.keptExact = true;
        }
    }

    /** A file has its final name. Thread-safe. */
    public void named(long sizeBytes, long resumedBytes) {
        figures.bytesNamed.addAndGet(sizeBytes - resumedBytes);
    }

    public long movedBytes() {
        return figures.bytesMoved.get();
    }

    /** @param value the hash of the existing content; empty if it was not hashed */
    public void skipped(FileEntry entry, byte[] value) {
        write(entry, entry.sizeBytes(), value, FileOutcome.SKIPPED, null);
        if (entry.isFile()) {
            figures.filesSkipped.incrementAndGet();
            figures.filesDone.incrementAndGet();
            figures.bytesDone.addAndGet(entry.dataBytes());
            figures.bytesInPlace.addAndGet(entry.dataBytes());
            reportUnsent(entry, FileOutcome.SKIPPED, value);
        }
    }

    private void reportUnsent(FileEntry entry, FileOutcome outcome, byte[] value) {
        byte[] known = value;
        for (EntryBook book : books) {
            known = known == null ? null : book.toTell(known);
        }
        if (known != null) {
            reportInPlace(entry, outcome, entry.sizeBytes(), known);
        }
    }

    /** Notifies the observer of a file that is in place, with its checksums as far as the value contains them. */
    public void reportInPlace(FileEntry entry, FileOutcome outcome, long sizeBytes, byte[] value) {
        observer.onFileInPlace(entry.path().display(), outcome, sizeBytes, hash.checksumsOf(value));
    }

    /** @param replaces whether another file has its name now, which counts for a directory, too */
    public void wouldCopy(FileEntry entry, boolean replaces) {
        if (entry.isFile() || replaces) {
            (replaces ? figures.filesToReplace : figures.filesToCopy).incrementAndGet();
            figures.bytesToCopy.addAndGet(entry.dataBytes());
            FileOutcome outcome = replaces ? FileOutcome.WOULD_REPLACE : FileOutcome.WOULD_COPY;
            observer.onFile(entry.path().display(), outcome, entry.sizeBytes(), null);
        }
    }

    /**
     * The path was deleted, or would be, because the source does not have it. Directories are reported but not counted.
     */
    public void deleted(RawPath path, boolean directory) {
        if (!directory) {
            figures.filesDeleted.incrementAndGet();
        }
        FileOutcome outcome = figures.dryRun ? FileOutcome.WOULD_DELETE : FileOutcome.DELETED;
        observer.onFile(path.display() + (directory ? "/" : ""), outcome, 0, null);
    }

    public void made(FileEntry entry) {
        boolean file = entry.isFurtherName();
        write(entry, file ? entry.sizeBytes() : 0, NO_DIGEST, FileOutcome.COPIED, null);
        if (file) {
            figures.filesPlaced.incrementAndGet();
            figures.filesDone.incrementAndGet();
            reportUnsent(entry, FileOutcome.COPIED, NO_DIGEST);
        }
    }

    public void done(FileEntry entry, long sizeBytes, boolean resumed, byte[] value) {
        write(entry, sizeBytes, value, resumed ? FileOutcome.RESUMED : FileOutcome.COPIED, null);
        if (entry.hasData()) {
            figures.filesPlaced.incrementAndGet();
            figures.filesDone.incrementAndGet();
            figures.bytesInPlace.addAndGet(sizeBytes);
            FileOutcome outcome = resumed ? FileOutcome.RESUMED : FileOutcome.COPIED;
            figures.file = entry.path().display();
            reportInPlace(entry, outcome, sizeBytes, value);
        }
    }

    /** @param movedBytes what this session moved of the file */
    public void failed(FileEntry entry, long movedBytes, Failure why) {
        books.forEach(book -> book.moved(entry, movedBytes));
        failed(entry, why);
    }

    /** An entry of any kind is not in place. */
    public void failed(FileEntry entry, Failure why) {
        write(entry, entry.sizeBytes(), NO_DIGEST, FileOutcome.FAILED, why);
        failed(entry.path(), Math.max(0, entry.sizeBytes()), why);
    }

    /** Something that never became an entry is not in place. */
    public void failed(RawPath path, long sizeBytes, Failure why) {
        figures.filesFailed.incrementAndGet();
        causes.add(why.cause());
        String shown = path.display();
        int chars = shown.length() + why.chars();
        boolean fits = failedFiles.size() < MAX_LISTED_FAILURES
                && listedChars + chars <= maxListedChars
                && budget.tryTake(Resource.HEAP, FAILURE_BYTES + 2L * chars);
        if (fits || failedFiles.isEmpty()) {
            failedFiles.add(new FailedFile(shown, why));
            listedChars += chars;
        }
        observer.onFile(shown, FileOutcome.FAILED, sizeBytes, why);
    }

    /** @param what the file that lacks its digest */
    public void unhashed(CheckedEntry checked, String what) {
        Failure why = checked.failure();
        Failure known = why == null ? Failure.of(Cause.SOURCE, "could not be read") : why;
        String detail = "was copied, but could not be hashed for the " + what + ": " + known.reason();
        failed(checked.path(), 0, known.with(detail));
    }

    public void warn(String message) {
        observer.onWarning(message);
    }

    public List<FailedFile> failedFiles() {
        return failedFiles;
    }

    /**
     * The failure that follows from the failed files if the session otherwise succeeded: integrity first, then that
     * another copy writes the same files, then one of the target's device, which every file meets; if nothing at all is
     * in place for reasons with one exit code, the first; otherwise that some files failed. Null if none failed.
     */
    public @Nullable TransferException verdict() {
        long failed = figures.filesFailed.get();
        if (failed == 0) {
            return null;
        }
        FailedFile first = failedFiles.get(0);
        for (Cause cause : causes) {
            if (cause == Cause.INTEGRITY || cause == Cause.BUSY || cause.isOfDevice()) {
                return firstWith(cause).exception();
            }
        }
        // What a dry run would create counts, so that it ends like the copy.
        boolean nothingInPlace =
                figures.filesDone.get() + figures.filesToCopy.get() + figures.filesToReplace.get() == 0;
        boolean oneExitCode = causes.stream()
                .allMatch(cause -> cause.kind() == first.failure().kind());
        return nothingInPlace && oneExitCode ? ofAll(first, failed) : ofSome(first, failed);
    }

    private Failure firstWith(Cause cause) {
        return failedFiles.stream()
                .filter(each -> each.failure().is(cause))
                .findFirst()
                .map(FailedFile::named)
                .orElseGet(() -> Failure.of(cause, ""));
    }

    private static TransferException ofAll(FailedFile first, long failed) {
        Failure named = first.named();
        return failed == 1 ? named.exception() : named.failure(named.reason() + " (and " + (failed - 1) + " more)");
    }

    private TransferException ofSome(FailedFile first, long failed) {
        String files = failed + (failed == 1 ? " file" : " files");
        return figures.dryRun
                ? Cause.SOME_FILES_FAILED
                        .advise("nothing was changed; correct the cause before you copy")
                        .failure("dry run: " + files + " would fail, the first: "
                                + first.named().brief())
                : Cause.SOME_FILES_FAILED.failure(
                        files + " failed, the first: " + first.named().brief());
    }

    /**
     * @param session null if none was opened
     * @param payload counts the bytes over the lanes on this side
     */
    public Summary summary(
            @Nullable TransferException failure,
            @Nullable Session session,
            Counter payload,
            int lanes,
            CopyOutcome outcome,
            long elapsedNanos) {
        if (session != null) {
            count(session, payload);
            countLast(session.counted());
        }
        return new Summary(
                failure == null ? null : failure.failure(),
                new Summary.Files(
                        figures.filesDone.get(),
                        figures.filesSkipped.get(),
                        figures.filesFailed.get(),
                        figures.dryRun ? 0 : figures.filesDeleted.get(),
                        List.copyOf(failedFiles)),
                figures.bytes().soFar(),
                new Summary.Run(
                        session == null ? "" : session.name(),
                        lanes,
                        figures.lanesReplaced.get(),
                        elapsedNanos,
                        bottleneck(session, outcome, elapsedNanos)),
                outcome.digest,
                figures.preview());
    }

    /** A copy of little data spends its time on opening, and within a host there is no network. */
    private String bottleneck(@Nullable Session session, CopyOutcome outcome, long elapsedNanos) {
        boolean tiny = figures.bytesMoved.get() < MEASURED_BYTES && elapsedNanos < MEASURED_NANOS;
        boolean within = session != null
                && Carrier.MEMORY.isOf(session.activity().state().transport());
        return tiny || (within && outcome.bottleneck.equals(Bottleneck.NETWORK)) ? Bottleneck.NONE : outcome.bottleneck;
    }

    /**
     * The common result of both sides.
     *
     * @param finished whether the receiver has sent its last message, which it does after it has flushed the
     *     directories
     * @param renamed whether a single file was given the target's name
     */
    public record CopyOutcome(boolean finished, @Nullable String digest, String bottleneck, boolean renamed) {
        public static final CopyOutcome NONE = new CopyOutcome(false, null, Bottleneck.NONE, false);

        public static CopyOutcome of(CopySide side) {
            TransferMessage.Finish sender = side.finish();
            TransferMessage.Finished receiver = side.finished();
            return sender == null || receiver == null
                    ? NONE
                    : new CopyOutcome(
                            true,
                            receiver.digest(),
                            Bottleneck.verdict(
                                    sender.senderLimit(), receiver.receiverLimit(), receiver.receiverLimitPercent()),
                            receiver.renamed());
        }
    }
}
