package io.fdt.core.security;

import io.fdt.core.basic.Reach;
import io.fdt.core.basic.Right;
import io.fdt.core.basic.Scope;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a key or a token permits.
 *
 * @param rights in the order of {@link Right}; without the one to append if it includes the one
 *     to write; a server that is read-only permits less
 * @param owners a server that runs as root may set owners, and setuid and setgid, on request
 * @param roots the directories to which the key is limited, absolute; empty for all exported ones
 * @param user the account of the host that reads and writes for the key; null for the server's own
 * @param scopes of a token: the paths below the roots where it permits some of the rights; null for a key, which
 *     permits all of them everywhere
 */
public record Permission(
        Set<Right> rights,
        boolean owners,
        List<String> roots,
        KeyLimits limits,
        @Nullable String user,
        @Nullable List<Scope> scopes) {
    /** Everything that the server exports, as it exports it. */
    public static final Permission ALL = new Permission(EnumSet.allOf(Right.class), true, List.of());

    public static final Permission READ_ONLY = new Permission(EnumSet.of(Right.LIST, Right.READ), false, List.of());

    /** Everything, as the server's own user. */
    public static final Permission READ_WRITE = new Permission(EnumSet.allOf(Right.class), false, List.of());

    public Permission {
        Set<Right> copy = EnumSet.noneOf(Right.class);
        copy.addAll(rights);
        if (copy.contains(Right.WRITE)) {
            copy.remove(Right.APPEND);
        }
        rights = Collections.unmodifiableSet(copy);
        roots = List.copyOf(roots);
        scopes = scopes == null ? null : List.copyOf(scopes);
    }

    /** The permission of a key. */
    public Permission(Set<Right> rights, boolean owners, List<String> roots, KeyLimits limits, @Nullable String user) {
        this(rights, owners, roots, limits, user, null);
    }

    /** A permission of the server's own account. */
    public Permission(Set<Right> rights, boolean owners, List<String> roots, KeyLimits limits) {
        this(rights, owners, roots, limits, null);
    }

    /** A permission without limits on resources. */
    public Permission(Set<Right> rights, boolean owners, List<String> roots) {
        this(rights, owners, roots, KeyLimits.NONE);
    }

    public boolean permits(Right right) {
        return rights.contains(right) || (right == Right.APPEND && rights.contains(Right.WRITE));
    }

    /** The same rights, limited to these directories. */
    public Permission within(List<String> directories) {
        return new Permission(rights, owners, directories, limits, user, scopes);
    }

    /** Where the client has all these rights. */
    public Reach reach(Collection<Right> needed) {
        List<Scope> sufficient = scopes == null
                ? null
                : scopes.stream()
                        .filter(scope -> scope.rights().containsAll(needed))
                        .toList();
        return new Reach(permits(Right.APPEND), roots, sufficient);
    }
}
