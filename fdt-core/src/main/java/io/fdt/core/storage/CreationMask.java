package io.fdt.core.storage;

/**
 * What a client cannot do below a root, whatever it sends.
 *
 * @param permissions that nothing gets which is created there, as for umask
 * @param defaultAcls whether directories keep the default ACL that they have: one that a client chooses would give
 *     rights to what others create there later
 * @param onlyNewNames whether existing files, links and directories stay as they are, with their metadata
 */
public record CreationMask(int permissions, boolean defaultAcls, boolean onlyNewNames) {
    public static final CreationMask NONE = ofPermissions(0);

    public static CreationMask ofPermissions(int permissions) {
        return new CreationMask(permissions, false, false);
    }
}
