package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A file of a {@link TargetTree} while it is written. The partial is opened at the first write and stays open, with its
 * lock, until it has its final name: closing it earlier would let another session take it over between. A small new
 * file costs openat, flock, two statx, pwrite, futimens, renameat and close, and fchmod where the umask took bits away.
 */
final class PartialFile implements TargetFile {
    private static final int NOT_OPEN = -1;
    private static final int OPEN_ATTEMPTS_MAX = 64;
    private static final int PAGE_BYTES = 4096;
    private static final int GRANULE_BYTES = 128 * 1024;
    /** So that what is remembered of touched granules stays below 16 MiB a file. */
    private static final long HOLES_UP_TO_BYTES = 1L << 44;

    private final TargetTree tree;
    private final FileEntry entry;
    private final RawPath parent;
    private final RawPath name;
    private final RawPath shown;
    private final PartialNames names;
    private final DigestKind digest;
    private final int mode;
    private final boolean journalled;
    private final boolean noReplace;

    private volatile int fd = NOT_OPEN;
    private DirectoryCache.@Nullable Held directory;
    private @Nullable Journal journal;
    private long inode;
    private long sizeAtOpen;
    private int modeAtOpen;
    /** Where a write has put something since the partial was empty; null when nobody knows or no holes are wanted. */
    private @Nullable BitSet touchedGranules;

    private final AtomicLong writtenEnd = new AtomicLong();
    private boolean sealed;
    private boolean ended;
    private volatile @Nullable TransferException broken;

    /**
     * @param parent of the final name, as the tree knows it
     * @param shown the path for messages
     * @param mode that the file gets in the end
     * @param journalled whether chunks are recorded for a later session
     * @param noReplace whether something that stands under the name by then is left alone
     */
    PartialFile(
            TargetTree tree,
            FileEntry entry,
            RawPath parent,
            RawPath name,
            RawPath shown,
            int mode,
            boolean journalled,
            boolean noReplace) {
        this.tree = tree;
        this.entry = entry;
        this.parent = parent;
        this.name = name;
        this.shown = shown;
        this.names = PartialNames.of(name);
        this.digest = tree.digest();
        this.mode = mode;
        this.journalled = journalled;
        this.noReplace = noReplace;
    }

    /** Takes up what an earlier session left, if its journal vouches for some of it. Before the file is shared. */
    synchronized Outcome.Wanted resume() {
        Outcome.Wanted anew = new Outcome.Wanted(this, List.of(), null);
        DirectoryCache.Held held = tree.directory(parent);
        directory = held;
        FileStatus status = new FileStatus();
        if (Posix.statat(held.fd(), names.journal(), Posix.AT_SYMLINK_NOFOLLOW, status) < 0) {
            leaveDirectory();
            return anew;
        }
        int opened = openLeftover(held.fd());
        if (opened == -Errno.ENOENT) {
            dropJournal(held.fd());
            leaveDirectory();
            return new Outcome.Wanted(this, List.of(), "its partial file is missing");
        }
        if (opened < 0) {
            leaveDirectory();
            return anew;
        }
        try {
            return takeUp(held.fd(), opened, new FileStatus(), status);
        } catch (TransferException failure) {
            Posix.closeFd(opened);
            leaveDirectory();
            throw failure;
        }
    }

    private Outcome.Wanted takeUp(int dirFd, int opened, FileStatus status, FileStatus journalStatus) {
        if (!lockAndConfirm(dirFd, opened, status) || !isOurs(status)) {
            Posix.closeFd(opened);
            leaveDirectory();
            return new Outcome.Wanted(this, List.of(), "its partial file was replaced");
        }
        inode = status.inode;
        Journal.Loaded loaded = Journal.load(dirFd, names.journal(), shown, identity(), status.sizeBytes);
        if (loaded != null && loaded.journal() != null) {
            journal = loaded.journal();
            clearBetween(opened, loaded.records());
            sizeAtOpen = status.sizeBytes;
        } else {
            dropJournal(dirFd);
            empty(opened, status);
        }
        modeAtOpen = status.mode();
        tree.openFiles().opened();
        fd = opened;
        if (loaded == null) {
            return new Outcome.Wanted(this, List.of(), null);
        }
        List<ChunkRecord> records = loaded.records();
        if (!status.wasModifiedAfter(journalStatus)) {
            return new Outcome.Wanted(this, records, loaded.doubt());
        }
        // Something was written after the last record: the next chunks, most likely, but nobody knows. So it is looked
        // at.
        List<ChunkRecord> sound = RecordedData.sound(records, digest, this);
        String doubt = sound.size() == records.size() ? loaded.doubt() : "its partial file was changed";
        return new Outcome.Wanted(this, sound, doubt);
    }

