package io.fdt.core.transfer;

import io.fdt.core.failure.Failure;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import org.jspecify.annotations.Nullable;

/** Is notified of every settled entry, for example to write a receipt or the log of a run. On the session's thread. */
public interface EntryBook {
    /** An entry was offered. {@link #settled} follows unless the session ends before, or is a dry run. */
    default void found(FileEntry entry) {}

    /** An earlier copy has moved this many bytes of an entry that was offered. */
    default void resumed(FileEntry entry, long bytes) {}

    /** This copy has moved this many bytes, which are durable, of an entry that fails now. */
    default void moved(FileEntry entry, long bytes) {}

    /** @param value the hash of the entry's bytes, empty if they were not hashed */
    void settled(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why);

    /**
     * The hash with which the observer is notified of an entry that was settled just now without being sent; null if
     * the book will do that itself, when the hash is known.
     *
     * @param value empty if the entry was not hashed
     */
    default byte @Nullable [] toTell(byte[] value) {
        return value;
    }

    /** Called periodically while the session runs. */
    default void onTick(TransferFigures figures) {}
}
