package io.fdt.core.security;

import java.util.List;

/**
 * What a key permits.
 *
 * @param writable if false, nothing may be written, whatever the server exports
 * @param owners a server that runs as root may set owners, and setuid and setgid, on request
 * @param roots the directories to which the key is limited, absolute; empty for all exported ones
 * @param limits on resources
 */
public record Permission(boolean writable, boolean owners, List<String> roots, KeyLimits limits) {
    /** Everything that the server exports, as it exports it. */
    public static final Permission ALL = new Permission(true, true, List.of());

    public static final Permission READ_ONLY = new Permission(false, false, List.of());

    /** Writing, as the server's own user. */
    public static final Permission READ_WRITE = new Permission(true, false, List.of());

    public Permission {
        roots = List.copyOf(roots);
    }

    /** A permission without limits on resources. */
    public Permission(boolean writable, boolean owners, List<String> roots) {
        this(writable, owners, roots, KeyLimits.NONE);
    }
}
