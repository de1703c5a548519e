package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import org.jspecify.annotations.Nullable;

/**
 * Entries with their digests, one after the other. One thread takes them; another may close the source, and then the
 * taker is to be interrupted.
 */
public interface EntrySource extends AutoCloseable {
    /** Waits for the next entry; null at the end. Throws when the source as a whole is lost. */
    @Nullable CheckedEntry next() throws InterruptedException;

    /** Whether the next entry is there already, so that {@link #next} does not wait for it. */
    boolean isReady();

    /** Returns within a second, whatever is going on. */
    @Override
    void close();
}
