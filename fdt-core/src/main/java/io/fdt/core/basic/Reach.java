package io.fdt.core.basic;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a client may do what it requests.
 *
 * @param writes whether it may write anywhere
 * @param directories absolute paths on the host; empty for everything exported
 * @param scopes the parts of these directories, as clients write them; null for all of them
 */
public record Reach(
        boolean writes, List<String> directories, @Nullable List<Scope> scopes) {
    public Reach {
        directories = List.copyOf(directories);
        scopes = scopes == null ? null : List.copyOf(scopes);
    }
}
