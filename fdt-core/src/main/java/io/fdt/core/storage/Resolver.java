package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;

/**
 * Opens paths that may come from a peer, relative to a held directory. Whatever is in the way, and whoever moves
 * directories and links about meanwhile, nothing above the held directory is ever reached. Returns a descriptor or the
 * negated errno; EXDEV means that the path would lead out, by {@code ..}, by an absolute link or by a relative one.
 * Thread-safe.
 */
public interface Resolver {
    /** Follows links that stay beneath the directory, in the middle and (without O_NOFOLLOW) at the end of the path. */
    int openBeneath(int dirFd, RawPath path, int flags, int mode);

    /** Follows no link at all; ELOOP where one is met. */
    int openWithoutLinks(int dirFd, RawPath path, int flags, int mode);

    /** Whether the kernel does all of it in one call. */
    default boolean isKernels() {
        return false;
    }

    /** The kernel's way where it has one, else the walk. */
    static Resolver best() {
        return KernelResolver.isSupported() ? new KernelResolver() : new WalkingResolver();
    }
}
