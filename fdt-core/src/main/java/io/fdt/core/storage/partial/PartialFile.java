package io.fdt.core.storage.partial;

import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of a {@link WritableTree} while it is written. The partial is opened at the first write and stays open, with
 * its lock, until it has its final name: if it were closed earlier, another session could take it over in between. No
 * other user can open it before it is complete. A small new file has no name until then, if the file system permits
 * that, and costs openat, pwrite, fchmod, futimens, linkat and close, and openat and close for programs that watch.
 */
public final class PartialFile extends WrittenFile {
    private static final int NAMES_AVOIDED_MAX = 2;
    private static final int MODE_UNKNOWN = -1;
    private static final int OWNER_WRITE = 0200;

    /** Whether it is a file of several chunks at any rate; a smaller one has a journal only if it arrives slowly. */
    private final boolean large;

    private boolean journalled;
    /** Another user's file that has the name of the partial or journal; null if there is none. */
    private @Nullable String avoided;

    private int namesAvoided;
    private final boolean noReplace;
    private final KeptJournal journal;

    private long sizeAtOpen;
    private int modeAtOpen;
    /** Null if the holes are unknown, or the file shall have none. */
    private volatile @Nullable Holes holes;

    private final AtomicLong writtenEnd = new AtomicLong();
    private volatile boolean sealed;
    /** Whether later runs see that it was not flushed. */
    private boolean marked;

    private boolean tellsOfFlush;
    private boolean tellsOfHoles;
    private boolean ended;

    /**
     * @param mode the final mode of the file
     * @param journalled whether chunks are recorded for a later session, if it can have several
     * @param noReplace whether something that has the name by then is left alone
     */
    public PartialFile(
            WritableTree tree,
            FileEntry entry,
            RawPath path,
            PartialNames names,
            int mode,
            boolean journalled,
            boolean noReplace) {
        super(tree, entry, path, names, entry.sizeBytes() > tree.chunkBytes, mode);
        this.large = entry.sizeBytes() > tree.chunkBytes;
        this.journalled = journalled && (large || hasSeveralLeaves(entry));
        this.noReplace = noReplace;
        this.journal = new KeptJournal(partial, disk, shown);
    }

    /** Whether it may have been cut into chunks, so that there may be a journal. */
    private static boolean hasSeveralLeaves(FileEntry entry) {
        return entry.sizeBytes() > TreeDigest.LEAF_BYTES;
    }

    /** Resumes what an earlier session left, if its journal is valid. Must be called before the file is shared. */
    public synchronized Outcome.Wanted resume() {
        if (!large && !isLeft()) {
            return anew(null);
        }
        if (!FileMetadata.isRoot()) {
            // Root can open and remove such a file. Nobody else sees whether a copy is still using it.
            partial.enter();
            while (avoidsTakenNames()) {
                // The next names may be taken, too.
            }
            partial.close();
        }
        while (true) {
            try {
                return resumeNamed();
            } catch (TransferException failure) {
                requireOtherNames(failure);
            }
        }
    }

    /** Spares small files, of which there can be many, a closer look. */
    private boolean isLeft() {
        if (!journalled) {
            return false;
        }
        partial.enter();
        boolean left = partial.hasLeftover();
        partial.close();
        return left;
    }

    /** Moves on to other names after a failure, if another user has taken the present ones; throws it otherwise. */
    private void requireOtherNames(TransferException failure) {
        partial.enter();
        boolean avoids = failure.kind() == FailureKind.TARGET && avoidsTakenNames();
        partial.close();
        if (!avoids) {
            throw failure;
        }
    }

    /**
     * Moves on to other names if another user has taken one of the present ones: to names of this user, and then to
     * unpredictable ones, which no later session could resume from.
     */
    private boolean avoidsTakenNames() {
        int dirFd = partial.dirFd();
        PartialNames names = partial.names();
        String taken = Stream.of(names.partial(), names.journal(), names.next())
                .map(each -> PartialOpener.takenBy(dirFd, each))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (taken == null || namesAvoided == NAMES_AVOIDED_MAX) {
            return false;
        }
        namesAvoided++;
        avoided = taken;
        boolean predictable = namesAvoided < NAMES_AVOIDED_MAX;
        journalled &= predictable;
        partial.useNames(predictable ? PartialNames.of(name, Libc.geteuid()) : PartialNames.unpredictable());
        return true;
    }

