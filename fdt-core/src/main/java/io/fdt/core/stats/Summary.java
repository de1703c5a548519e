package io.fdt.core.stats;

import io.fdt.core.FailureKind;
import io.fdt.core.JobEnd;
import io.fdt.core.TransferException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a session, from which the summary line, the exit code and the receipt are made.
 *
 * @param failure null if everything that was requested is in place
 * @param files in place at the end, including those that were there before
 * @param bytesMoved acknowledged as durable in this session
 * @param bytesSent payload sent over the lanes, including resent and unacknowledged bytes
 * @param bytesResumed not moved because the journal shows them as durable
 * @param failedFiles the first failed files, each with its reason; {@code filesFailed} counts all
 * @param filesDeleted on the target because the source does not have them; directories are not counted
 * @param preview the result of a dry run; null for a copy
 * @param lanesReplaced how often a lane was closed and dialled again to use another NIC
 * @param digest of the whole tree with its label, for example {@code xxh3-128:0123…}; null without one
 * @param bottleneck of the session, for example {@code target-disk}
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

    /** All results of {@link #outcome}. */
    public static final List<String> OUTCOMES = List.of("ok", "partial", "failed", "interrupted");

    /** The result of a dry run: the files that would be created, replaced and deleted. */
    public record Preview(long filesToCopy, long filesToReplace, long filesToDelete, long bytesToCopy) {}

    /** Returns the summary of a session that copied nothing itself. */
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

    /** Returns the summary of a copy whose later progress is not known. */
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

    /** Returns {@code ok}, {@code partial}, {@code failed} or {@code interrupted}. */
    public String outcome() {
        return outcomeOf(failure);
    }

    /** Returns the outcome of a command that ended with this failure, in the words of {@link #OUTCOMES}. */
    public static String outcomeOf(@Nullable FailureKind failure) {
        if (failure == null) {
            return "ok";
        }
        return switch (failure) {
            case SOME_FILES_FAILED -> "partial";
            case INTERRUPTED, TERMINATED -> "interrupted";
            default -> "failed";
        };
    }

    /** A file that is not in place, and the reason. The path is for display and already escaped. */
    public record FailedFile(String path, FailureKind kind, String reason) {}

    /** Returns the same summary with a failure that was found after the session had ended. */
    public Summary failedWith(FailureKind kind, String why) {
        return with(kind, why, failedFiles, elapsedNanos, session, preview);
    }

    /** Returns the same summary for another session, on whose behalf this one ran. */
    public Summary asEndOf(String otherSession) {
        return with(failure, message, failedFiles, elapsedNanos, otherSession, preview);
    }

    /** Returns the same summary with what only the client that followed it knows. */
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
