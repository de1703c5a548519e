package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * File calls of {@link Libc}, by which this package uses the kernel, which must be at least 4.11 (statx). Every call
 * returns what the kernel returns: a value of zero or more, or the negated {@link Errno}. EINTR is retried here. Paths
 * are passed through a direct buffer of the calling thread, data by plain addresses, so that moving data allocates
 * nothing. Thread-safe.
 */
public final class Posix {
    /** Otherwise x86-64. */
    private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");

    public static final int AT_FDCWD = -100;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    private static final int AT_EMPTY_PATH = 0x1000;

    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_NONBLOCK = 04000;
    static final int O_CLOEXEC = 02000000;
    public static final int O_PATH = 010000000;
    public static final int O_DIRECTORY = ARM ? 040000 : 0200000;
    public static final int O_DIRECT = ARM ? 0200000 : 040000;
    /** Creates a file without a name, in the directory that is opened. */
    public static final int O_TMPFILE = 020000000 | O_DIRECTORY;

    public static final int O_NOFOLLOW = ARM ? 0100000 : 0400000;

    public static final int LOCK_EX_NB = 2 | 4;
    public static final int W_OK = 2;
    public static final int X_OK = 1;
    public static final int SEEK_SET = 0;
    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;
    static final int FADV_SEQUENTIAL = 2;
    private static final int FADV_DONTNEED = 4;
    /** FALLOC_FL_PUNCH_HOLE with FALLOC_FL_KEEP_SIZE. */
    static final int PUNCH_HOLE = 2 | 1;

    public static final int RENAME_NOREPLACE = 1;
    public static final int RENAME_EXCHANGE = 2;

    public static final long RESOLVE_NO_MAGICLINKS = 2;
    public static final long RESOLVE_NO_SYMLINKS = 4;
    public static final long RESOLVE_BENEATH = 8;

    /** The kernel's limit for a path with its NUL. */
    public static final int PATH_MAX = 4096;

    public static final int NAME_MAX = 255;

    private static final int F_GETFL = 3;
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
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private static final long SYS_OPENAT2 = 437;
    private static final long SYS_READ = ARM ? 63 : 0;
    private static final long SYS_WRITE = ARM ? 64 : 1;
    private static final long SYS_OPENAT = ARM ? 56 : 257;
    private static final long SYS_CLOSE = ARM ? 57 : 3;
    private static final long SYS_PREAD64 = ARM ? 67 : 17;
    private static final long SYS_PWRITE64 = ARM ? 68 : 18;
    private static final long SYS_FLOCK = ARM ? 32 : 73;
    private static final long SYS_FCHMOD = ARM ? 52 : 91;
    private static final long SYS_UTIMENSAT = ARM ? 88 : 280;
    private static final long SYS_RENAMEAT = ARM ? 38 : 264;
    private static final long SYS_GETDENTS64 = ARM ? 61 : 217;
    private static final long SYS_RENAMEAT2 = ARM ? 276 : 316;
    private static final long SYS_STATX = ARM ? 291 : 332;

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

    /** Reads the id once for the process, on first use. */
    private static final class Boot {
        static final UUID ID = read();

        private static UUID read() {
            try {
                return UUID.fromString(Files.readString(BOOT_ID).strip());
            } catch (IOException | IllegalArgumentException nobodyKnows) {
                // No other process gets this id, so none trusts the journals of this one.
                return UUID.randomUUID();
            }
        }
    }

    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private Posix() {}

    /** A thread's memory for arguments and results of calls other than data. */
    private static final class Scratch {
        final ByteBuffer bytes = ByteBuffer.allocateDirect(SCRATCH_BYTES).order(ByteOrder.nativeOrder());
        final long address = Libc.addressOf(bytes);

        /** Writes the path with its NUL at the index; false if it is longer than the kernel accepts. */
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

    private static long once(long number, long a, long b, long c, long d, long e) {
        return Libc.result(Libc.syscall(number, a, b, c, d, e));
    }

