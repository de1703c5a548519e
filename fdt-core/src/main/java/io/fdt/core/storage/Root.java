package io.fdt.core.storage;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;

/**
 * A held directory that paths are relative to. A confined root never reaches anything outside, whatever the path and
 * the links on the way: it is for paths that a peer sends. An unconfined root is for paths that the local user typed:
 * it follows absolute paths and all links. Holds one descriptor. Thread-safe.
 */
public final class Root implements AutoCloseable {
    private static final String OPEN = "open as a root";

    private final RawPath directory;
    private final boolean confined;
    private final Resolver resolver;
    private final CreationMask mask;
    private final Descriptor held;
    private final Budget budget;
    private volatile FileClaims claims = FileClaims.NONE;

    private Root(RawPath directory, boolean confined, Resolver resolver, CreationMask mask, int fd, Budget budget) {
        this.directory = directory;
        this.mask = mask;
        this.confined = confined;
        this.resolver = resolver;
        Errno.require(fd, FailureKind.USAGE, OPEN, directory);
        this.budget = budget;
        this.held = new Descriptor(fd, budget);
    }

    private Root(RawPath directory, boolean confined, Resolver resolver, CreationMask mask, Budget budget) {
        this(
                directory,
                confined,
                resolver,
                mask,
                Paths.openat(
                        Paths.AT_FDCWD,
                        directory.isEmpty() ? RawPath.HERE : directory,
                        Paths.O_PATH | Paths.O_DIRECTORY,
                        0),
                budget);
    }

    /** Opens the directory of an exported root; links in its own path are followed, once. */
    public static Root confined(RawPath directory) {
        return confined(directory, CreationMask.NONE);
    }

    public static Root confined(RawPath directory, CreationMask mask) {
        return confined(directory, mask, Budgets.ofProcess());
    }

    /** @param budget of a client's session, charged with what is kept in memory or open for the use of this root */
    public static Root confined(RawPath directory, CreationMask mask, Budget budget) {
        return new Root(directory, true, Resolver.best(), mask, budget);
    }

    public static Root confined(RawPath directory, Resolver resolver) {
        return new Root(directory, true, resolver, CreationMask.NONE, Budgets.ofProcess());
    }

    /**
     * Uses an open directory as the root, wherever its path leads to by now. Takes over the descriptor.
     *
     * @param budget as for {@link #confined(RawPath, CreationMask, Budget)}
     */
    public static Root confined(RawPath directory, Resolver resolver, int fd, Budget budget) {
        return new Root(directory, true, resolver, CreationMask.NONE, fd, budget);
    }

    /**
     * Opens a directory below this root as its own confined root. Follows no links on the way, so that a user who can
     * write in this root cannot redirect it.
     *
     * @param shown what its client calls the root, and is told if there is none
     */
    Root below(RawPath path, RawPath shown) {
        int fd = openWithoutLinks(path, Paths.O_PATH | Paths.O_DIRECTORY);
        Errno.require(fd, FailureKind.USAGE, OPEN, shown);
        return new Root(directory.resolve(path), true, resolver, mask, fd, budget);
    }

    /** The same for the directory of a file, of which only that file is reached. */
    Root aboveFile(RawPath path, RawPath shown) {
        RawPath parent = path.parent();
        int fd = openWithoutLinks(parent, Paths.O_PATH | Paths.O_DIRECTORY);
        Errno.require(fd, FailureKind.USAGE, OPEN, shown);
        return new Root(directory.resolve(parent), true, new OneFile(resolver, path.name()), mask, fd, budget);
    }

    /** Makes the directories that do not exist, and opens it {@link #below likewise}. */
    Root belowMakingIt(RawPath path, RawPath shown) {
        RawPath reached = RawPath.EMPTY;
        for (RawPath name : path.components()) {
            int outcome = make(openWithoutLinks(reached, Paths.O_PATH | Paths.O_DIRECTORY), name);
            if (outcome < 0 && outcome != -Errno.EEXIST) {
                throw Errno.failure(FailureKind.TARGET, "make directory", shown, -outcome);
            }
            reached = reached.resolve(name);
        }
        return below(path, shown);
    }

    /** Opens a path below a confined root, without following links. Returns the negated errno on failure. */
    public int openWithoutLinks(RawPath path, int flags) {
        return path.isEmpty() ? duplicate() : resolver.openWithoutLinks(held.fd(), path, flags, 0);
    }

    /**
     * Removes a path below a confined root without following links, a directory only if it is empty. Returns the
     * negated errno on failure.
     */
    public int unlink(RawPath path, boolean directory) {
        int parentFd = openWithoutLinks(path.parent(), Paths.O_PATH | Paths.O_DIRECTORY);
        int done = parentFd < 0 ? parentFd : Paths.unlinkat(parentFd, path.name(), directory ? Paths.AT_REMOVEDIR : 0);
        Descriptor.closeFd(parentFd);
        return done;
    }

