package io.fdt.core.storage.partial;

import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.posix.FileStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A file whose ranges are all complete, until it gets its name. The partial is locked as a whole, so no range is
 * written meanwhile. The journals of the ranges are read together, after which the file is like a resumed one that is
 * complete. If the last change of the partial was not by the writer of a range, as far as this host can tell, the whole
 * file is hashed first. No data is written.
 */
public final class JoinedFile extends WrittenFile {
    private static final int MAX_NAMED = 8;

    private final FileRange range;
    private final boolean noReplace;

    private int modeAtOpen;
    private boolean sealed;

    /**
     * @param entry of the whole file
     * @param noReplace whether something that has the name by then is left alone
     */
    public JoinedFile(
            WritableTree tree,
            FileEntry entry,
            FileRange range,
            RawPath path,
            PartialNames names,
            int mode,
            boolean noReplace) {
        super(tree, entry, path, names, true, mode);
        this.range = range;
        this.noReplace = noReplace;
    }

    /** Opens the file, before it is shared. @throws TransferException INTEGRITY, if a part of it is missing */
    public synchronized Outcome.Wanted open() {
        int dirFd = partial.enterToOpen();
        try {
            requireClaim();
            FileStatus status = new FileStatus();
            PartialOpener opener =
                    new PartialOpener(disk, dirFd, partial.names().partial(), shown);
            int opened = opener.openShared(0, mode, 0, range.fileBytes(), status);
            if (opened < 0) {
                throw Cause.INTEGRITY.at(shown.display()).failure("none of its ranges has been copied");
            }
            partial.hold(opened);
            List<ChunkRecord> ranges = ranges(dirFd, opened, status);
            modeAtOpen = status.mode();
            return new Outcome.Wanted(this, ranges, null);
        } catch (TransferException failure) {
            partial.close();
            throw failure;
        }
    }

    /** Returns one record for each range, at its offset in the file. */
    private List<ChunkRecord> ranges(int dirFd, int opened, FileStatus status) {
        List<ChunkRecord> ranges = new ArrayList<>(range.count());
        List<Long> missing = new ArrayList<>();
        boolean untouched = false;
        for (int index = 0; index < range.count(); index++) {
            FileRange each = range.at(index);
            PartialNames names = partial.names().at(index);
            FileEntry part = entry.ranged(each);
            Journal.Loaded loaded = Journal.load(
                    disk,
                    dirFd,
                    names.journal(),
                    shown,
                    RangeFile.identity(names, part, each, digest, status.inode),
                    status);
            byte[] found = null;
            if (loaded != null && loaded.journal() != null) {
                loaded.journal().close();
                untouched |= loaded.untouched();
                // The run of the range may have computed further checksums.
                found = digest.equals(digest.common(loaded.hash()))
                        ? digestOf(loaded.records(), loaded.hash(), each.lengthBytes())
                        : null;
            }
            if (found == null) {
                missing.add(each.offset());
            } else {
                ranges.add(new ChunkRecord(each.offset(), each.lengthBytes(), found));
            }
        }
        if (missing.isEmpty() && !(untouched && PartialOpener.isOursToWrite(status))) {
            List<ChunkRecord> sound =
                    new RecordedData(digest, digest, false, partial.budget()).sound(ranges, 0, disk, opened);
            List<ChunkRecord> unsound = new ArrayList<>(ranges);
            unsound.removeAll(sound);
            unsound.forEach(each -> missing.add(each.offset()));
        }
        if (!missing.isEmpty() || status.sizeBytes != range.fileBytes()) {
            String offsets =
                    missing.stream().limit(MAX_NAMED).map(String::valueOf).collect(Collectors.joining(", "));
            throw Cause.INTEGRITY
                    .at(shown.display())
                    .failure(missing.size() + " of its " + range.count()
                            + " ranges are missing or were changed, at offsets " + offsets);
        }
        return ranges;
    }

    /** Returns the digest of a range; null if the records do not cover the whole range. */
    private byte @Nullable [] digestOf(List<ChunkRecord> records, NodeHash recorded, long lengthBytes) {
        NodeDigests nodes = new NodeDigests(digest);
        for (ChunkRecord record : records) {
            if (NodeDigests.isNode(record.offset(), record.lengthBytes(), lengthBytes)) {
                nodes.add(record.offset(), record.lengthBytes(), digest.of(recorded, record.digest()));
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

    private IllegalStateException nothingIsWritten() {
        return new IllegalStateException("every byte is there: " + shown);
    }

    @Override
    public synchronized void sync() {
        partial.sync(true);
    }

    @Override
    public boolean record(List<ChunkRecord> chunks) {
        // The ranges have their own journals.
        return true;
    }

    @Override
    public synchronized void seal() {
        partial.requireWhole();
        tree.giveMetadata(partial.fd(), entry, modeAtOpen, mode, shown);
        sealed = true;
    }

    @Override
    public synchronized void publish() {
        partial.requireWhole();
        tree.requireSynced();
        if (!sealed || !partial.isOpen()) {
            throw new IllegalStateException("only a sealed file can be published: " + shown);
        }
        partial.rename(name, entry, noReplace);
        // If a crash leaves some, they refer to a partial that no longer exists, and are never trusted.
        int dirFd = partial.dirFd();
        for (int index = 0; index < range.count(); index++) {
            PartialNames names = partial.names().at(index);
            disk.unlink(dirFd, names.journal());
            disk.unlink(dirFd, names.next());
        }
        tree.onTouched(parent);
        partial.close();
    }

    @Override
    public synchronized boolean abandon(boolean keepForResume) {
        // Whatever happens to this attempt, the ranges remain for the next.
        partial.close();
        return true;
    }
}
