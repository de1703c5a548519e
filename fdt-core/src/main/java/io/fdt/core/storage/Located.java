package io.fdt.core.storage;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import java.util.List;

/** A path that a user or a peer named, with the root that it is taken in. Owns the root. */
public record Located(Root root, RawPath path) implements AutoCloseable {
    /** Finds the root of a path; throws REFUSED if there is none. Thread-safe. */
    public interface Finder {
        Located find(RawPath path);
    }

    /** A path of the local user. */
    public static Located here(RawPath path) {
        return new Located(Root.unconfined(RawPath.EMPTY), path);
    }

    /**
     * Returns what is at the path, with {@link FileEntry#doubt}; a device, pipe or socket is a {@link
     * FileEntry.Kind#STREAM}.
     *
     * @param shown the path of the entry, and in messages
     * @param followsLink report what a link leads to, if that is below the root, and not the link
     * @throws io.fdt.core.failure.TransferException SOURCE or REFUSED
     */
    public FileEntry entry(RawPath shown, boolean followsLink) {
        int flags = followsLink ? Paths.O_PATH : Paths.O_PATH | Paths.O_NOFOLLOW;
        try (Descriptor opened = new Descriptor(
                Errno.require(root.open(path, flags, 0), FailureKind.SOURCE, "open", shown), root.budget())) {
            FileStatus status = new FileStatus();
            Errno.require(FileMetadata.stat(opened.fd(), status), FailureKind.SOURCE, "look at", shown);
            List<FileEntry.Attribute> attributes =
                    status.isRegular() ? UnflushedMark.shown(opened.fd(), RawPath.EMPTY) : List.of();
            RawPath linkTarget = status.isLink() ? linkTarget(opened.fd(), shown) : null;
            return status.entry(shown, kind(status), status.mode(), linkTarget, attributes);
        }
    }

    private static RawPath linkTarget(int linkFd, RawPath shown) {
        RawPath[] target = new RawPath[1];
        Errno.require(Paths.readlinkat(linkFd, RawPath.EMPTY, target), FailureKind.SOURCE, "read link", shown);
        return target[0];
    }

    private static FileEntry.Kind kind(FileStatus status) {
        if (status.isDirectory()) {
            return FileEntry.Kind.DIRECTORY;
        }
        return status.isRegular() ? FileEntry.Kind.FILE : status.isLink() ? FileEntry.Kind.LINK : FileEntry.Kind.STREAM;
    }

    @Override
    public void close() {
        root.close();
    }
}
