package io.fdt.core.verify;

import io.fdt.core.plan.CheckedEntry;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of entries with their digests. One thread takes them; another may close the source, and must then
 * interrupt the first.
 */
public interface EntrySource extends AutoCloseable {
    /** Waits for the next entry; null at the end. Throws if the source as a whole is lost. */
    @Nullable CheckedEntry next() throws InterruptedException;

    /** Whether the next entry is available, so that {@link #next} does not wait. */
    default boolean isReady() {
        return true;
    }

    /** Returns within a second in any case. */
    @Override
    void close();
}
