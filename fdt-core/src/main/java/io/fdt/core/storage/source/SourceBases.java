package io.fdt.core.storage.source;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;
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

/**
 * The directories that sources are relative to, opened by the paths that the user wrote and held while they are in use.
 * A base that was opened, given up and opened again must still be the same directory. Thread-safe.
 */
final class SourceBases implements AutoCloseable {
    private static final int IDLE_MAX = DescriptorLimit.ofSession(64);

    private final Root root;
    private final DirectoryCache cache;
    private final Map<RawPath, FileStatus.Identity> identities = new HashMap<>();
    private final boolean firstIsNoDirectory;
    private final boolean followsLinks;

    /** @throws TransferException SOURCE when one of the sources is not there */
    SourceBases(Root root, List<SourceArgument> sources, boolean followsLinks) {
        this.root = root;
        this.followsLinks = followsLinks;
        this.cache = new DirectoryCache(IDLE_MAX, this::open);
        FileStatus status = new FileStatus();
        try {
            requirePresent(sources.get(0), status);
            firstIsNoDirectory = !status.isDirectory();
            for (SourceArgument source : sources.subList(1, sources.size())) {
                requirePresent(source, status);
            }
        } catch (TransferException missing) {
            cache.close();
            throw missing;
        }
    }

    boolean isFirstNoDirectory() {
        return firstIsNoDirectory;
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
                outcome = FileMetadata.statat(fd, source.name(), Paths.AT_SYMLINK_NOFOLLOW, status);
            }
            Descriptor.closeFd(fd);
        }
        if (outcome == 0 && status.isLink() && followsLinks) {
            int linked = follow(source, source.name(), Paths.O_PATH);
            int known = FileMetadata.statAndClose(linked, status);
            // What leads nowhere is told of when it is walked.
            outcome = linked < 0 ? 0 : known;
        }
        Errno.require(outcome, FailureKind.SOURCE, "open", source.argument());
    }

    /** Called with the cache's lock held. */
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
            throw FailureKind.SOURCE.failure(base.display() + ": was replaced since the transfer began");
        }
        return fd;
    }

    DirectoryCache.Held acquire(SourceArgument source) {
        return cache.acquire(source.base());
    }

    boolean followsLinks() {
        return followsLinks;
    }

    /** Whether the kernel alone finds files by their paths, so that {@link WholeFiles} can have it do so. */
    boolean readsWhole() {
        return !followsLinks && root.resolver().isKernels();
    }

    /**
     * Opens an entry's path below its base: through no link, or if links are followed, through any that stay below the
     * root. A descriptor, or the negated errno.
     */
    int openBelow(SourceArgument source, int baseFd, RawPath path, int flags) {
        return followsLinks
                ? follow(source, path, flags & ~Paths.O_NOFOLLOW)
                : root.resolver().openWithoutLinks(baseFd, path, flags, 0);
    }

    /** Opens the directory above an entry's path, in the same way. */
    int openParent(SourceArgument source, int baseFd, RawPath path) {
        return path.parent().isEmpty()
                ? Descriptor.duplicate(baseFd)
                : openBelow(source, baseFd, path.parent(), Paths.O_PATH | Paths.O_DIRECTORY);
    }

    /** Opens what links at a path lead to. */
    int follow(SourceArgument source, RawPath path, int flags) {
        return root.open(source.base().resolve(path), flags, 0);
    }

    @Override
    public void close() {
        cache.close();
    }
}
