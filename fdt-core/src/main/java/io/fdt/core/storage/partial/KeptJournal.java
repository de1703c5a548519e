package io.fdt.core.storage.partial;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Journal} beside an {@link OpenPartial}, and its {@link WriteStamp}, from when it is created or resumed
 * until the file ends. Before and after that, and for a file without a journal, nothing is stamped. When {@link
 * #record} returns, the records are durable, and so are the names of the partial and the journal, without which the
 * records would be useless. If nothing is flushed, the records survive the process but not a crash of the host.
 *
 * <p>Several lanes may call {@link #changing} at once. All other methods are called by one thread at a time, which
 * holds the file's lock: {@link #begin} and {@link #record} while lanes write, the others while none does.
 */
final class KeptJournal implements AutoCloseable {
    private final OpenPartial partial;
    private final Disk disk;
    private final RawPath shown;

    private @Nullable Journal journal;
    /** Null if there is no stamp, or a store to its page failed: then the next session hashes the data. */
    private volatile @Nullable WriteStamp stamp;

    private boolean namesDurable;

    /** @param shown the path of the file for messages */
    KeptJournal(OpenPartial partial, Disk disk, RawPath shown) {
        this.partial = partial;
        this.disk = disk;
        this.shown = shown;
    }

    private RawPath name() {
        return partial.names().journal();
    }

    /** Whether a file with the journal's name exists. */
    boolean isThere() {
        return FileMetadata.statat(partial.dirFd(), name(), Paths.AT_SYMLINK_NOFOLLOW, new FileStatus()) == 0;
    }

    /**
     * What an earlier session left of a file.
     *
     * @param sound the records of its journal that are still valid; null if there is no usable journal
     * @param doubt what was dropped and why; null if nothing was
     */
    record Resumed(
            @Nullable List<ChunkRecord> sound, @Nullable String doubt) {}

    /**
     * Continues the journal of an earlier session, if there is a usable one. An unusable one is dropped.
     *
     * @param start of the range in the partial from which records count; 0 for a whole file
     * @param status of the partial, which is held and locked
     */
    Resumed resume(Journal.Identity identity, long start, FileStatus status) {
        Journal.Loaded loaded = Journal.load(disk, partial.dirFd(), name(), shown, identity, status);
        if (loaded == null || loaded.journal() == null) {
            drop();
            return new Resumed(null, loaded == null ? null : loaded.doubt());
        }
        use(loaded.journal());
        boolean trusted = loaded.untouched() && PartialOpener.isOursToWrite(status);
        boolean complete = loaded.hash().equals(identity.hash());
        List<ChunkRecord> sound = trusted && complete
                ? loaded.records()
                : new RecordedData(loaded.hash(), identity.hash(), trusted, partial.budget())
                        .sound(loaded.records(), start, disk, partial.fd());
        boolean allSound = sound.size() == loaded.records().size();
        if (allSound && complete) {
            return new Resumed(sound, loaded.doubt());
        }
        // Drop records that proved wrong, because the stamp of this session would make the next one trust them. Drop
        // them atomically, because the sound records must survive a power cut at any time. All records of a journal
        // have the same checksums.
        replace(identity, sound);
        return new Resumed(sound, allSound ? loaded.doubt() : "its partial file was changed");
    }

    /**
     * Creates a journal with these records, and replaces an existing one. After a crash there may be neither. If lanes
     * write to the partial meanwhile, it must not be stamped at {@link #rest}: then the next session hashes the data.
     */
    void begin(Journal.Identity identity, List<ChunkRecord> records) {
        makeAt(name(), identity, records);
    }

    boolean isBegun() {
        return journal != null;
    }

    /**
     * Replaces the existing journal by one with these records, atomically: after a crash there is one or the other.
     */
    void replace(Journal.Identity identity, List<ChunkRecord> records) {
        RawPath next = partial.names().next();
        makeAt(next, identity, records);
        Errno.requireName(
                disk.rename(partial.dirFd(), next, name(), 0), FailureKind.TARGET, "replace the journal", shown);
        partial.syncDirectory();
        namesDurable = true;
    }

    /**
     * Like {@link #replace}, for a file that is no longer written: if its last change was ours, the new journal says
     * so, too.
     */
    void replaceAtRest(Journal.Identity identity, List<ChunkRecord> records) {
        FileStatus status = new FileStatus();
        boolean ours = isOurs(status);
        replace(identity, records);
        if (ours) {
            stampWith(stamp, status, WriteStamp::rest);
        }
    }

    private boolean isOurs(FileStatus status) {
        WriteStamp current = stamp;
        try {
            return current != null && FileMetadata.stat(partial.fd(), status) == 0 && current.isOurs(status);
        } catch (InternalError pageRefused) {
            stamp = null;
            return false;
        }
    }

    private void makeAt(RawPath place, Journal.Identity identity, List<ChunkRecord> records) {
        close();
        Journal made = Journal.create(disk, partial.dirFd(), place, shown, identity);
        use(made);
        if (!records.isEmpty()) {
            made.add(records, partial.flushes());
        }
    }

    private void use(Journal used) {
        journal = used;
        stamp = used.stamp();
    }

    /**
     * Removes the journal of an earlier session. Its data is gone, and it must not be trusted after a crash, so the
     * removal is made durable.
     */
    void drop() {
        if (disk.unlink(partial.dirFd(), name()) == 0) {
            partial.syncDirectory();
        }
    }

    /** Removes a journal that an earlier session left beside a file with its final name, if the partial is gone. */
    static void removeLeft(Disk disk, int dirFd, PartialNames names) {
        FileStatus status = new FileStatus();
        if (FileMetadata.statat(dirFd, names.journal(), Paths.AT_SYMLINK_NOFOLLOW, status) == 0
                && FileMetadata.statat(dirFd, names.partial(), Paths.AT_SYMLINK_NOFOLLOW, status) == -Errno.ENOENT) {
            disk.unlink(dirFd, names.journal());
        }
    }

    /** Removes the journal, if there is one; it may reappear after a crash. */
    void unlink() {
        if (journal != null) {
            disk.unlink(partial.dirFd(), name());
        }
    }

    /** Records chunks whose data is durable, or, if nothing is flushed, written. */
    void record(List<ChunkRecord> chunks) {
        Journal kept = journal;
        if (kept == null) {
            throw new IllegalStateException("file has ended already: " + shown);
        }
        if (!namesDurable) {
            partial.syncDirectory();
            namesDurable = true;
        }
        kept.add(chunks, partial.flushes());
    }

    boolean hasRecords() {
        return journal != null && journal.hasRecords();
    }

    /**
     * Makes a change of the partial; all changes must use this method. A store to the mapped page fails if a
     * copy-on-write file system is full, or if the journal was truncated. Java may report that at any later point of
     * the change, which is then made again, without a stamp. So a change must have the same result when it is repeated.
     */
    void changing(Runnable change) {
        try {
            onWrite();
            change.run();
            onWrite();
        } catch (InternalError pageRefused) {
            // Without a valid stamp, the next session hashes the data. If there is no room, this fails, too, and says
            // why.
            stamp = null;
            change.run();
        }
    }

    private void onWrite() {
        WriteStamp current = stamp;
        if (current != null) {
            current.onWrite();
        }
    }

    /**
     * Stamps the partial in its present state, for which the journal holds. No thread may be writing to it.
     *
     * @param opened the partial, which lanes need not see yet
     */
    void rest(int opened) {
        stampNow(stamp, opened, WriteStamp::rest);
    }

    /**
     * Like {@link #rest}, for the end of a session, but only if the last change was ours. The stamp is not used again.
     */
    void restIfOurs() {
        WriteStamp last = stamp;
        stamp = null;
        stampNow(last, partial.fd(), WriteStamp::restIfOurs);
    }

    /** From now on the stamp covers the writes of this file, whatever others did before. */
    void restAndWrite() {
        rest(partial.fd());
        changing(() -> {});
    }

    private void stampNow(@Nullable WriteStamp current, int opened, BiConsumer<WriteStamp, FileStatus> how) {
        if (current == null) {
            return;
        }
        FileStatus status = new FileStatus();
        // On failure the status keeps the time zero, which no partial at rest has. The next write replaces the time,
        // as it does any other.
        var unused = FileMetadata.stat(opened, status);
        stampWith(current, status, how);
    }

    private void stampWith(@Nullable WriteStamp current, FileStatus status, BiConsumer<WriteStamp, FileStatus> how) {
        try {
            if (current != null) {
                how.accept(current, status);
            }
        } catch (InternalError pageRefused) {
            // Without a valid stamp, the next session hashes the data.
            stamp = null;
        }
    }

    /**
     * Closes this, and the partial with its locks, even if Java reports only now that the page was refused earlier. So
     * a file that is abandoned or published again is left alone.
     */
    void end() {
        try {
            close();
        } finally {
            partial.close();
        }
    }

    @Override
    public void close() {
        stamp = null;
        if (journal != null) {
            journal.close();
            journal = null;
        }
    }
}
