package io.fdt.core.security;

import java.util.List;

/**
 * What a key allows.
 *
 * @param writable false: nothing may be written, whatever the server exports
 * @param owners a server that runs as root may be asked to give files to others, and setuid with that
 * @param roots the directories that it is confined to, absolute; empty: every exported one
 * @param limits of what it may use
 */
public record Permission(boolean writable, boolean owners, List<String> roots, KeyLimits limits) {
    /** Everything that the server exports, as it exports it. */
    public static final Permission ALL = new Permission(true, true, List.of());

    public static final Permission READ_ONLY = new Permission(false, false, List.of());

    /** To write, as the server's own user. */
    public static final Permission READ_WRITE = new Permission(true, false, List.of());

    public Permission {
        roots = List.copyOf(roots);
    }

    /** Without limits of its own. */
    public Permission(boolean writable, boolean owners, List<String> roots) {
        this(writable, owners, roots, KeyLimits.NONE);
    }
}
