package io.fdt.core.storage.partial;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import org.jspecify.annotations.Nullable;

/**
 * Opens partials by name, and locks them. The partial of a single file is locked by {@link Seniority}, for one session
 * at a time. If ranges share a partial, each writer locks its range, and a session that assembles the file locks all of
 * it, so the kernel, or the file system that several servers share, prevents conflicts. File systems without such locks
 * do not have this protection. For one attempt by one thread.
 */
final class PartialOpener {
    /** The mode of a partial until it is complete, whatever the final mode of its file. */
    static final int MODE = 0600;

    private static final int OTHERS = 077;
    private static final int WRITABLE_BY_OTHERS = 022;
    private static final int OPEN_ATTEMPTS_MAX = 64;
    private static final int LEFTOVER = Paths.O_RDWR | Paths.O_NOFOLLOW | Paths.O_NONBLOCK;

    private final Disk disk;
    private final int dirFd;
    private final RawPath name;
    private final RawPath shown;
    private boolean leftoverFound;

    /** @param name of the partial in the directory */
    PartialOpener(Disk disk, int dirFd, RawPath name, RawPath shown) {
        this.disk = disk;
        this.dirFd = dirFd;
        this.name = name;
        this.shown = shown;
    }

    /**
     * Creates the partial of a single file, or opens the existing one, and takes the lock. Waits for a younger session
     * that writes it. Removes a file that cannot be a partial of this user, or that others could have opened.
     *
     * @param status receives the status under the lock
     * @throws TransferException BUSY if an older session writes it
     */
    int open(Seniority seniority, FileStatus status) {
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
            requireOpened(opened, "make the partial file");
            // Whoever made it could hold its lock for ever.
            if (!made && FileMetadata.stat(opened, status) == 0 && status.uid != Libc.geteuid()) {
                replaceLater(opened);
                continue;
            }
            if (lockOrClose(seniority, opened, status)) {
                if (made || (isOurs(status) && isPrivate(status))) {
                    return opened;
                }
                replaceLater(opened);
            }
        }
        throw Errno.failure(FailureKind.TARGET, "make the partial file", shown, Errno.EAGAIN);
    }

    private void replaceLater(int opened) {
        int removed = disk.unlink(dirFd, name);
        disk.close(opened);
        requireOpened(removed == -Errno.ENOENT ? 0 : removed, "replace the partial file");
    }

    /**
     * Opens a partial that ranges share, and locks a range of it.
     *
     * @param makingFlag {@link Paths#O_CREAT} creates it if it does not exist; 0 does not
     * @param status receives the status under the lock
     * @return a descriptor, or the negated ENOENT
     * @throws TransferException BUSY if another session writes there, REFUSED if the existing file is not a partial
     */
    int openShared(int makingFlag, int finalMode, long lockOffset, long lockBytes, FileStatus status) {
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            int opened = openAccessible(LEFTOVER | makingFlag);
            if (opened == -Errno.ENOENT && makingFlag == 0) {
                return opened;
            }
            requireOpened(opened, "open the partial file");
            if (confirmOrClose(Descriptor.lockRange(opened, lockOffset, lockBytes), opened, status)) {
                if (isOurs(status, finalMode)) {
                    return opened;
                }
                disk.close(opened);
                // Also what root makes on a file server that takes it for nobody.
                String taken = takenBy(dirFd, name);
                throw Cause.REFUSED
                        .at(shown.display())
                        .failure(
                                taken == null
                                        ? "something else has the name of its partial file"
                                        : "its partial file would be " + taken);
            }
        }
        throw Errno.failure(FailureKind.TARGET, "open the partial file", shown, Errno.EAGAIN);
    }

    /** Throws the failure of an open; names the owner of a file that another user put in the partial's place. */
    private void requireOpened(int opened, String operation) {
        boolean refused = opened == -Errno.EACCES || opened == -Errno.EPERM || opened == -Errno.EISDIR;
        String taken = refused ? takenBy(dirFd, name) : null;
        if (taken != null) {
            throw Cause.TARGET.at(shown.display()).failure("its partial file would be " + taken);
        }
        Errno.require(opened, FailureKind.TARGET, operation, shown);
    }

    /** Describes a file that another user put in the place of a partial or a journal; null if there is none. */
    static @Nullable String takenBy(int dirFd, RawPath name) {
        FileStatus there = new FileStatus();
        boolean taken =
                FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, there) == 0 && there.uid != Libc.geteuid();
        return taken
                ? name.display() + ", which belongs to the user " + there.uid + "; that user or root can remove it"
                : null;
    }

    private boolean lockOrClose(Seniority seniority, int opened, FileStatus status) {
        int locked;
        try {
            locked = seniority.lockWaiting(opened);
        } catch (TransferException ended) {
            disk.close(opened);
            throw ended;
        }
        return confirmOrClose(locked, opened, status);
    }

    private boolean confirmOrClose(int locked, int opened, FileStatus status) {
        boolean confirmed = false;
        try {
            confirmed = confirm(locked, opened, status);
            return confirmed;
        } finally {
            if (!confirmed) {
                disk.close(opened);
            }
        }
    }

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
            throw Cause.BUSY.at(shown.display()).failure("another copy is writing this target");
        }
        if (locked < 0 && locked != -Errno.ENOSYS && locked != -Errno.EOPNOTSUPP && locked != -Errno.ENOLCK) {
            throw Errno.failure(FailureKind.TARGET, "lock the partial file", shown, -locked);
        }
        Errno.require(FileMetadata.stat(opened, status), FailureKind.TARGET, "read the partial file", shown);
        FileStatus named = new FileStatus();
        return FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, named) == 0 && named.isSameFile(status);
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
        int opened = openAccessible();
        if (opened == -Errno.ELOOP || opened == -Errno.ENXIO) {
            int removed = disk.unlink(dirFd, name);
            return removed < 0 ? removed : -Errno.ENOENT;
        }
        return opened;
    }

    int openAccessible() {
        return openAccessible(LEFTOVER);
    }

    /** Opens a partial. One that a session has sealed may have a mode that denies access even to its owner. */
    private int openAccessible(int flags) {
        int opened = disk.open(dirFd, name, flags, MODE);
        return opened == -Errno.EACCES && makeAccessible() ? disk.open(dirFd, name, flags, MODE) : opened;
    }

    private boolean makeAccessible() {
        int held = Paths.openat(dirFd, name, Paths.O_PATH | Paths.O_NOFOLLOW, 0);
        FileStatus status = new FileStatus();
        boolean done = held >= 0
                && FileMetadata.stat(held, status) == 0
                && isOurs(status)
                && disk.setMode(held, status.mode() | 0600) == 0;
        Descriptor.closeFd(held);
        return done;
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
