package io.fdt.core.storage.partial;

import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;

/** The tree that a file is written into, as the file needs it. Thread-safe. */
public interface WritableTree {
    Disk disk();

    DigestKind digest();

    /** A longer file may have a journal, and be written to past the page cache. */
    int chunkBytes();

    OpenFiles openFiles();

    /** A path of the tree for messages. */
    RawPath shown(RawPath path);

    /** Opens a directory of the tree, or shares it if it is open. The caller closes it. */
    DirectoryCache.Held directory(RawPath path);

    /** Whether data is flushed before a file gets its final name. */
    boolean flushes();

    /**
     * Whether the page cache is to be passed over.
     *
     * @param fileBytes of the whole file
     * @param opened what is written to
     */
    boolean writesDirectly(FileEntry entry, long fileBytes, FileStatus opened);

    /**
     * Gives an open file its owner, times, extended attributes and mode.
     *
     * @param modeAtOpen that it has
     * @param mode that it gets
     */
    void giveMetadata(int fd, FileEntry entry, int modeAtOpen, int mode, RawPath shown);

    /** Throws when what has the final name of the entry by now is to stay. */
    void requireReplaceable(int dirFd, RawPath name, FileEntry entry, RawPath shown);

    /** The failure of a file whose final name something else has got meanwhile. */
    TransferException takenName(int dirFd, RawPath name, RawPath shown);

    /** Throws when a flush of the tree has failed. */
    void requireSynced();

    /** Something in the directory was made or named. */
    void onTouched(RawPath directory);

    /** Makes the names in a directory durable. */
    void syncDirectory(int fd, RawPath shown);
}
