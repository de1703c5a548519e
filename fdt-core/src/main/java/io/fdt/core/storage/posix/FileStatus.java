package io.fdt.core.storage.posix;

import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Attribute;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of {@code statx}. Mutable, filled by {@link FileMetadata}; for one thread. */
public final class FileStatus {
    private static final int TYPE_MASK = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int LINK = 0120000;
    private static final int PERMISSIONS = 07777;
    private static final int BLOCK_BYTES = 512;

    public long device;
    public long inode;
    public long sizeBytes;
    public long modifiedSeconds;
    public int modifiedNanos;
    public long changedSeconds;
    public int changedNanos;
    public int linkCount;
    public int uid;
    public int gid;
    private int typeAndMode;
    private long blocks;

    /** Reads a {@code struct statx} at the index; its layout is the same on every architecture. */
    void fill(ByteBuffer statx, int index) {
        linkCount = statx.getInt(index + 16);
        uid = statx.getInt(index + 20);
        gid = statx.getInt(index + 24);
        typeAndMode = statx.getShort(index + 28) & 0xFFFF;
        inode = statx.getLong(index + 32);
        sizeBytes = statx.getLong(index + 40);
        blocks = statx.getLong(index + 48);
        changedSeconds = statx.getLong(index + 96);
        changedNanos = statx.getInt(index + 104);
        modifiedSeconds = statx.getLong(index + 112);
        modifiedNanos = statx.getInt(index + 120);
        device = (long) statx.getInt(index + 136) << 32 | (statx.getInt(index + 140) & 0xFFFFFFFFL);
    }

    public boolean isDirectory() {
        return (typeAndMode & TYPE_MASK) == DIRECTORY;
    }

    public boolean isRegular() {
        return (typeAndMode & TYPE_MASK) == REGULAR;
    }

    public boolean isLink() {
        return (typeAndMode & TYPE_MASK) == LINK;
    }

    /** Permission bits with setuid, setgid and sticky. */
    public int mode() {
        return typeAndMode & PERMISSIONS;
    }

    public boolean hasTimeOf(FileEntry entry) {
        return modifiedSeconds == entry.modifiedSeconds() && modifiedNanos == entry.modifiedNanos();
    }

    /** Whether it is a regular file with the entry's size and modification time. */
    public boolean isSameAs(FileEntry entry) {
        return isRegular() && sizeBytes == entry.sizeBytes() && hasTimeOf(entry);
    }

    public FileEntry entry(
            RawPath path, FileEntry.Kind kind, int mode, @Nullable RawPath linkTarget, List<Attribute> attributes) {
        boolean file = kind == FileEntry.Kind.FILE;
        return new FileEntry(
                path,
                kind,
                file ? sizeBytes : 0,
                new EntryMetadata(mode, modifiedSeconds, modifiedNanos, uid, gid, attributes),
                file && isSparse(),
                linkTarget);
    }

    public long allocatedBytes() {
        return blocks * BLOCK_BYTES;
    }

    public boolean isSparse() {
        return allocatedBytes() < sizeBytes;
    }

    /** Distinguishes a file from all others as long as it exists. */
    public record Identity(long device, long inode) {
        /**
         * Avoids the record's own equals, whose generation at run time would be the largest cost here when a process
         * starts.
         */
        public boolean isOf(FileStatus status) {
            return device == status.device && inode == status.inode;
        }
    }

    /** A state of a file, as far as inode, size and time show it. */
    public record State(long inode, long sizeBytes, long modifiedSeconds, int modifiedNanos) {
        public boolean isOf(FileStatus status) {
            return inode == status.inode
                    && sizeBytes == status.sizeBytes
                    && modifiedSeconds == status.modifiedSeconds
                    && modifiedNanos == status.modifiedNanos;
        }
    }

    public State state() {
        return new State(inode, sizeBytes, modifiedSeconds, modifiedNanos);
    }

    public Identity identity() {
        return new Identity(device, inode);
    }

    public boolean isSameFile(FileStatus other) {
        return inode == other.inode && device == other.device;
    }
}
