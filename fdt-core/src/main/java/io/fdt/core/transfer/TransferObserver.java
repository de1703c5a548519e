package io.fdt.core.transfer;

import io.fdt.core.FailureKind;
import io.fdt.core.stats.SessionActivity;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of a session. Called on the session's thread; must return soon. Whoever cares for some of it only
 * leaves the rest out.
 */
public interface TransferObserver {
    /** Nobody watches. */
    TransferObserver NONE = new TransferObserver() {};

    /** The lanes are open. Transport and cipher are in words, see {@code Lane.description}. */
    default void onStart(String session, int lanes, String transport, String peer) {}

    /** One file is in place, was skipped, or failed. The path is for people, already escaped. */
    default void onFile(
            String path, FileOutcome outcome, long sizeBytes, @Nullable FailureKind kind, @Nullable String reason) {}

    /** The session is open; it can be looked at while it runs. */
    default void onActivity(SessionActivity session) {}

    /** Something the operator should know and that does not end the session; one line. */
    default void onWarning(String message) {}

    /** How a file ended. */
    enum FileOutcome {
        COPIED,
        RESUMED,
        SKIPPED,
        FAILED,
        /** In a dry run: it would be copied. */
        WOULD_COPY,
        /** In a dry run: it would be copied, in the place of another file. */
        WOULD_REPLACE,
        /** The source does not have it, so it was deleted. The path of a directory ends with a slash. */
        DELETED,
        /** The same in a dry run. */
        WOULD_DELETE
    }
}
