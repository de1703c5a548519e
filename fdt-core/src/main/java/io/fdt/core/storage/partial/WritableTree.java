package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.UnflushedMark;
import java.util.concurrent.atomic.AtomicBoolean;

/** The tree that a file is written into, as seen by the file. Thread-safe. */
public abstract class WritableTree {
    protected final Disk disk;
    protected final NodeHash digest;
    /** Only a longer file may have a journal, and writes that bypass the page cache. */
    protected final int chunkBytes;

    protected final OpenFiles openFiles;
    protected final Seniority seniority;
    /** Whether a file of this tree can get its first name after it was written. Known from the first small file on. */
    volatile Nameless nameless = Nameless.UNTRIED;

    /** Whether the user has been told that files are flushed because they cannot be marked. */
    final AtomicBoolean toldOfFlushes = new AtomicBoolean();

    /** Whether the user has been told that the file system stores no holes. */
    final AtomicBoolean toldOfHoles = new AtomicBoolean();

    enum Nameless {
        UNTRIED,
        POSSIBLE,
        IMPOSSIBLE
    }

    protected WritableTree(Disk disk, Budget budget, Seniority seniority, NodeHash digest, int chunkBytes) {
        this.openFiles = new OpenFiles(budget);
        this.seniority = seniority;
        this.disk = disk;
        this.digest = digest;
        this.chunkBytes = chunkBytes;
    }

    protected abstract RawPath shown(RawPath path);

    /** Opens a directory of the tree, or shares it if it is open. The caller closes it. */
    protected abstract DirectoryCache.Held directory(RawPath path);

    /**
     * Keeps other sessions from writing the file until {@link #release}; may wait for one that does.
     *
     * @param directory that it is in
     * @throws TransferException TARGET, if this session must not write it, BUSY if another one does
     */
    protected abstract void hold(DirectoryCache.Held directory, FileEntry entry, RawPath path);

    /** Like {@link #hold}, but returns false if another session writes the file and goes on. */
    protected abstract boolean tryHold(DirectoryCache.Held directory, FileEntry entry, RawPath path);

    protected abstract void release(FileEntry entry);

    /** Whether data is flushed before a file gets its final name. */
    protected abstract boolean flushes();

    /**
     * Whether writes bypass the page cache.
     *
     * @param fileBytes of the whole file
     * @param opened the file to be written
     */
    protected abstract boolean writesDirectly(FileEntry entry, long fileBytes, FileStatus opened);

    /**
     * Gives an open file its owner, times, extended attributes and mode; without flushes, also an {@link
     * UnflushedMark}.
     *
     * @param modeAtOpen the present mode
     * @param mode the final mode
     * @return whether it has the mark
     */
    protected abstract boolean giveMetadata(int fd, FileEntry entry, int modeAtOpen, int mode, RawPath shown);

    /** Throws if what has the final name of the entry by now must stay. */
    protected abstract void requireReplaceable(int dirFd, RawPath name, FileEntry entry, RawPath shown);

    /**
     * Whether a file may take its final name from a file that got it meanwhile: only from the same one of another copy.
     *
     * @throws TransferException BUSY if that copy continues and this one must end
     */
    protected abstract boolean replacesSame(int dirFd, RawPath name, FileEntry entry, RawPath shown);

    /** The failure of a file whose final name was taken meanwhile. */
    protected abstract TransferException takenName(int dirFd, RawPath name, RawPath shown);

    /** Throws if a flush of the tree has failed. */
    protected abstract void requireSynced();

    /** Called after something in the directory was created or renamed. */
    protected abstract void onTouched(RawPath directory);

    /** Makes the names in a directory durable, which need not be open. */
    protected abstract void syncNames(RawPath directory);

    /** Makes the names in an open directory durable. */
    protected abstract void syncDirectory(int fd, RawPath shown);
}
