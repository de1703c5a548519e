package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The kernel's own file calls. Without state of its own, thread-safe. */
final class KernelDisk implements Disk {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** Read at the first question, once for the process. */
    private static final class Boot {
        static final UUID ID = read();

        private static UUID read() {
            try {
                return UUID.fromString(Files.readString(BOOT_ID).strip());
            } catch (IOException | IllegalArgumentException nobodyKnows) {
                // No other process gets this one, so none trusts what this one leaves.
                return UUID.randomUUID();
            }
        }
    }

    @Override
    public int open(int dirFd, RawPath name, int flags, int mode) {
        return Posix.openat(dirFd, name, flags, mode);
    }

    @Override
    public int openDirect(int fd) {
        return Posix.openDirect(fd);
    }

    @Override
    public int read(int fd, long address, int length, long offset) {
        return Posix.preadAt(fd, address, length, offset);
    }

    @Override
    public int write(int fd, long address, int length, long offset) {
        return Posix.pwriteAt(fd, address, length, offset);
    }

    @Override
    public int truncate(int fd, long sizeBytes) {
        return Posix.truncate(fd, sizeBytes);
    }

    @Override
    public int allocate(int fd, long offset, long lengthBytes) {
        return Posix.allocate(fd, 0, offset, lengthBytes);
    }

    @Override
    public int punchHole(int fd, long offset, long lengthBytes) {
        return Posix.allocate(fd, Posix.PUNCH_HOLE, offset, lengthBytes);
    }

    @Override
    public int setMode(int fd, int mode) {
        return Posix.setMode(fd, mode);
    }

    @Override
    public int setModified(int fd, long seconds, int nanos) {
        return Posix.setModified(fd, seconds, nanos);
    }

    @Override
    public int syncData(int fd) {
        return Posix.syncData(fd);
    }

    @Override
    public int sync(int fd) {
        return Posix.sync(fd);
    }

    @Override
    public int syncFileSystem(int fd) {
        return Posix.syncFileSystem(fd);
    }

    @Override
    public int rename(int dirFd, RawPath from, RawPath to, int flags) {
        return flags == 0 ? Posix.rename(dirFd, from, to) : Posix.rename(dirFd, from, to, flags);
    }

    @Override
    public int unlink(int dirFd, RawPath name) {
        return Posix.unlinkat(dirFd, name, 0);
    }

    @Override
    public int close(int fd) {
        return Posix.closeFd(fd);
    }

    @Override
    public @Nullable ByteBuffer map(int fd, int lengthBytes) {
        return Posix.mapShared(fd, lengthBytes);
    }

    @Override
    public void unmap(ByteBuffer mapped) {
        Posix.unmap(mapped);
    }

    @Override
    public UUID bootId() {
        return Boot.ID;
    }
}
