package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One range of a file while it is written, into a partial of the file's size that all its ranges share, with a lock on its own
 * stretch and a journal of its own. Offsets are those within the range. It gets no name: when it is complete its journal is
 * replaced, at once, by one with a single record, the range's own digest, for the {@link JoinedFile}. It is never given up so that
 * other ranges suffer: what goes is its journal.
 */
final class RangeFile implements TargetFile {
    private static final int NOT_OPEN = -1;
    private static final int GRANULE_BYTES = 128 * 1024;

    private final TargetTree tree;
    private final Disk disk;
    private final FileEntry entry;
    private final FileRange range;
    private final RawPath parent;
    private final RawPath shown;
    private final PartialNames.OfRanges names;
    private final DigestKind digest;
    private final int mode;

    private volatile int fd = NOT_OPEN;
    private DirectoryCache.@Nullable Held directory;
    private @Nullable Journal journal;
    private volatile @Nullable WriteStamp stamp;
    private boolean namesDurable;
    private long inode;
    private byte @Nullable [] rangeDigest;
    private boolean ended;
    private volatile @Nullable TransferException broken;

    /** @param mode that the file gets in the end */
    RangeFile(TargetTree tree, FileEntry entry, FileRange range, RawPath path, int mode) {
        this.tree = tree;
        this.disk = tree.disk();
        this.entry = entry;
        this.range = range;
        this.parent = path.parent();
        this.shown = tree.shown(path);
        this.names = PartialNames.ofRanges(path.name(), entry, range);
        this.digest = tree.digest();
        this.mode = mode;
    }

    /**
     * Opens the partial, and takes up what an earlier session left of the range. Before the file is shared.
     *
     * @param resuming otherwise the range begins anew
     */
    synchronized Outcome.Wanted open(boolean resuming) {
        DirectoryCache.Held held = tree.directory(parent);
        directory = held;
        int opened = NOT_OPEN;
        try {
            FileStatus status = new FileStatus();
            SharedPartial partial = new SharedPartial(disk, held.fd(), names.partial(), shown);
            opened = partial.open((mode & 0777) | 0600, range.offset(), range.lengthBytes(), status);
            inode = status.inode;
            Outcome.Wanted wanted = takeUp(held.fd(), opened, status, resuming);
            tree.openFiles().opened();
            fd = opened;
            return wanted;
        } catch (TransferException failure) {
            closeJournal();
            if (opened >= 0) {
                disk.close(opened);
            }
            leaveDirectory();
            throw failure;
        }
    }

    private Outcome.Wanted takeUp(int dirFd, int opened, FileStatus status, boolean resuming) {
        RawPath name = names.journal(range.index());
        Journal.Loaded loaded = resuming
                ? Journal.load(disk, dirFd, name, shown, identity(names, entry, range, digest, inode), status)
                : null;
        List<ChunkRecord> sound = List.of();
        String doubt = loaded == null ? null : loaded.doubt();
        if (loaded != null && loaded.journal() != null) {
            useJournal(loaded.journal());
            sound = loaded.untouched()
                    ? loaded.records()
                    : RecordedData.sound(loaded.records(), range.offset(), digest, disk, opened);
            if (sound.size() < loaded.records().size()) {
                doubt = "its partial file was changed";
                closeJournal();
                replaceJournal(dirFd, sound);
            }
        } else {
            beginAnew(dirFd, name);
        }
        if (status.sizeBytes != range.fileBytes()) {
            int done = disk.truncate(opened, range.fileBytes());
            if (done < 0) {
                throw Errno.failure(FailureKind.TARGET, "set the size", shown, -done);
            }
        }
        beginStamp(opened);
        return new Outcome.Wanted(this, sound, doubt);
    }

    private void beginAnew(int dirFd, RawPath name) {
        if (disk.unlink(dirFd, name) == 0) {
            // A journal that outlives its data must not be believed after a crash.
            tree.syncDirectory(dirFd, shown);
        }
        useJournal(Journal.create(disk, dirFd, name, shown, identity(names, entry, range, digest, inode)));
    }

    /** Puts a journal with these records in the place of the one that is there: either that one or this one is found. */
    private void replaceJournal(int dirFd, List<ChunkRecord> records) {
        RawPath next = names.next(range.index());
        useJournal(Journal.create(disk, dirFd, next, shown, identity(names, entry, range, digest, inode)));
        Journal made = journal;
        if (made != null && !records.isEmpty()) {
            made.add(records);
        }
        int renamed = disk.rename(dirFd, next, names.journal(range.index()), 0);
        if (renamed < 0) {
            throw Errno.failure(FailureKind.TARGET, "replace the journal", shown, -renamed);
        }
        tree.syncDirectory(dirFd, shown);
        namesDurable = true;
    }

    /** What the journal of a range is about; in it the range is a file, and its records count from the range's start. */
    static Journal.Identity identity(
            PartialNames.OfRanges names, FileEntry entry, FileRange range, DigestKind digest, long inode) {
        return new Journal.Identity(entry, digest, names.nameHash(range.index()), inode, range.fileBytes());
    }

