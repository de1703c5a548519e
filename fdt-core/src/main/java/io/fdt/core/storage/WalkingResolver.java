package io.fdt.core.storage;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
        return new Walk(dirFd, path, Links.ALL, null).open(flags, mode);
    }

    @Override
    public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
        return new Walk(dirFd, path, Links.NONE, null).open(flags, mode);
    }

    /**
     * Like {@link #openBeneath}, but follows a link only if root or this user made it: another user could lead the walk
     * anywhere by it.
     *
     * @param real the path of the directory without links, so that an absolute link can lead to something beneath it
     */
    static int openThroughTrustedLinks(int dirFd, RawPath real, RawPath path, int flags) {
        return new Walk(dirFd, path, Links.TRUSTED, real).open(flags, 0);
    }

    private enum Links {
        NONE,
        TRUSTED,
        ALL
    }

    private static final class Walk {
        private final int baseFd;
        private final Links followed;
        /** The path of the base without links; null if an absolute link always leads out. */
        private final @Nullable RawPath real;

        private final ArrayDeque<RawPath> ahead = new ArrayDeque<>();
        /** The directories that the walk went through, without the base; owned. */
        private final ArrayList<Integer> held = new ArrayList<>();

        private final RawPath[] linkTarget = new RawPath[1];
        private final FileStatus status = new FileStatus();
        private int linkCount;

        Walk(int baseFd, RawPath path, Links followed, @Nullable RawPath real) {
            this.baseFd = baseFd;
            this.followed = followed;
            this.real = real;
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
                leaveAll();
            }
        }

        private void leaveAll() {
            held.forEach(Descriptor::closeFd);
            held.clear();
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
                return real != null && real.equals(RawPath.ROOT) ? 0 : -Errno.EXDEV;
            }
            Descriptor.closeFd(held.remove(held.size() - 1));
            return 0;
        }

        /**
         * Replaces a link by its components, before those that remain; returns the earlier error if the name is not a
         * link.
         */
        private int follow(RawPath name, int error) {
            int link = Paths.openat(current(), name, Paths.O_PATH | Paths.O_NOFOLLOW, 0);
            int read = link < 0 ? link : Paths.readlinkat(link, RawPath.EMPTY, linkTarget);
            boolean follows = read >= 0 && follows(link);
            Descriptor.closeFd(link);
            if (read < 0) {
                return error;
            }
            if (!follows || ++linkCount > LINKS_MAX) {
                return -Errno.ELOOP;
            }
            RawPath next = linkTarget[0];
            if (next.isAbsolute()) {
                next = real == null ? null : next.relativeTo(real);
                if (next == null) {
                    return -Errno.EXDEV;
                }
                leaveAll();
            }
            List<RawPath> components = (next.isEmpty() ? RawPath.HERE : next).components();
            for (int i = components.size() - 1; i >= 0; i--) {
                ahead.addFirst(components.get(i));
            }
            return 0;
        }

        private boolean follows(int link) {
            return switch (followed) {
                case NONE -> false;
                case ALL -> true;
                case TRUSTED ->
                    FileMetadata.stat(link, status) == 0 && (status.uid == 0 || status.uid == Libc.geteuid());
            };
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
