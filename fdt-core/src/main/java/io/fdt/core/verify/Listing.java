package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.storage.SourceFile;
import org.jspecify.annotations.Nullable;

/** What to hash on this host, in order. {@link #next} is for one thread, {@link #open} is thread-safe. */
interface Listing extends AutoCloseable {
    /** Returns the next entry, without a digest; null at the end. */
    @Nullable CheckedEntry next() throws InterruptedException;

    /** Opens the content of a listed entry. Throws a SOURCE failure if it has changed since. */
    SourceFile open(FileEntry entry);

    @Override
    void close();
}