    /**
     * Opens a directory by its path without links: beneath a confined root, otherwise anywhere. Then follows links that
     * root or this user made. Returns the negated errno on failure.
     */
    public int openThroughTrustedLinks(RawPath real, RawPath path, int flags) {
        RawPath top = confined ? realPath() : RawPath.ROOT;
        RawPath below = real.relativeTo(top);
        if (below == null) {
            return -Errno.EXDEV;
        }
        int fd = confined ? duplicate() : Paths.openat(Paths.AT_FDCWD, top, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        int opened = fd < 0 ? fd : WalkingResolver.openThroughTrustedLinks(fd, top, below.resolve(path), flags);
        Descriptor.closeFd(fd);
        return opened;
    }

    /** Returns the present path of the directory, without links, as the kernel reports it. */
    RawPath realPath() {
        RawPath[] real = new RawPath[1];
        int outcome = Paths.readlinkat(Paths.AT_FDCWD, RawPath.ofText("/proc/self/fd/" + held.fd()), real);
        Errno.require(outcome, FailureKind.TARGET, "find the real path of", directory);
        return real[0];
    }

    /** Opens the directory that relative paths of the local user start from. */
    public static Root unconfined(RawPath directory) {
        return unconfined(directory, CreationMask.NONE);
    }

    /** @param mask of what a peer offers */
    public static Root unconfined(RawPath directory, CreationMask mask) {
        return new Root(directory, false, Resolver.best(), mask, Budgets.ofProcess());
    }

    public Budget budget() {
        return budget;
    }

    /** Sets what keeps other sessions from the files that are written in it. */
    public void claimBy(FileClaims session) {
        claims = session;
    }

    public FileClaims claims() {
        return claims;
    }

    public RawPath directory() {
        return directory;
    }

    public boolean isConfined() {
        return confined;
    }

    public CreationMask mask() {
        return mask;
    }

    public Resolver resolver() {
        return resolver;
    }

    /**
     * Opens a path from a user or a peer; for a confined root, a leading slash means the root. Returns the negated
     * errno on failure.
     */
    public int open(RawPath path, int flags, int mode) {
        if (confined) {
            return resolver.openBeneath(held.fd(), withinRoot(path), flags, mode);
        }
        return Paths.openat(held.fd(), path.isEmpty() ? RawPath.HERE : path, flags, mode);
    }

    public boolean has(RawPath path) {
        return opens(path, Paths.O_PATH | Paths.O_NOFOLLOW);
    }

    public boolean hasDirectory(RawPath path) {
        return opens(path, Paths.O_PATH | Paths.O_DIRECTORY);
    }

    private boolean opens(RawPath path, int flags) {
        int fd = Errno.requireDescriptor(open(path, flags, 0), FailureKind.SOURCE, "open", path);
        Descriptor.closeFd(fd);
        return fd >= 0;
    }

    /**
     * Opens a directory, and creates it and all its parents if they do not exist.
     *
     * @param onMade runs if it did not exist, and nobody else has made it
     */
    public int openDirectoryMakingIt(RawPath path, Runnable onMade) {
        int fd = open(path, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        if (fd >= 0) {
            return fd;
        }
        if (fd != -Errno.ENOENT) {
            throw Errno.failure(FailureKind.TARGET, "open as a directory", path, -fd);
        }
        RawPath within = withinRoot(path);
        RawPath reached = !confined && path.isAbsolute() ? RawPath.ROOT : RawPath.EMPTY;
        boolean made = false;
        for (RawPath name : within.components()) {
            RawPath next = reached.resolve(name);
            fd = open(next, Paths.O_PATH | Paths.O_DIRECTORY, 0);
            if (fd == -Errno.ENOENT) {
                int outcome = make(open(reached, Paths.O_PATH | Paths.O_DIRECTORY, 0), name);
                made = outcome == 0;
                fd = made || outcome == -Errno.EEXIST ? open(next, Paths.O_PATH | Paths.O_DIRECTORY, 0) : outcome;
            }
            reached = next;
            Errno.require(fd, FailureKind.TARGET, "make directory", path);
            Descriptor.closeFd(fd);
        }
        fd = open(reached, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        Errno.require(fd, FailureKind.TARGET, "open as a directory", path);
        if (made) {
            onMade.run();
        }
        return fd;
    }

    private int make(int parentFd, RawPath name) {
        int made = parentFd < 0 ? parentFd : Paths.mkdirat(parentFd, name, (0777 & ~mask.permissions()) | 0700);
        Descriptor.closeFd(parentFd);
        return made;
    }

    /** Returns a path as seen from a confined root: leading slashes mean the root. */
    public RawPath withinRoot(RawPath path) {
        return path.withoutLeadingSlashes();
    }

    /** Returns another descriptor for the root's directory; the caller closes it. */
    public int duplicate() {
        return Errno.require(Descriptor.duplicate(held.fd()), FailureKind.TARGET, "keep open", directory);
    }

    @Override
    public void close() {
        held.close();
    }
}
