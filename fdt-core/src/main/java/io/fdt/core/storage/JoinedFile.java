package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file whose ranges have all come, on its way to its name. Its partial is locked as a whole, so no range is written meanwhile; the
 * journals of the ranges are read together, and from then on it is a file that was resumed and is complete. If the last
 * change of the partial was none of a range's writer, as this host can tell, everything is hashed before. No byte is written.
 */
final class JoinedFile implements TargetFile {
    private static final int NOT_OPEN = -1;
    private static final int MAX_NAMED = 8;

    private final TargetTree tree;
    private final Disk disk;
    private final FileEntry entry;
    private final FileRange range;
    private final RawPath parent;
    private final RawPath name;
    private final RawPath shown;
    private final PartialNames.OfRanges names;
    private final DigestKind digest;
    private final int mode;
    private final boolean noReplace;

    private int fd = NOT_OPEN;
    private DirectoryCache.@Nullable Held directory;
    private int modeAtOpen;
    private boolean sealed;
    private boolean ended;
    private @Nullable TransferException broken;

    /**
     * @param entry of the whole file
     * @param mode that it gets
     * @param noReplace whether something that stands under the name by then is left alone
     */
    JoinedFile(TargetTree tree, FileEntry entry, FileRange range, RawPath path, int mode, boolean noReplace) {
        this.tree = tree;
        this.disk = tree.disk();
        this.entry = entry;
        this.range = range;
        this.parent = path.parent();
        this.name = path.name();
        this.shown = tree.shown(path);
        this.names = PartialNames.ofRanges(name, entry, range);
        this.digest = tree.digest();
        this.mode = mode;
        this.noReplace = noReplace;
    }

    /** Before the file is shared. @throws TransferException INTEGRITY, when some of it has not come */
    synchronized Outcome.Wanted open() {
        DirectoryCache.Held held = tree.directory(parent);
        directory = held;
        int opened = NOT_OPEN;
        try {
            FileStatus status = new FileStatus();
            SharedPartial partial = new SharedPartial(disk, held.fd(), names.partial(), shown);
            opened = partial.open(-1, 0, range.fileBytes(), status);
            if (opened < 0) {
                throw new TransferException(FailureKind.INTEGRITY, shown.display() + ": none of its ranges is here");
            }
            List<ChunkRecord> ranges = ranges(held.fd(), opened, status);
            modeAtOpen = status.mode();
            tree.openFiles().opened();
            fd = opened;
            return new Outcome.Wanted(this, ranges, null);
        } catch (TransferException failure) {
            if (opened >= 0) {
                disk.close(opened);
            }
            leaveDirectory();
            throw failure;
        }
    }

    /** A record a range, at its place in the file. */
    private List<ChunkRecord> ranges(int dirFd, int opened, FileStatus status) {
        List<ChunkRecord> ranges = new ArrayList<>(range.count());
        List<Long> missing = new ArrayList<>();
        boolean untouched = false;
        for (int index = 0; index < range.count(); index++) {
            FileRange each = range.at(index);
            FileEntry part = entry.ranged(each);
            Journal.Loaded loaded = Journal.load(
                    disk,
                    dirFd,
                    names.journal(index),
                    shown,
                    RangeFile.identity(names, part, each, digest, status.inode),
                    status);
            byte[] found = null;
            if (loaded != null && loaded.journal() != null) {
                loaded.journal().close();
                untouched |= loaded.untouched();
                found = digestOf(loaded.records(), each.lengthBytes());
            }
            if (found == null) {
                missing.add(each.offset());
            } else {
                ranges.add(new ChunkRecord(each.offset(), each.lengthBytes(), found));
            }
        }
        if (missing.isEmpty() && !untouched) {
            List<ChunkRecord> sound = RecordedData.sound(ranges, 0, digest, disk, opened);
            List<ChunkRecord> unsound = new ArrayList<>(ranges);
            unsound.removeAll(sound);
            unsound.forEach(each -> missing.add(each.offset()));
        }
        if (!missing.isEmpty() || status.sizeBytes != range.fileBytes()) {
            String offsets =
                    missing.stream().limit(MAX_NAMED).map(String::valueOf).collect(Collectors.joining(", "));
            throw new TransferException(
                    FailureKind.INTEGRITY,
                    shown.display() + ": " + missing.size() + " of its " + range.count()
                            + " ranges are not here or were changed, at offsets " + offsets);
        }
        return ranges;
    }

    /** Null where the records do not amount to all of the range. */
    private byte @Nullable [] digestOf(List<ChunkRecord> records, long lengthBytes) {
        NodeDigests nodes = new NodeDigests(digest);
        for (ChunkRecord record : records) {
            if (NodeDigests.isNode(record.offset(), record.lengthBytes(), lengthBytes)) {
                nodes.add(record.offset(), record.lengthBytes(), record.digest());
            }
        }
        return nodes.coveredBytes() == lengthBytes ? nodes.root() : null;
    }

    @Override
    public void write(long address, int lengthBytes, long offset) {
        throw nothingIsWritten();
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        throw nothingIsWritten();
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        throw nothingIsWritten();
    }

    private IllegalStateException nothingIsWritten() {
        return new IllegalStateException("every byte is there: " + shown);
    }

    @Override
    public synchronized void sync() {
        requireWhole();
        int synced = disk.sync(fd);
        if (synced < 0) {
            broken = Errno.failure(FailureKind.TARGET, "flush", shown, -synced);
            throw broken;
        }
    }

    private void requireWhole() {
        if (broken != null) {
            throw broken;
        }
    }

    @Override
    public void record(List<ChunkRecord> chunks) {
        // The ranges have their own journals.
    }

    @Override
    public synchronized void seal() {
        requireWhole();
        tree.metadata().giveAll(fd, entry, modeAtOpen, mode, shown);
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
        int renamed = PartialFile.rename(disk, held.fd(), names.partial(), name, noReplace);
        if (renamed < 0) {
            throw renamed == -Errno.EEXIST
                    ? new TransferException(FailureKind.TARGET, shown.display() + ": has come into being meanwhile")
                    : Errno.failure(FailureKind.TARGET, "give the final name", shown, -renamed);
        }
        // Those that a crash leaves speak of a partial that is gone, and are never believed.
        for (int index = 0; index < range.count(); index++) {
            disk.unlink(held.fd(), names.journal(index));
            disk.unlink(held.fd(), names.next(index));
        }
        tree.onTouched(parent);
        end();
    }

    @Override
    public synchronized void abandon(boolean keepForResume) {
        // Whatever becomes of this attempt, the ranges are there for the next.
        if (!ended) {
            end();
        }
    }

    private void end() {
        ended = true;
        if (fd != NOT_OPEN) {
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
