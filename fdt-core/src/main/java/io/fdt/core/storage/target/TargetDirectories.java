package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.FileClaims;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.partial.Seniority;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DescriptorLimit;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.RememberedPaths;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The directories of a target: open ones by path, those that entries create, and their flush. They have u+rwx while the
 * session runs; {@link #finish} sets their modes and times. {@link #acquire}, {@link #onTouched} and the flush are
 * thread-safe, the rest is for the session's thread.
 */
final class TargetDirectories implements AutoCloseable {
    private static final int IDLE_MAX = DescriptorLimit.ofSession(256);
    private static final int OWNER_ALL = 0700;

    private final Placement placement;
    private final ExistingRules existing;
    private final Metadata metadata;
    private final DirectoryCache directories;
    private final Budget budget;
    private final FileClaims claims;
    private final Seniority seniority;
    private final DirectoryLog unfinished;
    private final ExactNames exactNames;
    /**
     * The path under which each directory was opened, two hashes each. Used with the lock of {@link #directories} held.
     */
    private final RememberedPaths opened;

    private final FileStatus status = new FileStatus();

    /** The target's own directory. */
    private final Descriptor base;

    private final LossMarks marks;

    /** Null if nothing is flushed. */
    private final @Nullable TargetFlush flush;

    /** Takes over the placement, even if it throws. */
    TargetDirectories(
            Disk disk, Root root, Placement placement, TransferPlan plan, ExistingRules existing, Metadata metadata) {
        this.placement = placement;
        this.existing = existing;
        this.metadata = metadata;
        this.budget = root.budget();
        this.claims = root.claims();
        this.directories = new DirectoryCache(IDLE_MAX, budget, this::openDirectory);
        this.exactNames = new ExactNames(budget);
        this.seniority = new Seniority(budget);
        this.unfinished = new DirectoryLog(DirectoryLog.MAX_BYTES, root.budget());
        this.opened = new RememberedPaths("a copy", "copy in parts", root.budget());
        try {
            this.base = new Descriptor(openBase(), budget);
        } catch (TransferException failure) {
            placement.close();
            throw failure;
        }
        try {
            RawPath target = placement.shown(RawPath.EMPTY);
            this.marks = new LossMarks(disk, root, target, base.fd());
            this.flush = plan.get(CopyValue.DURABLE) == Durability.NONE
                    ? null
                    : new TargetFlush(disk, this, root, target, base.fd(), marks);
        } catch (TransferException failure) {
            base.close();
            placement.close();
            throw failure;
        }
    }

    private int openBase() {
        int listed = placement.openDirectory(RawPath.EMPTY, Paths.O_RDONLY);
        int fd = listed < 0 ? placement.openDirectory(RawPath.EMPTY, Paths.O_PATH) : listed;
        return Errno.require(fd, FailureKind.TARGET, "open directory", shown(RawPath.EMPTY));
    }

    int baseFd() {
        return base.fd();
    }

    /** Charged with what the target holds for its session. */
    Budget budget() {
        return budget;
    }

    /** By paths in the root. */
    FileClaims claims() {
        return claims;
    }

    Seniority seniority() {
        return seniority;
    }

    /** Null if nothing is flushed. */
    @Nullable TargetFlush flush() {
        return flush;
    }

    RawPath shown(RawPath path) {
        return placement.shown(path);
    }

    /** Called while the cache's lock is held. */
    private int openDirectory(RawPath path) {
        int fd = placement.openDirectory(path, Paths.O_RDONLY);
        if (fd == -Errno.EACCES) {
            // The directory may be writable but not readable.
            fd = placement.openDirectory(path, Paths.O_PATH);
        }
        if (fd < 0) {
            throw placement.cannotOpen(path, -fd);
        }
        try {
            requireOnePath(path, fd);
            seniority.enter(fd);
            marks.onOpened(path, fd);
            if (flush != null) {
                flush.onOpened(fd);
            }
            return fd;
        } catch (TransferException failure) {
            Descriptor.closeFd(fd);
            throw failure;
        }
    }

    /**
     * Two directories of the source that are the same one here, because of a mount or a file system that ignores case,
     * would overwrite each other's files.
     */
    private void requireOnePath(RawPath path, int fd) {
        FileStatus directory = new FileStatus();
        Errno.require(FileMetadata.stat(fd, directory), FailureKind.TARGET, "look at", shown(path));
        metadata.check().onOpened(directory.device);
        RawPath identity = RawPath.ofText(directory.device + "/" + directory.inode);
        RawPath place = RawPath.ROOT.resolve(identity).resolve(path);
        if (opened.contains(place)) {
            return;
        }
        if (opened.contains(identity)) {
            throw Cause.TARGET
                    .at(shown(path).display())
                    .failure("is the same directory as " + otherPath(path, fd)
                            + ", where this copy has put another directory of the source");
        }
        opened.add(identity);
        opened.add(place);
    }

    private String otherPath(RawPath path, int fd) {
        RawPath other = placement.ownPath(fd);
        return other == null || other.equals(path)
                ? "one that has another path"
                : shown(other).display();
    }

    /** Throws if the file found at the path has another name there. For the session's thread. */
    void requireExactName(DirectoryCache.Held parent, RawPath path, FileStatus found) {
        exactNames.require(parent, path, found, shown(path));
    }

    /** Reads the status of what is at the path; false if there is nothing. */
    boolean find(int parentFd, RawPath path, FileStatus found) {
        int known = FileMetadata.statat(parentFd, path.name(), Paths.AT_SYMLINK_NOFOLLOW, found);
        return known != -Errno.ENOENT && Errno.require(known, FailureKind.TARGET, "look at", shown(path)) == 0;
    }

    DirectoryCache.Held acquire(RawPath path) {
        return directories.acquire(path);
    }

    void onTouched(RawPath directory) {
        if (flush != null) {
            flush.onTouched(directory);
        }
    }

    /**
     * Whether an existing file must be copied again, because a flush failed after it was written.
     *
     * @param isRead whether its content is compared before it is kept
     */
    boolean mayBeLost(RawPath file, FileStatus there, boolean isRead) {
        return existing.skipSame() && marks.mayBeLost(file, there, isRead);
    }

    boolean hasSeveralFileSystems() {
        return marks.hasSeveralFileSystems();
    }

    Outcome prepare(FileEntry entry) {
        RawPath path = placement.pathOf(entry);
        int made = -Errno.EEXIST;
        if (!path.isEmpty()) {
            int newMode = metadata.newDirectoryMode(entry);
            try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
                made = Paths.mkdirat(parent.fd(), path.name(), newMode);
                if (made == -Errno.EEXIST) {
                    acceptOrReplace(parent, path, newMode);
                } else if (made < 0) {
                    throw Errno.failure(FailureKind.TARGET, "make directory", shown(path), -made);
                }
            }
            onTouched(path.parent());
        }
        onTouched(path);
        EntryMetadata given = entry.metadata();
        boolean isNew = made == 0 || (path.isEmpty() && placement.madeItsDirectory());
        if (existing.onlyNewNames() && !isNew) {
            return new Outcome.Made();
        }
        boolean hasMode;
        try (DirectoryCache.Held self = directories.acquire(path)) {
            boolean operators = placement.isExportedRoot(path, self.fd());
            hasMode = metadata.carriesMode() && !operators;
            if (!operators) {
                metadata.giveToDirectory(self.fd(), path, entry, shown(path));
            }
            Errno.require(FileMetadata.stat(self.fd(), status), FailureKind.TARGET, "look at", shown(path));
            if (made == 0) {
                self.markMade();
            }
            int found = status.mode();
            given = given.withMode(hasMode ? metadata.directoryMode(entry, found) : found);
            if (!operators
                    && (found & OWNER_ALL) != OWNER_ALL
                    && FileMetadata.setMode(self.fd(), found | OWNER_ALL) == 0) {
                directories.forget(path);
                hasMode = true;
            }
        }
        if (hasMode || metadata.carriesTimes()) {
            unfinished.add(new DirectoryLog.Directory(path, given, hasMode));
        }
        return new Outcome.Made();
    }

    private void acceptOrReplace(DirectoryCache.Held parent, RawPath path, int newMode) {
        int parentFd = parent.fd();
        int known = FileMetadata.statat(parentFd, path.name(), Paths.AT_SYMLINK_NOFOLLOW, status);
        Errno.require(known, FailureKind.TARGET, "make directory", shown(path));
        requireExactName(parent, path, status);
        if (status.isDirectory() || placement.keepsLinkAt(path, status)) {
            return;
        }
        existing.requireReplaceableByDirectory(status, shown(path));
        replaceByDirectory(parentFd, path, newMode);
    }

    private void replaceByDirectory(int parentFd, RawPath path, int newMode) {
        RawPath temporary = temporaryName(parentFd, path);
        int done = Paths.mkdirat(parentFd, temporary, newMode);
        if (done == 0) {
            done = Paths.rename(parentFd, temporary, path.name(), Paths.RENAME_EXCHANGE);
            if (done == 0) {
                done = Paths.unlinkat(parentFd, temporary, 0);
                if (done < 0) {
                    Paths.rename(parentFd, temporary, path.name(), Paths.RENAME_EXCHANGE);
                }
            }
            if (done < 0) {
                Paths.unlinkat(parentFd, temporary, Paths.AT_REMOVEDIR);
            }
        }
        if (done == -Errno.EINVAL || done == -Errno.ENOSYS) {
            done = Paths.unlinkat(parentFd, path.name(), 0);
            if (done == 0) {
                done = Paths.mkdirat(parentFd, path.name(), newMode);
            }
        }
        Errno.require(done, FailureKind.TARGET, "make directory", shown(path));
    }

    /**
     * Returns a free name for what will have this path. Removes what a killed run left there: a link, a file that it
     * replaced, or a new directory. What cannot be removed is another user's, and beside another session it may be that
     * session's.
     */
    RawPath temporaryName(int parentFd, RawPath path) {
        RawPath temporary = PartialNames.of(path.name()).link();
        if (!seniority.isAloneIn(parentFd)) {
            return PartialNames.unpredictable().link();
        }
        int removed = Paths.unlinkat(parentFd, temporary, 0);
        if (removed == -Errno.EISDIR) {
            removed = Paths.unlinkat(parentFd, temporary, Paths.AT_REMOVEDIR);
        }
        return removed == 0 || removed == -Errno.ENOENT
                ? temporary
                : PartialNames.unpredictable().link();
    }

    void finish(BiConsumer<RawPath, TransferException> problems) {
        unfinished.forEachBackwards(directory -> {
            RawPath path = directory.path();
            try (DirectoryCache.Held self = directories.acquire(path)) {
                metadata.finishDirectory(self.fd(), directory, shown(path));
            } catch (TransferException failure) {
                problems.accept(path, failure);
            }
        });
    }

    @Override
    public void close() {
        unfinished.close();
        directories.close();
        opened.close();
        if (flush != null) {
            flush.close();
        }
        base.close();
        placement.close();
    }
}
