package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;

/**
 * Opens, creates, removes and renames files by path. Every call returns the result of the kernel: a value of zero or
 * more, or the negated {@link Errno}. Thread-safe.
 */
public final class Paths {
    public static final int AT_FDCWD = -100;
    public static final int AT_SYMLINK_NOFOLLOW = 0x100;
    public static final int AT_REMOVEDIR = 0x200;
    private static final int AT_SYMLINK_FOLLOW = 0x400;
    private static final int AT_EMPTY_PATH = 0x1000;

    public static final int O_RDONLY = 0;
    public static final int O_WRONLY = 1;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_EXCL = 0200;
    public static final int O_NONBLOCK = 04000;
    public static final int O_PATH = 010000000;
    public static final int O_DIRECTORY = Kernel.ARM ? 040000 : 0200000;
    public static final int O_DIRECT = Kernel.ARM ? 0200000 : 040000;
    /** Creates a file without a name, in the directory that is opened. */
    public static final int O_TMPFILE = 020000000 | O_DIRECTORY;

    public static final int O_NOFOLLOW = Kernel.ARM ? 0100000 : 0400000;
    static final int O_CLOEXEC = 02000000;

    public static final int W_OK = 2;
    public static final int X_OK = 1;

    public static final int RENAME_NOREPLACE = 1;
    public static final int RENAME_EXCHANGE = 2;

    public static final long RESOLVE_NO_MAGICLINKS = 2;
    public static final long RESOLVE_NO_SYMLINKS = 4;
    public static final long RESOLVE_BENEATH = 8;

    /** The kernel's limit for a path with its NUL. */
    public static final int PATH_MAX = 4096;

    public static final int NAME_MAX = 255;

    private static final long SYS_OPENAT2 = 437;
    private static final long SYS_OPENAT = Kernel.ARM ? 56 : 257;
    private static final long SYS_RENAMEAT2 = Kernel.ARM ? 276 : 316;
    private static final long SYS_GETDENTS64 = Kernel.ARM ? 61 : 217;

    private Paths() {}

