package io.fdt.core.storage.source;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.SourceFile;
import org.jspecify.annotations.Nullable;

/** The origin of a sender's entries: a walk over trees, endless zeros, or standard input. */
public interface Sources extends AutoCloseable {
    /**
     * Returns the next entry, parents before children; null at the end. For the session's thread; may block while it
     * reads directories.
     */
    @Nullable FileEntry next();

    /** Returns the path of an entry below the root of its source; null if it has none, or could have several. */
    default @Nullable RawPath pathBelowRoot(FileEntry entry) {
        return null;
    }

    /** Opens an entry's data. Thread-safe. */
    SourceFile open(FileEntry entry);

    /** Whether {@link #read} can read several small files together. */
    default boolean readsWholeFiles() {
        return false;
    }

    /**
     * Reads small files whole. Returns how many were read, in order; the next one must be opened separately.
     * Thread-safe.
     */
    default int read(WholeFiles files) {
        return 0;
    }

    /** Removes a file that was copied, unless it was changed after the time; returns false in that case. */
    default boolean remove(FileEntry entry, long sinceNanos) {
        return false;
    }

    /** Whether there is exactly one entry, which is not a directory: the target may be its new name. */
    boolean isSingleFile();

    /** The length of the only file at the start; -1 if there are more, or if it may be of any length. */
    default long onlyFileBytes() {
        return -1;
    }

    /** Returns how many of the entries so far are further names of files, and were copied as separate files. */
    default long furtherNamesCopied() {
        return 0;
    }

    /** The devices, pipes and other files that cannot be copied and were skipped so far. */
    default long skippedCount() {
        return 0;
    }

    /** How long zeros are sent, or -1 if they are not limited by time. */
    default long zeroDurationNanos() {
        return -1;
    }

    @Override
    void close();
}
