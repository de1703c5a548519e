package io.fdt.core.storage.partial;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Marks a target's directory in which a flush has failed, so that written data may be lost. The kernel reports the loss
 * once, and still returns the lost data until it needs the memory: a later run would find the file complete, and its
 * flush would succeed. After a reboot, every read returns what is on the device, but a damaged file may still have the
 * size and the time of its source. So a file that was last changed before the mark does not count as complete. It is
 * copied again, unless its content is compared after a reboot. The mark contains the kernel's boot id. It stays: files
 * that are copied again are newer than the mark.
 */
public final class LossMark {
    static final RawPath NAME = RawPath.ofText(".fdt.lost");
    private static final int LENGTH_BYTES = 24;

    private final Disk disk;
    private final int dirFd;
    private final boolean found;
    private final UUID boot;
    private final long latestMs;
    private final FileStatus status = new FileStatus();

    /** Looks for a mark. @throws TransferException if it cannot be read */
    public LossMark(Disk disk, int dirFd) {
        this.disk = disk;
        this.dirFd = dirFd;
        int fd = disk.open(dirFd, NAME, Paths.O_RDONLY | Paths.O_NOFOLLOW | Paths.O_NONBLOCK, 0);
        if (fd < 0 && fd != -Errno.ENOENT && fd != -Errno.EACCES && fd != -Errno.ELOOP && fd != -Errno.ENXIO) {
            throw Errno.failure(FailureKind.TARGET, "read the loss mark", NAME, -fd);
        }
        this.found = fd >= 0 && FileMetadata.stat(fd, status) == 0 && PartialOpener.isOurs(status);
        ByteBuffer bytes = ByteBuffer.allocateDirect(found ? LENGTH_BYTES : 0);
        boolean whole = found && disk.read(fd, Libc.addressOf(bytes), LENGTH_BYTES, 0) == LENGTH_BYTES;
        // A mark that was not completely written counts as one of this boot.
        this.boot = whole ? new UUID(bytes.getLong(0), bytes.getLong(8)) : disk.bootId();
        this.latestMs = whole ? bytes.getLong(16) : 0;
        if (fd >= 0) {
            disk.close(fd);
        }
    }

    public boolean isFound() {
        return found;
    }

    /**
     * Whether a file was last changed before the mark was left.
     *
     * @param isRead whether the file is kept only if its content is read and correct: after a reboot, reads return only
     *     what is on the device
     */
    public boolean covers(FileStatus there, boolean isRead) {
        return found
                && !(isRead && !boot.equals(disk.bootId()))
                && (there.changedSeconds * 1000 + there.changedNanos / 1_000_000 <= latestMs
                        || there.changedSeconds < status.changedSeconds
                        || (there.changedSeconds == status.changedSeconds
                                && there.changedNanos <= status.changedNanos));
    }

    /**
     * Leaves a mark for a flush that failed, if the failing disk permits it. Otherwise an older mark stays.
     *
     * @param latestMs the latest time, by the clock of the kernel, that a lost file may have; later than the mark if
     *     the clock was set back meanwhile
     */
    public void leave(long latestMs) {
        RawPath made = PartialNames.unpredictable().link();
        int flags = Paths.O_RDWR | Paths.O_CREAT | Paths.O_EXCL | Paths.O_NOFOLLOW;
        int fd = disk.open(dirFd, made, flags, 0600);
        if (fd < 0) {
            return;
        }
        UUID now = disk.bootId();
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH_BYTES)
                .putLong(now.getMostSignificantBits())
                .putLong(now.getLeastSignificantBits())
                .putLong(latestMs);
        int done;
        try {
            done = Disk.writeAll(disk, fd, Libc.addressOf(bytes), LENGTH_BYTES, 0);
        } finally {
            Reference.reachabilityFence(bytes);
        }
        done = Math.min(done, disk.sync(fd));
        done = Math.min(done, Math.min(disk.rename(dirFd, made, NAME, 0), disk.sync(dirFd)));
        disk.close(fd);
        if (done < 0) {
            disk.unlink(dirFd, made);
        }
    }
}
