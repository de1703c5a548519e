package io.fdt.core.transfer;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import org.jspecify.annotations.Nullable;

/** Is notified of every settled entry: what writes a receipt, or the log of a run. On the session's thread. */
public interface EntryBook {
    /** An entry was offered, which {@link #settled} follows unless the session ends before or only looks. */
    default void found(FileEntry entry) {}

    /** @param digest of the entry's bytes, empty where nobody hashed them */
    void settled(FileEntry entry, long sizeBytes, byte[] digest, FileOutcome outcome, @Nullable String reason);

    /** Now and then, while the session runs. */
    default void onTick(TransferFigures figures) {}
}
