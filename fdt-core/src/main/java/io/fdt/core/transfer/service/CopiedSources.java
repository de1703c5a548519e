package io.fdt.core.transfer.service;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.source.SourceTree;
import io.fdt.core.storage.source.Sources;
import io.fdt.core.transfer.EntryBook;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.verify.CopiedFiles;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a push, which are removed when the target has copies of them. Files that were already in place are
 * kept, because they could be the source itself, under another path. On the session's thread.
 */
final class CopiedSources implements EntryBook {
    private final CopiedFiles files = new CopiedFiles();
    private final long begunNanos = SourceTree.nowNanos();
    private long kept;
    private @Nullable FileEntry firstKept;

    @Override
    public void settled(FileEntry entry, long sizeBytes, byte[] value, FileOutcome outcome, @Nullable Failure why) {
        boolean copied = outcome == FileOutcome.COPIED || outcome == FileOutcome.RESUMED;
        if (copied && entry.kind() == FileEntry.Kind.FILE) {
            files.add(entry);
        }
    }

    /** The session has ended in order, and everything reported is durable. */
    void remove(Sources sources, Ledger ledger) {
        files.forEachUnhashed(each -> {
            FileEntry entry = Objects.requireNonNull(each.entry());
            try {
                if (!sources.remove(entry, begunNanos)) {
                    kept++;
                    firstKept = firstKept == null ? entry : firstKept;
                }
            } catch (TransferException failure) {
                Failure why = failure.failure();
                ledger.failed(entry.path(), 0, why.with("is copied, but not removed: " + why.reason()));
            }
        });
        if (firstKept != null) {
            ledger.warn("source files that stay, because they have several names or changed since the copy began: "
                    + kept + ", the first: " + firstKept.path().display());
        }
    }
}
