package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.nio.ByteBuffer;

/**
 * Reads and sets the metadata of files. Every call returns the result of the kernel: a value of zero or more, or the
 * negated {@link Errno}. Thread-safe.
 */
public final class FileMetadata {
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int UTIME_NOW = (1 << 30) - 1;

    private static final long SYS_FCHMOD = Kernel.ARM ? 52 : 91;
    private static final long SYS_UTIMENSAT = Kernel.ARM ? 88 : 280;
    private static final long SYS_FSETXATTR = Kernel.ARM ? 7 : 190;
    private static final long SYS_REMOVEXATTR = Kernel.ARM ? 14 : 197;
    private static final long SYS_STATX = Kernel.ARM ? 291 : 332;

    private static final int XATTR_ARGUMENTS_BYTES = 16;

    /** Whether attributes of a name in a directory can be read by one call. A path through /proc costs three times. */
    private static volatile boolean hasAttributesAt = true;

    private FileMetadata() {}

    public static int stat(int fd, FileStatus status) {
        Scratch scratch = Scratch.get();
        scratch.putEmptyPath();
        return statx(scratch, fd, AT_EMPTY_PATH, status);
    }

    /**
     * Reads the status of a descriptor that was opened only for this, and closes it; returns a negated errno unchanged.
     */
    public static int statAndClose(int fd, FileStatus status) {
        int known = fd < 0 ? fd : stat(fd, status);
        Descriptor.closeFd(fd);
        return known;
    }

    public static int statat(int dirFd, RawPath path, int flags, FileStatus status) {
        Scratch scratch = Scratch.get();
        if (!scratch.putPath(path)) {
            return -Errno.ENAMETOOLONG;
        }
        return statx(scratch, dirFd, flags, status);
    }

    private static int statx(Scratch scratch, int dirFd, int flags, FileStatus status) {
        long path = scratch.path();
        int done = (int) Kernel.call(SYS_STATX, dirFd, path, flags, STATX_BASIC_STATS, scratch.data());
        if (done == 0) {
            status.fill(scratch.bytes, Scratch.DATA);
        }
        return done;
    }

    /** Sets the mode of an open file, including one that is only held as a path ({@code O_PATH}). */
    public static int setMode(int fd, int mode) {
        int done = (int) Kernel.once(SYS_FCHMOD, fd, mode, 0, 0, 0);
        if (done != -Errno.EBADF) {
            return done;
        }
        Scratch scratch = Scratch.get();
        scratch.putDescriptor(fd);
        return Libc.result(Libc.fchmodat(Paths.AT_FDCWD, scratch.path(), mode, 0));
    }

    /** Sets the owner of a file, including one that is only held as a path, such as a symbolic link. */
    public static int setOwner(int fd, int uid, int gid) {
        Scratch scratch = Scratch.get();
        scratch.putEmptyPath();
        return Libc.result(Libc.fchownat(fd, scratch.path(), uid, gid, AT_EMPTY_PATH));
    }

    /**
     * Sets the modification time, also for a file that is only held as a path. The access time becomes that of now:
     * file systems of libfuse 2, such as bindfs, ignore a call that sets only one of them.
     */
    public static int setModified(int fd, long seconds, int nanos) {
        Scratch scratch = Scratch.get();
        putTimes(scratch.bytes, seconds, nanos);
        int done = (int) Kernel.once(SYS_UTIMENSAT, fd, 0, scratch.data(), 0, 0);
        if (done != -Errno.EBADF) {
            return done;
        }
        scratch.putDescriptor(fd);
        return Libc.result(Libc.utimensat(Paths.AT_FDCWD, scratch.path(), scratch.data(), 0));
    }

    private static void putTimes(ByteBuffer bytes, long seconds, int nanos) {
        bytes.putLong(Scratch.DATA, 0);
        bytes.putLong(Scratch.DATA + 8, UTIME_NOW);
        bytes.putLong(Scratch.DATA + 16, seconds);
        bytes.putLong(Scratch.DATA + 24, nanos);
    }

    /** If the name is empty, lists the attributes of the descriptor's own file. */
    static int listAttributesAt(int dirFd, RawPath name, long address, int length) {
        Scratch scratch = Scratch.get();
        scratch.putHeldName(dirFd, name);
        return Libc.result((int)
                (name.isEmpty()
                        ? Libc.listxattr(scratch.path(), address, length)
                        : Libc.llistxattr(scratch.path(), address, length)));
    }

    static int getAttributeAt(int dirFd, RawPath name, RawPath attribute, long address, int length) {
        Scratch scratch = Scratch.get();
        scratch.putSecondPath(attribute);
        if (!name.isEmpty() && hasAttributesAt) {
            scratch.putPath(name);
            scratch.bytes.putLong(Scratch.DATA, address);
            scratch.bytes.putInt(Scratch.DATA + 8, length);
            scratch.bytes.putInt(Scratch.DATA + 12, 0);
            int read = Libc.result((int) Libc.getxattrat(
                    dirFd,
                    scratch.path(),
                    Paths.AT_SYMLINK_NOFOLLOW,
                    scratch.secondPath(),
                    scratch.data(),
                    XATTR_ARGUMENTS_BYTES));
            // The filter of a container may not know the call, and forbid it.
            hasAttributesAt = read != -Errno.ENOSYS && read != -Errno.EPERM;
            if (hasAttributesAt) {
                return read;
            }
        }
        scratch.putHeldName(dirFd, name);
        long path = scratch.path();
        long attributeName = scratch.secondPath();
        return Libc.result((int)
                (name.isEmpty()
                        ? Libc.getxattr(path, attributeName, address, length)
                        : Libc.lgetxattr(path, attributeName, address, length)));
    }

    /** Sets an attribute, also of a file that is only held as a path. */
    public static int setAttribute(int fd, RawPath attribute, long address, int length) {
        Scratch scratch = Scratch.get();
        if (!scratch.putSecondPath(attribute)) {
            return -Errno.ENAMETOOLONG;
        }
        int set = (int) Kernel.once(SYS_FSETXATTR, fd, scratch.secondPath(), address, length, 0);
        if (set != -Errno.EBADF) {
            return set;
        }
        scratch.putHeldName(fd, RawPath.EMPTY);
        return Libc.result(Libc.setxattr(scratch.path(), scratch.secondPath(), address, length, 0));
    }

    static int removeAttribute(int fd, RawPath attribute) {
        Scratch scratch = Scratch.get();
        scratch.putHeldName(fd, RawPath.EMPTY);
        scratch.putSecondPath(attribute);
        return (int) Kernel.once(SYS_REMOVEXATTR, scratch.path(), scratch.secondPath(), 0, 0, 0);
    }

    public static boolean isRoot() {
        return Libc.geteuid() == 0;
    }
}
