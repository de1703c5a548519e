package io.fdt.core.storage.posix;

import io.fdt.core.nativecode.Libc;
import io.fdt.core.plan.RawPath;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Stream;

/**
 * Opens a file that the user of this process named, such as a list of names or a log. Follows a link, at the end of the
 * path or on the way, only if root or this user made it: another user could lead root to any file by it. A directory
 * that is moved meanwhile changes nothing, because each component is opened relative to the one before it.
 */
public final class NamedFile {
    private static final int LINKS_MAX = 40;
    /** The kernel makes the links there, and some lead to what has no path. */
    private static final List<RawPath> KERNELS = Stream.of(
                    "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc")
            .map(RawPath::ofText)
            .toList();

    private NamedFile() {}

    public static Descriptor openToRead(Path file) throws IOException {
        return open(file, Paths.O_RDONLY, 0);
    }

    /** @param mode of a file that does not exist yet */
    public static Descriptor openToAppend(Path file, int mode) throws IOException {
        return open(file, Paths.O_WRONLY | Paths.O_CREAT, mode);
    }

    private static Descriptor open(Path file, int flags, int mode) throws IOException {
        int fd = open(RawPath.of(file), flags, mode);
        if (fd == -Errno.ELOOP) {
            throw new FileSystemException(
                    file.toString(),
                    null,
                    "leads through a symbolic link that another user made; name the file itself");
        }
        if (fd == -Errno.ENOENT) {
            throw new NoSuchFileException(file.toString());
        }
        if (fd == -Errno.EACCES) {
            throw new AccessDeniedException(file.toString());
        }
        if (fd < 0) {
            throw new FileSystemException(file.toString(), null, Libc.strerror(-fd));
        }
        return Descriptor.ofProcess(fd);
    }

    /** Returns a descriptor, or the negated errno; ELOOP for another user's link. */
    private static int open(RawPath path, int flags, int mode) {
        return isKernels(path) ? Paths.openat(Paths.AT_FDCWD, path, flags, mode) : walk(path, flags, mode);
    }

    private static boolean isKernels(RawPath path) {
        return KERNELS.stream().anyMatch(directory -> path.relativeTo(directory) != null);
    }

    /** Returns a path by which Java opens an open file again. */
    public static Path reopened(Descriptor file) {
        return Path.of("/proc/self/fd/" + file.fd());
    }

    private static int walk(RawPath path, int flags, int mode) {
        ArrayDeque<RawPath> rest = new ArrayDeque<>(path.components());
        int links = 0;
        int at = start(path);
        while (at >= 0) {
            RawPath name = rest.isEmpty() ? RawPath.HERE : rest.remove();
            int next = Paths.openat(at, name, Paths.O_PATH | Paths.O_NOFOLLOW, 0);
            FileStatus there = new FileStatus();
            int known = next < 0 ? next : FileMetadata.stat(next, there);
            boolean link = known == 0 && there.isLink();
            if (link && (++links > LINKS_MAX || (there.uid != 0 && there.uid != Libc.geteuid()))) {
                known = -Errno.ELOOP;
            }
            RawPath[] target = new RawPath[1];
            if (link && known == 0) {
                known = Paths.readlinkat(next, RawPath.EMPTY, target);
            }
            if (link && known == 0 && rest.isEmpty() && isKernels(target[0])) {
                Descriptor.closeFd(next);
                Descriptor.closeFd(at);
                return Paths.openat(Paths.AT_FDCWD, target[0], flags, mode);
            }
            if (!link && rest.isEmpty()) {
                // A name that does not exist yet, or the file itself: it may have been replaced by a link since.
                Descriptor.closeFd(next);
                int opened = Paths.openat(at, name, flags | Paths.O_NOFOLLOW, mode);
                Descriptor.closeFd(at);
                return opened;
            }
            if (known < 0) {
                Descriptor.closeFd(next);
                Descriptor.closeFd(at);
                return known;
            }
            if (link) {
                Descriptor.closeFd(next);
                ArrayDeque<RawPath> further = new ArrayDeque<>(target[0].components());
                further.addAll(rest);
                rest = further;
                next = target[0].isAbsolute() ? start(target[0]) : at;
            }
            if (next != at) {
                Descriptor.closeFd(at);
            }
            at = next;
        }
        return at;
    }

    private static int start(RawPath path) {
        RawPath from = path.isAbsolute() ? RawPath.ROOT : RawPath.HERE;
        return Paths.openat(Paths.AT_FDCWD, from, Paths.O_PATH | Paths.O_DIRECTORY, 0);
    }
}
