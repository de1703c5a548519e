package io.fdt.core.basic;

import java.util.Set;

/**
 * A path as clients write it, and what a client may do there and below.
 *
 * @param path absolute, normalized; {@code /} for everything
 */
public record Scope(String path, Set<Right> rights) {
    public Scope {
        rights = Set.copyOf(rights);
    }
}