    @Override
    public synchronized @Nullable String remark() {
        if (tellsOfFlush) {
            return shown.display() + ": was flushed in spite of --durable none, as all files are that cannot be marked"
                    + " as not flushed";
        }
        if (tellsOfHoles) {
            return shown.display()
                    + ": its file system does not store holes; sparse files take up their full size there";
        }
        return avoided == null ? null : shown.display() + ": another name was used instead of " + avoided;
    }

    private Outcome.Wanted resumeNamed() {
        PartialOpener own =
                new PartialOpener(disk, partial.enterToOpen(), partial.names().partial(), shown);
        try {
            if (!journal.isThere() || !partial.tryClaim(entry, path)) {
                return anew(null);
            }
            int opened =
                    Errno.requireDescriptor(own.openLeftover(), FailureKind.TARGET, "open the partial file", shown);
            if (opened == -Errno.ENOENT) {
                journal.drop();
                return anew("its partial file is missing");
            }
            if (opened < 0) {
                return anew(null);
            }
            partial.hold(opened);
            FileStatus status = new FileStatus();
            int locked = tree.seniority.lock(opened);
            if (locked == -Errno.EAGAIN && tree.seniority.precedesHolder(opened)) {
                // The first write waits until the younger session has ended or completed the file.
                return anew(null);
            }
            if (!own.confirm(locked, opened, status) || !PartialOpener.isOurs(status, mode)) {
                return anew("its partial file was replaced");
            }
            if (couldBeReadByMore(opened, status)) {
                // A process that has it open could read everything that is written to it from now on.
                disk.unlink(partial.dirFd(), partial.names().partial());
                return anew("its partial file could be read by others");
            }
            return takeUp(opened, status);
        } catch (TransferException failure) {
            journal.close();
            partial.close();
            throw failure;
        }
    }

    /**
     * Whether users who must not read the file could have opened the partial, and so could read later writes. Not if a
     * complete partial was left with a mode that lets in no more than the final one, and not if the file system
     * determines modes itself.
     */
    private boolean couldBeReadByMore(int opened, FileStatus status) {
        if (PartialOpener.isPrivate(status) || (status.mode() & ~mode) == 0) {
            return false;
        }
        FileStatus narrowed = new FileStatus();
        return disk.setMode(opened, PartialOpener.MODE) == 0
                && FileMetadata.stat(opened, narrowed) == 0
                && PartialOpener.isPrivate(narrowed);
    }

    /** Starts from the beginning; reports the reason if there was something to resume. */
    public Outcome.Wanted startOver(String why) {
        partial.enter();
        return anew(journalled && journal.isThere() ? why : null);
    }

    /** The partial is then opened at the first write. */
    private Outcome.Wanted anew(@Nullable String dropped) {
        partial.close();
        return new Outcome.Wanted(this, List.of(), dropped);
    }

    private Outcome.Wanted takeUp(int opened, FileStatus status) {
        modeAtOpen = status.mode();
        disk.unlink(partial.dirFd(), partial.names().next());
        KeptJournal.Resumed left = journal.resume(identity(status), 0, status);
        List<ChunkRecord> sound = left.sound();
        if (sound == null) {
            sound = List.of();
            empty(opened, status);
            journal.begin(identity(status), sound);
        } else {
            clearBetween(opened, sound);
            if (status.sizeBytes < entry.sizeBytes()) {
                // The size that was set in advance was lost, and holes after the end would not restore it.
                partial.setSize(entry.sizeBytes());
            }
            sizeAtOpen = Math.max(status.sizeBytes, entry.sizeBytes());
        }
        // A complete partial was left with a mode that the source may no longer have.
        if (!PartialOpener.isPrivate(status) && disk.setMode(opened, PartialOpener.MODE) == 0) {
            modeAtOpen = PartialOpener.MODE;
        }
        goDirect(opened, status);
        journal.rest(opened);
        return new Outcome.Wanted(this, sound, left.doubt());
    }

    /**
     * Clears everything in a sparse file that the journal does not record, so that holes can be left in between as in a
     * new file.
     */
    private void clearBetween(int opened, List<ChunkRecord> durable) {
        if (!entry.sparse()) {
            return;
        }
        Holes between = new Holes();
        long at = 0;
        boolean cleared = true;
        for (ChunkRecord record : durable) {
            cleared &= record.offset() == at || disk.punchHole(opened, at, record.offset() - at) == 0;
            at = record.end();
            between.touch(record.offset(), at - record.offset());
        }
        long rest = entry.sizeBytes() - at;
        cleared &= rest <= 0 || disk.punchHole(opened, at, rest) == 0;
        holes = cleared ? between : null;
    }

