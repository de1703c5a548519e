package io.fdt.core.storage;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.plan.RawPath;

/** The error numbers of Linux that storage tells apart (equal on x86-64 and aarch64), and how they become failures. */
final class Errno {
    static final int EPERM = 1;
    static final int ENOENT = 2;
    static final int EINTR = 4;
    static final int EIO = 5;
    static final int ENXIO = 6;
    static final int E2BIG = 7;
    static final int EBADF = 9;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int EXDEV = 18;
    static final int ENOTDIR = 20;
    static final int EISDIR = 21;
    static final int EINVAL = 22;
    static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int ERANGE = 34;
    static final int ENAMETOOLONG = 36;
    static final int ENOLCK = 37;
    static final int ENOSYS = 38;
    static final int ELOOP = 40;
    static final int ENODATA = 61;
    static final int EOPNOTSUPP = 95;
    static final int EDQUOT = 122;

    private Errno() {}

    /**
     * The failure of one operation on one path.
     *
     * @param side SOURCE or TARGET: whose trouble it is, unless the number says that the path left its root
     * @param operation what was tried, fitting after "cannot"
     */
    static TransferException failure(FailureKind side, String operation, RawPath path, int errno) {
        if (errno == EXDEV) {
            return new TransferException(FailureKind.REFUSED, path.display() + ": leads out of the root");
        }
        return new TransferException(side, path.display() + ": cannot " + operation + ": " + Posix.strerror(errno));
    }
}
