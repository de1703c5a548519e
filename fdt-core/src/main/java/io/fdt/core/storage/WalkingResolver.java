package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Posix;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Confinement on kernels without {@code openat2}: a walk over held descriptors, one component at a time, each with
 * O_NOFOLLOW. A link is read and its components are walked in its place; {@code ..} goes back to the directory that the
 * walk came from, never to the current parent in the file system. Holds a descriptor for each level during the walk.
 */
public final class WalkingResolver implements Resolver {
    public static final RawPath HERE = RawPath.ofText(".");
    private static final RawPath UP = RawPath.ofText("..");
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
                ahead.add(RawPath.ofText("/"));
            } else {
                ahead.addAll(components(path));
            }
        }

        int open(int flags, int mode) {
            try {
                int outcome = 0;
                while (ahead.size() > 1 && outcome >= 0) {
                    outcome = enter(ahead.remove());
                }
                return outcome < 0 ? outcome : openLast(flags, mode);
            } finally {
                held.forEach(Posix::closeFd);
            }
        }

        private int current() {
            return held.isEmpty() ? baseFd : held.get(held.size() - 1);
        }

        /** Enters a directory by its name. Returns 0, or the negated errno. */
        private int enter(RawPath name) {
            if (name.equals(HERE)) {
                return 0;
            }
            if (name.equals(UP)) {
                return leave();
            }
            int fd = Posix.openat(current(), name, Posix.O_PATH | Posix.O_DIRECTORY | Posix.O_NOFOLLOW, 0);
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
            Posix.closeFd(held.remove(held.size() - 1));
            return 0;
        }

        /**
         * Replaces a link by its components, before those that remain; returns the earlier error if the name is not a
         * link.
         */
        private int follow(RawPath name, int error) {
            if (Posix.readlinkat(current(), name, linkTarget) < 0) {
                return error;
            }
            if (!followsLinks || ++linkCount > LINKS_MAX) {
                return -Errno.ELOOP;
            }
            if (linkTarget[0].isAbsolute()) {
                return -Errno.EXDEV;
            }
            List<RawPath> components = components(linkTarget[0]);
            for (int i = components.size() - 1; i >= 0; i--) {
                ahead.addFirst(components.get(i));
            }
            return 0;
        }

        private int openLast(int flags, int mode) {
            while (true) {
                RawPath name = ahead.remove();
                if (name.isAbsolute()) {
                    return -Errno.EXDEV;
                }
                if (name.equals(UP)) {
                    int left = leave();
                    return left < 0 ? left : Posix.openat(current(), HERE, flags, mode);
                }
                int fd = Posix.openat(current(), name, flags | Posix.O_NOFOLLOW, mode);
                boolean linkWanted = (flags & Posix.O_NOFOLLOW) != 0;
                boolean linkMet = !linkWanted && (isHeldLink(fd) || fd == -Errno.ELOOP || fd == -Errno.ENOTDIR);
                if (!linkMet) {
                    return fd;
                }
                Posix.closeFd(fd);
                int followed = follow(name, fd < 0 ? fd : -Errno.ELOOP);
                while (ahead.size() > 1 && followed >= 0) {
                    followed = enter(ahead.remove());
                }
                if (followed < 0) {
                    return followed;
                }
            }
        }

        /** O_PATH opens a link itself instead of failing. */
        private boolean isHeldLink(int fd) {
            return fd >= 0 && Posix.stat(fd, status) == 0 && status.isLink();
        }
    }

    /** Returns the components between slashes, at least one; a trailing slash counts as a final {@code .}. */
    public static List<RawPath> components(RawPath path) {
        List<RawPath> components = new ArrayList<>();
        byte[] bytes = path.toBytes();
        int start = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '/') {
                if (i > start) {
                    components.add(RawPath.ofBytes(java.util.Arrays.copyOfRange(bytes, start, i)));
                }
                start = i + 1;
            }
        }
        if (components.isEmpty() || path.endsWithSlash()) {
            components.add(HERE);
        }
        return components;
    }
}
