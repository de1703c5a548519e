package io.fdt.core.storage.target;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.DiskSourceFile;
import io.fdt.core.storage.source.SourceTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks up the files that a copy created for its entries. Paths are those of the entries; the copy's {@link Placement}
 * maps them to files of the target. Changes nothing. Thread-safe. Does not own its root.
 */
public final class PlacedEntries implements AutoCloseable {
    private final Placement placement;

    /**
     * @param single whether the copy had only one entry, which was not a directory
     * @throws TransferException SOURCE, if the target does not exist, or REFUSED
     */
    public PlacedEntries(Root root, RawPath target, boolean single) {
        Placement found;
        try {
            found = Placement.find(root, target, single, false, false);
        } catch (TransferException failure) {
            throw asSource(failure);
        }
        if (found == null) {
            throw Errno.failure(FailureKind.SOURCE, "open", target, Errno.ENOENT);
        }
        this.placement = found;
        if (found.renamesSingle() && lookAt(target.name(), false) == null) {
            found.close();
            throw Errno.failure(FailureKind.SOURCE, "open", target, Errno.ENOENT);
        }
    }

    private static TransferException asSource(TransferException failure) {
        return OtherSide.asSource(failure);
    }

    /**
     * Returns the file in an entry's place, under the entry's own path; null if there is none. A device, pipe or socket
     * is a {@link Kind#STREAM}.
     *
     * @param directory whether the copy created a directory there
     * @throws TransferException SOURCE or REFUSED, if it cannot be read
     */
    public @Nullable FileEntry lookAt(RawPath path, boolean directory) {
        RawPath place = placeOf(path, directory);
        int parentFd = placement.openDirectory(place.parent(), Paths.O_PATH);
        // A copy would have replaced a link on the way by a directory.
        if (isNothing(parentFd) || parentFd == -Errno.ELOOP) {
            return null;
        }
        Errno.require(parentFd, FailureKind.SOURCE, "read", place);
        try (Descriptor parent = new Descriptor(parentFd, placement.budget())) {
            FileStatus status = new FileStatus();
            RawPath name = place.isEmpty() ? RawPath.HERE : place.name();
            int outcome = FileMetadata.statat(parent.fd(), name, Paths.AT_SYMLINK_NOFOLLOW, status);
            if (isNothing(outcome)) {
                return null;
            }
            Errno.require(outcome, FailureKind.SOURCE, "read", place);
            RawPath linkTarget = null;
            if (status.isLink()) {
                linkTarget = readLink(parent.fd(), name, place);
            }
            return entry(path, status, linkTarget);
        }
    }

    /**
     * Returns the directory in the place of one that is only above copied names; null if there is none. Links to it are
     * followed, also for what is below it.
     *
     * @throws TransferException SOURCE or REFUSED, if it cannot be read
     */
    public @Nullable FileEntry lookAbove(RawPath path) {
        RawPath place = placeOf(path, true);
        int fd = placement.openAbove(place);
        if (isNothing(fd) || fd == -Errno.ELOOP) {
            return null;
        }
        FileStatus status = new FileStatus();
        int known = FileMetadata.statAndClose(fd, status);
        Errno.require(fd < 0 ? fd : known, FailureKind.SOURCE, "read", place);
        return entry(path, status, null);
    }

    /** Follows a link in the place of a directory that is only above copied names. */
    public void follow(RawPath path) {
        Descriptor.closeFd(placement.openAbove(placeOf(path, true)));
    }

    private static boolean isNothing(int outcome) {
        return outcome == -Errno.ENOENT || outcome == -Errno.ENOTDIR;
    }

    private static RawPath readLink(int parentFd, RawPath name, RawPath place) {
        RawPath[] target = new RawPath[1];
        Errno.require(Paths.readlinkat(parentFd, name, target), FailureKind.SOURCE, "read link", place);
        return target[0];
    }

    private static FileEntry entry(RawPath path, FileStatus status, @Nullable RawPath linkTarget) {
        Kind kind = status.isDirectory()
                ? Kind.DIRECTORY
                : status.isRegular() ? Kind.FILE : linkTarget != null ? Kind.LINK : Kind.STREAM;
        return status.entry(path, kind, status.mode(), linkTarget, List.of());
    }

    /**
     * Opens the content of an entry that {@link #lookAt} returned.
     *
     * @throws TransferException SOURCE, also if the file has changed since
     */
    public SourceFile open(FileEntry entry) {
        RawPath place = placeOf(entry.path(), false);
        int parentFd = placement.openDirectory(place.parent(), Paths.O_PATH);
        try {
            return DiskSourceFile.open(
                    placement.budget(),
                    parentFd,
                    place.name(),
                    FailureKind.SOURCE,
                    place,
                    status -> SourceTree.isAsListed(status, entry),
                    "changed since it was listed");
        } finally {
            Descriptor.closeFd(parentFd);
        }
    }

    private RawPath placeOf(RawPath path, boolean directory) {
        Kind kind = directory ? Kind.DIRECTORY : Kind.FILE;
        try {
            return placement.pathOf(new FileEntry(path, kind, 0, EntryMetadata.UNKNOWN, false, null));
        } catch (TransferException failure) {
            throw asSource(failure);
        }
    }

    @Override
    public void close() {
        placement.close();
    }
}
