package io.fdt.core.storage.partial;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.Cleaning;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.nio.ByteBuffer;

/**
 * Removes files that an unfinished copy left. A file is removed only if no session holds its partial, and under the
 * partial's lock, so that a session that begins meanwhile finds either everything or nothing to resume from. Follows no
 * links. For one thread.
 */
public final class Leftover {
    /** On a file system without locks, a copy may still be writing a file that changed within this time. */
    private static final long UNLOCKED_SECONDS = 86_400;

    private final int dirFd;
    private final RawPath name;
    private final RawPath shown;

    private Leftover(int dirFd, RawPath path) {
        this.dirFd = dirFd;
        this.name = path.name();
        this.shown = path;
    }

    /**
     * Removes a file.
     *
     * @param top a directory in the root
     * @param path of the file, relative to {@code top}, with a name that is a {@link PartialNames#isLeftover leftover}
     * @throws TransferException BUSY if it must stay, TARGET if it cannot be removed
     */
    public static void remove(Root root, RawPath top, RawPath path, Cleaning cleaning) {
        int topFd = root.open(top, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        RawPath parent = path.parent();
        int dirFd = topFd < 0
                ? topFd
                : root.resolver()
                        .openWithoutLinks(
                                topFd, parent.isEmpty() ? RawPath.HERE : parent, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        try {
            Errno.require(dirFd, FailureKind.TARGET, "open its directory", path);
            new Leftover(dirFd, path).remove(cleaning);
        } finally {
            Descriptor.closeFd(dirFd);
            Descriptor.closeFd(topFd);
        }
    }

    private void remove(Cleaning cleaning) {
        FileStatus status = new FileStatus();
        Errno.require(
                FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, status), FailureKind.TARGET, "read", shown);
        requireOurs(status);
        requireOld(status, cleaning.olderSeconds());
        if (isLink()) {
            requireNoSession();
        }
        PartialOpener partial = new PartialOpener(Disk.KERNEL, dirFd, PartialNames.partialOf(name), shown);
        int opened = partial.openAccessible();
        try {
            if (opened >= 0) {
                requireUnused(partial, opened, cleaning.olderSeconds());
            } else if (opened != -Errno.ENOENT) {
                throw Errno.failure(FailureKind.TARGET, "open the partial file", shown, -opened);
            }
            Errno.require(cleaning.dryRun() ? 0 : Paths.unlinkat(dirFd, name, 0), FailureKind.TARGET, "remove", shown);
        } finally {
            Descriptor.closeFd(opened);
        }
    }

    private void requireOurs(FileStatus status) {
        String text = name.text();
        // A hard link in progress, and a file moved aside for a directory, are regular files with the name of a link.
        boolean ours = isLink()
                ? status.isLink() || status.isRegular()
                : status.isRegular() && (text.endsWith(".part") || status.sizeBytes == 0 || isJournal());
        if (!ours) {
            throw kept("was not written by fdt");
        }
    }

    private boolean isLink() {
        return name.text().endsWith(".link");
    }

    /** A link cannot be locked, so any session in its directory may be the one that makes it. */
    private void requireNoSession() {
        int listed = Paths.openat(dirFd, RawPath.HERE, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        boolean used = listed >= 0 && Descriptor.lockedFrom(listed, 0, 0) >= 0;
        Descriptor.closeFd(listed);
        if (used) {
            throw kept("a copy is writing in its directory");
        }
    }

    private boolean isJournal() {
        int fd = Paths.openat(dirFd, name, Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
        ByteBuffer header = ByteBuffer.allocateDirect(Journal.HEADER_BYTES);
        boolean sound = fd >= 0
                && FileData.preadAt(fd, Libc.addressOf(header), Journal.HEADER_BYTES, 0) == Journal.HEADER_BYTES
                && Journal.isHeader(header);
        Descriptor.closeFd(fd);
        return sound;
    }

    private void requireOld(FileStatus changed, long olderSeconds) {
        if (System.currentTimeMillis() / 1000 - changed.changedSeconds < olderSeconds) {
            throw kept("is younger than --older");
        }
    }

    private void requireUnused(PartialOpener partial, int opened, long olderSeconds) {
        // Sessions lock parts of it: ranges of a file share its partial.
        int locked = Descriptor.lockRange(opened, 0, 0);
        FileStatus held = new FileStatus();
        if (!partial.confirm(locked, opened, held)) {
            throw kept("was completed meanwhile");
        }
        requireOld(held, locked < 0 ? Math.max(olderSeconds, UNLOCKED_SECONDS) : olderSeconds);
    }

    private TransferException kept(String why) {
        return Cause.BUSY.at(shown.display()).failure(why);
    }
}
