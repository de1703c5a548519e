package io.fdt.core.storage.source;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ReadBuffer;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.function.Predicate;

/** A regular file, read at given offsets. */
public final class DiskSourceFile implements SourceFile {
    private static final long SEQUENTIAL_FROM_BYTES = 1L << 20;

    private final RawPath path;
    private final FailureKind side;
    private final Descriptor descriptor;
    private final boolean sparse;
    private final long sizeBytes;
    private final long modifiedSeconds;
    private final int modifiedNanos;
    private final long changedSeconds;
    private final int changedNanos;
    private final boolean mayGrow;
    private volatile boolean direct;

    /**
     * Takes over the descriptor.
     *
     * @param path for messages
     * @param side the kind of failures to read
     * @param opened the status at this moment
     * @param mayGrow it counts as unchanged unless it becomes shorter
     */
    DiskSourceFile(RawPath path, FailureKind side, Descriptor descriptor, FileStatus opened, boolean mayGrow) {
        this.mayGrow = mayGrow;
        this.path = path;
        this.side = side;
        this.descriptor = descriptor;
        this.sparse = opened.isSparse();
        this.sizeBytes = opened.sizeBytes;
        this.modifiedSeconds = opened.modifiedSeconds;
        this.modifiedNanos = opened.modifiedNanos;
        this.changedSeconds = opened.changedSeconds;
        this.changedNanos = opened.changedNanos;
        if (sizeBytes >= SEQUENTIAL_FROM_BYTES) {
            FileData.adviseSequential(descriptor.fd());
        }
    }

    /**
     * Opens a file that was listed before.
     *
     * @param budget charged with its descriptor
     * @param dirFd the directory; a negated errno is the failure
     * @param expected whether it is unchanged
     * @param otherwise what happened to it if not, for a message
     */
    public static DiskSourceFile open(
            Budget budget,
            int dirFd,
            RawPath name,
            FailureKind side,
            RawPath shown,
            Predicate<FileStatus> expected,
            String otherwise) {
        int flags = Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK;
        int fd = dirFd < 0 ? dirFd : Paths.openat(dirFd, name, flags, 0);
        return ofDescriptor(budget, fd, side, shown, expected, otherwise);
    }

    /** Like {@link #open}, for a file that was opened without blocking; takes over the descriptor, or its errno. */
    public static DiskSourceFile ofDescriptor(
            Budget budget,
            int openedFd,
            FailureKind side,
            RawPath shown,
            Predicate<FileStatus> expected,
            String otherwise) {
        int fd = Errno.require(openedFd, side, "open", shown);
        FileStatus opened = new FileStatus();
        int known = FileMetadata.stat(fd, opened);
        if (known < 0 || !opened.isRegular() || !expected.test(opened)) {
            Descriptor.closeFd(fd);
            Errno.require(known, side, "look at", shown);
            throw (side == FailureKind.SOURCE ? Cause.CHANGED : Cause.TARGET)
                    .at(shown.display())
                    .failure(otherwise);
        }
        return new DiskSourceFile(shown, side, new Descriptor(fd, budget), opened, false);
    }

    @Override
    public int read(long address, int lengthBytes, long offset) {
        int fd = descriptor.fd();
        int done = 0;
        while (done < lengthBytes) {
            int wanted = lengthBytes - done;
            int count =
                    FileData.preadAt(fd, address + done, direct ? ReadBuffer.aligned(wanted) : wanted, offset + done);
            if (count < 0) {
                throw Errno.failure(side, "read at offset " + (offset + done), path, -count);
            }
            if (count == 0) {
                break;
            }
            done += count;
            if (direct && count % ReadBuffer.ALIGN_BYTES != 0) {
                break;
            }
        }
        return Math.min(done, lengthBytes);
    }

    @Override
    public long presentLeaves(long offset, int leaves, int leafBytes) {
        if (!sparse) {
            return SourceFile.allLeaves(leaves);
        }
        int fd = descriptor.fd();
        long end = offset + (long) leaves * leafBytes;
        long present = 0;
        long at = offset;
        while (at < end) {
            long data = FileData.seek(fd, at, FileData.SEEK_DATA);
            if (data == -Errno.ENXIO || data >= end) {
                return present;
            }
            long hole = data < 0 ? data : FileData.seek(fd, data, FileData.SEEK_HOLE);
            if (hole < 0) {
                return SourceFile.allLeaves(leaves);
            }
            int first = (int) ((data - offset) / leafBytes);
            int last = (int) ((Math.min(hole, end) - 1 - offset) / leafBytes);
            present |= SourceFile.allLeaves(last + 1) & ~SourceFile.allLeaves(first);
            at = hole;
        }
        return present;
    }

    @Override
    public boolean bypassCache() {
        int fd = descriptor.fd();
        direct = FileData.setDirect(fd) == 0;
        if (!direct) {
            // Dirty pages would stay in the cache.
            FileData.syncData(fd);
            FileData.dropCached(fd);
        }
        return direct;
    }

    @Override
    public boolean unchanged() {
        FileStatus now = new FileStatus();
        Errno.require(FileMetadata.stat(descriptor.fd(), now), side, "look at", path);
        if (mayGrow) {
            return now.sizeBytes >= sizeBytes;
        }
        return now.sizeBytes == sizeBytes
                && now.modifiedSeconds == modifiedSeconds
                && now.modifiedNanos == modifiedNanos
                && now.changedSeconds == changedSeconds
                && now.changedNanos == changedNanos;
    }

    @Override
    public void close() {
        descriptor.close();
    }
}
