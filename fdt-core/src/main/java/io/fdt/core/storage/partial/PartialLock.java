package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Posix;

/**
 * Interprets the result of locking a partial that was opened by its name. File systems without such locks provide no
 * protection. For one attempt by one thread.
 *
 * @param name of the partial in the directory
 */
record PartialLock(int dirFd, RawPath name, RawPath shown) {
    /**
     * Returns whether the name still leads to this file: between opening and locking, another session may have given it
     * its final name. Must be called after locking.
     *
     * @param locked the kernel's result for the lock
     * @param status receives the status under the lock
     * @throws TransferException BUSY if another session writes it
     */
    boolean confirm(int locked, int opened, FileStatus status) {
        if (locked == -Errno.EAGAIN) {
            throw FailureKind.BUSY.failure(shown.display() + ": another copy is writing this target");
        }
        if (locked < 0 && locked != -Errno.ENOSYS && locked != -Errno.EOPNOTSUPP && locked != -Errno.ENOLCK) {
            throw Errno.failure(FailureKind.TARGET, "lock the partial file", shown, -locked);
        }
        Errno.require(Posix.stat(opened, status), FailureKind.TARGET, "read the partial file", shown);
        FileStatus named = new FileStatus();
        return Posix.statat(dirFd, name, Posix.AT_SYMLINK_NOFOLLOW, named) == 0 && named.isSameFile(status);
    }
}
