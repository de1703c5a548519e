package io.fdt.core.storage.posix;

import static java.util.Map.entry;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.util.Map;

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
    static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int ENOTDIR = 20;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    static final int ENFILE = 23;
    public static final int EMFILE = 24;
    static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    static final int EROFS = 30;
    static final int EPIPE = 32;
    public static final int ERANGE = 34;
    public static final int ENAMETOOLONG = 36;
    public static final int ENOLCK = 37;
    public static final int ENOSYS = 38;
    public static final int ENOTEMPTY = 39;
    public static final int ELOOP = 40;
    public static final int ENODATA = 61;
    public static final int EOPNOTSUPP = 95;
    public static final int EDQUOT = 122;

    private static final Map<Integer, String> NAMES = Map.ofEntries(
            entry(EPERM, "EPERM"),
            entry(ENOENT, "ENOENT"),
            entry(EINTR, "EINTR"),
            entry(EIO, "EIO"),
            entry(ENXIO, "ENXIO"),
            entry(E2BIG, "E2BIG"),
            entry(EBADF, "EBADF"),
            entry(EAGAIN, "EAGAIN"),
            entry(ENOMEM, "ENOMEM"),
            entry(EACCES, "EACCES"),
            entry(16, "EBUSY"),
            entry(EEXIST, "EEXIST"),
            entry(EXDEV, "EXDEV"),
            entry(19, "ENODEV"),
            entry(ENOTDIR, "ENOTDIR"),
            entry(EISDIR, "EISDIR"),
            entry(EINVAL, "EINVAL"),
            entry(ENFILE, "ENFILE"),
            entry(EMFILE, "EMFILE"),
            entry(26, "ETXTBSY"),
            entry(EFBIG, "EFBIG"),
            entry(ENOSPC, "ENOSPC"),
            entry(EROFS, "EROFS"),
            entry(31, "EMLINK"),
            entry(EPIPE, "EPIPE"),
            entry(ERANGE, "ERANGE"),
            entry(ENAMETOOLONG, "ENAMETOOLONG"),
            entry(ENOLCK, "ENOLCK"),
            entry(ENOSYS, "ENOSYS"),
            entry(ENOTEMPTY, "ENOTEMPTY"),
            entry(ELOOP, "ELOOP"),
            entry(ENODATA, "ENODATA"),
            entry(75, "EOVERFLOW"),
            entry(EOPNOTSUPP, "EOPNOTSUPP"),
            entry(116, "ESTALE"),
            entry(EDQUOT, "EDQUOT"));

    private Errno() {}

    /**
     * @param side SOURCE or TARGET: where the file is; any other kind for a file that is neither
     * @param operation the operation that failed, as a phrase after "cannot"
     */
    public static TransferException failure(FailureKind side, String operation, RawPath path, int errno) {
        return errno == EXDEV
                ? Cause.OUTSIDE_ROOT.at(path.display()).errno(nameOf(errno)).failure("leads out of the root")
                : failed(side, operation, path, errno);
    }

    /** Like {@link #failure}, of a call that gives a file a name: only its directories can be on two file systems. */
    public static TransferException failureOfName(FailureKind side, String operation, RawPath path, int errno) {
        return failed(side, operation, path, errno);
    }

    private static TransferException failed(FailureKind side, String operation, RawPath path, int errno) {
        return of(side, path, errno).failure("cannot " + operation + ": " + Libc.strerror(errno));
    }

    /** A failure that still lacks its detail. */
    public static Failure of(FailureKind side, RawPath path, int errno) {
        return causeOf(side, errno).at(path.display()).errno(nameOf(errno));
    }

    /** Why a call for a file failed: what concerns its device or file system has one cause, whatever the call was. */
    public static Cause causeOf(FailureKind side, int errno) {
        if (isHostLimit(errno)) {
            return Cause.HOST_LIMIT;
        }
        boolean source = side == FailureKind.SOURCE;
        if (!source && side != FailureKind.TARGET) {
            return Cause.ofExitCode(side.exitCode());
        }
        return switch (errno) {
            case ENOSPC -> Cause.NO_SPACE;
            case EDQUOT -> Cause.QUOTA;
            case EROFS -> Cause.READ_ONLY_FILE_SYSTEM;
            case ENOMEM -> Cause.NO_MEMORY;
            case EIO -> source ? Cause.SOURCE_IO_ERROR : Cause.IO_ERROR;
            case EACCES, EPERM -> source ? Cause.UNREADABLE : Cause.PERMISSION;
            case ELOOP -> source ? Cause.SOURCE_LOOP : Cause.TARGET_LOOP;
            case ENAMETOOLONG -> source ? Cause.PATH_TOO_LONG : Cause.NAME_TOO_LONG;
            case ENOENT -> source ? Cause.MISSING : Cause.TARGET;
            case ENOTDIR, EISDIR -> source ? Cause.SOURCE : Cause.OTHER_KIND;
            case EEXIST -> Cause.EXISTS;
            case EFBIG -> Cause.FILE_TOO_LARGE;
            case EPIPE -> Cause.READER_GONE;
            default -> Cause.ofExitCode(side.exitCode());
        };
    }

    /** The name of the number, as manual pages have it. */
    private static String nameOf(int errno) {
        return NAMES.getOrDefault(errno, "errno " + errno);
    }

    /** Whether the process or the host has no more descriptors. */
    public static boolean isHostLimit(int errno) {
        return errno == EMFILE || errno == ENFILE;
    }

    /** Returns the result of an open that may fail; throws only if the host has no more descriptors. */
    public static int requireDescriptor(int outcome, FailureKind side, String operation, RawPath path) {
        return isHostLimit(-outcome) ? require(outcome, side, operation, path) : outcome;
    }

    /** Returns the result of a call that gives a file a name. */
    public static int requireName(int outcome, FailureKind side, String operation, RawPath path) {
        if (outcome < 0) {
            throw failureOfName(side, operation, path, -outcome);
        }
        return outcome;
    }

    /** Returns the result of a call if it is not negative; otherwise throws its {@link #failure}. */
    public static int require(int outcome, FailureKind side, String operation, RawPath path) {
        if (outcome < 0) {
            throw failure(side, operation, path, -outcome);
        }
        return outcome;
    }
}
