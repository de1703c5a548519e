package io.fdt.core.stats;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.JobEnd;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a session, from which the summary line, the exit code and the receipt are made.
 *
 * @param failure null if everything that was requested is in place
 * @param digest of the whole tree with its label, for example {@code xxh3-128:0123…}; null without one
 * @param preview the result of a dry run; null for a copy
 */
public record Summary(
        @Nullable Failure failure,
        Files files,
        Bytes bytes,
        Run run,
        @Nullable String digest,
        @Nullable Preview preview)
        implements JobEnd {

    /** All results of {@link #outcome}. */
    public static final List<String> OUTCOMES = List.of("ok", "partial", "failed", "interrupted");

    /**
     * What became of the files.
     *
     * @param inPlace at the end, including those that were there before
     * @param deleted on the target because the source does not have them; directories are not counted
     * @param firstFailed the first failed files, each with its reason; {@code failed} counts all
     */
    public record Files(long inPlace, long skipped, long failed, long deleted, List<FailedFile> firstFailed) {
        public Files {
            firstFailed = List.copyOf(firstFailed);
        }
    }

    /**
     * What became of the bytes.
     *
     * @param inPlace at the end, including those that were there before
     * @param resumed not moved because the journal shows them as durable
     * @param kept in unfinished files: what the next run resumes
     * @param keptExact false if the receiver may keep more, because it could not tell
     */
    public record Bytes(long inPlace, Moved moved, long resumed, long resent, long kept, boolean keptExact) {
        public static final Bytes NOTHING = of(0, Moved.NOTHING);

        /** Of work that leaves nothing unfinished. */
        public static Bytes of(long inPlace, Moved moved) {
            return new Bytes(inPlace, moved, 0, 0, 0, true);
        }
    }

    /**
     * How the session ran.
     *
     * @param session its name; empty if there was none
     * @param lanesReplaced how often a lane was closed and dialled again to use another NIC
     * @param bottleneck for example {@code target-disk}; empty if nothing was copied
     */
    public record Run(String session, int lanes, long lanesReplaced, long elapsedNanos, String bottleneck) {}

    /** The result of a dry run: the files that would be created, replaced and deleted. */
    public record Preview(long filesToCopy, long filesToReplace, long filesToDelete, long bytesToCopy) {}

    /** A file that is not in place, and the reason. The path is for display and already escaped. */
    public record FailedFile(String path, Failure failure) {
        /** Returns the file with its reason: the failure's own path says more, such as the place of the file. */
        public String text() {
            return named().text();
        }

        /** Returns the failure with the path of the file, unless it has its own. */
        public Failure named() {
            return failure.path() == null ? failure.at(path) : failure;
        }
    }

    /** Returns the summary of a session that copied nothing itself. */
    public static Summary of(
            @Nullable TransferException failure,
            long files,
            long bytes,
            long bytesSent,
            int lanes,
            long elapsedNanos,
            String session) {
        return of(
                failure,
                new Files(files, 0, 0, 0, List.of()),
                Bytes.of(bytes, Moved.all(bytesSent)),
                new Run(session, lanes, 0, elapsedNanos, ""));
    }

    /** Returns the summary of a copy whose later progress is not known. */
    public static Summary of(
            @Nullable TransferException failure,
            Progress last,
            List<FailedFile> failedFiles,
            String bottleneck,
            String session) {
        Progress.Files files = last.files();
        return of(
                failure,
                new Files(files.done(), files.skipped(), files.failed(), 0, failedFiles),
                last.bytes().soFar(),
                new Run(session, last.lanesAlive(), 0, last.elapsedNanos(), bottleneck));
    }

    private static Summary of(@Nullable TransferException failure, Files files, Bytes bytes, Run run) {
        return new Summary(failure == null ? null : failure.failure(), files, bytes, run, null, null);
    }

    /** Returns {@code ok}, {@code partial}, {@code failed} or {@code interrupted}. */
    public String outcome() {
        return outcomeOf(kind());
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

    /** Returns the same summary with a failure that was found after the session had ended. */
    public Summary failedWith(Failure why) {
        return new Summary(why, files, bytes, run, digest, preview);
    }

    /** Returns the same summary for another session, on whose behalf this one ran. */
    public Summary asEndOf(String session) {
        Run other = new Run(session, run.lanes, run.lanesReplaced, run.elapsedNanos, run.bottleneck);
        return new Summary(failure, files, bytes, other, digest, preview);
    }

    /** Returns the same summary with what only the client that followed it knows. */
    public Summary followedFor(long nanos, List<FailedFile> failed, @Nullable Preview found) {
        Files named = new Files(files.inPlace, files.skipped, files.failed, files.deleted, failed);
        Run timed = new Run(run.session, run.lanes, run.lanesReplaced, nanos, run.bottleneck);
        return new Summary(failure, named, bytes, timed, digest, found);
    }
}
