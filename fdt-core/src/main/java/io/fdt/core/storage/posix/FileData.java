package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Reads, writes and flushes the data of open files, and handles the memory for it. Every call returns the result of the
 * kernel: a value of zero or more, or the negated {@link Errno}. Data is passed by address, so nothing is allocated.
 * Thread-safe.
 */
public final class FileData {
    public static final int SEEK_SET = 0;
    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;
    /** FALLOC_FL_PUNCH_HOLE with FALLOC_FL_KEEP_SIZE. */
    static final int PUNCH_HOLE = 2 | 1;

    private static final int FADV_SEQUENTIAL = 2;
    private static final int FADV_DONTNEED = 4;
    private static final int F_SETFL = 4;
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final long MAP_FAILED = -1;

    private static final long SYS_READ = Kernel.ARM ? 63 : 0;
    private static final long SYS_WRITE = Kernel.ARM ? 64 : 1;
    private static final long SYS_PREAD64 = Kernel.ARM ? 67 : 17;
    private static final long SYS_PWRITE64 = Kernel.ARM ? 68 : 18;

    private FileData() {}

    /** Reads up to {@code length} bytes; returns 0 at the end of the file. */
    public static int preadAt(int fd, long address, int length, long offset) {
        return (int) Kernel.call(SYS_PREAD64, fd, address, length, offset, 0);
    }

    public static int pwriteAt(int fd, long address, int length, long offset) {
        return (int) Kernel.call(SYS_PWRITE64, fd, address, length, offset, 0);
    }

    public static int readFrom(int fd, long address, int length) {
        return (int) Kernel.call(SYS_READ, fd, address, length, 0, 0);
    }

    public static int writeTo(int fd, long address, int length) {
        return (int) Kernel.call(SYS_WRITE, fd, address, length, 0, 0);
    }

    public static long seek(int fd, long offset, int whence) {
        long position = Libc.lseek(fd, offset, whence);
        return position < 0 ? -Libc.errno() : position;
    }

    static int truncate(int fd, long sizeBytes) {
        return Kernel.uninterrupted(() -> Libc.ftruncate(fd, sizeBytes));
    }

    static int allocate(int fd, int mode, long offset, long length) {
        return Kernel.uninterrupted(() -> Libc.fallocate(fd, mode, offset, length));
    }

    public static int syncData(int fd) {
        return Kernel.uninterrupted(() -> Libc.fdatasync(fd));
    }

    /** Advice: the result does not matter. */
    public static void adviseSequential(int fd) {
        Libc.posix_fadvise(fd, 0, 0, FADV_SEQUENTIAL);
    }

    /** Makes later reads of an open file bypass the page cache; EINVAL if its file system does not support that. */
    public static int setDirect(int fd) {
        return Libc.result(Libc.fcntl(fd, F_SETFL, (long) Paths.O_DIRECT));
    }

    /** Drops the clean cached pages of a file; also advice. */
    public static void dropCached(int fd) {
        Libc.posix_fadvise(fd, 0, 0, FADV_DONTNEED);
    }

    /** Maps the start of a file as shared memory; null if the file system does not support that. */
    static @Nullable ByteBuffer mapShared(int fd, int lengthBytes) {
        long address = Libc.mmap(0, lengthBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
        return address == MAP_FAILED
                ? null
                : Libc.bufferAt(address, lengthBytes).order(ByteOrder.BIG_ENDIAN);
    }

    static void unmap(ByteBuffer mapped) {
        Libc.munmap(Libc.addressOf(mapped), mapped.capacity());
    }

    /** Maps page-aligned, zeroed memory that the Java runtime neither counts nor frees; 0 on failure. */
    public static long mapMemory(int lengthBytes) {
        long address = Libc.mmap(0, lengthBytes, PROT_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return address == MAP_FAILED ? 0 : address;
    }

    public static void unmapMemory(long address, int lengthBytes) {
        Libc.munmap(address, lengthBytes);
    }

    /** Whether the memory, at most {@link Zeros#LENGTH_BYTES} long, contains only zeros. */
    public static boolean isZero(long address, int length) {
        return Libc.memcmp(address, Zeros.ADDRESS, length) == 0;
    }

    public static void copy(long from, long to, int length) {
        Libc.memcpy(to, from, length);
    }

    public static void fill(long address, byte value, int length) {
        Libc.memset(address, value, length);
    }
}
