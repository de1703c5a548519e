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
 * Opens and locks a partial that belongs to one file, like {@link SharedPartial} does for one that ranges share. For
 * one attempt by one thread.
 */
final class OwnPartial {
    /** The mode of a partial until it is complete, whatever the final mode of its file. */
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
     * Creates the partial, or opens the existing one, and takes the lock. Removes a file that cannot be a partial of
     * this user, or that others could have opened.
     *
     * @param status receives the status under the lock
     * @throws TransferException BUSY if another session writes it
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

    /** Whether there was a file of an earlier session when it was opened: then there may be a journal, too. */
    boolean leftoverFound() {
        return leftoverFound;
    }

    /**
     * Opens an existing partial. Removes a file that cannot be one, and then returns ENOENT, so that the caller
     * retries.
     */
    int openLeftover() {
        int flags = Paths.O_RDWR | Paths.O_NOFOLLOW | Paths.O_NONBLOCK;
        int opened = openAccessible(disk, dirFd, name, flags);
        if (opened == -Errno.ELOOP || opened == -Errno.ENXIO) {
            int removed = disk.unlink(dirFd, name);
            return removed < 0 ? removed : -Errno.ENOENT;
        }
        return opened;
    }

    /** Opens a partial. One that a session has sealed may have a mode that denies access even to its owner. */
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

    /** Takes the lock; false if the name leads to another file by now. */
    boolean lockAndConfirm(int opened, FileStatus status) {
        return lock.confirm(Descriptor.lock(opened, Descriptor.LOCK_EX_NB), opened, status);
    }

    /**
     * Whether the file belongs to this user, who alone can write to it: a user who can write to the directory could
     * have put another file there. Also for files beside a partial.
     */
    static boolean isOurs(FileStatus status) {
        return isOfOurs(status) && isOursToWrite(status);
    }

    /**
     * Like {@link #isOurs(FileStatus)}, for a partial whose session may have ended after it set the final mode and
     * before it renamed the file: then others may be able to write to it if the final mode permits that.
     */
    static boolean isOurs(FileStatus status, int finalMode) {
        return isOfOurs(status) && (isOursToWrite(status) || status.mode() == finalMode);
    }

    private static boolean isOfOurs(FileStatus status) {
        return status.isRegular() && status.linkCount == 1 && status.uid == Libc.geteuid();
    }

    /** Whether no other user can have written to it. */
    static boolean isOursToWrite(FileStatus status) {
        return (status.mode() & WRITABLE_BY_OTHERS) == 0;
    }

    /** Whether no other user can have opened it. */
    static boolean isPrivate(FileStatus status) {
        return (status.mode() & OTHERS) == 0;
    }
}
