package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.WritableTree.Nameless;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.FileSystemSpace;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.Zeros;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A partial while a file holds it: its directory, its descriptor, which has the lock, and whether the kernel has lost
 * any written data. The file that holds it is responsible for opening and locking it.
 *
 * <p>Several lanes may write, read and sync at once, while it is open. All other methods are called by one thread at a
 * time, which holds the file's lock. A caller that enters the directory must close it, even if opening the partial
 * failed; it may then be entered again.
 */
public final class OpenPartial implements AutoCloseable {
    static final int NOT_OPEN = -1;
    /** The directory, the partial, and its journal if it arrives slowly. */
    static final int SMALL_DESCRIPTORS = 3;
    /** The directory, the partial twice, and its journal. */
    private static final int LARGE_DESCRIPTORS = 4;

    private static final int MAX_WRITERS = 2;

    private static final int PAGE_BYTES = 4096;
    private static final int GRANULE_BYTES = 128 * 1024;
    /** The largest length of a chunk. */
    private static final int ALLOCATED_BYTES = 8 << 20;

    private final WritableTree tree;
    private final Disk disk;
    private final RawPath parent;
    private PartialNames names;
    private final RawPath shown;

    private final int descriptors;

    private DirectoryCache.@Nullable Held directory;
    /** No other session may write it until this is closed. */
    private @Nullable FileEntry claimed;

    private boolean counted;
    private volatile int fd = NOT_OPEN;
    /** The same file, opened for writes that bypass the page cache. */
    private int directFd = NOT_OPEN;

    private long directEnd;
    /** It is open, and has no name yet. */
    private boolean nameless;

    /**
     * The lanes that write to a file's page cache at a time. A kernel lets one of them in and has the others spin; with
     * two, the next one is ready when the first leaves. Null for a file of one chunk, which one lane writes.
     */
    private final @Nullable Semaphore writers;

    private volatile boolean direct;
    private volatile @Nullable TransferException broken;

    /**
     * @param parent the directory, relative to the tree
     * @param shown the path for messages
     * @param large whether it may have a journal, and writes that bypass the page cache
     */
    OpenPartial(WritableTree tree, RawPath parent, PartialNames names, RawPath shown, boolean large) {
        this.tree = tree;
        this.disk = tree.disk;
        this.parent = parent;
        this.names = names;
        this.shown = shown;
        this.writers = large ? new Semaphore(MAX_WRITERS) : null;
        this.descriptors = large ? LARGE_DESCRIPTORS : SMALL_DESCRIPTORS;
    }

    /**
     * Waits until another file may be open, and then {@linkplain #enter enters}. Not for a thread that closes files.
     */
    int enterToOpen() {
        tree.openFiles.beginOpening(descriptors);
        counted = true;
        try {
            return enter();
        } catch (TransferException failure) {
            close();
            throw failure;
        }
    }

    /** Of the session that writes it. */
    Budget budget() {
        return tree.openFiles.budget();
    }

    PartialNames names() {
        return names;
    }

    /** Changes the names of the partial and its journal, before either is open. */
    void useNames(PartialNames others) {
        names = others;
    }

    int enter() {
        DirectoryCache.Held held = tree.directory(parent);
        directory = held;
        if (counted) {
            held.keepForFile();
        }
        return held.fd();
    }

    /** Keeps other sessions from the file until this is closed. For lanes: may wait for one that writes it. */
    void claim(FileEntry entry, RawPath path) {
        tree.hold(held(), entry, path);
        claimed = entry;
    }

    /** Likewise, but returns false if another session writes it. */
    boolean tryClaim(FileEntry entry, RawPath path) {
        boolean free = tree.tryHold(held(), entry, path);
        claimed = free ? entry : null;
        return free;
    }

    /** The directory's descriptor. @throws IllegalStateException if the file has ended */
    int dirFd() {
        return held().fd();
    }

    private DirectoryCache.Held held() {
        DirectoryCache.Held held = directory;
        if (held == null) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        return held;
    }

