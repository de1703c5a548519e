package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The calls that determine what survives a failing device or a power failure: data, sizes, times, names, and flushing
 * them. {@link #KERNEL} is the only implementation outside of tests; those of tests forget what was not flushed. Every
 * call returns the result of {@link FileData}: zero or more, or the negated {@link Errno}. Thread-safe.
 */
public interface Disk {
    Disk KERNEL = new Disk() {};

    default int open(int dirFd, RawPath name, int flags, int mode) {
        return Paths.openat(dirFd, name, flags, mode);
    }

    /** Makes a file without a name in the directory; fails on file systems that have none. */
    default int openNameless(int dirFd, int mode) {
        return Paths.openat(dirFd, RawPath.HERE, Paths.O_RDWR | Paths.O_TMPFILE, mode);
    }

    /** Gives a file that was opened without a name its first one; EEXIST if it is taken. */
    default int name(int fd, int dirFd, RawPath name) {
        return Paths.linkat(fd, dirFd, name);
    }

    /**
     * Opens the same file again, for writes that bypass the page cache; EINVAL if its file system does not support
     * them.
     */
    default int openDirect(int fd) {
        return Paths.openDirect(fd);
    }

    default int read(int fd, long address, int length, long offset) {
        return FileData.preadAt(fd, address, length, offset);
    }

    default int write(int fd, long address, int length, long offset) {
        return FileData.pwriteAt(fd, address, length, offset);
    }

    /** Returns the number of bytes read: fewer at the end of the file, or if a read fails. */
    static int readAll(Disk disk, int fd, long address, int length, long offset) {
        int done = 0;
        int count = 1;
        while (done < length && count > 0) {
            count = disk.read(fd, address + done, length - done, offset + done);
            done += Math.max(0, count);
        }
        return done;
    }

    /** Writes everything; returns 0, or the negated errno. */
    static int writeAll(Disk disk, int fd, long address, int length, long offset) {
        int done = 0;
        int count = 0;
        while (done < length && count >= 0) {
            count = disk.write(fd, address + done, length - done, offset + done);
            done += Math.max(0, count);
        }
        return Math.min(0, count);
    }

    default int truncate(int fd, long sizeBytes) {
        return FileData.truncate(fd, sizeBytes);
    }

    /** Allocates space for data to be written; the range reads as zeros or its previous contents. */
    default int allocate(int fd, long offset, long lengthBytes) {
        return FileData.allocate(fd, 0, offset, lengthBytes);
    }

    default int punchHole(int fd, long offset, long lengthBytes) {
        return FileData.allocate(fd, FileData.PUNCH_HOLE, offset, lengthBytes);
    }

    default int setMode(int fd, int mode) {
        return FileMetadata.setMode(fd, mode);
    }

    default int setOwner(int fd, int uid, int gid) {
        return FileMetadata.setOwner(fd, uid, gid);
    }

    default int setModified(int fd, long seconds, int nanos) {
        return FileMetadata.setModified(fd, seconds, nanos);
    }

    /** Reads an extended attribute of a name, or of the descriptor's own file; ENODATA if it has none of this name. */
    default int getAttribute(int dirFd, RawPath name, RawPath attribute, long address, int length) {
        return FileMetadata.getAttributeAt(dirFd, name, attribute, address, length);
    }

    default int setAttribute(int fd, RawPath attribute, long address, int length) {
        return FileMetadata.setAttribute(fd, attribute, address, length);
    }

    default int removeAttribute(int fd, RawPath attribute) {
        return FileMetadata.removeAttribute(fd, attribute);
    }

    /** Flushes data and the metadata that is needed to read it. */
    default int syncData(int fd) {
        return FileData.syncData(fd);
    }

    /** Flushes data and metadata of a file, or the names in a directory. */
    default int sync(int fd) {
        return Kernel.uninterrupted(() -> Libc.fsync(fd));
    }

    default int syncFileSystem(int fd) {
        return Kernel.uninterrupted(() -> Libc.syncfs(fd));
    }

    default int rename(int dirFd, RawPath from, RawPath to, int flags) {
        return Paths.rename(dirFd, from, to, flags);
    }

    default int unlink(int dirFd, RawPath name) {
        return Paths.unlinkat(dirFd, name, 0);
    }

    default int close(int fd) {
        return Descriptor.closeFd(fd);
    }

    /** Maps the start of the file as shared memory, which outlives the process; null if that is not supported. */
    default @Nullable ByteBuffer map(int fd, int lengthBytes) {
        return FileData.mapShared(fd, lengthBytes);
    }

    /** Ends a mapping; its memory must not be accessed afterwards. */
    default void unmap(ByteBuffer mapped) {
        FileData.unmap(mapped);
    }

    /** An id that changes with every boot. */
    default UUID bootId() {
        return BootId.VALUE;
    }
}