    private Journal.Identity identity(FileStatus status) {
        return new Journal.Identity(entry, digest, partial.names().nameHash(), status.inode);
    }

    private void goDirect(int opened, FileStatus status) {
        if (tree.writesDirectly(entry, entry.sizeBytes(), status)) {
            partial.goDirect(opened, 0, entry.sizeBytes());
        }
    }

    @Override
    public boolean isDirect() {
        open();
        return partial.isDirect();
    }

    private void open() {
        if (!partial.isOpen()) {
            openNow();
        }
    }

    private synchronized void openNow() {
        if (partial.isOpen()) {
            return;
        }
        if (ended) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        partial.requireWhole();
        while (!partial.isOpen()) {
            try {
                openNamed();
            } catch (TransferException failure) {
                requireOtherNames(failure);
            }
        }
    }

    private void openNamed() {
        int dirFd = partial.enterToOpen();
        try {
            FileStatus status = new FileStatus();
            partial.claim(entry, path);
            int opened = openEmpty(dirFd, status);
            // Begin the journal now, while there is space: one that begins when the disk is full would be of no use.
            // And before the other lanes see the file, so that they stamp what they write.
            if (journalled && large) {
                beginJournal(opened, status);
            }
            goDirect(opened, status);
            partial.hold(opened);
        } catch (TransferException failure) {
            partial.close();
            throw failure;
        }
    }

    private int openEmpty(int dirFd, FileStatus status) {
        int opened = mayBeNameless() ? partial.openNameless() : OpenPartial.NOT_OPEN;
        boolean leftoverFound = false;
        modeAtOpen = MODE_UNKNOWN;
        if (opened < 0) {
            PartialOpener own = new PartialOpener(disk, dirFd, partial.names().partial(), shown);
            opened = own.open(tree.seniority, status);
            leftoverFound = own.leftoverFound();
            modeAtOpen = status.mode();
        }
        try {
            // If nothing was left behind and no chunk could ever be recorded, there is no old journal.
            if (leftoverFound || hasSeveralLeaves(entry) || entry.sizeBytes() == FileEntry.UNKNOWN_SIZE) {
                journal.drop();
            }
            if (leftoverFound) {
                disk.unlink(dirFd, partial.names().next());
            }
            empty(opened, status);
        } catch (TransferException failure) {
            partial.unlink();
            disk.close(opened);
            throw failure;
        }
        return opened;
    }

    /**
     * Not if it replaces a file, which only a name can do, not if it could not be opened once more at its end, and not
     * if a later session shall find what a slow network left of it.
     */
    private boolean mayBeNameless() {
        return noReplace
                && !journalled
                && ((mode & OWNER_WRITE) != 0 || FileMetadata.isRoot())
                && entry.sizeBytes() != FileEntry.UNKNOWN_SIZE
                && !hasSeveralLeaves(entry);
    }

    private void beginJournal(int opened, FileStatus status) {
        try {
            journal.begin(identity(status), List.of());
            journal.rest(opened);
        } catch (TransferException failure) {
            partial.unlink();
            disk.unlink(partial.dirFd(), partial.names().journal());
            disk.close(opened);
            throw failure;
        }
    }

    private void empty(int opened, FileStatus status) {
        boolean big = (journalled && large) || entry.sparse();
        int done = status.sizeBytes == 0 ? 0 : disk.truncate(opened, 0);
        sizeAtOpen = 0;
        // Set the size in advance, so that writes by several lanes need not each extend the file.
        if (done == 0 && big && entry.sizeBytes() > 0) {
            done = disk.truncate(opened, entry.sizeBytes());
            sizeAtOpen = entry.sizeBytes();
        }
        Errno.require(done, FailureKind.TARGET, "set the size", shown);
        holes = entry.sparse() ? new Holes() : null;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        open();
        journal.changing(() -> {
            Holes known = holes;
            if (known == null || known.touch(offset, lengthBytes)) {
                writeAll(address, lengthBytes, offset);
            } else {
                Holes.writeNonZeroPages(
                        address, lengthBytes, offset, (at, length) -> writeAll(address + at, length, offset + at));
            }
        });
    }

    private void writeAll(long address, int lengthBytes, long offset) {
        partial.write(address, lengthBytes, offset);
        onWritten(offset + lengthBytes);
    }

