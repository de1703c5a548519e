package io.fdt.core.files;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * Receives the answers of an operation, in the order of its paths. Called on a thread that all operations share;
 * blocking here delays them. Each read has a thread of its own, and blocking slows only its server down.
 */
public interface OperationObserver {
    /**
     * What is at a path, or what was made, moved or removed there.
     *
     * @param digest of a sum; otherwise empty
     * @param doubt of a file that {@code stat} looked at: {@code unflushed} if the copy that wrote it did not flush it,
     *     {@code doubtful} if it may have lost data since; otherwise null
     */
    void onEntry(ListObserver.Entry entry, byte[] digest, @Nullable String doubt);

    /** Something that could not be done, or that stays below a directory that was to be removed. */
    void onFailed(RawPath path, Failure why);

    /**
     * The next bytes of what is read, verified: those of all ranges, one after the other. The entry of a file comes
     * before its data. A failure that is thrown here ends the operation.
     */
    default void onData(byte[] bytes) {}

    /** The space on the file system of a path. */
    default void onSpace(ListObserver.Space space) {}

    /** The operation is over; no other call follows. */
    default void onEnd(OperationSummary summary) {}
}
