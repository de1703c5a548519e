package io.fdt.core.storage.target;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.RememberedPaths;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Maps entries of a peer to paths below the target's directory, which is found once and held. Refuses paths that no
 * honest peer sends. Follows no link below the target: another user of this host, or the peer in an earlier copy, may
 * have made it to reach what is not theirs. On request, follows a link of root or of this user to a directory, and such
 * links above the target of a pair. Thread-safe.
 */
final class Placement implements AutoCloseable {
    private static final String OTHER_TARGET = "choose another target";

    private static final RawPath DEVICES = RawPath.ofText("/dev");

    private final Resolver resolver;
    private final Descriptor base;
    private final boolean made;
    /** The path of the target in a confined root; empty for an unconfined one. */
    private final RawPath pathInRoot;
    /** The target as the user wrote it, which precedes every path in a message. */
    private final RawPath shownTarget;
    /** The name that a single file gets; null if entries keep their names. */
    private final @Nullable RawPath singleName;

    private final Root root;
    private final boolean keepsLinks;
    /** The links above targets of pairs. Guarded by itself. */
    private final RememberedPaths followed;

    private Placement(
            Root root,
            int baseFd,
            boolean made,
            RawPath pathInRoot,
            RawPath shownTarget,
            @Nullable RawPath singleName,
            boolean keepsLinks) {
        this.base = new Descriptor(baseFd, root.budget());
        this.root = root;
        this.keepsLinks = keepsLinks;
        this.followed = new RememberedPaths("--pairs", "copy in parts", root.budget());
        this.resolver = root.resolver();
        this.made = made;
        this.pathInRoot = pathInRoot;
        this.shownTarget = shownTarget;
        this.singleName = singleName;
    }

    /**
     * Finds the target's directory.
     *
     * @param making creates it if it does not exist
     * @param keepsLinks whether links of root and of this user to directories below it are followed
     * @return null if it does not exist and is not to be created
     */
    static @Nullable Placement find(Root root, RawPath target, boolean single, boolean making, boolean keepsLinks) {
        boolean underItsName = single && !isDirectoryElseFile(root, target);
        RawPath directory = underItsName ? target.parent() : target;
        boolean[] made = new boolean[1];
        int fd = making
                ? root.openDirectoryMakingIt(directory, () -> made[0] = true)
                : root.open(directory, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT) {
            return null;
        }
        Errno.require(fd, FailureKind.TARGET, "open as a directory", directory);
        if (isOfDevices(fd)) {
            Descriptor.closeFd(fd);
            throw Cause.REFUSED
                    .at(directory.display())
                    .advise(OTHER_TARGET)
                    .failure("is in /dev, which has no place for files");
        }
        RawPath pathInRoot = root.isConfined() ? root.withinRoot(directory) : RawPath.EMPTY;
        RawPath singleName = underItsName ? target.name() : null;
        return new Placement(root, fd, made[0], pathInRoot, directory, singleName, keepsLinks);
    }

    /** Throws if the target leads to neither a directory nor a file: it would be replaced, perhaps for all programs. */
    private static boolean isDirectoryElseFile(Root root, RawPath target) {
        if (target.meansDirectory()) {
            return true;
        }
        FileStatus there = new FileStatus();
        int fd = root.open(target, Paths.O_PATH, 0);
        int known = FileMetadata.statAndClose(fd, there);
        if (fd == -Errno.EXDEV) {
            throw Errno.failure(FailureKind.TARGET, "open", target, -fd);
        }
        if (fd < 0) {
            return false;
        }
        Errno.require(known, FailureKind.TARGET, "look at", target);
        if (!there.isDirectory() && !there.isRegular()) {
            throw Cause.OTHER_KIND
                    .at(target.display())
                    .advise("move it away, or choose another target")
                    .failure("is, or leads to, a device, pipe or socket");
        }
        return there.isDirectory();
    }

    /** Whether a directory is of the file system of {@code /dev}; others are mounted below it, such as /dev/shm. */
    private static boolean isOfDevices(int fd) {
        FileStatus devices = new FileStatus();
        FileStatus there = new FileStatus();
        RawPath own = realPath(fd);
        return own != null
                && own.relativeTo(DEVICES) != null
                && FileMetadata.statat(Paths.AT_FDCWD, DEVICES, 0, devices) == 0
                && FileMetadata.stat(fd, there) == 0
                && there.device == devices.device;
    }

