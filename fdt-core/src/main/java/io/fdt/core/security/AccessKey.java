package io.fdt.core.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What admits a client to a server: a secret that both know, and what it is good for.
 *
 * @param id public; what the client names in its first message, 16 hex digits
 * @param name for people
 * @param secret 32 bytes
 * @param expires null: never
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
