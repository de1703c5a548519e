package io.fdt.core.storage.partial;

import io.fdt.core.digest.NodeHash;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One range of a file while it is written, into a partial of the file's size that all its ranges share, with a lock on
 * its own part and its own journal. Offsets are relative to the range. It gets no name: when it is complete, its
 * journal is replaced atomically by one with a single record, the digest of the range, for the {@link JoinedFile}.
 * Abandoning a range does not affect other ranges: it removes only its journal.
 */
public final class RangeFile extends WrittenFile {
    private final FileRange range;
    private final KeptJournal journal;

    private long inode;
    private byte @Nullable [] rangeDigest;

    /** @param mode the final mode of the file */
    public RangeFile(WritableTree tree, FileEntry entry, FileRange range, RawPath path, PartialNames names, int mode) {
        super(tree, entry, path, names.at(range.index()), true, mode);
        this.range = range;
        this.journal = new KeptJournal(partial, disk, shown);
    }

    /**
     * Opens the partial, and resumes the range if an earlier session left a part of it. Must be called before the file
     * is shared.
     *
     * @param resuming false: the range starts from the beginning
     */
    public synchronized Outcome.Wanted open(boolean resuming) {
        int dirFd = partial.enterToOpen();
        try {
            requireClaim();
            FileStatus status = new FileStatus();
            PartialOpener opener =
                    new PartialOpener(disk, dirFd, partial.names().partial(), shown);
            partial.hold(opener.openShared(Paths.O_CREAT, mode, range.offset(), range.lengthBytes(), status));
            inode = status.inode;
            if (tree.writesDirectly(entry, range.fileBytes(), status)) {
                partial.goDirect(partial.fd(), range.offset(), range.lengthBytes());
            }
            return takeUp(status, resuming);
        } catch (TransferException failure) {
            journal.end();
            throw failure;
        }
    }

    private Outcome.Wanted takeUp(FileStatus status, boolean resuming) {
        if (!resuming) {
            journal.drop();
        }
        KeptJournal.Resumed left = journal.resume(identity(), range.offset(), status);
        List<ChunkRecord> sound = left.sound();
        if (sound == null) {
            sound = List.of();
            journal.begin(identity(), sound);
        }
        if (status.sizeBytes != range.fileBytes()) {
            partial.setSize(range.fileBytes());
        }
        if (!PartialOpener.isPrivate(status)) {
            // A session that should have joined the file ended before it renamed it.
            disk.setMode(partial.fd(), PartialOpener.MODE);
        }
        // The next session may trust the records without hashing only if the last change of the partial was ours.
        journal.restAndWrite();
        return new Outcome.Wanted(this, sound, left.doubt());
    }

    private Journal.Identity identity() {
        return identity(partial.names(), entry, range, digest, inode);
    }

    /**
     * Returns the identity of a range's journal. The journal treats the range as a file: its records are relative to
     * the range's start.
     */
    static Journal.Identity identity(
            PartialNames names, FileEntry entry, FileRange range, NodeHash digest, long inode) {
        return new Journal.Identity(entry, digest, names.nameHash(), inode, range.fileBytes());
    }

    /** Returns the offset in the file. Callers must have rejected offsets outside the range. */
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
        partial.requireWhole();
        journal.changing(() -> partial.write(address, lengthBytes, place));
    }

    @Override
    public void zero(long offset, long lengthBytes) {
        long place = place(offset, lengthBytes);
        if (lengthBytes == 0) {
            return;
        }
        partial.requireWhole();
        journal.changing(() -> {
            // Data that an earlier session left there was not recorded, and may be anything.
            if (!partial.punchHole(place, lengthBytes)) {
                partial.writeZeros(place, lengthBytes);
            }
        });
    }

    @Override
    public void sync() {
        partial.sync(false);
    }

    @Override
    public synchronized boolean record(List<ChunkRecord> chunks) {
        if (!chunks.isEmpty()) {
            partial.requireWhole();
            journal.record(chunks);
        }
        return true;
    }

    @Override
    public void seal() {
        // Size, mode and times are set for the whole file.
        partial.requireWhole();
    }

    @Override
    public synchronized void setDigest(byte[] known) {
        rangeDigest = known.clone();
    }

    @Override
    public synchronized void publish() {
        partial.requireWhole();
        tree.requireSynced();
        byte[] known = rangeDigest;
        if (!partial.isOpen() || known == null) {
            throw new IllegalStateException("a range ends with its digest: " + shown);
        }
        ChunkRecord all = new ChunkRecord(0, range.lengthBytes(), known);
        journal.replaceAtRest(identity(), List.of(all));
        journal.end();
    }

    @Override
    public synchronized boolean abandon(boolean keepForResume) {
        if (!partial.isOpen()) {
            return false;
        }
        try {
            boolean keeps = keepForResume && journal.hasRecords();
            if (keeps) {
                journal.restIfOurs();
            } else {
                journal.unlink();
            }
            return keeps;
        } finally {
            journal.end();
        }
    }
}
