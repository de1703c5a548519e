package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.DirectoryReader;
import io.fdt.core.storage.source.PathHashes;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a file in a directory of the target has exactly the name by which it was found. A directory that
 * ignores case treats two names of the source as equal, so that each file would replace the other, or be deleted as
 * extra. For one thread.
 */
final class ExactNames {
    private final FileStatus status = new FileStatus();
    /** The last checked directory that is not exact. */
    private RawPath directory = RawPath.EMPTY;

    private @Nullable PathHashes names;
    private final Budget budget;

    ExactNames(Budget budget) {
        this.budget = budget;
    }

    /**
     * Throws if the file that was found has another name.
     *
     * @param found the status of the file at the path
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
        // A name that was created after the directory was read is not in the set.
        RawPath stored = there.contains(name) ? name : read(budget, parent.fd(), name, there);
        if (!name.equals(stored)) {
            throw isTaken(shown, stored);
        }
    }

    /** Returns the failure for a name that the directory has in another spelling; null if it has exactly this name. */
    static @Nullable TransferException failure(Budget budget, int dirFd, RawPath name, RawPath shown) {
        RawPath stored = read(budget, dirFd, name, new PathHashes());
        return name.equals(stored) ? null : isTaken(shown, stored);
    }

    private static TransferException isTaken(RawPath shown, RawPath stored) {
        String other = stored.isEmpty() ? "another one" : stored.display();
        return Cause.EXISTS
                .at(shown.display())
                .advise("rename one of them")
                .failure("the target has " + other + " and takes both names for one");
    }

    /**
     * Adds all names of the directory. Returns the name itself if it exists, otherwise one that differs only in case;
     * empty if there is neither.
     */
    private static RawPath read(Budget budget, int dirFd, RawPath name, PathHashes all) {
        int fd = Paths.openat(dirFd, RawPath.HERE, Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        if (fd < 0) {
            // A directory that cannot be listed cannot be checked.
            return name;
        }
        DirectoryReader reader = new DirectoryReader(new Descriptor(fd, budget), DirectoryReader.newBuffer());
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
