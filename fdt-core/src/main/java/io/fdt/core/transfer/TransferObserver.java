package io.fdt.core.transfer;

import io.fdt.core.digest.FileHash;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.SessionActivity;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a session. Called on the session's thread; must return soon. Implementations override only the
 * events that they need.
 */
public interface TransferObserver {
    TransferObserver NONE = new TransferObserver() {};

    /** The lanes are open. Transport and cipher are for display, see {@code Lane.description}. */
    default void onStart(String session, int lanes, String transport, String peer) {}

    /** A file was offered to the receiver; {@link #onFile} with the same path may follow. */
    default void onFound(Supplier<String> path, long sizeBytes) {}

    /**
     * A file failed, or would be copied or deleted, or the observer does not use {@link #onFileInPlace}. The path is
     * for display, already escaped.
     */
    default void onFile(String path, FileOutcome outcome, long sizeBytes, @Nullable Failure why) {}

    /** A file is in place or was skipped; checksums have eight hexadecimal digits, and are there if requested. */
    default void onFileInPlace(String path, FileOutcome outcome, long sizeBytes, Map<FileHash, String> checksums) {
        onFile(path, outcome, sizeBytes, null);
    }

    /** Whether files that are skipped are read for the checksums that were requested. */
    default boolean wantsChecksumsOfSkipped() {
        return false;
    }

    /** The session is open and can be observed while it runs. */
    default void onActivity(SessionActivity session) {}

    /** A warning for the operator that does not end the session; one line. */
    default void onWarning(String message) {}

    enum FileOutcome {
        COPIED,
        RESUMED,
        SKIPPED,
        FAILED,
        /** In a dry run: it would be copied. */
        WOULD_COPY,
        /** In a dry run: it would replace another file. */
        WOULD_REPLACE,
        /** It was deleted because the source does not have it. The path of a directory ends with a slash. */
        DELETED,
        /** In a dry run: it would be deleted. */
        WOULD_DELETE
    }
}
