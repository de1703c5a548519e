package io.fdt.core.nativecode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The functions of the C library that fdt calls, under their C names (libc.c). Arguments and results are those of C,
 * with pointers and sizes as {@code long}; callers supply the numbers of flags, which are those of Linux on x86-64 and
 * aarch64. Calls allocate nothing. Thread-safe.
 */
@SuppressWarnings("MemberName") // the C library's names
public final class Libc {
    static {
        NativeCode.require();
    }

    private Libc() {}

    public static long addressOf(ByteBuffer direct) {
        return NativeCode.addressOf(direct);
    }

    /** Returns a view of mapped memory, in the processor's byte order. */
    public static ByteBuffer bufferAt(long address, long lengthBytes) {
        return NativeCode.bufferAt(address, lengthBytes).order(ByteOrder.nativeOrder());
    }

    /** The error number of the calling thread's last failed call. */
    public static int errno() {
        return NativeCode.errno();
    }

    /** Returns the result of the calling thread's last call, or the negated errno if it failed. */
    public static int result(int returned) {
        return returned < 0 ? -errno() : returned;
    }

    /** Like {@link #result(int)}. */
    public static long result(long returned) {
        return returned < 0 ? -errno() : returned;
    }

    // ---- Files.

    public static native int close(int fd);

    public static native int fcntl(int fd, int command, long argument);

    public static native int ioctl(int fd, long request, long argument);

    public static native long read(int fd, long address, long length);

    public static native long write(int fd, long address, long length);

    public static native long lseek(int fd, long offset, int whence);

    public static native int ftruncate(int fd, long sizeBytes);

    public static native int fallocate(int fd, int mode, long offset, long length);

    public static native int posix_fadvise(int fd, long offset, long length, int advice);

    public static native int fdatasync(int fd);

    public static native int fsync(int fd);

    public static native int syncfs(int fd);

    public static native void sync();

    public static native int fstatvfs(int fd, long address);

    // ---- Names and metadata.

    public static native int mkdirat(int dirFd, long path, int mode);

    public static native int unlinkat(int dirFd, long path, int flags);

    public static native int symlinkat(long linkTarget, int dirFd, long path);

    public static native int linkat(int fromFd, long from, int toFd, long to, int flags);

    public static native long readlinkat(int dirFd, long path, long address, long length);

    public static native int faccessat(int dirFd, long path, int wanted, int flags);

    public static native int fchmodat(int dirFd, long path, int mode, int flags);

    public static native int fchownat(int dirFd, long path, int uid, int gid, int flags);

    public static native int utimensat(int dirFd, long path, long times, int flags);

    public static native long listxattr(long path, long address, long length);

    public static native long llistxattr(long path, long address, long length);

    public static native long getxattr(long path, long name, long address, long length);

    public static native long lgetxattr(long path, long name, long address, long length);

    /** Of Linux since 6.13; the arguments are a {@code struct xattr_args} of this length. */
    public static native long getxattrat(int dirFd, long path, int flags, long name, long arguments, long length);

    public static native int setxattr(long path, long name, long address, long length, int flags);

    // ---- Sockets.

    public static native int socket(int domain, int type, int protocol);

    public static native int bind(int fd, long address, int length);

    public static native int listen(int fd, int backlog);

    public static native int accept4(int fd, long address, long length, int flags);

    public static native int connect(int fd, long address, int length);

    public static native int shutdown(int fd, int how);

    public static native int setsockopt(int fd, int level, int name, long value, int length);

    public static native int getsockopt(int fd, int level, int name, long value, long length);

    public static native long send(int fd, long address, long length, int flags);

    public static native long sendto(int fd, long address, long length, int flags, long target, int targetLength);

    public static native long recv(int fd, long address, long length, int flags);

    public static native long sendmsg(int fd, long message, int flags);

    public static native long recvmsg(int fd, long message, int flags);

    // ---- Memory.

    public static native long mmap(long address, long length, int protection, int flags, int fd, long offset);

    public static native int madvise(long address, long length, int advice);

    public static native int munmap(long address, long length);

    public static native int memcmp(long left, long right, long length);

    public static native long memcpy(long to, long from, long length);

    public static native long memset(long address, int value, long length);

    // ---- The rest.

    public static native int eventfd(int initial, int flags);

    public static native int poll(long descriptors, long count, int timeoutMs);

    public static native int sched_getcpu();

    public static native int sched_getaffinity(int thread, long lengthBytes, long mask);

    public static native int sched_setaffinity(int thread, long lengthBytes, long mask);

    public static native int geteuid();

    public static native int getrlimit(int resource, long address);

    public static native String strerror(int errno);

    /** Calls a kernel function that the C library does not wrap. */
    public static native long syscall(long number, long a, long b, long c, long d, long e);
}
