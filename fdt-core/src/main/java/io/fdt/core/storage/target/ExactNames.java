package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.DirectoryReader;
import io.fdt.core.storage.source.PathHashes;
import org.jspecify.annotations.Nullable;

/**
 * Whether something in a directory of the target has the very name by which it was found. A directory that ignores case
 * takes two names of the source for one, and each would replace the other, or be deleted as extra. One thread.
 */
final class ExactNames {
    private final FileStatus status = new FileStatus();
    /** Of the directory that was asked about last and is not exact. */
    private RawPath directory = RawPath.EMPTY;

    private @Nullable PathHashes names;

    /**
     * Throws if what was found there has another name.
     *
     * @param found at the path
     * @param shown the path for messages
     */
    void require(DirectoryCache.Held parent, RawPath path, FileStatus found, RawPath shown) {
        if (parent.isExact()) {
            return;
        }
        RawPath name = path.name();
        RawPath other = inOtherCase(name);
        if (other.equals(name)) {
            return;
        }
        int known = FileMetadata.statat(parent.fd(), other, Paths.AT_SYMLINK_NOFOLLOW, status);
        if (known < 0 || !status.isSameFile(found)) {
            parent.markExact();
            return;
        }
        PathHashes there = names;
        if (there == null || !directory.equals(path.parent())) {
            there = new PathHashes();
            names = there;
            directory = path.parent();
        }
        // What has come into being since the names were read is not among them.
        RawPath stored = there.contains(name) ? name : read(parent.fd(), name, there);
        if (!name.equals(stored)) {
            throw isTaken(shown, stored);
        }
    }

    /** The failure of something whose name a directory has already, spelled otherwise; null if it is spelled so. */
    static @Nullable TransferException failure(int dirFd, RawPath name, RawPath shown) {
        RawPath stored = read(dirFd, name, new PathHashes());
        return name.equals(stored) ? null : isTaken(shown, stored);
    }

    private static TransferException isTaken(RawPath shown, RawPath stored) {
        String other = stored.isEmpty() ? "another one" : stored.display();
        return FailureKind.TARGET.failure(
                shown.display() + ": the target has " + other + " and takes both names for one; rename one of them");
    }

    /**
     * Adds all names. The name itself if it is there, or else one that differs in case; empty when there is neither.
     */
    private static RawPath read(int dirFd, RawPath name, PathHashes all) {
        int fd = Paths.openat(dirFd, RawPath.HERE, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        if (fd < 0) {
            // Nobody but who may list it can tell.
            return name;
        }
        DirectoryReader reader = new DirectoryReader(fd, DirectoryReader.newBuffer());
        RawPath stored = RawPath.EMPTY;
        try {
            for (RawPath each = reader.next(); each != null; each = reader.next()) {
                all.add(each);
                if (!stored.equals(name) && each.text().equalsIgnoreCase(name.text())) {
                    stored = each;
                }
            }
        } finally {
            reader.suspend();
        }
        return stored;
    }

    private static RawPath inOtherCase(RawPath name) {
        byte[] bytes = name.toBytes();
        for (int i = 0; i < bytes.length; i++) {
            int lower = bytes[i] | 0x20;
            if (lower >= 'a' && lower <= 'z') {
                bytes[i] = (byte) (bytes[i] ^ 0x20);
            }
        }
        return RawPath.ofBytes(bytes);
    }
}