    private void useJournal(@Nullable Journal used) {
        journal = used;
        stamp = used == null ? null : used.stamp();
    }

    private void closeJournal() {
        Journal open = journal;
        useJournal(null);
        if (open != null) {
            open.close();
        }
    }

    /**
     * From now on the stamp speaks of what this range's writer does, and of nothing that others did before: only of a partial
     * whose last change is ours nobody needs to look at what the records say.
     */
    private void beginStamp(int opened) {
        FileStatus status = new FileStatus();
        WriteStamp current = stamp;
        if (current != null && Posix.stat(opened, status) == 0) {
            try {
                current.rest(status);
                current.onWrite();
            } catch (InternalError pageRefused) {
                stamp = null;
            }
        }
    }

    private void onWrite() {
        WriteStamp current = stamp;
        if (current != null) {
            current.onWrite();
        }
    }

    private interface Change {
        void make();
    }

    private void stamped(Change change) {
        requireWhole();
        try {
            onWrite();
            change.make();
            onWrite();
        } catch (InternalError pageRefused) {
            stamp = null;
            throw new TransferException(
                    FailureKind.TARGET,
                    shown.display() + ": cannot write the journal: its page was refused",
                    pageRefused);
        }
    }

    /** The place in the file; what is not within the range was to be refused long before. */
    private long place(long offset, long lengthBytes) {
        if (offset < 0 || lengthBytes < 0 || lengthBytes > range.lengthBytes() - offset) {
            throw new IllegalStateException(
                    lengthBytes + " bytes at offset " + offset + " are not within the range: " + shown);
        }
        return range.offset() + offset;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        long place = place(offset, lengthBytes);
        stamped(() -> writeAll(address, lengthBytes, place));
    }

    private void writeAll(long address, int lengthBytes, long place) {
        int target = fd;
        int done = 0;
        while (done < lengthBytes) {
            int count = disk.write(target, address + done, lengthBytes - done, place + done);
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "write at offset " + (place + done), shown, -count);
            }
            done += count;
        }
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        long place = place(offset, lengthBytes);
        if (lengthBytes == 0) {
            return;
        }
        stamped(() -> {
            // What an earlier session left there was not recorded, and may be anything.
            if (disk.punchHole(fd, place, lengthBytes) < 0) {
                for (long at = 0; at < lengthBytes; at += GRANULE_BYTES) {
                    writeAll(Zeros.ADDRESS, (int) Math.min(GRANULE_BYTES, lengthBytes - at), place + at);
                }
            }
        });
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        int within = (int) Math.min(lengthBytes, Math.max(0, range.lengthBytes() - offset));
        long place = place(offset, within);
        int done = 0;
        while (done < within) {
            int count = disk.read(fd, address + done, within - done, place + done);
            if (count < 0) {
                throw Errno.failure(FailureKind.TARGET, "read at offset " + (place + done), shown, -count);
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
        int synced = disk.syncData(fd);
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
        if (chunks.isEmpty()) {
            return;
        }
        requireWhole();
        DirectoryCache.Held held = directory;
        Journal open = journal;
        if (held == null || open == null) {
            throw new IllegalStateException("range has ended already: " + shown);
        }
        if (!namesDurable) {
            tree.syncDirectory(held.fd(), shown);
            namesDurable = true;
        }
        open.add(chunks);
    }

    @Override
    public void seal() {
        // Size, mode and times are the whole file's business.
        requireWhole();
    }

    @Override
    public synchronized void tellDigest(byte[] known) {
        rangeDigest = known.clone();
    }

    @Override
    public synchronized void publish() {
        requireWhole();
        tree.requireSynced();
        DirectoryCache.Held held = directory;
        byte[] known = rangeDigest;
        if (held == null || known == null || ended) {
            throw new IllegalStateException("a range ends with its digest: " + shown);
        }
        FileStatus status = new FileStatus();
        WriteStamp current = stamp;
        boolean ours = current != null && Posix.stat(fd, status) == 0 && current.isOurs(status);
        closeJournal();
        replaceJournal(held.fd(), List.of(new ChunkRecord(0, range.lengthBytes(), known)));
        WriteStamp made = stamp;
        if (ours && made != null) {
            made.rest(status);
        }
        end();
    }

    @Override
    public synchronized void abandon(boolean keepForResume) {
        if (ended) {
            return;
        }
        Journal open = journal;
        DirectoryCache.Held held = directory;
        if (open != null && held != null && !(keepForResume && open.hasRecords())) {
            disk.unlink(held.fd(), names.journal(range.index()));
        } else {
            FileStatus status = new FileStatus();
            WriteStamp current = stamp;
            if (current != null && Posix.stat(fd, status) == 0) {
                current.restIfOurs(status);
            }
        }
        end();
    }

    private void end() {
        ended = true;
        closeJournal();
        if (fd != NOT_OPEN) {
            // What mattered was flushed and looked at before. The lock of the range ends with it.
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
