package io.fdt.core.storage;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.List;

/** The target of a copy within this host, as a real path; checks that it does not overlap with the sources. */
public final class LocalTarget {
    private static final RawPath UP = RawPath.ofText("..");

    private final RawPath real;
    private final boolean isDirectory;

    /** Follows the links in the part of the path that exists. */
    public LocalTarget(RawPath target) {
        RawPath existing = target;
        RawPath missing = RawPath.EMPTY;
        while (!isDirectory(existing)) {
            missing = missing.isEmpty() ? existing.name() : existing.name().resolve(missing);
            existing = existing.parent();
        }
        if (missing.components().contains(UP)) {
            throw Cause.USAGE.failure("the target " + target.display()
                    + " leads up from a directory that does not exist; write its path without ..");
        }
        RawPath path = realPath(existing).resolve(missing);
        this.isDirectory = missing.isEmpty() || target.endsWithSlash();
        this.real = isDirectory ? path.withSlash() : path;
    }

    public RawPath path() {
        return real;
    }

    private static boolean isDirectory(RawPath path) {
        FileStatus status = new FileStatus();
        return path.isEmpty() || (FileMetadata.statat(Paths.AT_FDCWD, path, 0, status) == 0 && status.isDirectory());
    }

    private static RawPath realPath(RawPath directory) {
        try (Root root = Root.unconfined(directory)) {
            return root.realPath();
        }
    }

    /**
     * Refuses a copy of something onto or into itself, and a mirror that would delete its own source.
     *
     * @throws TransferException USAGE
     */
    public void requireApartFrom(List<RawPath> sources, boolean deletes) {
        for (RawPath source : sources) {
            FileStatus status = new FileStatus();
            boolean copied = FileMetadata.statat(Paths.AT_FDCWD, source, 0, status) == 0
                    && (status.isDirectory() || status.isRegular());
            if (copied) {
                requireApartFrom(source, status, sources.size() > 1, deletes);
            }
        }
    }

    private void requireApartFrom(RawPath source, FileStatus status, boolean oneOfSeveral, boolean deletes) {
        RawPath from = status.isDirectory() ? realPath(source) : source;
        boolean below = status.isDirectory() ? !source.endsWithSlash() : isDirectory || oneOfSeveral;
        RawPath copy = below ? real.resolve(from.name()) : real;
        requireNotWithin(source, status, copy);
        FileStatus end = new FileStatus();
        boolean exists = FileMetadata.statat(Paths.AT_FDCWD, copy, 0, end) == 0;
        if (deletes && exists && status.isDirectory() && isOrLiesIn(from, end)) {
            throw Cause.USAGE.failure("--delete would delete the source " + source.display()
                    + ", which lies inside the target " + copy.display() + "; leave it out or choose another target");
        }
    }

    /**
     * Refuses a copy of something to exactly this path if that is the source, or lies inside it.
     *
     * @throws TransferException USAGE
     */
    public void requireNotWithin(RawPath source) {
        FileStatus status = new FileStatus();
        boolean copied = FileMetadata.statat(Paths.AT_FDCWD, source, Paths.AT_SYMLINK_NOFOLLOW, status) == 0
                && (status.isDirectory() || status.isRegular());
        if (copied) {
            requireNotWithin(source, status, real);
        }
    }

    private static void requireNotWithin(RawPath source, FileStatus status, RawPath copy) {
        if (isOrLiesIn(copy, status)) {
            throw Cause.USAGE.failure(
                    status.isDirectory()
                            ? "the target " + copy.display() + " is the source directory itself or lies inside it;"
                                    + " choose a target outside " + source.display()
                            : copy.display() + " is the source itself; choose another target");
        }
    }

    /** Compares by device and inode, so that links and bind mounts are recognized. */
    private static boolean isOrLiesIn(RawPath path, FileStatus other) {
        FileStatus status = new FileStatus();
        for (RawPath at = path; !at.isEmpty(); at = at.parent()) {
            boolean exists = FileMetadata.statat(Paths.AT_FDCWD, at, 0, status) == 0;
            if (exists && status.isSameFile(other)) {
                return true;
            }
            if (at.parent().equals(at)) {
                return false;
            }
        }
        return false;
    }
}
