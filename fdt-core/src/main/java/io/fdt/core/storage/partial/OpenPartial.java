package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.Zeros;
import org.jspecify.annotations.Nullable;

/**
 * A partial while a file holds it: its directory, then its descriptor, with which its lock goes, and whether the kernel
 * has lost any of what was written to it. Whose partial it is and how it is opened and locked, the file that holds it
 * knows.
 *
 * <p>Several lanes write, read and sync at once, when it is open. Everything else is done by one at a time, who holds
 * the file's own lock. Whoever enters the directory closes, whatever became of opening; it may then be entered again.
 */
final class OpenPartial implements AutoCloseable {
    private static final int NOT_OPEN = -1;
    /** The directory and the partial. */
    private static final int SMALL_DESCRIPTORS = 2;
    /** The same, the partial once more, and its journal. */
    private static final int LARGE_DESCRIPTORS = 4;

    private static final int PAGE_BYTES = 4096;
    private static final int GRANULE_BYTES = 128 * 1024;
    /** As long as a chunk can be. */
    private static final int ALLOCATED_BYTES = 8 << 20;

    private final WritableTree tree;
    private final Disk disk;
    private final RawPath parent;
    private final RawPath name;
    private final RawPath shown;

    private final int descriptors;

    private DirectoryCache.@Nullable Held directory;
    private boolean counted;
    private volatile int fd = NOT_OPEN;
    /** The same file, for what is written past the page cache. */
    private int directFd = NOT_OPEN;

    private long directEnd;

    private volatile boolean direct;
    private volatile @Nullable TransferException broken;

    /**
     * @param parent the directory, as the tree knows it
     * @param name in it
     * @param shown the path for messages
     * @param large whether it may have a journal, and be written to past the page cache
     */
    OpenPartial(WritableTree tree, RawPath parent, RawPath name, RawPath shown, boolean large) {
        this.tree = tree;
        this.disk = tree.disk;
        this.parent = parent;
        this.name = name;
        this.shown = shown;
        this.descriptors = large ? LARGE_DESCRIPTORS : SMALL_DESCRIPTORS;
    }

    /**
     * Waits until one file more may be open: for lanes, before they {@link #enter}. What others wait for does not wait
     * itself.
     */
    void awaitRoom() {
        tree.openFiles.beginOpening(descriptors);
        counted = true;
    }

    int enter() {
        DirectoryCache.Held held = tree.directory(parent);
        directory = held;
        return held.fd();
    }

    /** The directory's descriptor. @throws IllegalStateException when the file has ended */
    int dirFd() {
        DirectoryCache.Held held = directory;
        if (held == null) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        return held.fd();
    }

    /** From now on lanes find it open. */
    void hold(int opened) {
        if (!counted) {
            tree.openFiles.opened(descriptors);
            counted = true;
        }
        fd = opened;
    }

    /**
     * Takes what is aligned past the page cache from now on, where the file system lets it. Before lanes find it open.
     *
     * @param offset where they write, for so many bytes, as the peer says
     */
    void goDirect(int opened, long offset, long lengthBytes) {
        directFd = Math.max(NOT_OPEN, disk.openDirect(opened));
        directEnd = offset + lengthBytes;
        direct = directFd != NOT_OPEN;
    }

    /** Whether {@link #goDirect} was followed, and nothing has been refused since. */
    boolean isDirect() {
        return direct;
    }

    boolean isOpen() {
        return fd != NOT_OPEN;
    }

    /** Negative when it is not open. */
    int fd() {
        return fd;
    }

    void write(long address, int lengthBytes, long offset) {
        int target = fd;
        int done = 0;
        if (direct && offset % ALLOCATED_BYTES == 0) {
            // Else every write looks for room of its own, and the file is in pieces. Not more at a time, because what
            // is
            // declared need not come. Where there is too little, a write will tell.
            disk.allocate(target, offset, Math.min(ALLOCATED_BYTES, directEnd - offset));
        }
        while (done < lengthBytes) {
            int rest = lengthBytes - done;
            boolean past = direct && rest >= PAGE_BYTES && isAligned(address + done | offset + done);
            int count = past
                    ? disk.write(directFd, address + done, rest & -PAGE_BYTES, offset + done)
                    : disk.write(target, address + done, rest, offset + done);
            if (past && count == -Errno.EINVAL) {
                // A file system with larger blocks, or one that opens so and does not mean it.
                direct = false;
                continue;
            }
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "write at offset " + (offset + done), shown, -count);
            }
            done += count;
        }
    }

    private static boolean isAligned(long bits) {
        return (bits & PAGE_BYTES - 1) == 0;
    }

    /** False where holes cannot be made. */
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
     * Flushes the data; once it has failed, it is never asked for again, since the kernel tells of a loss once.
     *
     * @param metadataToo with times and mode
     */
    void sync(boolean metadataToo) {
        requireWhole();
        int synced = metadataToo ? disk.sync(fd) : disk.syncData(fd);
        if (synced < 0) {
            throw breaks(Errno.failure(FailureKind.TARGET, "flush", shown, -synced));
        }
    }

    /**
     * A network file system that nobody asks to flush tells of lost writes when a descriptor is closed: any of them. A
     * signal may have come before it has looked.
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

    /** Throws what was lost, if something was: nothing of it is to be recorded, sealed or published. */
    void requireWhole() {
        TransferException failure = broken;
        if (failure != null) {
            throw failure;
        }
    }

    /** Whether what is written is made durable at all. */
    boolean flushes() {
        return tree.flushes();
    }

    /** Makes the names beside it durable. */
    void syncDirectory() {
        tree.syncDirectory(dirFd(), shown);
    }

    /**
     * Gives it the name of the target.
     *
     * @param noReplace whether something that stands under the name by now is left alone
     */
    void rename(RawPath target, FileEntry entry, boolean noReplace) {
        int dirFd = dirFd();
        if (!noReplace) {
            tree.requireReplaceable(dirFd, target, entry, shown);
        }
        int renamed = noReplace ? renameToFree(dirFd, target) : disk.rename(dirFd, name, target, 0);
        if (renamed < 0) {
            throw renamed == -Errno.EEXIST
                    ? tree.takenName(dirFd, target, shown)
                    : Errno.failure(FailureKind.TARGET, "give the final name", shown, -renamed);
        }
    }

    private int renameToFree(int dirFd, RawPath target) {
        int renamed = disk.rename(dirFd, name, target, Paths.RENAME_NOREPLACE);
        if (renamed != -Errno.EINVAL && renamed != -Errno.ENOSYS) {
            return renamed;
        }
        boolean free = FileMetadata.statat(dirFd, target, Paths.AT_SYMLINK_NOFOLLOW, new FileStatus()) == -Errno.ENOENT;
        return free ? disk.rename(dirFd, name, target, 0) : -Errno.EEXIST;
    }

    void unlink() {
        disk.unlink(dirFd(), name);
    }

    /** Ends the lock, and leaves the directory. What mattered was flushed and looked at before. */
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
        if (counted) {
            tree.openFiles.closed(descriptors);
            counted = false;
        }
        if (directory != null) {
            directory.close();
            directory = null;
        }
    }
}
