package io.fdt.core.storage;

import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Where a session's entries go. {@link #prepare}, {@link #want}, {@link #keep} and {@link #finishDirectories} belong to
 * one thread.
 */
public interface Target extends AutoCloseable {
    /**
     * Whether {@link #prepare} may open the file of the entry, if it must. If not, it may when other files are closed.
     */
    default boolean hasRoomFor(FileEntry entry) {
        return true;
    }

    /**
     * Makes directories and links, and says what is to be done for a file.
     *
     * @throws TransferException what makes this entry impossible; LIMIT, when the session cannot be completed
     */
    Outcome prepare(FileEntry entry);

    /**
     * The path below the root of the file that this entry is to be; null where nothing is written, or nothing can be.
     * Another session that writes the same path is in the way.
     */
    default @Nullable RawPath writtenPath(FileEntry entry) {
        return null;
    }

    /**
     * Wants a file whatever stands under its name: after {@link Outcome.Compare}.
     *
     * @throws TransferException what makes this entry impossible
     */
    Outcome want(FileEntry entry);

    /** The existing file has been compared and is the same: gives it what else the entry says of it. */
    void keep(FileEntry entry);

    /**
     * Flushes everything that was written to the target's file system. Once it has failed, nothing more is published.
     * Any thread.
     */
    void syncFileSystem();

    /**
     * At the end: flushes what stays as it is, and directories with the names in them, up to the target's own. Any
     * thread.
     */
    void syncRest();

    /** Gives directories their modes and times, children first; what fails is told and the rest goes on. */
    void finishDirectories(BiConsumer<RawPath, TransferException> problems);

    /** A directory as a root of its own, with no link on the way; null when there is none. The caller closes it. */
    default @Nullable Root directoryAt(RawPath path) {
        return null;
    }

    /** Whether entries were put into this directory of the target under another path, which leads through a link. */
    default boolean isReachedThroughLink(Root directory, RawPath path) {
        return false;
    }

    /** Something in the directory was deleted. */
    default void onChanged(RawPath directory) {}

    /** Whether a single file gets the target's own name. */
    default boolean renamesSingle() {
        return false;
    }

    /** Whether owners that are to be preserved are. */
    default boolean givesOwners() {
        return true;
    }

    /** Bytes that can still be written, or {@code Long.MAX_VALUE} where nobody knows. */
    long freeBytes();

    @Override
    void close();
}