    private void onWritten(long end) {
        if (end > writtenEnd.get()) {
            writtenEnd.accumulateAndGet(end, Math::max);
        }
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        open();
        Holes known = holes;
        if (lengthBytes <= 0 || (known != null && known.isUntouched(offset, lengthBytes))) {
            return;
        }
        journal.changing(() -> {
            boolean sizeKnown = entry.sizeBytes() != FileEntry.UNKNOWN_SIZE;
            if (!sizeKnown || !partial.punchHole(offset, lengthBytes)) {
                partial.writeZeros(offset, lengthBytes);
                onWritten(offset + lengthBytes);
            }
        });
    }

    @Override
    public void sync() {
        partial.requireWhole();
        open();
        // A sealed file has its times and mode, which must be flushed with its last data.
        partial.sync(sealed);
    }

    @Override
    public synchronized boolean record(List<ChunkRecord> chunks) {
        if (!journalled || chunks.isEmpty()) {
            return journalled;
        }
        partial.requireWhole();
        open();
        if (!journal.isBegun()) {
            beginLateJournal();
        }
        journal.record(chunks);
        return true;
    }

    @Override
    public synchronized boolean recordsAtOnce() {
        return !journalled || large || journal.isBegun();
    }

    /** For a small file that arrives slowly. */
    private void beginLateJournal() {
        FileStatus status = new FileStatus();
        Errno.require(FileMetadata.stat(partial.fd(), status), FailureKind.TARGET, "read the partial file", shown);
        try {
            journal.begin(identity(status), List.of());
        } catch (TransferException failure) {
            disk.unlink(partial.dirFd(), partial.names().journal());
            throw failure;
        }
    }

    @Override
    public synchronized void seal() {
        partial.requireWhole();
        open();
        journal.changing(() -> {
            long end = Math.max(sizeAtOpen, writtenEnd.get());
            long sizeBytes = entry.sizeBytes() == FileEntry.UNKNOWN_SIZE ? writtenEnd.get() : entry.sizeBytes();
            if (end != sizeBytes) {
                partial.setSize(sizeBytes);
            }
            Holes known = holes;
            tellsOfHoles = known != null
                    && known.isLeftIn(sizeBytes)
                    && !tree.toldOfHoles.get()
                    && !partial.hasHoles(sizeBytes)
                    && tree.toldOfHoles.compareAndSet(false, true);
            marked = tree.giveMetadata(partial.fd(), entry, modeAtOpen, mode, shown);
        });
        sealed = true;
    }

    @Override
    public synchronized void publish() {
        partial.requireWhole();
        tree.requireSynced();
        if (!sealed || ended) {
            throw new IllegalStateException("only a sealed file can be published: " + shown);
        }
        if (!tree.flushes()) {
            if (!marked) {
                partial.sync(true);
                tellsOfFlush = tree.toldOfFlushes.compareAndSet(false, true);
            }
            partial.requireWrittenBack();
        }
        partial.rename(name, entry, noReplace);
        journal.unlink();
        tree.onTouched(parent);
        end();
    }

    @Override
    public synchronized boolean abandon(boolean keepForResume) {
        if (ended) {
            return false;
        }
        try {
            boolean keeps = partial.isOpen() && keepForResume && journal.hasRecords() && isOfUse();
            if (keeps) {
                journal.restIfOurs();
            } else if (partial.isOpen()) {
                partial.unlink();
                journal.unlink();
            }
            return keeps;
        } finally {
            end();
        }
    }

    /**
     * Not if another copy has put the same file in place of one that was not there, or has removed the journal: then no
     * run looks for it.
     */
    private boolean isOfUse() {
        FileStatus there = new FileStatus();
        boolean inPlace = FileMetadata.statat(partial.dirFd(), name, Paths.AT_SYMLINK_NOFOLLOW, there) == 0
                && there.isSameAs(entry);
        return !(noReplace && inPlace) && journal.isThere();
    }

    /**
     * Removes the journal of a run that was killed after the file got its name and before the journal was removed. The
     * partial is gone, and only a run that finds the final name can remove the journal.
     */
    public static void removeJournalLeft(Disk disk, int parentFd, RawPath name, FileEntry entry) {
        FileRange range = entry.range();
        if (range != null && range.isAll()) {
            PartialNames names = PartialNames.ofRanges(name, entry.whole(), range);
            for (int index = 0; index < range.count(); index++) {
                KeptJournal.removeLeft(disk, parentFd, names.at(index));
            }
        } else if (range == null && hasSeveralLeaves(entry)) {
            KeptJournal.removeLeft(disk, parentFd, PartialNames.of(name));
        }
    }

    private void end() {
        ended = true;
        journal.end();
    }
}
