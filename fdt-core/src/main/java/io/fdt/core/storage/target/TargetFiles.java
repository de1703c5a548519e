package io.fdt.core.storage.target;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.FileClaims;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.partial.JoinedFile;
import io.fdt.core.storage.partial.OpenFiles;
import io.fdt.core.storage.partial.PartialFile;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.partial.RangeFile;
import io.fdt.core.storage.partial.WritableTree;
import io.fdt.core.storage.posix.AttributeReader;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.DirectoryCache;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.posix.UnflushedMark;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The files of a target: decides which ones are written and which ones keepExisting, and is the tree for those that are
 * written. {@link #prepare}, {@link #keep} and {@link #hasRoomFor} are for the session's thread, the rest is
 * thread-safe.
 */
final class TargetFiles extends WritableTree {
    private static final int GROUP = 070;

    private final boolean resumes;
    private final boolean comparesDigests;
    private final Placement placement;
    private final TargetDirectories directories;
    private final ExistingRules existing;
    private final Metadata metadata;
    private final DirectWrites directWrites;
    private final FileStatus status = new FileStatus();
    /** Created on first use. */
    private @Nullable AttributeReader masks;

    private final @Nullable TargetFlush flush;
    private final Room room;
    private final FileClaims claims;

    /** @param chunkBytes a longer file has a journal */
    TargetFiles(
            Disk disk,
            Placement placement,
            TargetDirectories directories,
            ExistingRules existing,
            Metadata metadata,
            NodeHash digest,
            int chunkBytes) {
        super(disk, directories.budget(), directories.seniority(), digest, chunkBytes);
        TransferPlan plan = existing.plan();
        this.resumes = plan.get(CopyValue.RESUME);
        this.comparesDigests = plan.comparesDigests();
        this.placement = placement;
        this.directories = directories;
        this.existing = existing;
        this.metadata = metadata;
        this.directWrites = new DirectWrites(plan, DirectWrites.BLOCK_DEVICES);
        this.flush = directories.flush();
        this.claims = directories.claims();
        this.room = new Room(directories.baseFd(), placement.shown(RawPath.EMPTY));
    }

    boolean hasRoomFor(FileEntry entry) {
        boolean opensNow = entry.range() != null || (resumes && entry.sizeBytes() > chunkBytes);
        boolean isEmpty = entry.hasData() && entry.range() == null && entry.sizeBytes() == 0;
        return isEmpty ? mayHold(entry) : !opensNow || openFiles.hasRoomToResume();
    }

    /** An empty file is complete at once, on the session's thread, which must not wait for another session. */
    private boolean mayHold(FileEntry entry) {
        try {
            return claims.mayHold(placement.pathInRoot(entry));
        } catch (TransferException impossible) {
            // Preparing the entry reports the reason.
            return true;
        }
    }

    @Override
    protected void hold(DirectoryCache.Held directory, FileEntry entry, RawPath path) {
        requireWritable(directory, path);
        claims.hold(placement.pathInRoot(entry));
    }

    @Override
    protected boolean tryHold(DirectoryCache.Held directory, FileEntry entry, RawPath path) {
        requireWritable(directory, path);
        return claims.tryHold(placement.pathInRoot(entry), entry.range());
    }

    /** Nobody may keep others from a file that he could not write himself. */
    private void requireWritable(DirectoryCache.Held directory, RawPath path) {
        if (claims == FileClaims.NONE) {
            return;
        }
        Errno.require(directory.mayWrite(), FailureKind.TARGET, "write", shown(path));
        FileStatus there = new FileStatus();
        if (existing.neverReplace()
                && FileMetadata.statat(directory.fd(), path.name(), Paths.AT_SYMLINK_NOFOLLOW, there) == 0) {
            throw takenName(directory.fd(), path.name(), shown(path));
        }
    }

    @Override
    protected void release(FileEntry entry) {
        claims.release(placement.pathInRoot(entry), entry.range());
    }

    void requireRoom(long writtenBytes) {
        if (!directories.hasSeveralFileSystems()) {
            room.require(writtenBytes);
        }
    }

    /** @param mayStay whether an existing file may be the same; if it is newer, it stays in any case */
    Outcome prepare(FileEntry entry, boolean mayStay) {
        status.sizeBytes = 0;
        Outcome outcome = decide(entry, mayStay);
        if (outcome instanceof Outcome.Wanted wanted && entry.range() == null) {
            long presentBytes = wanted.durable().stream()
                    .mapToLong(ChunkRecord::lengthBytes)
                    .sum();
            room.onWanted(entry, presentBytes, status.isRegular() && status.linkCount == 1 ? status.sizeBytes : 0);
        }
        return outcome;
    }

    private Outcome decide(FileEntry entry, boolean mayStay) {
        RawPath path = placement.pathOf(entry);
        FileEntry whole = entry.whole();
        FileRange range = entry.range();
        if (range != null) {
            requireRulesOfRanges(path);
        }
        int existingMode = -1;
        boolean exists;
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            // A directory that this session has just created is not searched for each of its many files. Whatever may
            // be there by then, a file never replaces one that was not seen here.
            exists = (!parent.isMade() || existing.mayKeepAny()) && directories.find(parent.fd(), path, status);
            if (exists) {
                if (status.isDirectory()) {
                    throw Errno.failure(FailureKind.TARGET, "write", shown(path), Errno.EISDIR);
                }
                directories.requireExactName(parent, path, status);
                UnflushedMark.Data data = dataOf(parent.fd(), path.name());
                boolean mayBeSame = mayStay
                        && !existing.isDoubtful(data)
                        && !directories.mayBeLost(path, status, comparesDigests)
                        && !existing.isSharedAndDiffers(whole, parent.fd(), path.name(), status, metadata);
                if (mayBeSame || existing.isKeptAsNewer(whole, status)) {
                    FileStatus.State seen = status.state();
                    Outcome stays =
                            existing.judge(whole, parent.fd(), status, shown(path), () -> openExisting(path, seen));
                    if (stays != null) {
                        if (stays instanceof Outcome.Skipped) {
                            keepExisting(entry, parent.fd(), path, data == UnflushedMark.Data.UNFLUSHED);
                        }
                        return stays;
                    }
                }
                existing.requireReplaceable(status, shown(path));
                existingMode = status.isRegular() ? modeToHandOn(whole, parent.fd(), path.name()) : -1;
            }
        }
        boolean noReplace = !exists || existing.neverReplace();
        if (range != null) {
            int finalMode = metadata.fileMode(whole, existingMode);
            PartialNames names = PartialNames.ofRanges(path.name(), whole, range);
            return range.isAll()
                    ? new JoinedFile(this, whole, range, path, names, finalMode, noReplace).open()
                    : new RangeFile(this, entry, range, path, names, finalMode).open(resumes);
        }
        boolean journalled = resumes;
        int mode = metadata.fileMode(entry, existingMode);
        PartialFile file =
                new PartialFile(this, entry, path, PartialNames.of(path.name()), mode, journalled, noReplace);
        if (!journalled) {
            return new Outcome.Wanted(file, List.of(), null);
        }
        // A journal identifies its source by size and time.
        return comparesDigests
                ? file.startOver("its journal identifies the source only by size and time")
                : file.resume();
    }

    /**
     * Returns the mode of a file that is replaced. If it has an ACL, the group bits of its mode are the mask, so the
     * permissions of the owning group take their place.
     */
    private int modeToHandOn(FileEntry entry, int parentFd, RawPath name) {
        int group = metadata.hasMode(entry) ? -1 : masks().groupPermissions(parentFd, name, entry.path());
        return group < 0 ? status.mode() : (status.mode() & ~GROUP) | group << 3;
    }

    private AttributeReader masks() {
        AttributeReader known = masks;
        if (known == null) {
            known = new AttributeReader(FailureKind.TARGET, false, false);
            masks = known;
        }
        return known;
    }

    void keep(FileEntry entry) {
        RawPath path = placement.pathOf(entry);
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            int known = FileMetadata.statat(parent.fd(), path.name(), Paths.AT_SYMLINK_NOFOLLOW, status);
            Errno.require(known, FailureKind.TARGET, "look at", shown(path));
            boolean marked = dataOf(parent.fd(), path.name()) != UnflushedMark.Data.UNMARKED;
            keepExisting(entry, parent.fd(), path, marked);
        }
    }

    /** Returns what is known about the data of a file that may stay, whose status is in {@link #status}. */
    private UnflushedMark.Data dataOf(int parentFd, RawPath name) {
        return status.isRegular() && existing.existing() != TargetRules.Existing.OVERWRITE
                ? UnflushedMark.read(disk, parentFd, name)
                : UnflushedMark.Data.UNMARKED;
    }

    /**
     * Keeps an existing file, whose status is in {@link #status}.
     *
     * @param marked whether it has a mark that goes away when it is flushed
     */
    private void keepExisting(FileEntry entry, int parentFd, RawPath path, boolean marked) {
        if (flush != null && status.isRegular()) {
            flush.onKept(path, marked ? status.identity() : null);
        } else {
            onTouched(path.parent());
        }
        if (existing.updatesMetadata() && !existing.isKeptAsNewer(entry, status)) {
            updateMetadata(entry.whole(), parentFd, path);
        }
        PartialFile.removeJournalLeft(disk, parentFd, path.name(), entry);
    }

    /** Gives a file whose content stays the metadata of the entry; its status is in {@link #status}. */
    private void updateMetadata(FileEntry entry, int parentFd, RawPath path) {
        if (!metadata.differs(entry, parentFd, path.name(), status, existing)) {
            return;
        }
        int fd = Paths.openat(parentFd, path.name(), Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
        if (fd == -Errno.EACCES) {
            fd = Paths.openat(parentFd, path.name(), Paths.O_PATH | Paths.O_NOFOLLOW, 0);
        }
        Errno.require(fd, FailureKind.TARGET, "open", shown(path));
        try (Descriptor file = new Descriptor(fd, directories.budget())) {
            Errno.require(FileMetadata.stat(file.fd(), status), FailureKind.TARGET, "look at", shown(path));
            if (!status.isRegular()) {
                throw Cause.TARGET.at(shown(path).display()).failure("changed while it was kept");
            }
            if (status.linkCount > 1) {
                return;
            }
            int mode = metadata.carriesMode() ? metadata.fileMode(entry, status.mode()) : status.mode();
            metadata.giveAll(file.fd(), entry, status.mode(), mode, shown(path), false);
        }
    }

    /**
     * Opens an existing file each time that a part of it is read, so that any number of files may wait for that.
     * Thread-safe.
     */
    private SourceFile openExisting(RawPath path, FileStatus.State seen) {
        try (DirectoryCache.Held parent = directories.acquire(path.parent())) {
            return ExistingRules.open(directories.budget(), parent.fd(), path.name(), seen, shown(path));
        }
    }

    /** Refuses rules that are impossible for a range of a file, or that would leave no data for joining the file. */
    private void requireRulesOfRanges(RawPath path) {
        if (digest.digest() == DigestKind.NONE || !flushes() || comparesDigests) {
            throw Cause.REFUSED
                    .at(shown(path).display())
                    .advise("plan with --split-above none")
                    .failure("a file in ranges needs a digest, --durable end or chunk, and --compare time");
        }
    }

    OpenFiles openFiles() {
        return openFiles;
    }

    @Override
    protected RawPath shown(RawPath path) {
        return placement.shown(path);
    }

    @Override
    protected DirectoryCache.Held directory(RawPath path) {
        return directories.acquire(path);
    }

    @Override
    protected boolean flushes() {
        return flush != null;
    }

    @Override
    protected boolean writesDirectly(FileEntry entry, long fileBytes, FileStatus opened) {
        return !entry.sparse() && directWrites.suit(fileBytes, opened);
    }

    @Override
    protected boolean giveMetadata(int fd, FileEntry entry, int modeAtOpen, int mode, RawPath shownPath) {
        return metadata.giveAll(fd, entry, modeAtOpen, mode, shownPath, flush == null);
    }

    @Override
    protected void requireReplaceable(int dirFd, RawPath name, FileEntry entry, RawPath shownPath) {
        FileStatus there = new FileStatus();
        if (existing.keepsNewer()
                && FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, there) == 0
                && existing.isKeptAsNewer(entry, there)) {
            throw Cause.EXISTS
                    .at(shownPath.display())
                    .failure("was modified during the copy and is newer than the source; it stays");
        }
    }

    @Override
    protected boolean replacesSame(int dirFd, RawPath name, FileEntry entry, RawPath shownPath) {
        FileStatus there = new FileStatus();
        boolean same = FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, there) == 0
                && there.isSameAs(entry)
                && ExactNames.failure(directories.budget(), dirFd, name, shownPath) == null;
        boolean keeps = existing.neverReplace() && existing.existing() != TargetRules.Existing.FAIL;
        if (same && (keeps || seniority.isYoungestOfSeveral(dirFd))) {
            throw Cause.BUSY.at(shownPath.display()).failure("another copy is writing this target");
        }
        return same && !existing.neverReplace();
    }

    @Override
    protected TransferException takenName(int dirFd, RawPath name, RawPath shownPath) {
        TransferException otherName = ExactNames.failure(directories.budget(), dirFd, name, shownPath);
        return otherName != null
                ? otherName
                : Cause.EXISTS.at(shownPath.display()).failure("was created by another program during the copy");
    }

    @Override
    protected void requireSynced() {
        if (flush != null) {
            flush.requireNothingLost();
        }
    }

    @Override
    protected void onTouched(RawPath directory) {
        directories.onTouched(directory);
    }

    @Override
    protected void syncNames(RawPath directory) {
        if (flush != null) {
            flush.syncNames(directory);
        }
    }

    @Override
    protected void syncDirectory(int fd, RawPath shownPath) {
        if (flush != null) {
            flush.syncDirectory(fd, "flush the directory of", shownPath);
        }
    }
}
