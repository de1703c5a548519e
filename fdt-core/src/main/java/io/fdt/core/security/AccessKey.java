package io.fdt.core.security;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What admits a client to a server: a secret that both know, and what it is good for.
 *
 * @param id public; what the client names in its first message, 16 hex digits
 * @param name for people
 * @param secret 32 bytes
 * @param writable false: this key may read only, whatever the roots allow
 * @param roots the exported directories it may use; empty: all of them
 * @param expires null: never
 */
public record AccessKey(
        String id,
        String name,
        Secret secret,
        boolean writable,
        List<String> roots,
        @Nullable Instant expires) {

    public AccessKey {
        roots = List.copyOf(roots);
    }

    public Permission permission() {
        return new Permission(writable, roots);
    }

    public boolean isExpired(Instant now) {
        return expires != null && !now.isBefore(expires);
    }
}