    /**
     * Whether an open directory is the exported root itself, whose mode, owner and ACL are the operator's: the target,
     * or what a link leads to.
     */
    boolean isExportedRoot(RawPath path, int fd) {
        FileStatus own = new FileStatus();
        FileStatus opened = new FileStatus();
        return root.isConfined()
                && (path.isEmpty() || keepsLinks)
                && FileMetadata.statAndClose(root.duplicate(), own) == 0
                && FileMetadata.stat(fd, opened) == 0
                && opened.isSameFile(own);
    }

    /** Whether this session has made the target's directory. */
    boolean madeItsDirectory() {
        return made;
    }

    boolean renamesSingle() {
        return singleName != null;
    }

    RawPath pathOf(FileEntry entry) {
        RawPath path = entry.path();
        boolean directory = entry.kind() == FileEntry.Kind.DIRECTORY;
        if (singleName != null && !directory) {
            path = singleName;
        }
        if (entry.sizeBytes() < FileEntry.UNKNOWN_SIZE) {
            throw Cause.REFUSED.at(entry.path().display()).failure("has an invalid size");
        }
        if (!path.isPlainRelative() || (path.isEmpty() && !directory)) {
            throw Cause.REFUSED.at(entry.path().display()).failure("is not a plain path below the target");
        }
        int length = pathInRoot.lengthBytes() + 1 + path.lengthBytes();
        if (length >= Paths.PATH_MAX || hasLongComponent(path)) {
            throw Errno.failure(FailureKind.TARGET, "make it", shown(path), Errno.ENAMETOOLONG);
        }
        if (PartialNames.isReserved(path.name())) {
            throw Cause.REFUSED.at(shown(path).display()).failure("such names are reserved for unfinished files");
        }
        return path;
    }

    /** Returns the path of an entry below the root, if the root is confined. */
    RawPath pathInRoot(FileEntry entry) {
        return pathInRoot.resolve(pathOf(entry));
    }

    private static boolean hasLongComponent(RawPath path) {
        int length = 0;
        for (int i = 0; i < path.lengthBytes(); i++) {
            length = path.byteAt(i) == '/' ? 0 : length + 1;
            if (length > Paths.NAME_MAX) {
                return true;
            }
        }
        return false;
    }

    RawPath shown(RawPath path) {
        return shownTarget.resolve(path);
    }

    /** Opens a directory below the target. Returns a descriptor, or the negated errno. */
    int openDirectory(RawPath path, int flags) {
        int fd = openBelow(base.fd(), path, flags);
        RawPath above = fd == -Errno.ELOOP ? lastFollowed(path) : RawPath.EMPTY;
        if (above.isEmpty()) {
            return fd;
        }
        int start = openThroughTrustedLinks(above);
        int found = -Errno.ELOOP;
        if (start >= 0 && isWhatWasFollowed(above, start)) {
            found = openBelow(start, Objects.requireNonNull(path.relativeTo(above)), flags);
        }
        Descriptor.closeFd(start);
        return found;
    }

    private int openThroughTrustedLinks(RawPath path) {
        RawPath real = realPath(base.fd());
        return real == null ? -Errno.ELOOP : root.openThroughTrustedLinks(real, path, Paths.O_PATH | Paths.O_DIRECTORY);
    }

    /** A link that leads elsewhere by now is not followed again. */
    private boolean isWhatWasFollowed(RawPath path, int fd) {
        FileStatus there = new FileStatus();
        if (FileMetadata.stat(fd, there) < 0) {
            return false;
        }
        synchronized (followed) {
            return followed.contains(identified(path, there));
        }
    }

    /** No path of an entry begins with a slash. */
    private static RawPath identified(RawPath path, FileStatus there) {
        return RawPath.ROOT
                .resolve(RawPath.ofText(there.device + "/" + there.inode))
                .resolve(path);
    }

    private int openBelow(int startFd, RawPath path, int flags) {
        int fd = resolver.openWithoutLinks(startFd, path, flags | Paths.O_DIRECTORY, 0);
        RawPath real = fd == -Errno.ELOOP && keepsLinks ? realPath(startFd) : null;
        return real == null ? fd : root.openThroughTrustedLinks(real, path, flags | Paths.O_DIRECTORY);
    }

