package io.fdt.core.security;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a server keeps of a key that admits a client: how to check its secret, and what it permits. Nothing here admits
 * anybody.
 *
 * @param id public; the client sends it in its first message, 16 hex digits
 * @param name for display
 * @param verifier of the secret that the client holds
 * @param expires null for a key that does not expire
 */
public record AccessKey(
        String id,
        String name,
        Fingerprint verifier,
        Permission permission,
        @Nullable Instant expires) {

    public boolean isExpired(Instant now) {
        return expires != null && !now.isBefore(expires);
    }
}