    private static long call(long number, long a, long b, long c, long d, long e) {
        while (true) {
            long result = once(number, a, b, c, d, e);
            if (result != -Errno.EINTR) {
                return result;
            }
        }
    }

    /** Makes any other call, and repeats it if a signal interrupts it. */
    private static int uninterrupted(IntSupplier call) {
        int result;
        do {
            result = Libc.result(call.getAsInt());
        } while (result == -Errno.EINTR);
        return result;
    }

    public static int openat(int dirFd, RawPath path, int flags, int mode) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path)
                ? (int) call(SYS_OPENAT, dirFd, scratch.address + PATH, flags | O_CLOEXEC, mode, 0)
                : -Errno.ENAMETOOLONG;
    }

    /**
     * Calls {@code openat2}, which opens with rules for resolution; EXDEV if the path leads out of the permitted tree.
     */
    public static int openat2(int dirFd, RawPath path, int flags, int mode, long resolve) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        scratch.bytes.putLong(OPEN_HOW, (flags | O_CLOEXEC) & 0xFFFFFFFFL);
        scratch.bytes.putLong(OPEN_HOW + 8, mode);
        scratch.bytes.putLong(OPEN_HOW + 16, resolve);
        return (int) call(SYS_OPENAT2, dirFd, scratch.address + PATH, scratch.address + OPEN_HOW, 24, 0);
    }

    public static int duplicate(int fd) {
        return Libc.result(Libc.fcntl(fd, F_DUPFD_CLOEXEC, 3L));
    }

    /** Whether the descriptor is only a path ({@code O_PATH}), by which nothing can be read, written or flushed. */
    public static boolean isPath(int fd) {
        int flags = Libc.fcntl(fd, F_GETFL, 0L);
        return flags >= 0 && (flags & O_PATH) != 0;
    }

    /** Closes a descriptor; does nothing for a negative one. Even after an error, EINTR included, it is closed. */
    public static int closeFd(int fd) {
        return fd < 0 ? 0 : (int) once(SYS_CLOSE, fd, 0, 0, 0, 0);
    }

    /** Reads up to {@code length} bytes; returns 0 at the end of the file. */
    public static int preadAt(int fd, long address, int length, long offset) {
        return (int) call(SYS_PREAD64, fd, address, length, offset, 0);
    }

    public static int pwriteAt(int fd, long address, int length, long offset) {
        return (int) call(SYS_PWRITE64, fd, address, length, offset, 0);
    }

    public static int readFrom(int fd, long address, int length) {
        return (int) call(SYS_READ, fd, address, length, 0, 0);
    }

    public static int writeTo(int fd, long address, int length) {
        return (int) call(SYS_WRITE, fd, address, length, 0, 0);
    }

    public static int stat(int fd, FileStatus status) {
        Scratch scratch = SCRATCH.get();
        scratch.bytes.put(PATH, (byte) 0);
        return statx(scratch, fd, AT_EMPTY_PATH, status);
    }

    public static int statat(int dirFd, RawPath path, int flags, FileStatus status) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        return statx(scratch, dirFd, flags, status);
    }

    private static int statx(Scratch scratch, int dirFd, int flags, FileStatus status) {
        long path = scratch.address + PATH;
        int done = (int) call(SYS_STATX, dirFd, path, flags, STATX_BASIC_STATS, scratch.address + STATX);
        if (done == 0) {
            status.fill(scratch.bytes, STATX);
        }
        return done;
    }

    public static int mkdirat(int dirFd, RawPath path, int mode) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path)
                ? Libc.result(Libc.mkdirat(dirFd, scratch.address + PATH, mode))
                : -Errno.ENAMETOOLONG;
    }

    public static int unlinkat(int dirFd, RawPath path, int flags) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path)
                ? Libc.result(Libc.unlinkat(dirFd, scratch.address + PATH, flags))
                : -Errno.ENAMETOOLONG;
    }

    public static int symlinkat(RawPath linkTarget, int dirFd, RawPath path) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path) && scratch.put(SECOND_PATH, linkTarget)
                ? Libc.result(Libc.symlinkat(scratch.address + SECOND_PATH, dirFd, scratch.address + PATH))
                : -Errno.ENAMETOOLONG;
    }

    /** Gives a file another name; a symbolic link is not followed. */
    public static int linkat(int fromDirFd, RawPath from, int toDirFd, RawPath to) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, from) && scratch.put(SECOND_PATH, to)
                ? Libc.result(Libc.linkat(fromDirFd, scratch.address + PATH, toDirFd, scratch.address + SECOND_PATH, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** Reads the contents of a link into {@code target[0]}; returns 0, or the negated errno. */
    public static int readlinkat(int dirFd, RawPath path, RawPath[] target) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, path)) {
            return -Errno.ENAMETOOLONG;
        }
        int length = (int) Libc.readlinkat(dirFd, scratch.address + PATH, scratch.address + SECOND_PATH, PATH_MAX);
        if (length < 0) {
            return -Libc.errno();
        }
        byte[] bytes = new byte[length];
        scratch.bytes.get(SECOND_PATH, bytes);
        target[0] = RawPath.ofBytes(bytes);
        return 0;
    }

    static int rename(int dirFd, RawPath from, RawPath to) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, from) && scratch.put(SECOND_PATH, to)
                ? (int) once(SYS_RENAMEAT, dirFd, scratch.address + PATH, dirFd, scratch.address + SECOND_PATH, 0)
                : -Errno.ENAMETOOLONG;
    }

    /** Returns EINVAL or ENOSYS if the file system or the kernel does not support the flag. */
    public static int rename(int dirFd, RawPath from, RawPath to, int flags) {
        Scratch scratch = SCRATCH.get();
        if (!scratch.put(PATH, from) || !scratch.put(SECOND_PATH, to)) {
            return -Errno.ENAMETOOLONG;
        }
        return (int) once(SYS_RENAMEAT2, dirFd, scratch.address + PATH, dirFd, scratch.address + SECOND_PATH, flags);
    }

    /** Sets the mode of an open file, including one that is only held as a path ({@code O_PATH}). */
    public static int setMode(int fd, int mode) {
        int done = (int) once(SYS_FCHMOD, fd, mode, 0, 0, 0);
        if (done != -Errno.EBADF) {
            return done;
        }
        Scratch scratch = SCRATCH.get();
        scratch.putText(PATH, "/proc/self/fd/" + fd);
        return Libc.result(Libc.fchmodat(AT_FDCWD, scratch.address + PATH, mode, 0));
    }

    /** Sets the owner of a file, including one that is only held as a path, such as a symbolic link. */
    public static int setOwner(int fd, int uid, int gid) {
        Scratch scratch = SCRATCH.get();
        scratch.bytes.put(PATH, (byte) 0);
        return Libc.result(Libc.fchownat(fd, scratch.address + PATH, uid, gid, AT_EMPTY_PATH));
    }

    /**
     * Holds a symbolic link as a path, so that later changes affect no other file. Returns EEXIST if something else has
     * its name by now, which may be a hard link to any file.
     */
    public static int openLink(int dirFd, RawPath name) {
        int fd = openat(dirFd, name, O_PATH | O_NOFOLLOW, 0);
        FileStatus held = new FileStatus();
        int known = fd < 0 ? fd : stat(fd, held);
        if (known == 0 && held.isLink()) {
            return fd;
        }
        closeFd(fd);
        return known < 0 ? known : -Errno.EEXIST;
    }

    /** Sets the modification time but not the access time, also for a file that is only held as a path. */
    public static int setModified(int fd, long seconds, int nanos) {
        Scratch scratch = SCRATCH.get();
        putTimes(scratch.bytes, seconds, nanos);
        int done = (int) once(SYS_UTIMENSAT, fd, 0, scratch.address + TIMES, 0, 0);
        if (done != -Errno.EBADF) {
            return done;
        }
        scratch.putText(PATH, "/proc/self/fd/" + fd);
        return Libc.result(Libc.utimensat(AT_FDCWD, scratch.address + PATH, scratch.address + TIMES, 0));
    }

    private static void putTimes(ByteBuffer bytes, long seconds, int nanos) {
        bytes.putLong(TIMES, 0);
        bytes.putLong(TIMES + 8, UTIME_OMIT);
        bytes.putLong(TIMES + 16, seconds);
        bytes.putLong(TIMES + 24, nanos);
    }

    static int truncate(int fd, long sizeBytes) {
        return uninterrupted(() -> Libc.ftruncate(fd, sizeBytes));
    }

    static int allocate(int fd, int mode, long offset, long length) {
        return uninterrupted(() -> Libc.fallocate(fd, mode, offset, length));
    }

    public static long seek(int fd, long offset, int whence) {
        long position = Libc.lseek(fd, offset, whence);
        return position < 0 ? -Libc.errno() : position;
    }

    public static int syncData(int fd) {
        return uninterrupted(() -> Libc.fdatasync(fd));
    }

    static int sync(int fd) {
        return uninterrupted(() -> Libc.fsync(fd));
    }

    static int syncFileSystem(int fd) {
        return uninterrupted(() -> Libc.syncfs(fd));
    }

    public static void syncEverything() {
        Libc.sync();
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

    public static int lock(int fd, int operation) {
        return (int) call(SYS_FLOCK, fd, operation, 0, 0, 0);
    }

    /**
     * Locks a range of a file for this descriptor only, without waiting; the lock ends with the descriptor. Returns
     * EAGAIN if another descriptor, of any process and host, holds a part of the range.
     */
    public static int lockRange(int fd, long offset, long lengthBytes) {
        // struct flock: type, whence (0: from the start), start, length, and a process id that must be 0.
        ByteBuffer lock = ByteBuffer.allocateDirect(32).order(ByteOrder.nativeOrder());
        lock.putShort(0, F_WRLCK).putLong(8, offset).putLong(16, lengthBytes);
        try {
            int done = uninterrupted(() -> Libc.fcntl(fd, F_OFD_SETLK, Libc.addressOf(lock)));
            return done == -Errno.EACCES ? -Errno.EAGAIN : done;
        } finally {
            Reference.reachabilityFence(lock);
        }
    }

    public static int access(int dirFd, RawPath path, int wanted) {
        Scratch scratch = SCRATCH.get();
        return scratch.put(PATH, path)
                ? Libc.result(Libc.faccessat(dirFd, scratch.address + PATH, wanted, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** Returns the number of bytes that this user may still write to the file system, or the negated errno. */
    public static long freeBytes(int fd) {
        Scratch scratch = SCRATCH.get();
        if (Libc.fstatvfs(fd, scratch.address + STATVFS) != 0) {
            return -Libc.errno();
        }
        long fragmentBytes = scratch.bytes.getLong(STATVFS + 8);
        long totalFragments = scratch.bytes.getLong(STATVFS + 16);
        long available = scratch.bytes.getLong(STATVFS + (isRoot() ? 24 : 32));
        if (totalFragments == 0) {
            // Some network file systems do not report it.
            return Long.MAX_VALUE;
        }
        long bytes = available * fragmentBytes;
        return bytes / Math.max(1, fragmentBytes) == available && bytes >= 0 ? bytes : Long.MAX_VALUE;
    }

    /** Returns the space on the file system, or null if the call fails. */
    public static @Nullable FileSystemSpace space(int fd) {
        Scratch scratch = SCRATCH.get();
        if (Libc.fstatvfs(fd, scratch.address + STATVFS) != 0) {
            return null;
        }
        ByteBuffer told = scratch.bytes;
        long fragmentBytes = told.getLong(STATVFS + 8);
        long fragments = told.getLong(STATVFS + 16);
        long files = told.getLong(STATVFS + 40);
        return new FileSystemSpace(
                bytes(fragments, told.getLong(STATVFS + 32), fragmentBytes),
                bytes(fragments, fragments, fragmentBytes),
                files <= 0 ? -1 : Math.max(-1, told.getLong(STATVFS + 56)),
                files <= 0 ? -1 : files);
    }

    private static long bytes(long known, long fragments, long fragmentBytes) {
        return known <= 0 || fragments < 0 || fragmentBytes <= 0 || fragments > Long.MAX_VALUE / fragmentBytes
                ? -1
                : fragments * fragmentBytes;
    }

    /** An id that changes with every boot. */
    static UUID bootId() {
        return Boot.ID;
    }

    static long descriptorsMax() {
        Scratch scratch = SCRATCH.get();
        if (Libc.getrlimit(RLIMIT_NOFILE, scratch.address + RLIMIT) != 0) {
            return 1024;
        }
        long limit = scratch.bytes.getLong(RLIMIT);
        return limit < 0 ? Long.MAX_VALUE : limit;
    }

    /** Advice: the result does not matter. */
    public static void adviseSequential(int fd) {
        Libc.posix_fadvise(fd, 0, 0, FADV_SEQUENTIAL);
    }

    /** Makes later reads of an open file bypass the page cache; EINVAL if its file system does not support that. */
    public static int setDirect(int fd) {
        return Libc.result(Libc.fcntl(fd, F_SETFL, (long) O_DIRECT));
    }

    /** Reopens an open file for writes that bypass the page cache; EINVAL if its file system does not support them. */
    static int openDirect(int fd) {
        return openat(AT_FDCWD, RawPath.ofText("/proc/self/fd/" + fd), O_RDWR | O_DIRECT, 0);
    }

    /** Drops the clean cached pages of a file; also advice. */
    public static void dropCached(int fd) {
        Libc.posix_fadvise(fd, 0, 0, FADV_DONTNEED);
    }

    /** Fills memory with {@code linux_dirent64} records; returns the number of bytes, 0 at the end. */
    public static int getdents(int fd, long address, int length) {
        return (int) once(SYS_GETDENTS64, fd, address, length, 0, 0);
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

    /** If the name is empty, lists the attributes of the descriptor's own file. */
    static int listAttributesAt(int dirFd, RawPath name, long address, int length) {
        Scratch scratch = SCRATCH.get();
        putHeldName(scratch, dirFd, name);
        return Libc.result((int)
                (name.isEmpty()
                        ? Libc.listxattr(scratch.address + PATH, address, length)
                        : Libc.llistxattr(scratch.address + PATH, address, length)));
    }

    static int getAttributeAt(int dirFd, RawPath name, RawPath attribute, long address, int length) {
        Scratch scratch = SCRATCH.get();
        putHeldName(scratch, dirFd, name);
        scratch.put(SECOND_PATH, attribute);
        long path = scratch.address + PATH;
        long attributeName = scratch.address + SECOND_PATH;
        return Libc.result((int)
                (name.isEmpty()
                        ? Libc.getxattr(path, attributeName, address, length)
                        : Libc.lgetxattr(path, attributeName, address, length)));
    }

    /** Sets an attribute, also of a file that is only held as a path. */
    public static int setAttribute(int fd, RawPath attribute, long address, int length) {
        Scratch scratch = SCRATCH.get();
        putHeldName(scratch, fd, RawPath.EMPTY);
        return scratch.put(SECOND_PATH, attribute)
                ? Libc.result(Libc.setxattr(scratch.address + PATH, scratch.address + SECOND_PATH, address, length, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** Linux has no xattr calls relative to a descriptor before 6.13; a path in /proc has the same effect. */
    private static void putHeldName(Scratch scratch, int dirFd, RawPath name) {
        scratch.putText(PATH, "/proc/self/fd/" + dirFd);
        if (!name.isEmpty()) {
            scratch.bytes.put(scratch.bytes.position() - 1, (byte) '/');
            name.putTo(scratch.bytes);
            scratch.bytes.put((byte) 0);
        }
    }

    public static boolean isRoot() {
        return Libc.geteuid() == 0;
    }
}
