package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import org.jspecify.annotations.Nullable;

/** What is to be hashed on this machine, in order. {@link #next} belongs to one thread, {@link #open} to any. */
interface Listing extends AutoCloseable {
    /** The next entry, without a digest; null at the end. */
    @Nullable CheckedEntry next() throws InterruptedException;

    /** Opens the content of an entry that was given. Throws a SOURCE failure when it has changed since. */
    SourceFile open(FileEntry entry);

    @Override
    void close();
}
