package io.fdt.core.storage;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import io.fdt.core.plan.RawPath;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The C library's file calls by JNA direct mapping: the only door of this package to the kernel. Works on x86-64 and
 * aarch64, with glibc and musl; kernel 4.11 is the oldest (statx). Every call returns what the kernel returns: a value
 * of zero or more, or the negated {@link Errno}. EINTR is retried here. Paths travel through a direct buffer of the
 * calling thread, data through plain addresses, so that nothing is allocated where data moves. Thread-safe.
 *
 * <p>Variadic functions are mapped with fixed arguments, which is the same thing for integers on both architectures.
 */
final class Posix {
    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;

    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    static final int O_TRUNC = 01000;
    static final int O_NONBLOCK = 04000;
    static final int O_CLOEXEC = 02000000;
    static final int O_PATH = 010000000;
    static final int O_DIRECTORY;
    static final int O_DIRECT;
    static final int O_NOFOLLOW;

    static final int LOCK_EX_NB = 2 | 4;
    static final int W_OK = 2;
    static final int X_OK = 1;
    static final int SEEK_SET = 0;
    static final int SEEK_DATA = 3;
    static final int SEEK_HOLE = 4;
    static final int FADV_SEQUENTIAL = 2;
    private static final int FADV_DONTNEED = 4;
    /** FALLOC_FL_PUNCH_HOLE with FALLOC_FL_KEEP_SIZE. */
    static final int PUNCH_HOLE = 2 | 1;

    static final int RENAME_NOREPLACE = 1;
    static final int RENAME_EXCHANGE = 2;

    static final long RESOLVE_NO_MAGICLINKS = 2;
    static final long RESOLVE_NO_SYMLINKS = 4;
    static final long RESOLVE_BENEATH = 8;

    /** The kernel's limit for a path with its NUL. */
    static final int PATH_MAX = 4096;

    static final int NAME_MAX = 255;

    private static final int F_SETFL = 4;
    private static final int F_OFD_SETLK = 37;
    private static final short F_WRLCK = 1;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int PROT_READ_WRITE = 1 | 2;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final long MAP_FAILED = -1;
    private static final int UTIME_OMIT = (1 << 30) - 2;
    private static final long SYS_OPENAT2 = 437;
    private static final long SYS_GETDENTS64;
    private static final long SYS_RENAMEAT2;
    private static final long SYS_STATX;

    // The layout of a thread's scratch memory.
    private static final int PATH = 0;
    private static final int SECOND_PATH = PATH + PATH_MAX + 8;
    private static final int STATX = SECOND_PATH + PATH_MAX + 8;
    private static final int TIMES = STATX + 256;
    private static final int OPEN_HOW = TIMES + 32;
    private static final int STATVFS = OPEN_HOW + 24;
    private static final int RLIMIT = STATVFS + 256;
    private static final int SCRATCH_BYTES = RLIMIT + 16;

    private static final int RLIMIT_NOFILE = 7;

    static {
        boolean arm = System.getProperty("os.arch", "").equals("aarch64");
        O_DIRECTORY = arm ? 040000 : 0200000;
        O_DIRECT = arm ? 0200000 : 040000;
        O_NOFOLLOW = arm ? 0100000 : 0400000;
        SYS_GETDENTS64 = arm ? 61 : 217;
        SYS_RENAMEAT2 = arm ? 276 : 316;
        SYS_STATX = arm ? 291 : 332;
        Native.register(Posix.class, NativeLibrary.getProcess());
    }

    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private Posix() {}

    /** Memory of one thread for what calls take and give besides data. */
    private static final class Scratch {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.nativeOrder());
        final long address = addressOf(bytes);

        /** Puts the path with its NUL at the index; false when it is longer than the kernel would take. */
        boolean put(int index, RawPath path) {
            if (path.lengthBytes() >= PATH_MAX) {
                return false;
            }
            bytes.position(index);
            path.putTo(bytes);
            bytes.put((byte) 0);
            return true;
        }

