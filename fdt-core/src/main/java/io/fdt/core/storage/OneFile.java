package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;

/**
 * Opens one name in a directory, if it is no link, and nothing else. The directory itself can be held, but not listed.
 */
record OneFile(Resolver directory, RawPath name) implements Resolver {
    @Override
    public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
        return openWithoutLinks(dirFd, path, flags, mode);
    }

    @Override
    public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
        boolean held = (path.isEmpty() || path.equals(RawPath.HERE)) && (flags & Paths.O_PATH) != 0;
        return held || path.equals(name) ? directory.openWithoutLinks(dirFd, path, flags, mode) : -Errno.EXDEV;
    }

    @Override
    public boolean reaches(RawPath path) {
        return path.equals(name);
    }
}
