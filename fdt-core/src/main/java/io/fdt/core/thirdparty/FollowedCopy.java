package io.fdt.core.thirdparty;

import io.fdt.core.control.Session;
import io.fdt.core.control.SessionHandler;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.receipt.FetchedReceipt;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.Summary.FailedFile;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.wire.ControlMessage;
import io.fdt.core.wire.SessionMessage;
import io.fdt.core.wire.ThirdPartyMessage;
import io.fdt.core.wire.ThirdPartyMessage.FileReport;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyEnded;
import io.fdt.core.wire.ThirdPartyMessage.ThirdPartyProgress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's view of a copy that the sending server runs for it, from that server's messages only. They are used only
 * for display. Messages are handled on the session's thread; progress may be read on any thread.
 */
final class FollowedCopy implements SessionHandler {
    private static final int MAX_LISTED_FAILURES = 1000;

    private final Session session;
    private final TransferObserver observer;
    private final @Nullable FetchedReceipt receipt;
    private final TransferFigures figures = new TransferFigures();
    private final List<FailedFile> failedFiles = new ArrayList<>();
    private volatile Progress reported = Progress.NONE;
    private volatile String name = "";
    private boolean started;
    private boolean leavesAtStart;
    private @Nullable Summary end;

    /** @param receipt gets the parts that the server sends; null if none is wanted */
    FollowedCopy(
            Session session,
            DigestKind digest,
            boolean dryRun,
            @Nullable FetchedReceipt receipt,
            TransferObserver observer) {
        this.session = session;
        this.receipt = receipt;
        this.figures.dryRun = dryRun;
        this.observer = observer;
        session.activity()
                .begin(new SessionActivity.Work(
                        SessionActivity.Service.COPY,
                        SessionActivity.Direction.OUT,
                        digest == DigestKind.NONE ? "" : digest.label(),
                        figures,
                        () -> 0));
    }

    /** The session between the two servers; empty before it is known. */
    String session() {
        return name;
    }

    /** The session is done as soon as the copy runs. For before {@link Session#attach}. */
    void leaveAtStart() {
        leavesAtStart = true;
    }

    /** Whether the copy goes on, or has ended since it began. */
    boolean isLeft() {
        return leavesAtStart && started;
    }

    /** The first failed files. For the session's thread, or after its end. */
    List<FailedFile> failedFiles() {
        return List.copyOf(failedFiles);
    }

    Progress progress(long elapsedNanos) {
        return reported.after(elapsedNanos);
    }

    /** The result, after the receipt has got its name. For one call. */
    Summary summary(long elapsedNanos) {
        Summary last = end;
        if (last == null) {
            throw new IllegalStateException("the copy has not ended");
        }
        Summary followed = last.followedFor(elapsedNanos, failedFiles(), figures.preview());
        return receipt == null ? followed : receipt.finish(followed, observer::onWarning);
    }

    @Override
    public boolean takes(Class<? extends ControlMessage> type) {
        return type == ThirdPartyProgress.class
                || type == ThirdPartyMessage.ThirdPartyFiles.class
                || (type == ThirdPartyMessage.ThirdPartyReceipt.class && receipt != null)
                || type == ThirdPartyMessage.ThirdPartyStarted.class
                || type == ThirdPartyEnded.class
                || type == SessionMessage.Warning.class;
    }

    @Override
    public void onMessage(ControlMessage message) {
        if (message instanceof ThirdPartyProgress progress) {
            onProgress(progress.progress());
        } else if (message instanceof ThirdPartyMessage.ThirdPartyFiles page) {
            page.files().forEach(this::onFile);
            session.send(new ThirdPartyMessage.ThirdPartyFilesHeard(1));
        } else if (message instanceof ThirdPartyMessage.ThirdPartyReceipt part
                && receipt != null
                && started
                && receipt.add(part.part(), part.leftBytes())) {
            session.send(new ThirdPartyMessage.ThirdPartyFilesHeard(1));
        } else if (message instanceof ThirdPartyMessage.ThirdPartyStarted start && !started) {
            started = true;
            name = start.session();
            observer.onStart(start.session(), start.lanes(), start.transport(), start.peer());
        } else if (message instanceof ThirdPartyEnded last) {
            end = last.summary();
        } else if (message instanceof SessionMessage.Warning warning) {
            observer.onWarning(warning.message());
        } else {
            throw SessionHandler.unexpected(session, message);
        }
    }

    private void onProgress(Progress progress) {
        reported = progress;
        figures.endless = progress.bytes().total() < 0;
        figures.bytesTotal.set(Math.max(0, progress.bytes().total()));
        figures.bytesDone.set(progress.bytes().done());
        Moved moved = progress.bytes().moved();
        figures.bytesSent.set(moved.sent());
        figures.bytesArrived.set(moved.arrived());
        figures.bytesVerified.set(moved.verified());
        figures.bytesMoved.set(moved.durable());
        figures.bytesNamed.set(moved.named());
        figures.filesTotal.set(progress.files().total());
        figures.filesDone.set(progress.files().done());
        figures.filesFailed.set(progress.files().failed());
        figures.filesSkipped.set(progress.files().skipped());
        figures.lanesAlive.set(progress.lanesAlive());
        figures.totalsFinal = progress.totalsFinal();
    }

    private void onFile(FileReport file) {
        FileOutcome outcome = FileOutcome.valueOf(file.end().name());
        Failure why = file.why();
        if (outcome == FileOutcome.FAILED && why != null && failedFiles.size() < MAX_LISTED_FAILURES) {
            failedFiles.add(new FailedFile(file.path(), why));
        }
        if (outcome == FileOutcome.WOULD_COPY || outcome == FileOutcome.WOULD_REPLACE) {
            (outcome == FileOutcome.WOULD_COPY ? figures.filesToCopy : figures.filesToReplace).incrementAndGet();
            figures.bytesToCopy.addAndGet(file.sizeBytes());
        }
        if (outcome == FileOutcome.WOULD_DELETE && !file.path().endsWith("/")) {
            figures.filesDeleted.incrementAndGet();
        }
        if (outcome == FileOutcome.COPIED || outcome == FileOutcome.RESUMED || outcome == FileOutcome.SKIPPED) {
            observer.onFileInPlace(file.path(), outcome, file.sizeBytes(), file.checksums());
        } else {
            observer.onFile(file.path(), outcome, file.sizeBytes(), why);
        }
    }

    @Override
    public boolean isDone() {
        return end != null || isLeft();
    }

    @Override
    public void onLinkClosed(@Nullable TransferException cause) {
        throw SessionHandler.lost(session, cause, ", the sender, disconnected before the end");
    }
}
