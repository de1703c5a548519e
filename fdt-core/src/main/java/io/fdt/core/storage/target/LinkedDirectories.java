package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Posix;
import java.util.HashSet;
import java.util.Set;

/**
 * The directories of a target that a mirroring copy reached through a link: what it put into them is there under their
 * own paths, too, of which the source need not know anything. One thread.
 */
final class LinkedDirectories {
    private static final int COUNT_MAX = 65_536;

    private final Set<FileStatus.Identity> known = new HashSet<>();

    /** @throws TransferException LIMIT, when there are too many to remember: the session cannot be completed */
    void add(FileStatus directory) {
        if (known.add(directory.identity()) && known.size() > COUNT_MAX) {
            throw FailureKind.LIMIT.failure(
                    "--delete takes at most " + COUNT_MAX + " directories behind links; mirror in parts");
        }
    }

    /** Whether the directory at this path is one of them, or nobody can tell. */
    boolean include(Root root, RawPath path) {
        if (known.isEmpty()) {
            return false;
        }
        FileStatus status = new FileStatus();
        int fd = root.openWithoutLinks(path, Posix.O_PATH | Posix.O_DIRECTORY);
        int found = fd < 0 ? fd : Posix.stat(fd, status);
        Posix.closeFd(fd);
        return found < 0 || known.contains(status.identity());
    }
}
