package io.fdt.core.storage;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.function.BiConsumer;

/** Where a session's entries go. {@link #prepare}, {@link #want}, {@link #keep} and {@link #finishDirectories} belong to one thread. */
public interface Target extends AutoCloseable {
    /** Makes directories and links, and says what is to be done for a file. Never throws for what an entry can be. */
    Outcome prepare(FileEntry entry);

    /** Wants a file whatever stands under its name: after {@link Outcome.Compare}. */
    Outcome want(FileEntry entry);

    /** What stands under a file's name has been compared and is the same: gives it what else the entry says of it. */
    void keep(FileEntry entry);

    /**
     * Flushes everything that was written to the target's file system. Once it has failed, nothing more is published.
     * Any thread.
     */
    void syncFileSystem();

    /** Flushes the directories in which something was made or got its name since the last call. Any thread. */
    void syncTouchedDirectories();

    /** Gives directories their modes and times, children first; what fails is told and the rest goes on. */
    void finishDirectories(BiConsumer<RawPath, TransferException> problems);

    /** Bytes that can still be written, or {@code Long.MAX_VALUE} where nobody knows. */
    long freeBytes();

    @Override
    void close();
}
