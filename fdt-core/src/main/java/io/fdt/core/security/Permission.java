package io.fdt.core.security;

import java.util.List;

/**
 * What the key of a session allows.
 *
 * @param writable false: nothing may be written, whatever the server exports
 * @param roots the directories that it is confined to, absolute; empty: every exported one
 */
public record Permission(boolean writable, List<String> roots) {
    /** Everything that the server exports, as it exports it. */
    public static final Permission ALL = new Permission(true, List.of());

    public Permission {
        roots = List.copyOf(roots);
    }
}
