package io.fdt.core.storage.target;

import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.source.RememberedPaths;

/**
 * Under which path a copy has opened each directory of its target: two directories of the source that are one there,
 * because of a link, a mount or a file system that ignores case, would put their files in each other's place. Keeps two
 * hashes a directory. One thread at a time.
 */
final class OpenedDirectories implements AutoCloseable {
    private final RememberedPaths known = new RememberedPaths("a copy", "copy in parts");

    /**
     * False when the directory was opened under another path.
     *
     * @throws TransferException LIMIT, when there are too many to remember: the session cannot be completed
     */
    boolean add(RawPath path, FileStatus directory) {
        RawPath identity = RawPath.ofText(directory.device + "/" + directory.inode);
        RawPath place = RawPath.ROOT.resolve(identity).resolve(path);
        if (known.contains(place)) {
            return true;
        }
        if (known.contains(identity)) {
            return false;
        }
        known.add(identity);
        known.add(place);
        return true;
    }

    @Override
    public void close() {
        known.close();
    }
}