        void putText(int index, String ascii) {
            bytes.position(index);
            bytes.put(ascii.getBytes(StandardCharsets.US_ASCII));
            bytes.put((byte) 0);
        }
    }

    /** The address of a direct buffer's first byte. */
    static long addressOf(ByteBuffer direct) {
        return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
    }

    static int openat(int dirFd, RawPath path, int flags, int mode) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        while (true) {
            int fd = openat(dirFd, scratch.address + PATH, flags | O_CLOEXEC, mode);
            if (fd >= 0) {
                return fd;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    /** {@code openat2}: opens under rules of resolution; EXDEV when the path leaves what it may not leave. */
    static int openat2(int dirFd, RawPath path, int flags, int mode, long resolve) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        scratch.bytes.putLong(OPEN_HOW, (flags | O_CLOEXEC) & 0xFFFFFFFFL);
        scratch.bytes.putLong(OPEN_HOW + 8, mode);
        scratch.bytes.putLong(OPEN_HOW + 16, resolve);
        while (true) {
            long fd = syscall(SYS_OPENAT2, dirFd, scratch.address + PATH, scratch.address + OPEN_HOW, 24, 0);
            if (fd >= 0) {
                return (int) fd;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    /** Another descriptor for the same open file. */
    static int duplicate(int fd) {
        return result(fcntl(fd, F_DUPFD_CLOEXEC, 3L));
    }

    /** Closes; a negative descriptor is nothing to close. After an error, EINTR included, it is closed all the same. */
    static int closeFd(int fd) {
        return fd < 0 ? 0 : result(close(fd));
    }

    /** Up to {@code length} bytes; 0 at the end of the file. */
    static int preadAt(int fd, long address, int length, long offset) {
        while (true) {
            long count = pread(fd, address, length, offset);
            if (count >= 0) {
                return (int) count;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    static int pwriteAt(int fd, long address, int length, long offset) {
        while (true) {
            long count = pwrite(fd, address, length, offset);
            if (count >= 0) {
                return (int) count;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    static int readFrom(int fd, long address, int length) {
        while (true) {
            long count = read(fd, address, length);
            if (count >= 0) {
                return (int) count;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    static int writeTo(int fd, long address, int length) {
        while (true) {
            long count = write(fd, address, length);
            if (count >= 0) {
                return (int) count;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    static int stat(int fd, FileStatus status) {
        Scratch scratch = SCRATCH.get();
        scratch.bytes.put(PATH, (byte) 0);
        return statx(scratch, fd, AT_EMPTY_PATH, status);
    }

    static int statat(int dirFd, RawPath path, int flags, FileStatus status) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        return statx(scratch, dirFd, flags, status);
    }

    private static int statx(Scratch scratch, int dirFd, int flags, FileStatus status) {
        long path = scratch.address + PATH;
        while (true) {
            if (syscall(SYS_STATX, dirFd, path, flags, STATX_BASIC_STATS, scratch.address + STATX) == 0) {
                status.fill(scratch.bytes, STATX);
                return 0;
            }
            int errno = Native.getLastError();
            if (errno != Errno.EINTR) {
                return -errno;
            }
        }
    }

    static int mkdirat(int dirFd, RawPath path, int mode) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path) ? result(mkdirat(dirFd, scratch.address + PATH, mode)) : -Errno.ENAMETOOLONG;
    }

    static int unlinkat(int dirFd, RawPath path, int flags) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path) ? result(unlinkat(dirFd, scratch.address + PATH, flags)) : -Errno.ENAMETOOLONG;
    }

    static int symlinkat(RawPath linkTarget, int dirFd, RawPath path) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path) && scratch.put(SECOND_PATH, linkTarget)
                ? result(symlinkat(scratch.address + SECOND_PATH, dirFd, scratch.address + PATH))
                : -Errno.ENAMETOOLONG;
    }

    /** The bytes of a link into {@code target[0]}; 0, or the negated errno. */
    static int readlinkat(int dirFd, RawPath path, RawPath[] target) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        int length = (int) readlinkat(dirFd, scratch.address + PATH, scratch.address + SECOND_PATH, PATH_MAX);
        if (length < 0) {
            return -Native.getLastError();
        }
        byte[] bytes = new byte[length];
        scratch.bytes.get(SECOND_PATH, bytes);
        target[0] = RawPath.ofBytes(bytes);
        return 0;
    }

    static int rename(int dirFd, RawPath from, RawPath to) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, from) && scratch.put(SECOND_PATH, to)
                ? result(renameat(dirFd, scratch.address + PATH, dirFd, scratch.address + SECOND_PATH))
                : -Errno.ENAMETOOLONG;
    }

    /** EINVAL or ENOSYS where the file system or the kernel does not know the flag. */
    static int rename(int dirFd, RawPath from, RawPath to, int flags) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, from) || !scratch.put(SECOND_PATH, to)) {
            return -Errno.ENAMETOOLONG;
        }
        return result((int)
                syscall(SYS_RENAMEAT2, dirFd, scratch.address + PATH, dirFd, scratch.address + SECOND_PATH, flags));
    }

    /** Sets the mode of an open file, also of one that is only held as a path ({@code O_PATH}). */
    static int setMode(int fd, int mode) {
        int done = result(fchmod(fd, mode));
        if (done != -Errno.EBADF) {
            return done;
        }
        Scratch scratch = SCRATCH.get();
        scratch.putText(PATH, "/proc/self/fd/" + fd);
        return result(fchmodat(AT_FDCWD, scratch.address + PATH, mode, 0));
    }

    static int setOwner(int fd, int uid, int gid) {
        return result(fchown(fd, uid, gid));
    }

    /** The owner of a name itself, not of what a link leads to. */
    static int setOwnerAt(int dirFd, RawPath name, int uid, int gid) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, name)
                ? result(fchownat(dirFd, scratch.address + PATH, uid, gid, AT_SYMLINK_NOFOLLOW))
                : -Errno.ENAMETOOLONG;
    }

    /** Sets the time of modification and leaves that of access alone; also of a file that is only held as a path. */
    static int setModified(int fd, long seconds, int nanos) {
        Scratch scratch = SCRATCH.get();
        putTimes(scratch.bytes, seconds, nanos);
        int done = result(futimens(fd, scratch.address + TIMES));
        if (done != -Errno.EBADF) {
            return done;
        }
        scratch.putText(PATH, "/proc/self/fd/" + fd);
        return result(utimensat(AT_FDCWD, scratch.address + PATH, scratch.address + TIMES, 0));
    }

    /** Sets the time of a name itself, not of what a link leads to. */
    static int setModifiedAt(int dirFd, RawPath name, long seconds, int nanos) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, name)) {
            return -Errno.ENAMETOOLONG;
        }
        putTimes(scratch.bytes, seconds, nanos);
        return result(utimensat(dirFd, scratch.address + PATH, scratch.address + TIMES, AT_SYMLINK_NOFOLLOW));
    }

    private static void putTimes(ByteBuffer bytes, long seconds, int nanos) {
        bytes.putLong(TIMES, 0);
        bytes.putLong(TIMES + 8, UTIME_OMIT);
        bytes.putLong(TIMES + 16, seconds);
        bytes.putLong(TIMES + 24, nanos);
    }

    static int truncate(int fd, long sizeBytes) {
        while (true) {
            int done = result(ftruncate(fd, sizeBytes));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    static int allocate(int fd, int mode, long offset, long length) {
        while (true) {
            int done = result(fallocate(fd, mode, offset, length));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    static long seek(int fd, long offset, int whence) {
        long position = lseek(fd, offset, whence);
        return position < 0 ? -Native.getLastError() : position;
    }

    static int syncData(int fd) {
        while (true) {
            int done = result(fdatasync(fd));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    static int sync(int fd) {
        while (true) {
            int done = result(fsync(fd));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    /** Flushes the whole file system that the file is on. */
    static int syncFileSystem(int fd) {
        while (true) {
            int done = result(syncfs(fd));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    static void syncEverything() {
        sync();
    }

    /** The first bytes of a file as shared memory; null where the file system refuses that. */
    static @Nullable ByteBuffer mapShared(int fd, int lengthBytes) {
        long address = mmap(0, lengthBytes, PROT_READ_WRITE, MAP_SHARED, fd, 0);
        return address == MAP_FAILED
                ? null
                : new Pointer(address).getByteBuffer(0, lengthBytes).order(ByteOrder.BIG_ENDIAN);
    }

    /** Ends what {@link #mapShared} began. */
    static void unmap(ByteBuffer mapped) {
        munmap(addressOf(mapped), mapped.capacity());
    }

    /** Page-aligned memory of zeros, outside of what the Java Runtime counts and frees; 0 where there is none. */
    static long mapMemory(int lengthBytes) {
        long address = mmap(0, lengthBytes, PROT_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return address == MAP_FAILED ? 0 : address;
    }

    /** Ends what {@link #mapMemory} began. */
    static void unmapMemory(long address, int lengthBytes) {
        munmap(address, lengthBytes);
    }

    static int lock(int fd, int operation) {
        while (true) {
            int done = result(flock(fd, operation));
            if (done != -Errno.EINTR) {
                return done;
            }
        }
    }

    /**
     * Locks a stretch of a file for this descriptor alone, without waiting; the lock ends with the descriptor. EAGAIN when
     * another descriptor, of whatever process and host, holds some of it.
     */
    static int lockRange(int fd, long offset, long lengthBytes) {
        // struct flock: type, whence (of the start), start, length, and a process that has to be 0.
        ByteBuffer lock = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
        lock.putShort(0, F_WRLCK).putLong(8, offset).putLong(16, lengthBytes);
        try {
            while (true) {
                int done = result(fcntl(fd, F_OFD_SETLK, addressOf(lock)));
                if (done != -Errno.EINTR) {
                    return done == -Errno.EACCES ? -Errno.EAGAIN : done;
                }
            }
        } finally {
            Reference.reachabilityFence(lock);
        }
    }

    static int access(int dirFd, RawPath path, int wanted) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path)
                ? result(faccessat(dirFd, scratch.address + PATH, wanted, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** Bytes that this user may still write to the file system, or the negated errno. */
    static long freeBytes(int fd) {
        Scratch scratch = SCRATCH.get();
        if (fstatvfs(fd, scratch.address + STATVFS) != 0) {
            return -Native.getLastError();
        }
        long fragmentBytes = scratch.bytes.getLong(STATVFS + 8);
        long totalFragments = scratch.bytes.getLong(STATVFS + 16);
        long available = scratch.bytes.getLong(STATVFS + (isRoot() ? 24 : 32));
        if (totalFragments == 0) {
            // Some network file systems do not say.
            return Long.MAX_VALUE;
        }
        long bytes = available * fragmentBytes;
        return bytes / Math.max(1, fragmentBytes) == available && bytes >= 0 ? bytes : Long.MAX_VALUE;
    }

    /** How many descriptors this process may have. */
    static long descriptorsMax() {
        Scratch scratch = SCRATCH.get();
        if (getrlimit(RLIMIT_NOFILE, scratch.address + RLIMIT) != 0) {
            return 1024;
        }
        long limit = scratch.bytes.getLong(RLIMIT);
        return limit < 0 ? Long.MAX_VALUE : limit;
    }

    /** Advice: how it is taken does not matter. */
    static void adviseSequential(int fd) {
        posix_fadvise(fd, 0, 0, FADV_SEQUENTIAL);
    }

    /** Has an open file read past the page cache from now on; EINVAL where its file system cannot. */
    static int setDirect(int fd) {
        return result(fcntl(fd, F_SETFL, (long) O_DIRECT));
    }

    /** Opens a file that is open already, for writes past the page cache; EINVAL where its file system cannot. */
    static int openDirect(int fd) {
        return openat(AT_FDCWD, RawPath.ofText("/proc/self/fd/" + fd), O_RDWR | O_DIRECT, 0);
    }

    /** Drops what is cached of a file and written back; advice, too. */
    static void dropCached(int fd) {
        posix_fadvise(fd, 0, 0, FADV_DONTNEED);
    }

    /** Fills memory with {@code linux_dirent64} records; the number of bytes, 0 at the end. */
    static int getdents(int fd, long address, int length) {
        return result((int) syscall(SYS_GETDENTS64, fd, address, length, 0, 0));
    }

    /** Whether the memory, at most {@link Zeros#LENGTH_BYTES} of it, holds nothing but zeros. */
    static boolean isZero(long address, int length) {
        return memcmp(address, Zeros.ADDRESS, length) == 0;
    }

    static void copy(long from, long to, int length) {
        memcpy(to, from, length);
    }

    static void fill(long address, byte value, int length) {
        memset(address, value, length);
    }

    static int listAttributesAt(int dirFd, RawPath name, long address, int length) {
        Scratch scratch = SCRATCH.get();
        putHeldName(scratch, dirFd, name);
        return result((int) llistxattr(scratch.address + PATH, address, length));
    }

    static int getAttributeAt(int dirFd, RawPath name, RawPath attribute, long address, int length) {
        Scratch scratch = SCRATCH.get();
        putHeldName(scratch, dirFd, name);
        scratch.put(SECOND_PATH, attribute);
        return result((int) lgetxattr(scratch.address + PATH, scratch.address + SECOND_PATH, address, length));
    }

    static int setAttribute(int fd, RawPath attribute, long address, int length) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, attribute)
                ? result(fsetxattr(fd, scratch.address + PATH, address, length, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** There are no xattr calls relative to a descriptor before Linux 6.13; the way through /proc is as good. */
    private static void putHeldName(Scratch scratch, int dirFd, RawPath name) {
        scratch.putText(PATH, "/proc/self/fd/" + dirFd);
        if (!name.isEmpty()) {
            scratch.bytes.put(scratch.bytes.position() - 1, (byte) '/');
            name.putTo(scratch.bytes);
            scratch.bytes.put((byte) 0);
        }
    }

    static boolean isRoot() {
        return geteuid() == 0;
    }

    private static int result(int value) {
        return value < 0 ? -Native.getLastError() : value;
    }

    static native String strerror(int errno);

    static native int geteuid();

    private static native int openat(int dirFd, long path, int flags, int mode);

    private static native int close(int fd);

    private static native int fcntl(int fd, int command, long argument);

    private static native long pread(int fd, long address, long length, long offset);

    private static native long pwrite(int fd, long address, long length, long offset);

    private static native long read(int fd, long address, long length);

    private static native long write(int fd, long address, long length);

    private static native int mkdirat(int dirFd, long path, int mode);

    private static native int unlinkat(int dirFd, long path, int flags);

    private static native int symlinkat(long linkTarget, int dirFd, long path);

    private static native long readlinkat(int dirFd, long path, long address, long length);

    private static native int renameat(int fromFd, long from, int toFd, long to);

    private static native int fchmod(int fd, int mode);

    private static native int fchmodat(int dirFd, long path, int mode, int flags);

    private static native int fchown(int fd, int uid, int gid);

    private static native int fchownat(int dirFd, long path, int uid, int gid, int flags);

    private static native int futimens(int fd, long times);

    private static native int utimensat(int dirFd, long path, long times, int flags);

    private static native int ftruncate(int fd, long sizeBytes);

    private static native int fallocate(int fd, int mode, long offset, long length);

    private static native long lseek(int fd, long offset, int whence);

    private static native int fdatasync(int fd);

    private static native int fsync(int fd);

    private static native int syncfs(int fd);

    private static native void sync();

    private static native long mmap(long address, long length, int protection, int flags, int fd, long offset);

    private static native int munmap(long address, long length);

    private static native int flock(int fd, int operation);

    private static native int faccessat(int dirFd, long path, int wanted, int flags);

    private static native int fstatvfs(int fd, long address);

    @SuppressWarnings("MemberName") // the C library's name
    private static native int posix_fadvise(int fd, long offset, long length, int advice);

    private static native int getrlimit(int resource, long address);

    private static native int memcmp(long left, long right, long length);

    private static native long memcpy(long target, long source, long length);

    private static native long memset(long address, int value, long length);

    private static native long llistxattr(long path, long address, long length);

    private static native long lgetxattr(long path, long name, long address, long length);

    private static native int fsetxattr(int fd, long name, long address, long length, int flags);

    private static native long syscall(long number, long a, long b, long c, long d, long e);
}
