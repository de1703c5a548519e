package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Posix;

/**
 * Opens the partial that the ranges of one file share. Each writer locks its own part, and the session that joins the
 * file locks all of it, so that the kernel, or the file system that several servers share, excludes conflicts.
 *
 * @param name of the partial in the directory
 * @param finalMode the final mode of the file
 */
record SharedPartial(Disk disk, int dirFd, RawPath name, RawPath shown, int finalMode) {
    private static final int OPEN_ATTEMPTS_MAX = 64;

    /**
     * Opens the partial and takes the lock.
     *
     * @param making creates it if it is missing
     * @param status receives the status under the lock
     * @return a descriptor, or the negated ENOENT
     * @throws TransferException BUSY if another session writes there, REFUSED if the existing file is not a partial
     */
    int open(boolean making, long lockOffset, long lockBytes, FileStatus status) {
        int flags = Posix.O_RDWR | Posix.O_NOFOLLOW | Posix.O_NONBLOCK | (making ? Posix.O_CREAT : 0);
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            int opened = OwnPartial.openAccessible(disk, dirFd, name, flags);
            if (opened == -Errno.ENOENT && !making) {
                return opened;
            }
            Errno.require(opened, FailureKind.TARGET, "open the partial file", shown);
            boolean confirmed = false;
            try {
                confirmed = lockAndConfirm(opened, lockOffset, lockBytes, status);
            } finally {
                if (!confirmed) {
                    disk.close(opened);
                }
            }
            if (confirmed) {
                return opened;
            }
        }
        throw Errno.failure(FailureKind.TARGET, "open the partial file", shown, Errno.EAGAIN);
    }

    /** Returns false if the name leads to another file by now. */
    private boolean lockAndConfirm(int opened, long lockOffset, long lockBytes, FileStatus status) {
        int locked = Posix.lockRange(opened, lockOffset, lockBytes);
        // A kernel or file system without locks of open file descriptions returns EINVAL.
        boolean same = new PartialLock(dirFd, name, shown)
                .confirm(locked == -Errno.EINVAL ? -Errno.EOPNOTSUPP : locked, opened, status);
        if (same && !OwnPartial.isOurs(status, finalMode)) {
            throw FailureKind.REFUSED.failure(shown.display() + ": something else is in the place of its partial file");
        }
        return same;
    }
}