    /** Of a file with holes only what the journal vouches for stays, so that holes can be left between as in a new one. */
    private void clearBetween(int opened, List<ChunkRecord> durable) {
        if (!entry.sparse() || entry.sizeBytes() > HOLES_UP_TO_BYTES) {
            return;
        }
        BitSet touched = new BitSet();
        long at = 0;
        boolean cleared = true;
        for (ChunkRecord record : durable) {
            cleared &= record.offset() == at || Posix.allocate(opened, Posix.PUNCH_HOLE, at, record.offset() - at) == 0;
            at = record.end();
            touched.set((int) (record.offset() / GRANULE_BYTES), (int) ((at - 1) / GRANULE_BYTES) + 1);
        }
        long rest = entry.sizeBytes() - at;
        cleared &= rest <= 0 || Posix.allocate(opened, Posix.PUNCH_HOLE, at, rest) == 0;
        touchedGranules = cleared ? touched : null;
    }

    private Journal.Identity identity() {
        return new Journal.Identity(entry, digest, names.nameHash(), inode);
    }

    /** A journal that outlives its data must not be believed after a crash, so its end is made durable. */
    private void dropJournal(int dirFd) {
        if (Posix.unlinkat(dirFd, names.journal(), 0) == 0) {
            Posix.sync(dirFd);
        }
    }

    private int openFd() {
        int known = fd;
        return known != NOT_OPEN ? known : openNow();
    }

    private synchronized int openNow() {
        if (fd != NOT_OPEN) {
            return fd;
        }
        if (ended) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        requireWhole();
        tree.openFiles().beginOpening();
        try {
            DirectoryCache.Held held = tree.directory(parent);
            directory = held;
            int opened = openPartial(held.fd());
            fd = opened;
            // Now, while there is room: a journal that begins when the disk is full would save nothing.
            if (journalled) {
                journal = Journal.create(held.fd(), names.journal(), shown, identity());
            }
            return opened;
        } catch (TransferException failure) {
            tree.openFiles().closed();
            leaveDirectory();
            throw failure;
        }
    }