    /** Returns the longest part of a path that ends in a link above the target of a pair; empty if there is none. */
    private RawPath lastFollowed(RawPath path) {
        RawPath above = path;
        synchronized (followed) {
            while (!above.isEmpty() && !followed.contains(above)) {
                above = above.parent();
            }
        }
        return above;
    }

    /**
     * Opens a directory above the target of a pair, and follows links of root and of this user on its way, from now on
     * and to this directory only. Returns a descriptor or the negated errno; ENOENT only if nothing is there.
     */
    int openAbove(RawPath path) {
        int fd = openDirectory(path, Paths.O_PATH);
        if (fd != -Errno.ELOOP) {
            return fd;
        }
        int linked = openThroughTrustedLinks(path);
        if (linked >= 0) {
            remember(path, linked);
        }
        return linked == -Errno.ENOENT ? -Errno.ELOOP : linked;
    }

    /** Closes the directory if it throws. */
    private void remember(RawPath path, int fd) {
        FileStatus there = new FileStatus();
        try {
            Errno.require(FileMetadata.stat(fd, there), FailureKind.TARGET, "look at", shown(path));
            synchronized (followed) {
                followed.add(identified(path, there));
                followed.add(path);
            }
        } catch (TransferException failure) {
            Descriptor.closeFd(fd);
            throw failure;
        }
    }

    /** See {@link io.fdt.core.storage.Target#hasAbove}. */
    boolean hasAbove(RawPath path, boolean ofPair) {
        int fd = ofPair ? openAbove(path) : openDirectory(path, Paths.O_PATH);
        boolean devices = ofPair && fd >= 0 && isOfDevices(fd);
        Descriptor.closeFd(fd);
        if (devices) {
            throw Cause.REFUSED
                    .at(shown(path).display())
                    .advise(OTHER_TARGET)
                    .failure("is in /dev, which has no place for files");
        }
        boolean replaceable = fd == -Errno.ENOTDIR || fd == -Errno.ELOOP;
        if (fd == -Errno.ELOOP && ofPair) {
            throw Cause.TARGET
                    .at(shown(path).display())
                    .advise("write the path without it")
                    .failure(
                            "is or leads through a symbolic link of another user, or to something that does not exist");
        }
        if (fd < 0 && fd != -Errno.ENOENT && (ofPair || !replaceable)) {
            throw Errno.failure(FailureKind.TARGET, "open directory", shown(path), -fd);
        }
        return fd >= 0;
    }

    /** Whether a directory is not put in the place of a link, because the link leads to one and is followed. */
    boolean keepsLinkAt(RawPath path, FileStatus there) {
        int fd = keepsLinks && there.isLink() ? openDirectory(path, Paths.O_PATH) : -Errno.ELOOP;
        Descriptor.closeFd(fd);
        return fd >= 0;
    }

    /** Returns the path of a directory below the target, without links; null if it is elsewhere. */
    @Nullable RawPath ownPath(int fd) {
        RawPath target = realPath(base.fd());
        RawPath own = realPath(fd);
        return target == null || own == null ? null : own.relativeTo(target);
    }

    private static @Nullable RawPath realPath(int fd) {
        @Nullable RawPath[] path = new RawPath[1];
        return Paths.readlinkat(Paths.AT_FDCWD, RawPath.ofText("/proc/self/fd/" + fd), path) < 0 ? null : path[0];
    }

    /** See {@link io.fdt.core.storage.Target#directoryAt}. */
    @Nullable Root directoryAt(RawPath path) {
        int fd = resolver.openWithoutLinks(base.fd(), path, Paths.O_PATH | Paths.O_DIRECTORY, 0);
        if (fd == -Errno.ENOENT || fd == -Errno.ENOTDIR || fd == -Errno.ELOOP) {
            return null;
        }
        Errno.require(fd, FailureKind.TARGET, "open directory", shown(path));
        return Root.confined(shown(path), resolver, fd, root.budget());
    }

    /** Returns the failure of {@link #openDirectory} for a writer. */
    TransferException cannotOpen(RawPath path, int errno) {
        if (errno == Errno.ELOOP) {
            return Cause.REFUSED
                    .at(shown(path).display())
                    .advise("replace the link with a directory")
                    .failure("is or leads through a symbolic link, which is not followed below the target");
        }
        return Errno.failure(FailureKind.TARGET, "open directory", shown(path), errno);
    }

    /** Of the session. */
    Budget budget() {
        return root.budget();
    }

    @Override
    public void close() {
        base.close();
        followed.close();
    }
}
