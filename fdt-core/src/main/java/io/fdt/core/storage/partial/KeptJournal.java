package io.fdt.core.storage.partial;

import io.fdt.core.FailureKind;
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
 * The {@link Journal} beside an {@link OpenPartial}, and the {@link WriteStamp} in it, from when it is made or taken up
 * until the file ends. Before and after, and for a file that keeps none, nothing is stamped. When {@link #record}
 * returns, what it was given is durable, and so are the names of the partial and the journal, without which it would be
 * worth nothing; where nothing is flushed, it outlives the process and no more.
 *
 * <p>Lanes call {@link #changing}, several at once. Everything else is done by one at a time, who holds the file's own
 * lock: {@link #record} beside lanes that write, the rest when none does.
 */
final class KeptJournal implements AutoCloseable {
    private final OpenPartial partial;
    private final Disk disk;
    private final RawPath name;
    private final RawPath shown;

    private @Nullable Journal journal;
    /** Null when there is none, or its page was refused: then the next session hashes. */
    private volatile @Nullable WriteStamp stamp;

    private boolean namesDurable;

    /**
     * @param name of the journal, in the directory of the partial
     * @param shown the path of the file for messages
     */
    KeptJournal(OpenPartial partial, Disk disk, RawPath name, RawPath shown) {
        this.partial = partial;
        this.disk = disk;
        this.name = name;
        this.shown = shown;
    }

    /** Whether something stands under its name. */
    boolean isThere() {
        return FileMetadata.statat(partial.dirFd(), name, Paths.AT_SYMLINK_NOFOLLOW, new FileStatus()) == 0;
    }

    /**
     * What an earlier session left of a file.
     *
     * @param sound what its journal vouches for and still is so; null where there is no journal to go on with
     * @param doubt what was dropped and why; null when everything held
     */
    record Resumed(
            @Nullable List<ChunkRecord> sound, @Nullable String doubt) {}

    /**
     * Goes on with the journal that an earlier session left, if there is one that can be used. One that cannot be used
     * is dropped.
     *
     * @param start of the range in the partial from which records count; 0 for a whole file
     * @param status of the partial, which is held and locked
     * @param next the name of a journal on its way
     */
    Resumed resume(Journal.Identity identity, long start, FileStatus status, RawPath next) {
        Journal.Loaded loaded = Journal.load(disk, partial.dirFd(), name, shown, identity, status);
        if (loaded == null || loaded.journal() == null) {
            drop();
            return new Resumed(null, loaded == null ? null : loaded.doubt());
        }
        use(loaded.journal());
        List<ChunkRecord> sound = loaded.untouched() && PartialOpener.isOursToWrite(status)
                ? loaded.records()
                : RecordedData.sound(loaded.records(), start, identity.digest(), disk, partial.fd());
        if (sound.size() == loaded.records().size()) {
            return new Resumed(sound, loaded.doubt());
        }
        // A record that proved wrong must not be believed by the session after this one, whose stamp would vouch for
        // it; those that did not must be there whenever the power fails.
        replace(next, identity, sound);
        return new Resumed(sound, "its partial file was changed");
    }

    /** Makes one with these records, whatever stood there. A crash may leave neither. */
    void begin(Journal.Identity identity, List<ChunkRecord> records) {
        makeAt(name, identity, records);
    }

    /**
     * Puts one with these records in the place of the one that is there. A crash leaves either that one or this one.
     *
     * @param next the name under which it is made
     */
    void replace(RawPath next, Journal.Identity identity, List<ChunkRecord> records) {
        makeAt(next, identity, records);
        Errno.require(disk.rename(partial.dirFd(), next, name, 0), FailureKind.TARGET, "replace the journal", shown);
        partial.syncDirectory();
        namesDurable = true;
    }

    /** The same of a file that nobody writes to any more: if its last change was ours, the new one says so, too. */
    void replaceAtRest(RawPath next, Journal.Identity identity, List<ChunkRecord> records) {
        FileStatus status = new FileStatus();
        boolean ours = isOurs(status);
        replace(next, identity, records);
        if (ours) {
            stampWith(status, WriteStamp::rest);
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
     * Takes away what an earlier session left. It outlives its data and must not be believed after a crash, so its end
     * is made durable.
     */
    void drop() {
        if (disk.unlink(partial.dirFd(), name) == 0) {
            partial.syncDirectory();
        }
    }

    /** Removes a journal that an earlier session left beside a file that has its name, if the partial is gone. */
    static void removeLeft(Disk disk, int dirFd, RawPath partial, RawPath name) {
        FileStatus status = new FileStatus();
        if (FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, status) == 0
                && FileMetadata.statat(dirFd, partial, Paths.AT_SYMLINK_NOFOLLOW, status) == -Errno.ENOENT) {
            disk.unlink(dirFd, name);
        }
    }

    /** Takes its name away, if it is kept: a crash may bring it back. */
    void unlink() {
        if (journal != null) {
            disk.unlink(partial.dirFd(), name);
        }
    }

    /** Records chunks whose data is durable, or, where nothing is flushed, was written. */
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
     * Everything that changes the partial goes through here. A store into a page that is refused, because a file system
     * that copies on write is full, or the journal was cut short, may be told of at any later call of the change.
     */
    void changing(Runnable change) {
        try {
            onWrite();
            change.run();
            onWrite();
        } catch (InternalError pageRefused) {
            stamp = null;
            throw FailureKind.TARGET.failure(
                    shown.display() + ": cannot write the journal: its page was refused", pageRefused);
        }
    }

    private void onWrite() {
        WriteStamp current = stamp;
        if (current != null) {
            current.onWrite();
        }
    }

    /**
     * Nobody is writing to the partial: what the journal says holds for it as it is now.
     *
     * @param opened the partial, which lanes may not know of yet
     */
    void rest(int opened) {
        stampNow(opened, WriteStamp::rest);
    }

    /** The same at the end, if the last change was ours. */
    void restIfOurs() {
        stampNow(partial.fd(), WriteStamp::restIfOurs);
    }

    /** From now on the stamp speaks of what this file's writers do, and of nothing that others did before. */
    void restAndWrite() {
        rest(partial.fd());
        changing(() -> {});
    }

    private void stampNow(int opened, BiConsumer<WriteStamp, FileStatus> how) {
        if (stamp == null) {
            return;
        }
        FileStatus status = new FileStatus();
        boolean known = FileMetadata.stat(opened, status) == 0;
        stampWith(status, known ? how : (current, unknown) -> current.forget());
    }

    private void stampWith(FileStatus status, BiConsumer<WriteStamp, FileStatus> how) {
        WriteStamp current = stamp;
        try {
            if (current != null) {
                how.accept(current, status);
            }
        } catch (InternalError pageRefused) {
            // The stamp says nothing, so the next session hashes.
            stamp = null;
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
