package io.fdt.core.transfer;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.TargetFile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a receiver's entries go: a tree, nowhere, or standard output. Belongs to the session's thread unless said. */
interface Targets extends AutoCloseable {
    /**
     * Finds out where things go and whether they can. Called once, before the first entry.
     *
     * @param singleFile the source is one entry and no directory, so that the target may be its new name
     * @throws TransferException TARGET or REFUSED
     */
    void open(boolean singleFile);

    /** Decides about an entry, and makes what needs no data. Throws what makes this entry impossible. */
    Prepared prepare(FileEntry entry);

    /** Decides about a file that was compared and is another one. */
    Prepared prepareDifferent(FileEntry entry);

    /** What is there was compared and stays: gives it what else the entry says of it. Throws what makes this impossible. */
    void keep(FileEntry entry);

    /** Makes everything that was written durable. The flusher's thread. */
    void flushFileSystem();

    /** Completes what can be completed only after the last file, and makes it durable. */
    void finish();

    /** Whether the failure means that no other file will fare better. */
    boolean isFull(TransferException failure);

    @Override
    void close();

    /** What becomes of an entry. */
    enum Decision {
        MADE,
        SKIPPED,
        WANTED,
        /** A file of the same size is there, and its digest decides. */
        COMPARE,
        WOULD_COPY
    }

    /**
     * @param target for WANTED, else null
     * @param existing for COMPARE, else null
     * @param durable what a journal vouches for
     */
    record Prepared(
            Decision decision,
            @Nullable TargetFile target,
            List<ChunkRecord> durable,
            @Nullable SourceFile existing) {
        static Prepared of(Decision decision) {
            return new Prepared(decision, null, List.of(), null);
        }

        static Prepared wanted(TargetFile target, List<ChunkRecord> durable) {
            return new Prepared(Decision.WANTED, target, durable, null);
        }

        static Prepared compare(SourceFile existing) {
            return new Prepared(Decision.COMPARE, null, List.of(), existing);
        }

        TargetFile file() {
            if (target == null) {
                throw new IllegalStateException("nothing is wanted of this entry");
            }
            return target;
        }
    }
}
