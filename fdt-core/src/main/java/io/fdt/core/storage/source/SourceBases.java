package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DescriptorLimit;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The directories that sources are relative to, opened by the paths that the user wrote and held while they are in use.
 * A base that is closed and reopened must still be the same directory. Thread-safe.
 */
final class SourceBases implements AutoCloseable {
    private static final int IDLE_MAX = DescriptorLimit.ofSession(64);

    private final Root root;
    private final DirectoryCache cache;
    private final Map<RawPath, FileStatus.Identity> identities = new HashMap<>();
    private final boolean firstIsNoDirectory;
    private final long firstBytes;
    private final boolean paired;
    private final boolean copiesLinks;
    /** The files that were found, each by its inode and path; null if none is removed. */
    private final @Nullable RememberedPaths found;

    /** @throws TransferException SOURCE if one of the sources does not exist; the walk reports missing ones of pairs */
    SourceBases(Root root, List<SourceArgument> sources, TransferPlan selection) {
        this.root = root;
        this.paired = selection.get(CopyValue.PAIRS);
        this.copiesLinks = selection.get(CopyValue.COPY_LINKS);
        this.found = selection.get(CopyValue.REMOVE_SOURCE)
                ? new RememberedPaths("--remove-source", "copy in parts", root.budget())
                : null;
        this.cache = new DirectoryCache(IDLE_MAX, root.budget(), this::open);
        FileStatus status = new FileStatus();
        try {
            requirePresent(sources.get(0), status);
            firstIsNoDirectory = !status.isDirectory();
            firstBytes = status.isRegular() ? status.sizeBytes : -1;
            for (SourceArgument source : sources.subList(1, sources.size())) {
                requirePresent(source, status);
            }
        } catch (TransferException missing) {
            cache.close();
            throw missing;
        }
    }

    /** Of the session that reads the sources. */
    Budget budget() {
        return root.budget();
    }

    boolean isFirstNoDirectory() {
        return firstIsNoDirectory;
    }

    /** The length of the first source; -1 if it is not a regular file. */
    long firstBytes() {
        return firstBytes;
    }

    private void requirePresent(SourceArgument source, FileStatus status) {
        int fd = root.open(source.base(), Paths.O_PATH | Paths.O_DIRECTORY, 0);
        int outcome = fd;
        if (fd >= 0) {
            outcome = FileMetadata.stat(fd, status);
            synchronized (identities) {
                identities.put(source.base(), status.identity());
            }
            if (outcome == 0 && !source.isContents()) {
                outcome = root.resolver().reaches(source.name())
                        ? FileMetadata.statat(fd, source.name(), Paths.AT_SYMLINK_NOFOLLOW, status)
                        : -Errno.EXDEV;
            }
            Descriptor.closeFd(fd);
        }
        if (outcome == 0 && status.isLink() && followsLinks()) {
            int linked = follow(source, source.path(), Paths.O_PATH);
            int known = FileMetadata.statAndClose(linked, status);
            // A dangling link is reported by the walk.
            outcome = linked < 0 ? 0 : known;
        }
        if (!paired) {
            Errno.require(outcome, FailureKind.SOURCE, "open", source.argument());
        }
    }

    /** Called while the cache's lock is held. */
    private int open(RawPath base) {
        int fd = Errno.require(root.open(base, Paths.O_PATH | Paths.O_DIRECTORY, 0), FailureKind.SOURCE, "open", base);
        FileStatus status = new FileStatus();
        int outcome = FileMetadata.stat(fd, status);
        FileStatus.Identity known;
        synchronized (identities) {
            known = identities.get(base);
        }
        if (outcome < 0 || known == null || !known.isOf(status)) {
            Descriptor.closeFd(fd);
            Errno.require(outcome, FailureKind.SOURCE, "look at", base);
            throw Cause.CHANGED.at(base.display()).failure("was replaced since the transfer began");
        }
        return fd;
    }

    DirectoryCache.Held acquire(SourceArgument source) {
        return cache.acquire(source.base());
    }

    /** Called for each file that the walk finds, so that only this file is removed. For the session's thread. */
    void onFound(RawPath path, FileStatus status) {
        if (found != null) {
            found.add(inodeAndPath(path, status));
        }
    }

    /** Whether the walk has found this very file at the path. For the session's thread. */
    boolean hasFound(RawPath path, FileStatus status) {
        return found != null && found.contains(inodeAndPath(path, status));
    }

    private static RawPath inodeAndPath(RawPath path, FileStatus status) {
        return RawPath.ofText(status.device + "/" + status.inode).resolve(path);
    }

    boolean followsLinks() {
        return copiesLinks;
    }

    /** Whether the kernel alone resolves paths, so that {@link WholeFiles} can be used. */
    boolean readsWhole() {
        return !followsLinks() && root.resolver().isKernels();
    }

    /**
     * Opens an entry's path below its base: without following links, or, if links are followed, through those that stay
     * below the root. Returns a descriptor, or the negated errno.
     */
    int openBelow(SourceArgument source, int baseFd, RawPath path, int flags) {
        return followsLinks()
                ? follow(source, path, flags & ~Paths.O_NOFOLLOW)
                : root.resolver().openWithoutLinks(baseFd, source.inBase(path), flags, 0);
    }

    /** Opens the directory above an entry's path, like {@link #openBelow}. */
    int openParent(SourceArgument source, int baseFd, RawPath path) {
        if (!root.resolver().reaches(source.inBase(path))) {
            return -Errno.EXDEV;
        }
        return source.inBase(path).parent().isEmpty()
                ? Descriptor.duplicate(baseFd)
                : openBelow(source, baseFd, path.parent(), Paths.O_PATH | Paths.O_DIRECTORY);
    }

    /** Opens a path and follows its links. */
    int follow(SourceArgument source, RawPath path, int flags) {
        return root.open(source.base().resolve(source.inBase(path)), flags, 0);
    }

    @Override
    public void close() {
        if (found != null) {
            found.close();
        }
        cache.close();
    }
}
