package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.plan.RawPath;
import org.jspecify.annotations.Nullable;

/**
 * Gives up the access to files that this process does not need, by Landlock of Linux: list what remains accessible,
 * then restrict all threads. It cannot be undone, and child processes inherit it. It concerns opening, creating,
 * renaming and removing files. Open descriptors keep their rights, and modes, owners, times and attributes can still be
 * changed wherever the user may. A path is followed once: what is mounted or put in its place later is not accessible.
 */
public final class Landlock implements AutoCloseable {
    private static final int EBADFD = 77;

    private static final long SYS_LANDLOCK_CREATE_RULESET = 444;
    private static final long SYS_LANDLOCK_ADD_RULE = 445;
    private static final long SYS_GETTID = Kernel.ARM ? 178 : 186;
    private static final long CREATE_RULESET_VERSION = 1;
    private static final long RULE_PATH_BENEATH = 1;

    /** Linux 5.19: before, no file could be moved to another directory. */
    private static final int MIN_VERSION = 2;

    private static final int ACCESS_BITS = 14;
    private static final int TRUNCATE_VERSION = 3;
    private static final int IOCTL_DEV_VERSION = 5;

    private static final long EXECUTE = 1;
    private static final long WRITE_FILE = 1 << 1;
    private static final long READ_FILE = 1 << 2;
    private static final long READ_DIR = 1 << 3;
    private static final long REMOVE_DIR = 1 << 4;
    private static final long REMOVE_FILE = 1 << 5;
    private static final long MAKE_DIR = 1 << 7;
    private static final long MAKE_REG = 1 << 8;
    private static final long MAKE_SOCK = 1 << 9;
    private static final long MAKE_SYM = 1 << 12;
    private static final long REFER = 1 << 13;
    private static final long TRUNCATE = 1 << 14;
    private static final long IOCTL_DEV = 1 << 15;
    private static final long OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

    private final long handled;
    private final Descriptor rules;

    /** What is permitted with a file, or with everything below a directory. */
    public enum Access {
        READ(READ_FILE | READ_DIR),
        RUN(READ.bits | EXECUTE),
        /** Creating files and writing to them. */
        APPEND(WRITE_FILE | MAKE_REG),
        /** Everything with files, directories and symbolic links, except executing. */
        CHANGE(READ.bits | APPEND.bits | TRUNCATE | REMOVE_FILE | REMOVE_DIR | MAKE_DIR | MAKE_SYM | REFER),
        /** Creating and removing Unix sockets. */
        SOCKETS(MAKE_SOCK | REMOVE_FILE),
        DEVICE(READ.bits | WRITE_FILE | IOCTL_DEV);

        private final long bits;

        Access(long bits) {
            this.bits = bits;
        }
    }

    private Landlock(long handled, int rulesFd) {
        this.handled = handled;
        this.rules = Descriptor.ofProcess(rulesFd);
    }

    /** Returns the kernel's number of the calling thread. */
    public static int thread() {
        return (int) Kernel.once(SYS_GETTID, 0, 0, 0, 0, 0);
    }

    /** Returns an empty list of what remains accessible; null if this kernel cannot restrict, or must not. */
    public static @Nullable Landlock begin() {
        long version = Kernel.once(SYS_LANDLOCK_CREATE_RULESET, 0, 0, CREATE_RULESET_VERSION, 0, 0);
        if (version < MIN_VERSION) {
            return null;
        }
        long handled = (1L << ACCESS_BITS) - 1;
        handled |= version >= TRUNCATE_VERSION ? TRUNCATE : 0;
        handled |= version >= IOCTL_DEV_VERSION ? IOCTL_DEV : 0;
        Scratch scratch = Scratch.get();
        scratch.bytes.putLong(Scratch.DATA, handled);
        int fd = (int) Kernel.once(SYS_LANDLOCK_CREATE_RULESET, scratch.data(), Long.BYTES, 0, 0, 0);
        return fd < 0 ? null : new Landlock(handled, fd);
    }

    /** Keeps a file, or a directory with everything below it, accessible. Does nothing if there is no such path. */
    public void keep(RawPath path, Access access) {
        int fd = Paths.openat(Paths.AT_FDCWD, path, Paths.O_PATH, 0);
        if (fd < 0) {
            return;
        }
        try (Descriptor opened = Descriptor.ofProcess(fd)) {
            FileStatus status = new FileStatus();
            boolean directory = FileMetadata.stat(fd, status) == 0 && status.isDirectory();
            // struct landlock_path_beneath_attr: the rights and the descriptor, without a gap.
            Scratch scratch = Scratch.get();
            scratch.bytes.putLong(Scratch.DATA, access.bits & handled & (directory ? -1 : OF_A_FILE));
            scratch.bytes.putInt(Scratch.DATA + Long.BYTES, opened.fd());
            long added = Kernel.once(SYS_LANDLOCK_ADD_RULE, rules.fd(), RULE_PATH_BENEATH, scratch.data(), 0, 0);
            // It restricts neither pipes nor sockets, to which a log may be written.
            if (added < 0 && added != -EBADFD) {
                throw new IllegalStateException("Landlock refuses a rule for " + path + ": errno " + -added);
            }
        }
    }

    /**
     * Restricts all threads of this process, and all that they start. Returns 0, or the negated errno if a thread is
     * not restricted.
     *
     * @param exceptThreads the kernel's numbers of threads that are not restricted
     */
    public int restrict(int... exceptThreads) {
        return -NativeCode.restrictThreads(rules.fd(), exceptThreads);
    }

    @Override
    public void close() {
        rules.close();
    }
}
