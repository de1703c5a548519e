package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;

/**
 * Opens the partial that a file has for itself, and locks it: as {@link SharedPartial} does for one that ranges share.
 * For one attempt by one thread.
 */
final class OwnPartial {
    /** Of a partial until it is complete, whatever its file may show in the end. */
    static final int MODE = 0600;

    private static final int OTHERS = 077;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int OPEN_ATTEMPTS_MAX = 64;

    private final Disk disk;
    private final int dirFd;
    private final RawPath name;
    private final RawPath shown;
    private final PartialLock lock;
    private boolean leftoverFound;

    /** @param name of the partial in the directory */
    OwnPartial(Disk disk, int dirFd, RawPath name, RawPath shown) {
        this.disk = disk;
        this.dirFd = dirFd;
        this.name = name;
        this.shown = shown;
        this.lock = new PartialLock(dirFd, name, shown);
    }

    /**
     * Makes it, or opens what stands there, and takes the lock. Whatever cannot be a partial of ours, or was not kept
     * to ourselves, is removed.
     *
     * @param status is filled with what it is under the lock
     * @throws TransferException BUSY when another session writes it
     */
    int open(FileStatus status) {
        int flags = Paths.O_RDWR | Paths.O_CREAT | Paths.O_EXCL | Paths.O_NOFOLLOW;
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            int opened = disk.open(dirFd, name, flags, MODE);
            boolean made = opened >= 0;
            if (opened == -Errno.EEXIST) {
                leftoverFound = true;
                opened = openLeftover();
                if (opened == -Errno.ENOENT) {
                    continue;
                }
            }
            Errno.require(opened, FailureKind.TARGET, "make the partial file", shown);
            if (lockOrClose(opened, status)) {
                if (made || (isOurs(status) && isPrivate(status))) {
                    return opened;
                }
                disk.unlink(dirFd, name);
            }
            disk.close(opened);
        }
        throw Errno.failure(FailureKind.TARGET, "make the partial file", shown, Errno.EAGAIN);
    }

    private boolean lockOrClose(int opened, FileStatus status) {
        try {
            return lockAndConfirm(opened, status);
        } catch (TransferException failure) {
            disk.close(opened);
            throw failure;
        }
    }

    /** Whether an earlier session had left something when it was opened: then there may be a journal, too. */
    boolean leftoverFound() {
        return leftoverFound;
    }

    /** A partial that stands there already. A file that cannot be one is removed, and ENOENT means to begin again. */
    int openLeftover() {
        int flags = Paths.O_RDWR | Paths.O_NOFOLLOW | Paths.O_NONBLOCK;
        int opened = openAccessible(disk, dirFd, name, flags);
        if (opened == -Errno.ELOOP || opened == -Errno.ENXIO) {
            int removed = disk.unlink(dirFd, name);
            return removed < 0 ? removed : -Errno.ENOENT;
        }
        return opened;
    }

    /** Opens a partial; one that a session has sealed may have a mode that keeps its own owner out. */
    static int openAccessible(Disk disk, int dirFd, RawPath name, int flags) {
        int opened = disk.open(dirFd, name, flags, MODE);
        return opened == -Errno.EACCES && makeAccessible(disk, dirFd, name)
                ? disk.open(dirFd, name, flags, MODE)
                : opened;
    }

    private static boolean makeAccessible(Disk disk, int dirFd, RawPath name) {
        int held = Paths.openat(dirFd, name, Paths.O_PATH | Paths.O_NOFOLLOW, 0);
        FileStatus status = new FileStatus();
        boolean done = held >= 0
                && FileMetadata.stat(held, status) == 0
                && isOurs(status)
                && disk.setMode(held, status.mode() | 0600) == 0;
        Descriptor.closeFd(held);
        return done;
    }

    /** Takes the lock; false when the name leads to another file by now. */
    boolean lockAndConfirm(int opened, FileStatus status) {
        return lock.confirm(Descriptor.lock(opened, Descriptor.LOCK_EX_NB), opened, status);
    }

    /**
     * Whether the file is ours alone to write: whoever may write to the directory can put something else there. Also
     * for what stands beside a partial.
     */
    static boolean isOurs(FileStatus status) {
        return isOfOurs(status) && isOursToWrite(status);
    }

    /**
     * The same of a partial that a session may have left between its mode and its name: then others may write what they
     * may write in the end.
     */
    static boolean isOurs(FileStatus status, int finalMode) {
        return isOfOurs(status) && (isOursToWrite(status) || status.mode() == finalMode);
    }

    private static boolean isOfOurs(FileStatus status) {
        return status.isRegular() && status.linkCount == 1 && status.uid == Libc.geteuid();
    }

    /** Whether nobody else can have written to it. */
    static boolean isOursToWrite(FileStatus status) {
        return (status.mode() & WRITABLE_BY_OTHERS) == 0;
    }

    /** Whether nobody else can have opened it. */
    static boolean isPrivate(FileStatus status) {
        return (status.mode() & OTHERS) == 0;
    }
}
