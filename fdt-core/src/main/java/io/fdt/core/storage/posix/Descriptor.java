package io.fdt.core.storage.posix;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An owned file descriptor, which is closed only once, and is charged to a budget until then: whatever outlives the
 * call that opens it is one of these. Also contains the calls for descriptors without an owner object,
 * which return the result of the kernel: zero or more, or the negated {@link Errno}. Thread-safe.
 */
public final class Descriptor implements AutoCloseable {
    private static final int F_GETFL = 3;
    private static final int F_SETSIG = 10;
    private static final int F_SETLEASE = 1024;
    private static final int SIGURG = 23;
    private static final int F_OFD_GETLK = 36;
    private static final int F_OFD_SETLK = 37;
    private static final short F_RDLCK = 0;
    private static final short F_WRLCK = 1;
    private static final short F_UNLCK = 2;
    private static final int F_DUPFD_CLOEXEC = 1030;

    private static final long SYS_CLOSE = Kernel.ARM ? 57 : 3;

    /** The result of {@link #lockedFrom} if nothing is locked. */
    public static final long NOT_LOCKED = -1;

    /** Likewise, if that cannot be known. */
    private static final long UNKNOWN = -2;

    private static final int CLOSED = -1;
    private final AtomicInteger fd;
    private final Budget budget;
    private final AtomicBoolean charged = new AtomicBoolean(true);

    /**
     * Takes over an open descriptor, even if it throws.
     *
     * @throws TransferException LIMIT, if the session's share is used up
     */
    public Descriptor(int fd, Budget budget) {
        this.fd = new AtomicInteger(fd);
        this.budget = budget;
        try {
            budget.takeLasting(Resource.DESCRIPTORS);
        } catch (TransferException usedUp) {
            closeFd(fd);
            throw usedUp;
        }
    }

    /** A descriptor that no session causes. */
    public static Descriptor ofProcess(int fd) {
        return new Descriptor(fd, Budgets.ofProcess());
    }

    /** The number of the descriptor; it must not be used after close. */
    public int fd() {
        int value = fd.get();
        if (value == CLOSED) {
            throw new IllegalStateException("descriptor is closed");
        }
        return value;
    }

    @Override
    public void close() {
        int open = fd.getAndSet(CLOSED);
        if (open != CLOSED) {
            closeFd(open);
            giveBackCharge();
        }
    }

    /** Something else is charged with it from now on. */
    void giveBackCharge() {
        if (charged.getAndSet(false)) {
            budget.giveBack(Resource.DESCRIPTORS);
        }
    }

    /** Charges its budget again after {@link #giveBackCharge}; returns false if that has no room. */
    boolean tryCharge() {
        charged.set(budget.tryTakeLasting(Resource.DESCRIPTORS));
        return charged.get();
    }

    /** Closes a descriptor; does nothing for a negative one. Even after an error, EINTR included, it is closed. */
    public static int closeFd(int fd) {
        return fd < 0 ? 0 : (int) Kernel.once(SYS_CLOSE, fd, 0, 0, 0, 0);
    }

    public static int duplicate(int fd) {
        return Libc.result(Libc.fcntl(fd, F_DUPFD_CLOEXEC, 3L));
    }

    /** Whether the descriptor is only a path ({@code O_PATH}), by which nothing can be read, written or flushed. */
    public static boolean isPath(int fd) {
        int flags = Libc.fcntl(fd, F_GETFL, 0L);
        return flags >= 0 && (flags & Paths.O_PATH) != 0;
    }

    /** What is known about processes of this host that have a file open for writing. */
    public enum Writers {
        NONE,
        SOME,
        /** The file is another user's, or on a file system that does not tell. */
        UNKNOWN
    }

    /** Looks for writers of a regular file, which this descriptor has open for reading only. */
    public static Writers writers(int fd) {
        // The kernel grants a lease for reading only if there is no writer. A process that opens the file for writing
        // just now waits until the lease is returned, and the kernel sends this process a signal, by default one
        // that would end it.
        Libc.fcntl(fd, F_SETSIG, SIGURG);
        int leased = Libc.result(Libc.fcntl(fd, F_SETLEASE, F_RDLCK));
        if (leased == 0) {
            Libc.fcntl(fd, F_SETLEASE, F_UNLCK);
        }
        return leased == 0 ? Writers.NONE : leased == -Errno.EAGAIN ? Writers.SOME : Writers.UNKNOWN;
    }

    /**
     * Locks a range of a file for this descriptor, without waiting; the lock ends with the descriptor. EAGAIN if
     * another descriptor, of any process or host, holds a part of it; EOPNOTSUPP if the kernel or the file system does
     * not support such locks.
     */
    public static int lockRange(int fd, long offset, long lengthBytes) {
        int done = onRange(F_OFD_SETLK, fd, F_WRLCK, offset, lengthBytes);
        return done == -Errno.EACCES ? -Errno.EAGAIN : done == -Errno.EINVAL ? -Errno.EOPNOTSUPP : done;
    }

    /** Like {@link #lockRange}, together with others that lock it so; also for directories. */
    public static int lockRangeShared(int fd, long offset, long lengthBytes) {
        return onRange(F_OFD_SETLK, fd, F_RDLCK, offset, lengthBytes);
    }

    /** Ends what this descriptor has locked in the range. */
    public static void unlockRange(int fd, long offset, long lengthBytes) {
        var unused = onRange(F_OFD_SETLK, fd, F_UNLCK, offset, lengthBytes);
    }

    /**
     * Returns the offset at which a lock of another descriptor begins that covers a part of the range; {@link
     * #NOT_LOCKED}, or another negative number if that cannot be known, if there is none.
     */
    public static long lockedFrom(int fd, long offset, long lengthBytes) {
        int known = onRange(F_OFD_GETLK, fd, F_WRLCK, offset, lengthBytes);
        ByteBuffer found = Scratch.get().bytes;
        if (known < 0) {
            return UNKNOWN;
        }
        return found.getShort(Scratch.DATA) == F_UNLCK ? NOT_LOCKED : found.getLong(Scratch.DATA + 8);
    }

    /** @param lengthBytes 0 for everything from the offset on */
    private static int onRange(int call, int fd, short type, long offset, long lengthBytes) {
        // struct flock: type, whence (0: from the start), start, length, and a process id that must be 0.
        Scratch scratch = Scratch.get();
        scratch.bytes.putShort(Scratch.DATA, type).putShort(Scratch.DATA + 2, (short) 0);
        scratch.bytes.putLong(Scratch.DATA + 8, offset).putLong(Scratch.DATA + 16, lengthBytes);
        scratch.bytes.putInt(Scratch.DATA + 24, 0);
        return Kernel.uninterrupted(() -> Libc.fcntl(fd, call, scratch.data()));
    }
}
