package io.fdt.core.errand;

import io.fdt.core.TransferException;
import io.fdt.core.control.Session;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.Summary.FailedFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Summaries of sessions that move nothing themselves. */
final class ErrandSummary {
    private ErrandSummary() {}

    /** Of a session that only stood. */
    static Summary of(Session session, @Nullable TransferException failure) {
        return of(failure, null, List.of(), session.elapsedNanos(), session.name());
    }

    /** Of a copy, as the end of the session that asked for it. */
    static Summary of(Session session, Summary copy) {
        return new Summary(
                copy.failure(),
                copy.message(),
                copy.files(),
                copy.bytes(),
                copy.bytesMoved(),
                copy.bytesSent(),
                copy.bytesResumed(),
                copy.bytesResent(),
                copy.filesSkipped(),
                copy.filesFailed(),
                copy.failedFiles(),
                copy.lanes(),
                copy.lanesReplaced(),
                copy.elapsedNanos(),
                copy.digest(),
                copy.bottleneck(),
                session.name(),
                copy.filesDeleted(),
                copy.preview());
    }

    /** Of a copy that was followed no further than this. */
    static Summary of(
            @Nullable TransferException failure,
            @Nullable Progress progress,
            List<FailedFile> failedFiles,
            long elapsedNanos,
            String session) {
        return new Summary(
                failure == null ? null : failure.kind(),
                failure == null ? null : failure.getMessage(),
                progress == null ? 0 : progress.filesDone(),
                progress == null ? 0 : progress.bytesDone(),
                progress == null ? 0 : progress.bytesMoved(),
                progress == null ? 0 : progress.bytesSent(),
                0,
                0,
                progress == null ? 0 : progress.filesSkipped(),
                progress == null ? 0 : progress.filesFailed(),
                failedFiles,
                progress == null ? 0 : progress.lanesAlive(),
                0,
                elapsedNanos,
                null,
                "none",
                session);
    }
}
