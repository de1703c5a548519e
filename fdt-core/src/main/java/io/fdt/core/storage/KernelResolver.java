package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;

/** Confinement by the kernel: {@code openat2}, Linux 5.6 or later. */
final class KernelResolver implements Resolver {
    /** The kernel returns EAGAIN if something was renamed while it resolved a {@code ..}. */
    private static final int ATTEMPTS_MAX = 256;

    private static final boolean SUPPORTED = probe();

    /** False on an old kernel, or if a container's seccomp filter forbids the call (EPERM). */
    static boolean isSupported() {
        return SUPPORTED;
    }

    static boolean probe() {
        int fd = Paths.openat2(
                Paths.AT_FDCWD,
                RawPath.HERE,
                Paths.O_PATH | Paths.O_DIRECTORY,
                0,
                Paths.RESOLVE_BENEATH | Paths.RESOLVE_NO_MAGICLINKS);
        Descriptor.closeFd(fd);
        // Only a kernel that knows the call looks for a free descriptor.
        return fd >= 0 || Errno.isHostLimit(-fd);
    }

    @Override
    public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
        return open(dirFd, path, flags, mode, Paths.RESOLVE_BENEATH | Paths.RESOLVE_NO_MAGICLINKS);
    }

    @Override
    public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
        return open(dirFd, path, flags, mode, Paths.RESOLVE_BENEATH | Paths.RESOLVE_NO_SYMLINKS);
    }

    @Override
    public boolean isKernels() {
        return true;
    }

    private static int open(int dirFd, RawPath path, int flags, int mode, long resolve) {
        RawPath known = path.isEmpty() ? RawPath.HERE : path;
        int fd = -Errno.EAGAIN;
        for (int attempt = 0; attempt < ATTEMPTS_MAX && fd == -Errno.EAGAIN; attempt++) {
            fd = Paths.openat2(dirFd, known, flags, mode, resolve);
        }
        return fd;
    }
}