    public static int openat(int dirFd, RawPath path, int flags, int mode) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path)
                ? (int) Kernel.call(SYS_OPENAT, dirFd, scratch.path(), flags | O_CLOEXEC, mode, 0)
                : -Errno.ENAMETOOLONG;
    }

    /**
     * Calls {@code openat2}, which opens with rules for resolution; EXDEV if the path leads out of the permitted tree.
     */
    public static int openat2(int dirFd, RawPath path, int flags, int mode, long resolve) {
        Scratch scratch = Scratch.get();
        if (!scratch.putPath(path)) {
            return -Errno.ENAMETOOLONG;
        }
        scratch.bytes.putLong(Scratch.DATA, (flags | O_CLOEXEC) & 0xFFFFFFFFL);
        scratch.bytes.putLong(Scratch.DATA + 8, mode);
        scratch.bytes.putLong(Scratch.DATA + 16, resolve);
        return (int) Kernel.call(SYS_OPENAT2, dirFd, scratch.path(), scratch.data(), 24, 0);
    }

    /** Reopens an open file for writes that bypass the page cache; EINVAL if its file system does not support them. */
    static int openDirect(int fd) {
        return openat(AT_FDCWD, RawPath.ofText("/proc/self/fd/" + fd), O_RDWR | O_DIRECT, 0);
    }

    /**
     * Holds a symbolic link as a path, so that later changes affect no other file. Returns EEXIST if something else has
     * its name by now, which may be a hard link to any file.
     */
    public static int openLink(int dirFd, RawPath name) {
        int fd = openat(dirFd, name, O_PATH | O_NOFOLLOW, 0);
        FileStatus held = new FileStatus();
        int known = fd < 0 ? fd : FileMetadata.stat(fd, held);
        if (known == 0 && held.isLink()) {
            return fd;
        }
        Descriptor.closeFd(fd);
        return known < 0 ? known : -Errno.EEXIST;
    }

    public static int access(int dirFd, RawPath path, int wanted) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path)
                ? Libc.result(Libc.faccessat(dirFd, scratch.path(), wanted, 0))
                : -Errno.ENAMETOOLONG;
    }

    /** Fills memory with {@code linux_dirent64} records; returns the number of bytes, 0 at the end. */
    public static int getdents(int fd, long address, int length) {
        return (int) Kernel.call(SYS_GETDENTS64, fd, address, length, 0, 0);
    }

    public static int mkdirat(int dirFd, RawPath path, int mode) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path) ? Libc.result(Libc.mkdirat(dirFd, scratch.path(), mode)) : -Errno.ENAMETOOLONG;
    }

    public static int unlinkat(int dirFd, RawPath path, int flags) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path) ? Libc.result(Libc.unlinkat(dirFd, scratch.path(), flags)) : -Errno.ENAMETOOLONG;
    }

    public static int symlinkat(RawPath linkTarget, int dirFd, RawPath path) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(path) && scratch.putSecondPath(linkTarget)
                ? Libc.result(Libc.symlinkat(scratch.secondPath(), dirFd, scratch.path()))
                : -Errno.ENAMETOOLONG;
    }

    /** Reads the contents of a link into {@code target[0]}; returns 0, or the negated errno. */
    public static int readlinkat(int dirFd, RawPath path, RawPath[] target) {
        Scratch scratch = Scratch.get();
        if (!scratch.putPath(path)) {
            return -Errno.ENAMETOOLONG;
        }
        int length = (int) Libc.readlinkat(dirFd, scratch.path(), scratch.secondPath(), PATH_MAX);
        if (length < 0) {
            return -Libc.errno();
        }
        byte[] bytes = new byte[length];
        scratch.bytes.get(Scratch.SECOND_PATH, bytes);
        target[0] = RawPath.ofBytes(bytes);
        return 0;
    }

    /** Gives a file another name; a symbolic link is not followed. */
    public static int linkat(int fromDirFd, RawPath from, int toDirFd, RawPath to) {
        return linkat(fromDirFd, from, toDirFd, to, 0);
    }

    private static int linkat(int fromDirFd, RawPath from, int toDirFd, RawPath to, int flags) {
        Scratch scratch = Scratch.get();
        return scratch.putPath(from) && scratch.putSecondPath(to)
                ? Libc.result(Libc.linkat(fromDirFd, scratch.path(), toDirFd, scratch.secondPath(), flags))
                : -Errno.ENAMETOOLONG;
    }

    /** Gives a file that was opened without a name, with {@link #O_TMPFILE}, its first one; EEXIST if it is taken. */
    static int linkat(int fd, int dirFd, RawPath name) {
        int linked = linkat(fd, RawPath.EMPTY, dirFd, name, AT_EMPTY_PATH);
        // Before Linux 6.10 only root may do that.
        return linked == -Errno.ENOENT
                ? linkat(AT_FDCWD, RawPath.ofText("/proc/self/fd/" + fd), dirFd, name, AT_SYMLINK_FOLLOW)
                : linked;
    }

    /** EINVAL if the file system does not support the flag; 0 for no flag. */
    public static int rename(int dirFd, RawPath from, RawPath to, int flags) {
        return rename(dirFd, from, dirFd, to, flags);
    }

    /** EXDEV if the two directories are on different file systems. */
    public static int rename(int fromDirFd, RawPath from, int toDirFd, RawPath to, int flags) {
        Scratch scratch = Scratch.get();
        if (!scratch.putPath(from) || !scratch.putSecondPath(to)) {
            return -Errno.ENAMETOOLONG;
        }
        return (int) Kernel.once(SYS_RENAMEAT2, fromDirFd, scratch.path(), toDirFd, scratch.secondPath(), flags);
    }
}
