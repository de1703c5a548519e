package io.fdt.core.storage.target;

import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.source.RememberedPaths;

/**
 * The path by which a copy has opened each directory of its target: if two directories of the source are one in the
 * target, because of a link, a mount or a file system that ignores case, their files would replace each other. Keeps
 * two hashes for each directory. For one thread at a time.
 */
final class OpenedDirectories implements AutoCloseable {
    private final RememberedPaths known = new RememberedPaths("a copy", "copy in parts");

    /**
     * Returns false if the directory was opened by another path.
     *
     * @throws TransferException LIMIT, if there are too many to remember: the session cannot be completed
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