    /**
     * Makes a file that gets its first name when it is complete, if file systems of this tree permit that. It costs a
     * third less than one that is renamed, no user can open it, and nothing stays behind when the process is killed.
     * The first one of a tree gets the name of its partial at once, to see whether that is possible. Not where another
     * session writes: the two meet at the names of their partials.
     *
     * @return a descriptor, or a negative value: then it must be made with a name
     */
    int openNameless() {
        if (tree.nameless == Nameless.UNTRIED && FileSystemSpace.waitsToLink(dirFd())) {
            tree.nameless = Nameless.IMPOSSIBLE;
        }
        if (tree.nameless == Nameless.IMPOSSIBLE || !tree.seniority.isAloneIn(dirFd()) || hasLeftover()) {
            return NOT_OPEN;
        }
        int opened = disk.openNameless(dirFd(), PartialOpener.MODE);
        if (tree.nameless == Nameless.POSSIBLE) {
            nameless = opened >= 0;
            return opened;
        }
        int named = opened < 0 ? opened : lockAndName(opened, names.partial());
        if (named != -Errno.EEXIST) {
            tree.nameless = named == 0 ? Nameless.POSSIBLE : Nameless.IMPOSSIBLE;
        }
        if (named < 0 && opened >= 0) {
            disk.close(opened);
        }
        return named < 0 ? NOT_OPEN : opened;
    }

    /** Whether another session left a partial, or has one, which this file replaces or waits for. */
    boolean hasLeftover() {
        DirectoryCache.Held held = directory;
        return held != null
                && !held.isMade()
                && FileMetadata.statat(held.fd(), names.partial(), Paths.AT_SYMLINK_NOFOLLOW, new FileStatus()) == 0;
    }

    /** Locks it first: whoever finds the name must see that it is in use. */
    private int lockAndName(int opened, RawPath first) {
        var unused = tree.seniority.lock(opened);
        return disk.name(opened, dirFd(), first);
    }

    /** Gives it the name of a partial, if it has none yet. */
    private void requireName() {
        if (!nameless) {
            return;
        }
        int named = lockAndName(fd, names.partial());
        if (named == -Errno.EEXIST) {
            names = PartialNames.unpredictable();
            named = lockAndName(fd, names.partial());
        }
        Errno.requireName(named, FailureKind.TARGET, "name the partial file", shown);
        nameless = false;
    }

    /** Makes the open partial available to lanes. */
    void hold(int opened) {
        fd = opened;
    }

    /**
     * Makes aligned writes bypass the page cache from now on, if the file system supports it. Must be called before
     * lanes can see the partial as open.
     *
     * @param offset of the part that lanes write, whose length the peer has announced
     */
    void goDirect(int opened, long offset, long lengthBytes) {
        directFd = Math.max(NOT_OPEN, disk.openDirect(opened));
        directEnd = offset + lengthBytes;
        direct = directFd != NOT_OPEN;
    }

    /** Whether {@link #goDirect} was successful, and no direct write has been rejected since. */
    boolean isDirect() {
        return direct;
    }

    boolean isOpen() {
        return fd != NOT_OPEN;
    }

    /** The descriptor; negative if it is not open. */
    int fd() {
        return fd;
    }

