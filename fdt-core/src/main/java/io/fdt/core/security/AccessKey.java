package io.fdt.core.security;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a server keeps of a key that admits a client: how to check its secret, and what it permits. Nothing here admits
 * anybody. A verified token is one as well, so that everything that holds for keys holds for tokens.
 *
 * @param id public; the client sends it in its first message, 16 hex digits
 * @param name for display
 * @param verifier of the secret that the client holds
 * @param expires null for a key that does not expire
 * @param subject whom a token names; null for a key
 */
public record AccessKey(
        String id,
        String name,
        Fingerprint verifier,
        Permission permission,
        @Nullable Instant expires,
        @Nullable Subject subject) {

    /**
     * Somebody whom an issuer of tokens knows under this name.
     *
     * @param audiences of the token
     */
    public record Subject(String issuer, String name, List<String> audiences) {
        private boolean isSameAs(@Nullable Subject other) {
            return other != null && issuer.equals(other.issuer) && name.equals(other.name);
        }
    }

    /** A key with a secret. */
    public AccessKey(String id, String name, Fingerprint verifier, Permission permission, @Nullable Instant expires) {
        this(id, name, verifier, permission, expires, null);
    }

    /** Whether it is the same key; or another token of the same subject, which permits the same. */
    public boolean continues(AccessKey earlier) {
        return subject == null
                ? equals(earlier)
                : subject.isSameAs(earlier.subject) && permission.equals(earlier.permission);
    }

    public boolean isExpired(Instant now) {
        return expires != null && !now.isBefore(expires);
    }
}
