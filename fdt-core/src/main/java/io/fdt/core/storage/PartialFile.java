package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A file of a {@link TargetTree} while it is written. The partial is opened at the first write and stays open, with its
 * lock, until it has its final name: closing it earlier would let another session take it over between. A small new
 * file costs openat, flock, two statx, pwrite, futimens, renameat and close, and fchmod where the umask took bits away.
 */
final class PartialFile implements TargetFile {
    private static final int NOT_OPEN = -1;
    private static final int OPEN_ATTEMPTS_MAX = 64;

    private final TargetTree tree;
    private final Disk disk;
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
    private volatile @Nullable WriteStamp stamp;
    /** Whether the names of the partial and its journal are durable: only then is a record worth anything. */
    private boolean namesDurable;

    private long inode;
    private long sizeAtOpen;
    private int modeAtOpen;
    /** Null when nobody knows where they are, or none are wanted. */
    private volatile @Nullable Holes holes;

    private final AtomicLong writtenEnd = new AtomicLong();
    private volatile boolean sealed;
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
        this.disk = tree.disk();
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
        if (Posix.statat(held.fd(), names.journal(), Posix.AT_SYMLINK_NOFOLLOW, new FileStatus()) < 0) {
            leaveDirectory();
            return anew;
        }
        int opened = openLeftover(held.fd());
        try {
            if (opened == -Errno.ENOENT) {
                dropJournal(held.fd());
                leaveDirectory();
                return new Outcome.Wanted(this, List.of(), "its partial file is missing");
            }
            if (opened < 0) {
                leaveDirectory();
                return anew;
            }
            return takeUp(held.fd(), opened, new FileStatus());
        } catch (TransferException failure) {
            closeJournal();
            disk.close(opened);
            leaveDirectory();
            throw failure;
        }
    }

    /** Begins anew whatever there is; says why if something could have been resumed. */
    Outcome.Wanted startOver(String why) {
        try (DirectoryCache.Held held = tree.directory(parent)) {
            boolean leftover =
                    Posix.statat(held.fd(), names.journal(), Posix.AT_SYMLINK_NOFOLLOW, new FileStatus()) == 0;
            return new Outcome.Wanted(this, List.of(), leftover ? why : null);
        }
    }

    private Outcome.Wanted takeUp(int dirFd, int opened, FileStatus status) {
        if (!lockAndConfirm(dirFd, opened, status) || !isOurs(status)) {
            disk.close(opened);
            leaveDirectory();
            return new Outcome.Wanted(this, List.of(), "its partial file was replaced");
        }
        inode = status.inode;
        modeAtOpen = status.mode();
        List<ChunkRecord> sound = List.of();
        String doubt = null;
        Journal.Loaded loaded = Journal.load(disk, dirFd, names.journal(), shown, identity(), status);
        if (loaded != null && loaded.journal() != null) {
            useJournal(loaded.journal());
            sound = loaded.untouched() ? loaded.records() : RecordedData.sound(loaded.records(), digest, disk, opened);
            doubt = loaded.doubt();
            if (sound.size() < loaded.records().size()) {
                doubt = "its partial file was changed";
                keepOnly(sound, dirFd);
            }
            clearBetween(opened, sound);
            sizeAtOpen = status.sizeBytes;
        } else {
            doubt = loaded == null ? null : loaded.doubt();
            dropJournal(dirFd);
            empty(opened, status);
            useJournal(Journal.create(disk, dirFd, names.journal(), shown, identity()));
        }
        rest(opened, WriteStamp::rest);
        tree.openFiles().opened();
        fd = opened;
        return new Outcome.Wanted(this, sound, doubt);
    }

    private void useJournal(Journal used) {
        journal = used;
        stamp = used.stamp();
    }

    private void closeJournal() {
        stamp = null;
        if (journal != null) {
            journal.close();
            journal = null;
        }
    }

    /** A record that proved wrong must not be believed by the session after this one, whose stamp would vouch for it. */
    private void keepOnly(List<ChunkRecord> sound, int dirFd) {
        closeJournal();
        useJournal(Journal.create(disk, dirFd, names.journal(), shown, identity()));
        if (!sound.isEmpty() && journal != null) {
            journal.add(sound);
        }
    }

    /** Nobody is writing to the partial: what its journal says holds for it as it is now. */
    private void rest(int opened, BiConsumer<WriteStamp, FileStatus> how) {
        WriteStamp current = stamp;
        if (current == null) {
            return;
        }
        FileStatus status = new FileStatus();
        int known = Posix.stat(opened, status);
        try {
            if (known == 0) {
                how.accept(current, status);
            } else {
                current.forget();
            }
        } catch (InternalError pageRefused) {
            // The stamp says nothing, so the next session hashes.
            stamp = null;
        }
    }

    /** To be called before and after everything that changes the partial. */
    private void onWrite() {
        WriteStamp current = stamp;
        if (current != null) {
            current.onWrite();
        }
    }

    /** Of a file with holes only what the journal vouches for stays, so that holes can be left between as in a new one. */
    private void clearBetween(int opened, List<ChunkRecord> durable) {
        if (!entry.sparse() || entry.sizeBytes() > Holes.UP_TO_BYTES) {
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

    private Journal.Identity identity() {
        return new Journal.Identity(entry, digest, names.nameHash(), inode);
    }

    /** A journal that outlives its data must not be believed after a crash, so its end is made durable. */
    private void dropJournal(int dirFd) {
        if (disk.unlink(dirFd, names.journal()) == 0) {
            tree.syncDirectory(dirFd, shown);
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
            // Now, while there is room: a journal that begins when the disk is full would save nothing. And before the
            // other lanes see the file, so that they stamp what they write.
            if (journalled) {
                beginJournal(held.fd(), opened);
            }
            fd = opened;
            return opened;
        } catch (TransferException failure) {
            tree.openFiles().closed();
            leaveDirectory();
            throw failure;
        }
    }

    private void beginJournal(int dirFd, int opened) {
        try {
            useJournal(Journal.create(disk, dirFd, names.journal(), shown, identity()));
            rest(opened, WriteStamp::rest);
        } catch (TransferException failure) {
            disk.unlink(dirFd, names.partial());
            disk.unlink(dirFd, names.journal());
            disk.close(opened);
            throw failure;
        }
    }

    private int openPartial(int dirFd) {
        int flags = Posix.O_RDWR | Posix.O_CREAT | Posix.O_EXCL | Posix.O_NOFOLLOW;
        FileStatus status = new FileStatus();
        // Where nothing was left behind and no chunk could ever be recorded, there is no old journal to look for.
        boolean journalPossible =
                entry.sizeBytes() > Holes.GRANULE_BYTES || entry.sizeBytes() == FileEntry.UNKNOWN_SIZE;
        for (int attempt = 0; attempt < OPEN_ATTEMPTS_MAX; attempt++) {
            int opened = disk.open(dirFd, names.partial(), flags, (mode & 0777) | 0600);
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
            disk.close(opened);
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
                disk.unlink(dirFd, names.partial());
                return false;
            }
            try {
                if (journalPossible) {
                    dropJournal(dirFd);
                }
                empty(opened, status);
            } catch (TransferException failure) {
                disk.unlink(dirFd, names.partial());
                throw failure;
            }
            inode = status.inode;
            modeAtOpen = status.mode();
            return true;
        } catch (TransferException failure) {
            disk.close(opened);
            throw failure;
        }
    }

    /** A partial that stands there already. What cannot be one is removed, and ENOENT says to begin again. */
    private int openLeftover(int dirFd) {
        int flags = Posix.O_RDWR | Posix.O_NOFOLLOW | Posix.O_NONBLOCK;
        int opened = disk.open(dirFd, names.partial(), flags, 0);
        if (opened == -Errno.ELOOP || opened == -Errno.ENXIO) {
            int removed = disk.unlink(dirFd, names.partial());
            return removed < 0 ? removed : -Errno.ENOENT;
        }
        // A sealed one may have a mode that keeps its own owner out.
        if (opened == -Errno.EACCES && makeAccessible(dirFd)) {
            opened = disk.open(dirFd, names.partial(), flags, 0);
        }
        return opened;
    }

    private boolean makeAccessible(int dirFd) {
        int held = Posix.openat(dirFd, names.partial(), Posix.O_PATH | Posix.O_NOFOLLOW, 0);
        FileStatus status = new FileStatus();
        boolean done = held >= 0
                && Posix.stat(held, status) == 0
                && isOurs(status)
                && disk.setMode(held, status.mode() | 0600) == 0;
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
    static boolean isOurs(FileStatus status) {
        return status.isRegular() && status.linkCount == 1 && status.uid == Posix.geteuid();
    }

    private void empty(int opened, FileStatus status) {
        boolean big = journalled || entry.sparse();
        int done = status.sizeBytes == 0 ? 0 : disk.truncate(opened, 0);
        sizeAtOpen = 0;
        // The size in advance: writes by several lanes need not each move the end of the file.
        if (done == 0 && big && entry.sizeBytes() > 0) {
            done = disk.truncate(opened, entry.sizeBytes());
            sizeAtOpen = entry.sizeBytes();
        }
        if (done < 0) {
            throw Errno.failure(FailureKind.TARGET, "set the size", shown, -done);
        }
        holes = entry.sparse() && entry.sizeBytes() <= Holes.UP_TO_BYTES ? new Holes() : null;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        int target = openFd();
        try {
            onWrite();
            Holes known = holes;
            if (known == null || known.touch(offset, lengthBytes)) {
                writeAll(target, address, lengthBytes, offset);
            } else {
                Holes.writeNonZeroPages(
                        address,
                        lengthBytes,
                        offset,
                        (at, length) -> writeAll(target, address + at, length, offset + at));
            }
            onWrite();
        } catch (InternalError pageRefused) {
            // What a store becomes when a file system that copies on write is full, or the journal was cut short.
            stamp = null;
            throw new TransferException(
                    FailureKind.TARGET,
                    shown.display() + ": cannot write the journal: its page was refused",
                    pageRefused);
        }
    }

    private void writeAll(int target, long address, int lengthBytes, long offset) {
        int done = 0;
        while (done < lengthBytes) {
            int count = disk.write(target, address + done, lengthBytes - done, offset + done);
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

    @Override
    public void zero(long offset, long lengthBytes) {
        int target = openFd();
        Holes known = holes;
        if (lengthBytes <= 0 || (known != null && known.isUntouched(offset, lengthBytes))) {
            return;
        }
        onWrite();
        boolean sizeKnown = entry.sizeBytes() != FileEntry.UNKNOWN_SIZE;
        if (!sizeKnown || disk.punchHole(target, offset, lengthBytes) < 0) {
            for (long at = 0; at < lengthBytes; at += Holes.GRANULE_BYTES) {
                int length = (int) Math.min(Holes.GRANULE_BYTES, lengthBytes - at);
                writeAll(target, Zeros.ADDRESS, length, offset + at);
            }
        }
        onWrite();
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        int source = openFd();
        int done = 0;
        while (done < lengthBytes) {
            int count = disk.read(source, address + done, lengthBytes - done, offset + done);
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
        int target = openFd();
        // A sealed file has its times and mode, and they are flushed with its last data or never.
        int synced = sealed ? disk.sync(target) : disk.syncData(target);
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
        if (directory == null || journal == null) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        if (!namesDurable) {
            tree.syncDirectory(directory.fd(), shown);
            namesDurable = true;
        }
        journal.add(chunks);
    }

    @Override
    public synchronized void seal() {
        requireWhole();
        int target = openFd();
        onWrite();
        long end = Math.max(sizeAtOpen, writtenEnd.get());
        long sizeBytes = entry.sizeBytes() == FileEntry.UNKNOWN_SIZE ? writtenEnd.get() : entry.sizeBytes();
        if (end != sizeBytes) {
            int done = disk.truncate(target, sizeBytes);
            if (done < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the size", shown, -done);
            }
        }
        tree.metadata().giveAll(target, entry, modeAtOpen, mode, shown);
        onWrite();
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
        if (!tree.flushes()) {
            requireWrittenBack();
        }
        int renamed = rename(disk, held.fd(), names.partial(), name, noReplace);
        if (renamed < 0) {
            throw renamed == -Errno.EEXIST
                    ? new TransferException(FailureKind.TARGET, shown.display() + ": has come into being meanwhile")
                    : Errno.failure(FailureKind.TARGET, "give the final name", shown, -renamed);
        }
        if (journal != null) {
            disk.unlink(held.fd(), names.journal());
        }
        tree.onTouched(parent);
        end();
    }

    /** A network file system that nobody asks to flush tells of lost writes when a descriptor is closed: any of them. */
    private void requireWrittenBack() {
        int again = Posix.duplicate(fd);
        int closed = again < 0 ? again : disk.close(again);
        if (closed < 0) {
            TransferException failure = Errno.failure(FailureKind.TARGET, "write back", shown, -closed);
            broken = failure;
            throw failure;
        }
    }

    /** Gives a partial its final name; EEXIST where something has it that is to be left alone. */
    static int rename(Disk disk, int dirFd, RawPath partial, RawPath name, boolean noReplace) {
        if (!noReplace) {
            return disk.rename(dirFd, partial, name, 0);
        }
        int renamed = disk.rename(dirFd, partial, name, Posix.RENAME_NOREPLACE);
        if (renamed != -Errno.EINVAL && renamed != -Errno.ENOSYS) {
            return renamed;
        }
        boolean free = Posix.statat(dirFd, name, Posix.AT_SYMLINK_NOFOLLOW, new FileStatus()) == -Errno.ENOENT;
        return free ? disk.rename(dirFd, partial, name, 0) : -Errno.EEXIST;
    }

    @Override
    public synchronized void abandon(boolean keepForResume) {
        if (ended) {
            return;
        }
        boolean worthKeeping = keepForResume && journal != null && journal.hasRecords();
        if (fd != NOT_OPEN && directory != null && !worthKeeping) {
            disk.unlink(directory.fd(), names.partial());
            if (journal != null) {
                disk.unlink(directory.fd(), names.journal());
            }
        } else if (fd != NOT_OPEN) {
            rest(fd, WriteStamp::restIfOurs);
        }
        end();
    }

    private void end() {
        ended = true;
        closeJournal();
        if (fd != NOT_OPEN) {
            // What mattered was flushed and looked at before.
            disk.close(fd);
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
