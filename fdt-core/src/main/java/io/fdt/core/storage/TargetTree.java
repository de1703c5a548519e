package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A directory tree that entries of a peer are put into. Every path is resolved beneath the root (for a target that the
 * local user named: beneath the target itself), so nothing that a peer sends is made, changed or removed anywhere else.
 * Links inside that stay inside are followed as directories; an entry never replaces a directory by anything else.
 *
 * <p>Where an entry goes is rsync's and cp's rule: a single file goes to the target's own name, unless that is a
 * directory or has a trailing slash; everything else goes into the target, which is made if it is missing.
 *
 * <p>Directories have u+rwx while the session runs; modes and times come with {@link #finishDirectories}.
 * Does not own its root. The files it hands out must be closed before it.
 */
public final class TargetTree implements Target {
    private static final int IDLE_DIRECTORIES_MAX = 256;
    private static final int TOUCHED_MAX = 4096;
    private static final int OWNER_ALL = 0700;

    private final Disk disk;
    private final TargetRules rules;
    private final ExistingRules existing;
    private final Metadata metadata;
    private final DigestKind digest;
    private final int chunkBytes;
    private final Placement placement;
    private final DirectWrites directWrites;

    private final DirectoryCache directories = new DirectoryCache(IDLE_DIRECTORIES_MAX, this::openDirectory);
    private final DirectoryLog unfinished = new DirectoryLog();
    private final TimeProbe timeProbe = new TimeProbe();
    private final FileStatus status = new FileStatus();
    private final OpenFiles openFiles = new OpenFiles();

    /** Open since the beginning, so that it hears of every error of writing back since then. */
    private final Descriptor syncBase;

    private volatile @Nullable TransferException syncFailure;
    private final Set<RawPath> touched = new HashSet<>();
    private boolean touchedTooMany;

    /**
     * Opens the target, makes it if it is missing, and sees whether it can be written to.
     *
     * @param single whether there will be one entry and it is no directory
     * @param chunkBytes a longer file has a journal
     * @throws TransferException TARGET, or REFUSED when the target is not within the root
     */
    public TargetTree(Root root, RawPath target, TargetRules rules, DigestKind digest, int chunkBytes, boolean single) {
        this(Disk.KERNEL, root, target, rules, digest, chunkBytes, single);
    }

    /** Over another disk than the kernel's. */
    TargetTree(
            Disk disk,
            Root root,
            RawPath target,
            TargetRules rules,
            DigestKind digest,
            int chunkBytes,
            boolean single) {
        this.disk = disk;
        this.rules = rules;
        this.existing = new ExistingRules(rules, timeProbe);
        this.metadata = new Metadata(rules, disk);
        this.digest = digest;
        this.chunkBytes = chunkBytes;
        this.directWrites = new DirectWrites(rules);
        this.placement = Objects.requireNonNull(Placement.find(root, target, single, true));
        int syncFd = placement.openDirectory(RawPath.EMPTY, Posix.O_RDONLY);
        this.syncBase = new Descriptor(syncFd < 0 ? placement.openDirectory(RawPath.EMPTY, Posix.O_PATH) : syncFd);
        try {
            requireWritable();
        } catch (TransferException failure) {
            close();
            throw failure;
        }
    }

    private void requireWritable() {
        int allowed = Posix.access(syncBase.fd(), WalkingResolver.HERE, Posix.W_OK | Posix.X_OK);
        if (allowed < 0) {
            throw new TransferException(
                    FailureKind.TARGET,
                    shown(RawPath.EMPTY).display() + ": is not writable: " + Posix.strerror(-allowed));
        }
        if (freeBytes() == 0) {
            throw new TransferException(
                    FailureKind.TARGET, shown(RawPath.EMPTY).display() + ": No space left on device");
        }
    }

    @Override
    public Outcome prepare(FileEntry entry) {
        try {
            return switch (entry.kind()) {
                case DIRECTORY -> prepareDirectory(entry);
                case LINK -> prepareLink(entry);
                case FILE, STREAM -> prepareFile(entry, true);
            };
        } catch (TransferException failure) {
            return new Outcome.Failed(failure);
        }
    }

    @Override
    public Outcome want(FileEntry entry) {
        try {
            return prepareFile(entry, false);
        } catch (TransferException failure) {
            return new Outcome.Failed(failure);
        }
    }

    @Override
    public void keep(FileEntry entry) {
        RawPath path = placement.pathOf(entry);
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            int known = Posix.statat(parent.fd(), path.name(), Posix.AT_SYMLINK_NOFOLLOW, status);
            if (known < 0) {
                throw Errno.failure(FailureKind.TARGET, "look at", shown(path), -known);
            }
            mend(entry, parent.fd(), path);
        }
    }

    /** Gives a file whose content stays what else the entry says of it; {@link #status} knows what it has. */
    private void mend(FileEntry entry, int parentFd, RawPath path) {
        if (!metadata.differs(entry, status)) {
            return;
        }
        int fd = Posix.openat(parentFd, path.name(), Posix.O_RDONLY | Posix.O_NOFOLLOW | Posix.O_NONBLOCK, 0);
        if (fd == -Errno.EACCES) {
            fd = Posix.openat(parentFd, path.name(), Posix.O_PATH | Posix.O_NOFOLLOW, 0);
        }
        if (fd < 0) {
            throw Errno.failure(FailureKind.TARGET, "open", shown(path), -fd);
        }
        try (Descriptor file = new Descriptor(fd)) {
            int known = Posix.stat(file.fd(), status);
            if (known < 0 || !status.isRegular()) {
                throw new TransferException(FailureKind.TARGET, shown(path).display() + ": changed while it was kept");
            }
            int mode = metadata.carriesMode() ? metadata.fileMode(entry, status.mode()) : status.mode();
            metadata.giveAll(file.fd(), entry, status.mode(), mode, shown(path));
        }
    }

    RawPath shown(RawPath path) {
        return placement.shown(path);
    }

    /** Called with the cache's lock held. */
    private int openDirectory(RawPath path) {
        int fd = placement.openDirectory(path, Posix.O_RDONLY);
        if (fd == -Errno.EACCES) {
            // A directory that may be written to but not listed.
            fd = placement.openDirectory(path, Posix.O_PATH);
        }
        if (fd < 0) {
            throw Errno.failure(FailureKind.TARGET, "open directory", shown(path), -fd);
        }
        return fd;
    }

    DirectoryCache.Held directory(RawPath path) {
        return directories.acquire(path);
    }

    private Outcome prepareDirectory(FileEntry entry) {
        RawPath path = placement.pathOf(entry);
        if (!path.isEmpty()) {
            int newMode = metadata.carriesMode() ? (metadata.directoryMode(entry) & 0777) | OWNER_ALL : 0777;
            try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
                int made = Posix.mkdirat(parent.fd(), path.name(), newMode);
                if (made == -Errno.EEXIST) {
                    acceptOrReplace(parent.fd(), path, newMode);
                } else if (made < 0) {
                    throw Errno.failure(FailureKind.TARGET, "make directory", shown(path), -made);
                } else {
                    onTouched(path.parent());
                }
            }
        }
        int modeToGive = metadata.carriesMode() ? metadata.directoryMode(entry) : DirectoryLog.NO_MODE;
        try (DirectoryCache.Held self = directories.acquire(path)) {
            metadata.giveAttributes(self.fd(), entry, shown(path));
            metadata.giveOwner(self.fd(), entry, shown(path));
            int found = openUp(self.fd());
            if (found >= 0) {
                directories.forget(path);
                modeToGive = modeToGive == DirectoryLog.NO_MODE ? found : modeToGive;
            }
        }
        if (modeToGive != DirectoryLog.NO_MODE || metadata.carriesTimes()) {
            unfinished.add(path, modeToGive, entry.modifiedSeconds(), entry.modifiedNanos());
        }
        return new Outcome.Made();
    }

    /** Gives the owner all rights; returns the mode that it had if that was needed, else -1. */
    private int openUp(int fd) {
        if (Posix.stat(fd, status) < 0 || (status.mode() & OWNER_ALL) == OWNER_ALL) {
            return -1;
        }
        int found = status.mode();
        return Posix.setMode(fd, found | OWNER_ALL) < 0 ? -1 : found;
    }

    /** Something has the name of a directory already. */
    private void acceptOrReplace(int parentFd, RawPath path, int newMode) {
        int known = Posix.statat(parentFd, path.name(), Posix.AT_SYMLINK_NOFOLLOW, status);
        if (known < 0) {
            throw Errno.failure(FailureKind.TARGET, "make directory", shown(path), -known);
        }
        if (status.isDirectory()) {
            return;
        }
        if (status.isLink()) {
            int fd = placement.openDirectory(path, Posix.O_PATH);
            Posix.closeFd(fd);
            if (fd == -Errno.EXDEV) {
                throw new TransferException(
                        FailureKind.REFUSED, shown(path).display() + ": is a link that leads out of the root");
            }
            if (fd >= 0) {
                return;
            }
        }
        existing.requireReplaceable(status, shown(path));
        replaceByDirectory(parentFd, path, newMode);
    }

    private void replaceByDirectory(int parentFd, RawPath path, int newMode) {
        RawPath temporary = PartialNames.of(path.name()).link();
        Posix.unlinkat(parentFd, temporary, 0);
        int done = Posix.mkdirat(parentFd, temporary, newMode);
        if (done == 0) {
            done = Posix.rename(parentFd, temporary, path.name(), Posix.RENAME_EXCHANGE);
            if (done == 0) {
                Posix.unlinkat(parentFd, temporary, 0);
            } else {
                Posix.unlinkat(parentFd, temporary, Posix.AT_REMOVEDIR);
            }
        }
        if (done == -Errno.EINVAL || done == -Errno.ENOSYS) {
            Posix.unlinkat(parentFd, path.name(), 0);
            done = Posix.mkdirat(parentFd, path.name(), newMode);
        }
        if (done < 0) {
            throw Errno.failure(FailureKind.TARGET, "make directory", shown(path), -done);
        }
        onTouched(path.parent());
    }

    private Outcome prepareLink(FileEntry entry) {
        RawPath path = placement.pathOf(entry);
        RawPath linkTarget = entry.linkTarget();
        if (linkTarget == null || linkTarget.isEmpty()) {
            throw new TransferException(FailureKind.REFUSED, entry.path().display() + ": is a link to nothing");
        }
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            int known = Posix.statat(parent.fd(), path.name(), Posix.AT_SYMLINK_NOFOLLOW, status);
            if (known < 0 && known != -Errno.ENOENT) {
                throw Errno.failure(FailureKind.TARGET, "look at", shown(path), -known);
            }
            if (known == 0) {
                if (existing.staysInAnyCase(shown(path))
                        || (existing.skipSame() && isSameLink(parent.fd(), path, linkTarget))) {
                    return new Outcome.Skipped();
                }
                existing.requireReplaceable(status, shown(path));
            }
            makeLink(parent.fd(), path, entry, linkTarget, known == 0);
        }
        onTouched(path.parent());
        return new Outcome.Made();
    }

    private boolean isSameLink(int parentFd, RawPath path, RawPath linkTarget) {
        RawPath[] there = new RawPath[1];
        return status.isLink() && Posix.readlinkat(parentFd, path.name(), there) == 0 && linkTarget.equals(there[0]);
    }

    private void makeLink(int parentFd, RawPath path, FileEntry entry, RawPath linkTarget, boolean replaces) {
        RawPath temporary = replaces ? PartialNames.of(path.name()).link() : path.name();
        int made = Posix.symlinkat(linkTarget, parentFd, temporary);
        if (made == -Errno.EEXIST && replaces) {
            Posix.unlinkat(parentFd, temporary, 0);
            made = Posix.symlinkat(linkTarget, parentFd, temporary);
        }
        if (made < 0) {
            throw Errno.failure(FailureKind.TARGET, "make link", shown(path), -made);
        }
        int done = 0;
        if (metadata.carriesOwner()) {
            done = Posix.setOwnerAt(parentFd, temporary, entry.uid(), entry.gid());
        }
        if (done == 0 && metadata.carriesTimes()) {
            done = Posix.setModifiedAt(parentFd, temporary, entry.modifiedSeconds(), entry.modifiedNanos());
        }
        if (done == 0 && replaces) {
            done = disk.rename(parentFd, temporary, path.name(), 0);
        }
        if (done < 0) {
            if (replaces) {
                Posix.unlinkat(parentFd, temporary, 0);
            }
            throw Errno.failure(FailureKind.TARGET, "finish link", shown(path), -done);
        }
    }

    private Outcome prepareFile(FileEntry entry, boolean mayStay) {
        RawPath path = placement.pathOf(entry);
        FileEntry whole = entry.whole();
        FileRange range = entry.range();
        if (range != null) {
            requireRulesOfRanges(path);
        }
        RawPath parentPath = path.parent();
        int existingMode = -1;
        boolean exists;
        try (DirectoryCache.Held parent = directories.acquire(parentPath)) {
            int known = Posix.statat(parent.fd(), path.name(), Posix.AT_SYMLINK_NOFOLLOW, status);
            exists = known == 0;
            if (!exists && known != -Errno.ENOENT) {
                throw Errno.failure(FailureKind.TARGET, "look at", shown(path), -known);
            }
            if (exists) {
                if (status.isDirectory()) {
                    throw Errno.failure(FailureKind.TARGET, "write", shown(path), Errno.EISDIR);
                }
                if (mayStay) {
                    Outcome stays = existing.judge(whole, parent.fd(), path.name(), status, shown(path));
                    if (stays != null) {
                        if (stays instanceof Outcome.Skipped && existing.skipSame()) {
                            mend(whole, parent.fd(), path);
                        }
                        return stays;
                    }
                }
                existing.requireReplaceable(status, shown(path));
                existingMode = status.isRegular() ? status.mode() : -1;
            }
        }
        if (range != null) {
            int finalMode = metadata.fileMode(whole, existingMode);
            return range.isAll()
                    ? new JoinedFile(this, whole, range, path, finalMode, existing.neverReplace()).open()
                    : new RangeFile(this, entry, range, path, finalMode).open(rules.resume());
        }
        boolean journalled = rules.resume() && entry.sizeBytes() > chunkBytes;
        int mode = metadata.fileMode(entry, existingMode);
        PartialFile file = new PartialFile(
                this, entry, parentPath, path.name(), shown(path), mode, journalled, existing.neverReplace());
        if (!journalled) {
            return new Outcome.Wanted(file, List.of(), null);
        }
        // A journal knows its source by size and time.
        return rules.compareDigest()
                ? file.startOver("its journal knows the source by size and time only")
                : file.resume();
    }

    /** What cannot be had of a part of a file, or would leave nothing for those who put it together. */
    private void requireRulesOfRanges(RawPath path) {
        if (digest == DigestKind.NONE || !flushes() || rules.compareDigest()) {
            throw new TransferException(
                    FailureKind.REFUSED,
                    shown(path).display()
                            + ": a file in ranges needs a digest, --durable end or chunk, and --compare time; or plan with"
                            + " --split-above none");
        }
    }

    DigestKind digest() {
        return digest;
    }

    Metadata metadata() {
        return metadata;
    }

    Disk disk() {
        return disk;
    }

    /** Whether data is flushed before a file gets its final name. */
    boolean flushes() {
        return rules.durability() != Durability.NONE;
    }

    /**
     * Whether the page cache is to be passed over.
     *
     * @param fileBytes of the whole file
     * @param opened what is written to
     */
    boolean writesDirectly(FileEntry entry, long fileBytes, FileStatus opened) {
        return !entry.sparse() && directWrites.suit(fileBytes, opened);
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    void onTouched(RawPath directory) {
        if (!flushes()) {
            return;
        }
        synchronized (touched) {
            touchedTooMany |= touched.size() >= TOUCHED_MAX;
            if (!touchedTooMany) {
                touched.add(directory);
            }
        }
    }

    @Override
    public void syncFileSystem() {
        requireSynced();
        int synced = disk.syncFileSystem(syncBase.fd());
        if (synced == -Errno.EBADF) {
            // The directory may be written to but not listed, so it is held as a path only.
            Posix.syncEverything();
            return;
        }
        if (synced < 0) {
            TransferException failure =
                    Errno.failure(FailureKind.TARGET, "flush the file system", shown(RawPath.EMPTY), -synced);
            syncFailure = failure;
            throw failure;
        }
    }

    /** What a failed flush has lost is not known, so nothing that was written before may be published. */
    void requireSynced() {
        TransferException failure = syncFailure;
        if (failure != null) {
            throw failure;
        }
    }

    /** Makes the names in a directory durable. */
    void syncDirectory(int fd, RawPath shownPath) {
        int synced = disk.sync(fd);
        if (synced == -Errno.EBADF) {
            syncFileSystem();
        } else if (synced < 0 && synced != -Errno.EINVAL) {
            throw Errno.failure(FailureKind.TARGET, "flush the directory of", shownPath, -synced);
        }
    }

    @Override
    public void syncTouchedDirectories() {
        Set<RawPath> now;
        boolean everything;
        synchronized (touched) {
            now = new HashSet<>(touched);
            everything = touchedTooMany;
            touched.clear();
            touchedTooMany = false;
        }
        for (RawPath directory : everything ? Set.<RawPath>of() : now) {
            try (DirectoryCache.Held held = directories.acquire(directory)) {
                int synced = disk.sync(held.fd());
                everything |= synced == -Errno.EBADF;
                // Some file systems have nothing to flush for a directory.
                if (synced < 0 && synced != -Errno.EBADF && synced != -Errno.EINVAL) {
                    throw Errno.failure(FailureKind.TARGET, "flush directory", shown(directory), -synced);
                }
            }
        }
        if (everything) {
            syncFileSystem();
        }
    }

    @Override
    public void finishDirectories(BiConsumer<RawPath, TransferException> problems) {
        unfinished.forEachBackwards((path, mode, seconds, nanos) -> {
            try (DirectoryCache.Held self = directories.acquire(path)) {
                int done = 0;
                if (metadata.carriesTimes()) {
                    done = Posix.setModified(self.fd(), seconds, nanos);
                }
                if (done == 0 && mode != DirectoryLog.NO_MODE) {
                    done = Posix.setMode(self.fd(), mode);
                }
                if (done < 0) {
                    throw Errno.failure(FailureKind.TARGET, "finish directory", shown(path), -done);
                }
            } catch (TransferException failure) {
                problems.accept(path, failure);
            }
        });
    }

    @Override
    public long freeBytes() {
        long free = Posix.freeBytes(syncBase.fd());
        return free < 0 ? Long.MAX_VALUE : free;
    }

    @Override
    public void close() {
        timeProbe.close();
        directories.close();
        syncBase.close();
        placement.close();
    }
}
