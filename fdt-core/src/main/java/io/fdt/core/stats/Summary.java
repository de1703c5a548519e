package io.fdt.core.stats;

import io.fdt.core.FailureKind;
import io.fdt.core.JobEnd;
import io.fdt.core.TransferException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a session ended: what the summary line, the exit code and the receipt are made of.
 *
 * @param failure null when everything that was asked for is in place
 * @param files in place at the end, those that were there before included
 * @param bytesMoved acknowledged as durable in this session
 * @param bytesSent payload that went over the lanes, bytes that were sent again or not acknowledged included
 * @param bytesResumed not moved because a journal vouched for them
 * @param failedFiles the first ones, each with its reason; {@code filesFailed} counts all
 * @param filesDeleted on the target, because the source did not have them; directories are not counted
 * @param preview what a dry run found; null in a copy
 * @param lanesReplaced how often a lane was ended in order and dialled again, to go over another NIC
 * @param digest of the whole tree with its label, for example {@code xxh3-128:0123…}; null without one
 * @param bottleneck what held the session back, for example {@code target-disk}
 */
public record Summary(
        @Nullable FailureKind failure,
        @Nullable String message,
        long files,
        long bytes,
        long bytesMoved,
        long bytesSent,
        long bytesResumed,
        long bytesResent,
        long filesSkipped,
        long filesFailed,
        List<FailedFile> failedFiles,
        int lanes,
        long lanesReplaced,
        long elapsedNanos,
        @Nullable String digest,
        String bottleneck,
        String session,
        long filesDeleted,
        @Nullable Preview preview)
        implements JobEnd {

    /** What a dry run found: files that would be new, that would replace others, and that would be deleted. */
    public record Preview(long filesToCopy, long filesToReplace, long filesToDelete, long bytesToCopy) {}

    /** Of a session that copied nothing itself. */
    public static Summary of(
            @Nullable TransferException failure,
            long files,
            long bytes,
            long bytesSent,
            int lanes,
            long elapsedNanos,
            String session) {
        Progress end = new Progress(0, bytes, bytesSent, bytesSent, 0, files, 0, 0, lanes, false, elapsedNanos);
        return of(failure, end, List.of(), "", session);
    }

    /** Of a copy that was followed no further than this. */
    public static Summary of(
            @Nullable TransferException failure,
            Progress last,
            List<FailedFile> failedFiles,
            String bottleneck,
            String session) {
        return new Summary(
                failure == null ? null : failure.kind(),
                failure == null ? null : failure.getMessage(),
                last.filesDone(),
                last.bytesDone(),
                last.bytesMoved(),
                last.bytesSent(),
                0,
                0,
                last.filesSkipped(),
                last.filesFailed(),
                failedFiles,
                last.lanesAlive(),
                0,
                last.elapsedNanos(),
                null,
                bottleneck,
                session,
                0,
                null);
    }

    /** A file that is not in place, and why. The path is for people, already escaped. */
    public record FailedFile(String path, FailureKind kind, String reason) {}

    /** The same session with a failure that came to light after its end. */
    public Summary failedWith(FailureKind kind, String why) {
        return with(kind, why, failedFiles, elapsedNanos, session, preview);
    }

    /** The same, as the end of another session, which asked for it. */
    public Summary asEndOf(String otherSession) {
        return with(failure, message, failedFiles, elapsedNanos, otherSession, preview);
    }

    /** The same with what only the client knows that followed it. */
    public Summary followedFor(long nanos, List<FailedFile> failed, @Nullable Preview found) {
        return with(failure, message, failed, nanos, session, found);
    }

    private Summary with(
            @Nullable FailureKind newFailure,
            @Nullable String newMessage,
            List<FailedFile> newFailedFiles,
            long newElapsedNanos,
            String newSession,
            @Nullable Preview newPreview) {
        return new Summary(
                newFailure,
                newMessage,
                files,
                bytes,
                bytesMoved,
                bytesSent,
                bytesResumed,
                bytesResent,
                filesSkipped,
                filesFailed,
                newFailedFiles,
                lanes,
                lanesReplaced,
                newElapsedNanos,
                digest,
                bottleneck,
                newSession,
                filesDeleted,
                newPreview);
    }
}
