package io.fdt.core.storage;

import io.fdt.core.plan.RawPath;

/**
 * Opens paths that may come from a peer, relative to a held directory. Nothing outside the held directory is ever
 * reached, whatever the path contains, and even if directories and links are moved meanwhile. Returns a descriptor or
 * the negated errno; EXDEV means that the path would lead out, by {@code ..}, by an absolute link or by a relative one.
 * Thread-safe.
 */
public interface Resolver {
    /** Follows links that stay beneath the directory, in the middle and (without O_NOFOLLOW) at the end of the path. */
    int openBeneath(int dirFd, RawPath path, int flags, int mode);

    /** Follows no links; returns ELOOP if the path contains one. */
    int openWithoutLinks(int dirFd, RawPath path, int flags, int mode);

    /** Whether the kernel resolves the whole path in one call. */
    default boolean isKernels() {
        return false;
    }

    /** Whether a name in the held directory may be looked at; for those who look without this resolver. */
    default boolean reaches(RawPath path) {
        return true;
    }

    /** Returns the kernel's resolver if it has one, otherwise the walking one. */
    static Resolver best() {
        return KernelResolver.isSupported() ? new KernelResolver() : new WalkingResolver();
    }
}
