package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;

/**
 * What the lock of a partial that was opened by its name is worth. On file systems without such locks there is no such
 * protection. For one attempt by one thread.
 *
 * @param name of the partial in the directory
 */
record PartialLock(int dirFd, RawPath name, RawPath shown) {
    /**
     * To be called behind the lock: whether the name still leads to this file, for between opening and locking another
     * session may have given it its final name.
     *
     * @param locked what the kernel said to the lock
     * @param status is filled with what it is under the lock
     * @throws TransferException BUSY when another session writes it
     */
    boolean confirm(int locked, int opened, FileStatus status) {
        if (locked == -Errno.EAGAIN) {
            throw FailureKind.BUSY.failure(shown.display() + ": another copy is writing this target");
        }
        if (locked < 0 && locked != -Errno.ENOSYS && locked != -Errno.EOPNOTSUPP && locked != -Errno.ENOLCK) {
            throw Errno.failure(FailureKind.TARGET, "lock the partial file", shown, -locked);
        }
        Errno.require(FileMetadata.stat(opened, status), FailureKind.TARGET, "read the partial file", shown);
        FileStatus named = new FileStatus();
        return FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, named) == 0 && named.isSameFile(status);
    }
}
