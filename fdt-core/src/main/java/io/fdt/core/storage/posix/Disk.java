package io.fdt.core.storage.posix;

import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The calls that decide what of a target survives a failing device or a power cut: data, sizes, times, names, and what
 * makes them durable. {@link #KERNEL} is the only one outside of tests; theirs forget what was not flushed. Every call
 * returns what {@link Posix} returns: zero or more, or the negated {@link Errno}. Thread-safe.
 */
public interface Disk {
    Disk KERNEL = new KernelDisk();

    int open(int dirFd, RawPath name, int flags, int mode);

    /** The same file once more, for writes past the page cache; EINVAL where its file system cannot. */
    int openDirect(int fd);

    int read(int fd, long address, int length, long offset);

    int write(int fd, long address, int length, long offset);

    int truncate(int fd, long sizeBytes);

    /** Finds room for what will be written there; what reads of it are zeros, or what stood there. */
    int allocate(int fd, long offset, long lengthBytes);

    int punchHole(int fd, long offset, long lengthBytes);

    int setMode(int fd, int mode);

    int setModified(int fd, long seconds, int nanos);

    /** Data and what is needed to find it again. */
    int syncData(int fd);

    /** Data and metadata of a file, or the names in a directory. */
    int sync(int fd);

    int syncFileSystem(int fd);

    int rename(int dirFd, RawPath from, RawPath to, int flags);

    int unlink(int dirFd, RawPath name);

    int close(int fd);

    /** The file's first bytes as memory that outlives the process; null where that is refused. */
    @Nullable ByteBuffer map(int fd, int lengthBytes);

    /** Ends a mapping; its memory must not be touched any more. */
    void unmap(ByteBuffer mapped);

    /** Differs after every start of the machine. */
    UUID bootId();
}
