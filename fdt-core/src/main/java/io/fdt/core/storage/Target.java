package io.fdt.core.storage;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a session's entries. {@link #prepare}, {@link #prepareChanged}, {@link #keep} and
 * {@link #finishDirectories} are for one thread.
 */
public interface Target extends AutoCloseable {
    /** How many more files could be open at the same time, besides those that are. Thread-safe. */
    default long roomForFiles() {
        return Long.MAX_VALUE;
    }

    /**
     * Whether {@link #prepare} can open the file of the entry, if it must. If false, it can after other files are
     * closed.
     */
    default boolean hasRoomFor(FileEntry entry) {
        return true;
    }

    /**
     * Creates directories and links, and returns what must be done for a file.
     *
     * @throws TransferException the reason why this entry is impossible; LIMIT if the session cannot be completed
     */
    Outcome prepare(FileEntry entry);

    /**
     * Returns the path below the root of the file that this entry will be; null if nothing is, or can be, written.
     * Sessions that write the same path are in conflict.
     */
    default @Nullable RawPath writtenPath(FileEntry entry) {
        return null;
    }

    /**
     * Accepts a file even if its name already exists: after {@link Outcome.Compare}.
     *
     * @throws TransferException the reason why this entry is impossible
     */
    Outcome prepareChanged(FileEntry entry);

    /** Gives an existing file, which the caller has compared and found equal, the entry's metadata. */
    void keep(FileEntry entry);

    /**
     * Flushes everything that was written to the target's file system. After a failure, nothing more is published.
     * Thread-safe.
     */
    void syncFileSystem();

    /**
     * At the end: flushes files that stay as they are, and directories with the names in them, up to the target's own.
     * Thread-safe.
     */
    void syncRest();

    /** Sets modes and times of directories, children first; reports failures and continues. */
    void finishDirectories(BiConsumer<RawPath, TransferException> problems);

    /** Opens a directory as its own root, without following links; null if there is none. The caller closes it. */
    default @Nullable Root directoryAt(RawPath path) {
        return null;
    }

    /**
     * Whether there is a directory that is needed only for names below it, so that nothing must be prepared.
     *
     * @param ofPair whether it is above the exact target of a pair: then links of root and of this user on its way are
     *     followed, now and for everything below it, and nothing takes the place of any
     * @throws TransferException TARGET or REFUSED, if something else is in the place of such a directory; LIMIT
     */
    default boolean hasAbove(RawPath path, boolean ofPair) {
        return false;
    }

    /** Called after something in the directory was deleted. */
    default void onChanged(RawPath directory) {}

    /** Whether it can contain one file only. */
    default boolean takesOneFile() {
        return false;
    }

    /** Whether a single file is given the target's own name. */
    default boolean renamesSingle() {
        return false;
    }

    /** Whether owners that are to be preserved can be set. */
    default boolean givesOwners() {
        return true;
    }

    /**
     * Throws if the files that were wanted so far need more room than there is, as far as that is known.
     *
     * @param writtenBytes which the session has written of them
     * @throws TransferException TARGET
     */
    default void requireRoom(long writtenBytes) {}

    /** Returns the number of bytes that can still be written, or {@code Long.MAX_VALUE} if it is unknown. */
    long freeBytes();

    /** The session ends: nothing waits for other sessions any more. Thread-safe. */
    default void stopWaiting() {}

    @Override
    void close();
}
