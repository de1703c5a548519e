package io.fdt.core.storage.source;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import org.jspecify.annotations.Nullable;

/** Where a sender's entries come from: a walk over trees, endless zeros, or standard input. */
public interface Sources extends AutoCloseable {
    /** The next entry, parents before children; null at the end. Session's thread; may block in reading directories. */
    @Nullable FileEntry next();

    /** Opens an entry's data. Any thread. */
    SourceFile open(FileEntry entry);

    /** Whether small files can be {@link #read} together. */
    default boolean readsWholeFiles() {
        return false;
    }

    /** Reads small files whole; how many, in order. The one after them is to be opened alone. Any thread. */
    default int read(WholeFiles files) {
        return 0;
    }

    /** Removes a file of which there is a copy, unless it was changed after the time; false then. */
    default boolean remove(FileEntry entry, long sinceNanos) {
        return false;
    }

    /** There is exactly one entry, and it is no directory: the target may be its new name. */
    boolean isSingleFile();

    /** How many entries were until now further names of files, and copied as files of their own. */
    default long furtherNamesCopied() {
        return 0;
    }

    /** How long zeros are sent, or -1 if the time does not end them. */
    default long zeroDurationNanos() {
        return -1;
    }

    @Override
    void close();
}