    private int openPartial(int dirFd) {
        int flags = Posix.O_RDWR | Posix.O_CREAT | Posix.O_EXCL | Posix.O_NOFOLLOW;
        FileStatus status = new FileStatus();
        // Where nothing was left behind and no chunk could ever be recorded, there is no old journal to look for.
        boolean journalPossible = entry.sizeBytes() > GRANULE_BYTES || entry.sizeBytes() == FileEntry.UNKNOWN_SIZE;
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            int opened = Posix.openat(dirFd, names.partial(), flags, (mode & 0777) | 0600);
            if (opened == -Errno.EEXIST) {
                journalPossible = true;
                opened = openLeftover(dirFd);
                if (opened == -Errno.ENOENT) {
                    continue;
                }
            }
            if (opened < 0) {
                throw Errno.failure(FailureKind.TARGET, "make the partial file", shown, -opened);
            }
            if (prepare(dirFd, opened, journalPossible, status)) {
                return opened;
            }
            Posix.closeFd(opened);
        }
        throw Errno.failure(FailureKind.TARGET, "make the partial file", shown, Errno.EAGAIN);
    }

    /** Locks and empties an opened partial. False when the name leads to another file by now and is to be opened again. */
    private boolean prepare(int dirFd, int opened, boolean journalPossible, FileStatus status) {
        try {
            if (!lockAndConfirm(dirFd, opened, status)) {
                return false;
            }
            if (!isOurs(status)) {
                Posix.unlinkat(dirFd, names.partial(), 0);
                return false;
            }
            if (journalPossible) {
                dropJournal(dirFd);
            }
            empty(opened, status);
            inode = status.inode;
            modeAtOpen = status.mode();
            return true;
        } catch (TransferException failure) {
            Posix.closeFd(opened);
            throw failure;
        }
    }

    /** A partial that stands there already. What cannot be one is removed, and ENOENT says to begin again. */
    private int openLeftover(int dirFd) {
        int flags = Posix.O_RDWR | Posix.O_NOFOLLOW | Posix.O_NONBLOCK;
        int opened = Posix.openat(dirFd, names.partial(), flags, 0);
        if (opened == -Errno.ELOOP || opened == -Errno.ENXIO) {
            int removed = Posix.unlinkat(dirFd, names.partial(), 0);
            return removed < 0 ? removed : -Errno.ENOENT;
        }
        // A sealed one may have a mode that keeps its own owner out.
        if (opened == -Errno.EACCES && makeAccessible(dirFd)) {
            opened = Posix.openat(dirFd, names.partial(), flags, 0);
        }
        return opened;
    }

    private boolean makeAccessible(int dirFd) {
        int held = Posix.openat(dirFd, names.partial(), Posix.O_PATH | Posix.O_NOFOLLOW, 0);
        FileStatus status = new FileStatus();
        boolean done = held >= 0
                && Posix.stat(held, status) == 0
                && isOurs(status)
                && Posix.setMode(held, status.mode() | 0600) == 0;
        Posix.closeFd(held);
        return done;
    }

    /**
     * Takes the lock and then looks again whether the name still leads to this file: between opening and locking
     * another session may have given it its final name. On file systems without flock there is no such protection.
     */
    private boolean lockAndConfirm(int dirFd, int opened, FileStatus status) {
        int locked = Posix.lock(opened, Posix.LOCK_EX_NB);
        if (locked == -Errno.EAGAIN) {
            throw new TransferException(FailureKind.REFUSED, shown.display() + ": is being written by another session");
        }
        if (locked < 0 && locked != -Errno.ENOSYS && locked != -Errno.EOPNOTSUPP && locked != -Errno.ENOLCK) {
            throw Errno.failure(FailureKind.TARGET, "lock the partial file", shown, -locked);
        }
        FileStatus named = new FileStatus();
        int known = Posix.stat(opened, status);
        if (known < 0) {
            throw Errno.failure(FailureKind.TARGET, "read the partial file", shown, -known);
        }
        return Posix.statat(dirFd, names.partial(), Posix.AT_SYMLINK_NOFOLLOW, named) == 0 && named.isSameFile(status);
    }

    /** Whoever may write to the directory can put something there that must not be written to. */
    private static boolean isOurs(FileStatus status) {
        return status.isRegular() && status.linkCount == 1 && status.uid == Posix.geteuid();
    }

    private void empty(int opened, FileStatus status) {
        boolean big = journalled || entry.sparse();
        int done = status.sizeBytes == 0 ? 0 : Posix.truncate(opened, 0);
        sizeAtOpen = 0;
        // The size in advance: writes by several lanes need not each move the end of the file.
        if (done == 0 && big && entry.sizeBytes() > 0) {
            done = Posix.truncate(opened, entry.sizeBytes());
            sizeAtOpen = entry.sizeBytes();
        }
        if (done < 0) {
            throw Errno.failure(FailureKind.TARGET, "set the size", shown, -done);
        }
        touchedGranules = entry.sparse() && entry.sizeBytes() <= HOLES_UP_TO_BYTES ? new BitSet() : null;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        int target = openFd();
        if (touchedGranules == null || touch(offset, lengthBytes)) {
            writeAll(target, address, lengthBytes, offset);
        } else {
            writeNonZeroPages(target, address, lengthBytes, offset);
        }
    }

    private void writeAll(int target, long address, int lengthBytes, long offset) {
        int done = 0;
        while (done < lengthBytes) {
            int count = Posix.pwriteAt(target, address + done, lengthBytes - done, offset + done);
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "write at offset " + (offset + done), shown, -count);
            }
            done += count;
        }
        long end = offset + lengthBytes;
        if (end > writtenEnd.get()) {
            writtenEnd.accumulateAndGet(end, Math::max);
        }
    }

    /** Marks granules as touched; true when one of them was before: then zeros must be written over what stands there. */
    private synchronized boolean touch(long offset, int lengthBytes) {
        BitSet touched = touchedGranules;
        if (touched == null || lengthBytes == 0) {
            return true;
        }
        int first = (int) (offset / GRANULE_BYTES);
        int end = (int) ((offset + lengthBytes - 1) / GRANULE_BYTES) + 1;
        int known = touched.nextSetBit(first);
        touched.set(first, end);
        return known >= 0 && known < end;
    }

    private void writeNonZeroPages(int target, long address, int lengthBytes, long offset) {
        int runStart = 0;
        int at = 0;
        while (at < lengthBytes) {
            int length = (int) Math.min(PAGE_BYTES - (offset + at) % PAGE_BYTES, lengthBytes - at);
            if (Posix.isZero(address + at, length)) {
                if (at > runStart) {
                    writeAll(target, address + runStart, at - runStart, offset + runStart);
                }
                runStart = at + length;
            }
            at += length;
        }
        if (at > runStart) {
            writeAll(target, address + runStart, at - runStart, offset + runStart);
        }
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        int target = openFd();
        if (lengthBytes <= 0 || isUntouched(offset, lengthBytes)) {
            return;
        }
        boolean sizeKnown = entry.sizeBytes() != FileEntry.UNKNOWN_SIZE;
        if (!sizeKnown || Posix.allocate(target, Posix.PUNCH_HOLE, offset, lengthBytes) < 0) {
            for (long at = 0; at < lengthBytes; at += GRANULE_BYTES) {
                int length = (int) Math.min(GRANULE_BYTES, lengthBytes - at);
                writeAll(target, Zeros.ADDRESS, length, offset + at);
            }
        }
    }

    private synchronized boolean isUntouched(long offset, long lengthBytes) {
        BitSet touched = touchedGranules;
        if (touched == null) {
            return false;
        }
        int known = touched.nextSetBit((int) (offset / GRANULE_BYTES));
        return known < 0 || known > (offset + lengthBytes - 1) / GRANULE_BYTES;
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        int source = openFd();
        int done = 0;
        while (done < lengthBytes) {
            int count = Posix.preadAt(source, address + done, lengthBytes - done, offset + done);
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "read at offset " + (offset + done), shown, -count);
            }
            if (count == 0) {
                break;
            }
            done += count;
        }
        return done;
    }

    @Override
    public void sync() {
        requireWhole();
        int synced = Posix.syncData(openFd());
        if (synced < 0) {
            TransferException failure = Errno.failure(FailureKind.TARGET, "flush", shown, -synced);
            broken = failure;
            throw failure;
        }
    }

    private void requireWhole() {
        TransferException failure = broken;
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public synchronized void record(List<ChunkRecord> chunks) {
        if (!journalled || chunks.isEmpty()) {
            return;
        }
        requireWhole();
        openFd();
        if (directory == null) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        Journal current = journal;
        if (current == null) {
            current = Journal.create(directory.fd(), names.journal(), shown, identity());
            journal = current;
        }
        current.add(chunks);
    }

    @Override
    public synchronized void seal() {
        requireWhole();
        int target = openFd();
        long end = Math.max(sizeAtOpen, writtenEnd.get());
        long sizeBytes = entry.sizeBytes() == FileEntry.UNKNOWN_SIZE ? writtenEnd.get() : entry.sizeBytes();
        if (end != sizeBytes) {
            int done = Posix.truncate(target, sizeBytes);
            if (done < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the size", shown, -done);
            }
        }
        tree.metadata().giveAll(target, entry, modeAtOpen, mode, shown);
        sealed = true;
    }

    @Override
    public synchronized void publish() {
        requireWhole();
        tree.requireSynced();
        DirectoryCache.Held held = directory;
        if (!sealed || ended || held == null) {
            throw new IllegalStateException("only a sealed file can be published: " + shown);
        }
        int renamed = rename(held.fd());
        if (renamed < 0) {
            throw renamed == -Errno.EEXIST
                    ? new TransferException(FailureKind.TARGET, shown.display() + ": has come into being meanwhile")
                    : Errno.failure(FailureKind.TARGET, "give the final name", shown, -renamed);
        }
        if (journal != null) {
            Posix.unlinkat(held.fd(), names.journal(), 0);
        }
        tree.onTouched(parent);
        end();
    }

    private int rename(int dirFd) {
        if (!noReplace) {
            return Posix.rename(dirFd, names.partial(), name);
        }
        int renamed = Posix.rename(dirFd, names.partial(), name, Posix.RENAME_NOREPLACE);
        if (renamed != -Errno.EINVAL && renamed != -Errno.ENOSYS) {
            return renamed;
        }
        boolean free = Posix.statat(dirFd, name, Posix.AT_SYMLINK_NOFOLLOW, new FileStatus()) == -Errno.ENOENT;
        return free ? Posix.rename(dirFd, names.partial(), name) : -Errno.EEXIST;
    }

    @Override
    public synchronized void abandon(boolean keepForResume) {
        if (ended) {
            return;
        }
        boolean worthKeeping = keepForResume && journal != null && journal.hasRecords();
        if (fd != NOT_OPEN && directory != null && !worthKeeping) {
            Posix.unlinkat(directory.fd(), names.partial(), 0);
            if (journal != null) {
                Posix.unlinkat(directory.fd(), names.journal(), 0);
            }
        }
        end();
    }

    private void end() {
        ended = true;
        if (journal != null) {
            journal.close();
        }
        if (fd != NOT_OPEN) {
            Posix.closeFd(fd);
            fd = NOT_OPEN;
            tree.openFiles().closed();
        }
        leaveDirectory();
    }

    private void leaveDirectory() {
        if (directory != null) {
            directory.close();
            directory = null;
        }
    }

    @Override
    public void close() {
        abandon(true);
    }
}
