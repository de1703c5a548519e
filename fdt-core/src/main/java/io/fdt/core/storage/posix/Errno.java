package io.fdt.core.storage.posix;

import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;

/**
 * The error numbers of Linux that storage distinguishes (equal on x86-64 and aarch64), and their conversion to
 * failures.
 */
public final class Errno {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int E2BIG = 7;
    public static final int EBADF = 9;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int ENOSPC = 28;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOLCK = 37;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int EDQUOT = 122;

    private Errno() {}

    /**
     * @param side SOURCE or TARGET: the kind of the failure, unless the number means that the path left its root or
     *     that the host has no more descriptors
     * @param operation the operation that failed, as a phrase after "cannot"
     */
    public static TransferException failure(FailureKind side, String operation, RawPath path, int errno) {
        if (errno == EXDEV) {
            return FailureKind.REFUSED.failure(path.display() + ": leads out of the root");
        }
        FailureKind kind = isHostLimit(errno) ? FailureKind.HOST_LIMIT : side;
        return new TransferException(kind, path.display() + ": cannot " + operation + ": " + Libc.strerror(errno));
    }

    /** Whether the process or the host has no more descriptors. */
    public static boolean isHostLimit(int errno) {
        return errno == EMFILE || errno == ENFILE;
    }

    /** Returns the result of an open that may fail; throws only if the host has no more descriptors. */
    public static int requireDescriptor(int outcome, FailureKind side, String operation, RawPath path) {
        return isHostLimit(-outcome) ? require(outcome, side, operation, path) : outcome;
    }

    /** Returns the result of a call if it is not negative; otherwise throws its {@link #failure}. */
    public static int require(int outcome, FailureKind side, String operation, RawPath path) {
        if (outcome < 0) {
            throw failure(side, operation, path, -outcome);
        }
        return outcome;
    }
}
