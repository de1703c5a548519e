package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Confinement on kernels without {@code openat2}: a walk over held descriptors, one component at a time, each with
 * O_NOFOLLOW. A link is read and its components are walked in its place; {@code ..} goes back to the directory that the
 * walk came from, never to the current parent in the file system. Holds a descriptor for each level during the walk.
 */
public final class WalkingResolver implements Resolver {
    /** The last component was a link, whose components come next. */
    private static final int LINK_AHEAD = Integer.MIN_VALUE;
    /** The limit of the kernel. */
    private static final int LINKS_MAX = 40;

    @Override
    public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
        return new Walk(dirFd, path, true).open(flags, mode);
    }

    @Override
    public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
        return new Walk(dirFd, path, false).open(flags, mode);
    }

    private static final class Walk {
        private final int baseFd;
        private final boolean followsLinks;
        private final ArrayDeque<RawPath> ahead = new ArrayDeque<>();
        /** The directories that the walk went through, without the base; owned. */
        private final ArrayList<Integer> held = new ArrayList<>();

        private final RawPath[] linkTarget = new RawPath[1];
        private final FileStatus status = new FileStatus();
        private int linkCount;

        Walk(int baseFd, RawPath path, boolean followsLinks) {
            this.baseFd = baseFd;
            this.followsLinks = followsLinks;
            if (path.isAbsolute()) {
                ahead.add(RawPath.ROOT);
            } else {
                ahead.addAll(path.components());
            }
        }

        int open(int flags, int mode) {
            try {
                int outcome;
                do {
                    outcome = enterAllButLast();
                    outcome = outcome < 0 ? outcome : openLast(ahead.remove(), flags, mode);
                } while (outcome == LINK_AHEAD);
                return outcome;
            } finally {
                held.forEach(Descriptor::closeFd);
            }
        }

        private int enterAllButLast() {
            int outcome = 0;
            while (ahead.size() > 1 && outcome >= 0) {
                outcome = enter(ahead.remove());
            }
            return outcome;
        }

        private int current() {
            return held.isEmpty() ? baseFd : held.get(held.size() - 1);
        }

        /** Enters a directory by its name. Returns 0, or the negated errno. */
        private int enter(RawPath name) {
            if (name.equals(RawPath.HERE)) {
                return 0;
            }
            if (name.equals(RawPath.UP)) {
                return leave();
            }
            int fd = Paths.openat(current(), name, Paths.O_PATH | Paths.O_DIRECTORY | Paths.O_NOFOLLOW, 0);
            if (fd >= 0) {
                held.add(fd);
                return 0;
            }
            return fd == -Errno.ENOTDIR || fd == -Errno.ELOOP ? follow(name, fd) : fd;
        }

        private int leave() {
            if (held.isEmpty()) {
                return -Errno.EXDEV;
            }
            Descriptor.closeFd(held.remove(held.size() - 1));
            return 0;
        }

        /**
         * Replaces a link by its components, before those that remain; returns the earlier error if the name is not a
         * link.
         */
        private int follow(RawPath name, int error) {
            if (Paths.readlinkat(current(), name, linkTarget) < 0) {
                return error;
            }
            if (!followsLinks || ++linkCount > LINKS_MAX) {
                return -Errno.ELOOP;
            }
            if (linkTarget[0].isAbsolute()) {
                return -Errno.EXDEV;
            }
            List<RawPath> components = linkTarget[0].components();
            for (int i = components.size() - 1; i >= 0; i--) {
                ahead.addFirst(components.get(i));
            }
            return 0;
        }

        /** Returns a descriptor, the negated errno, or {@link #LINK_AHEAD}. */
        private int openLast(RawPath name, int flags, int mode) {
            if (name.isAbsolute()) {
                return -Errno.EXDEV;
            }
            if (name.equals(RawPath.UP)) {
                int left = leave();
                return left < 0 ? left : Paths.openat(current(), RawPath.HERE, flags, mode);
            }
            int fd = Paths.openat(current(), name, flags | Paths.O_NOFOLLOW, mode);
            boolean linkWanted = (flags & Paths.O_NOFOLLOW) != 0;
            if (linkWanted || !(isHeldLink(fd) || fd == -Errno.ELOOP || fd == -Errno.ENOTDIR)) {
                return fd;
            }
            Descriptor.closeFd(fd);
            int followed = follow(name, fd < 0 ? fd : -Errno.ELOOP);
            return followed < 0 ? followed : LINK_AHEAD;
        }

        /** O_PATH opens a link itself instead of failing. */
        private boolean isHeldLink(int fd) {
            return fd >= 0 && FileMetadata.stat(fd, status) == 0 && status.isLink();
        }
    }
}
