package io.fdt.core.storage;

/**
 * What nothing gets that is created below a root, whatever its client sends.
 *
 * @param permissions as for umask
 * @param defaultAcls whether directories keep the default ACL that they have: one that a client chooses would give
 *     rights to what others create there later
 */
public record CreationMask(int permissions, boolean defaultAcls) {
    public static final CreationMask NONE = new CreationMask(0, false);
}
