package io.fdt.core.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A key that admits a client to a server: a shared secret, and what it permits.
 *
 * @param id public; the client sends it in its first message, 16 hex digits
 * @param name for display
 * @param secret 32 bytes
 * @param expires null for a key that does not expire
 */
public record AccessKey(
        String id,
        String name,
        Secret secret,
        Permission permission,
        @Nullable Instant expires) {

    public boolean isExpired(Instant now) {
        return expires != null && !now.isBefore(expires);
    }
}