    void write(long address, int lengthBytes, long offset) {
        int target = fd;
        int done = 0;
        if (direct && offset % ALLOCATED_BYTES == 0) {
            // Otherwise every write allocates its own space, and the file becomes fragmented. Not more at a time,
            // because declared data need not arrive. If there is too little space, a write will report it.
            disk.allocate(target, offset, Math.min(ALLOCATED_BYTES, directEnd - offset));
        }
        while (done < lengthBytes) {
            int rest = lengthBytes - done;
            boolean past = direct && rest >= PAGE_BYTES && isAligned(address + done | offset + done);
            int count = past
                    ? disk.write(directFd, address + done, rest & -PAGE_BYTES, offset + done)
                    : writeCached(target, address + done, rest, offset + done);
            if (past && count == -Errno.EINVAL) {
                // The file system has larger blocks, or accepts O_DIRECT only when opening.
                direct = false;
                continue;
            }
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "write at offset " + (offset + done), shown, -count);
            }
            done += count;
        }
    }

    private int writeCached(int target, long address, int lengthBytes, long offset) {
        if (writers == null) {
            return disk.write(target, address, lengthBytes, offset);
        }
        writers.acquireUninterruptibly();
        try {
            return disk.write(target, address, lengthBytes, offset);
        } finally {
            writers.release();
        }
    }

    private static boolean isAligned(long bits) {
        return (bits & PAGE_BYTES - 1) == 0;
    }

    /** Some file systems cannot report where holes are, and some report less space than they use. */
    boolean hasHoles(long sizeBytes) {
        FileStatus status = new FileStatus();
        return FileData.seek(fd, 0, FileData.SEEK_HOLE) < sizeBytes
                || FileMetadata.stat(fd, status) != 0
                || status.isSparse();
    }

    /** Returns false if holes are not supported. */
    boolean punchHole(long offset, long lengthBytes) {
        return disk.punchHole(fd, offset, lengthBytes) == 0;
    }

    void writeZeros(long offset, long lengthBytes) {
        for (long at = 0; at < lengthBytes; at += GRANULE_BYTES) {
            write(Zeros.ADDRESS, (int) Math.min(GRANULE_BYTES, lengthBytes - at), offset + at);
        }
    }

    void setSize(long sizeBytes) {
        Errno.require(disk.truncate(fd, sizeBytes), FailureKind.TARGET, "set the size", shown);
    }

    /**
     * Flushes the data. After a failure, never flushes again, because the kernel reports a loss only once.
     *
     * @param metadataToo includes times and mode
     */
    void sync(boolean metadataToo) {
        requireWhole();
        // Btrfs flushes a file without a name only together with the whole file system.
        requireName();
        int synced = metadataToo ? disk.sync(fd) : disk.syncData(fd);
        if (synced < 0) {
            throw breaks(Errno.failure(FailureKind.TARGET, "flush", shown, -synced));
        }
    }

    /**
     * A network file system that does not get a flush reports lost writes when a descriptor is closed, whichever it is.
     * A signal may interrupt the close before that.
     */
    void requireWrittenBack() {
        int closed;
        do {
            int again = Descriptor.duplicate(fd);
            closed = again < 0 ? again : disk.close(again);
        } while (closed == -Errno.EINTR);
        if (closed < 0) {
            throw breaks(Errno.failure(FailureKind.TARGET, "write back", shown, -closed));
        }
    }

    private TransferException breaks(TransferException failure) {
        broken = failure;
        return failure;
    }

    /** Throws the failure of a flush, if there was one: then nothing may be recorded, sealed or published. */
    void requireWhole() {
        TransferException failure = broken;
        if (failure != null) {
            throw failure;
        }
    }

    /** Whether written data is made durable at all. */
    boolean flushes() {
        return tree.flushes();
    }

    /** Makes the names in its directory durable. */
    void syncDirectory() {
        tree.syncDirectory(dirFd(), shown);
    }

    /** @param noReplace whether something that has the name by now is left alone */
    void rename(RawPath target, FileEntry entry, boolean noReplace) {
        int dirFd = dirFd();
        if (nameless && disk.name(fd, dirFd, target) == 0) {
            nameless = false;
            showWatchers(target);
            return;
        }
        requireName();
        if (!noReplace) {
            tree.requireReplaceable(dirFd, target, entry, shown);
        }
        int renamed = rename(disk, dirFd, names.partial(), target, noReplace ? Paths.RENAME_NOREPLACE : 0);
        if (renamed == -Errno.EEXIST && tree.replacesSame(dirFd, target, entry, shown)) {
            renamed = rename(disk, dirFd, names.partial(), target, 0);
        }
        if (renamed < 0) {
            throw renamed == -Errno.EEXIST
                    ? tree.takenName(dirFd, target, shown)
                    : Errno.failureOfName(FailureKind.TARGET, "give the final name", shown, -renamed);
        }
    }

    /**
     * Programs that watch a directory wait until a file in it is renamed or closed. The close of a file that was opened
     * without a name is not reported under its name.
     */
    private void showWatchers(RawPath target) {
        int opened = disk.open(dirFd(), target, Paths.O_WRONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
        if (opened >= 0) {
            disk.close(opened);
        }
    }

    /** Renames also on file systems that cannot leave an existing file alone by themselves. */
    public static int rename(Disk disk, int dirFd, RawPath from, RawPath to, int flags) {
        int renamed = disk.rename(dirFd, from, to, flags);
        if (flags == 0 || (renamed != -Errno.EINVAL && renamed != -Errno.ENOSYS)) {
            return renamed;
        }
        boolean free = FileMetadata.statat(dirFd, to, Paths.AT_SYMLINK_NOFOLLOW, new FileStatus()) == -Errno.ENOENT;
        return free ? disk.rename(dirFd, from, to, 0) : -Errno.EEXIST;
    }

    void unlink() {
        if (!nameless) {
            disk.unlink(dirFd(), names.partial());
        }
    }

    /** Releases the lock and the directory. Errors are ignored: what matters was flushed and checked before. */
    @Override
    public void close() {
        direct = false;
        if (directFd != NOT_OPEN) {
            disk.close(directFd);
            directFd = NOT_OPEN;
        }
        if (fd != NOT_OPEN) {
            disk.close(fd);
            fd = NOT_OPEN;
        }
        nameless = false;
        if (directory != null) {
            if (counted) {
                directory.endForFile();
            }
            directory.close();
            directory = null;
        }
        if (counted) {
            tree.openFiles.closed(descriptors);
            counted = false;
        }
        if (claimed != null) {
            tree.release(claimed);
            claimed = null;
        }
    }
}
