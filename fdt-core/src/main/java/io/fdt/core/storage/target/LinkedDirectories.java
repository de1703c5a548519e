package io.fdt.core.storage.target;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a target that a copy reached through a link, each with one such path. What the copy wrote to them
 * also exists under their own paths, of which the source may know nothing. Thread-safe.
 */
final class LinkedDirectories {
    private static final int COUNT_MAX = 65_536;

    private final Map<FileStatus.Identity, RawPath> known = new ConcurrentHashMap<>();

    /** @throws TransferException LIMIT, if there are too many to remember: the session cannot be completed */
    void add(FileStatus directory, RawPath path) {
        if (known.putIfAbsent(directory.identity(), path) == null && known.size() > COUNT_MAX) {
            throw FailureKind.LIMIT.failure(
                    "the target has more than " + COUNT_MAX + " links in the place of directories; copy in parts");
        }
    }

    @Nullable RawPath pathTo(FileStatus directory) {
        return known.get(directory.identity());
    }

    /** Whether the directory at this path is one of them, or cannot be checked. */
    boolean include(Root root, RawPath path) {
        if (known.isEmpty()) {
            return false;
        }
        FileStatus status = new FileStatus();
        int found = FileMetadata.statAndClose(root.openWithoutLinks(path, Paths.O_PATH | Paths.O_DIRECTORY), status);
        return found < 0 || known.containsKey(status.identity());
    }
}
