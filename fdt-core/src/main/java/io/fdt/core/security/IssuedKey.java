package io.fdt.core.security;

import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** A key together with its secret, which only the key's holder keeps. */
public record IssuedKey(AccessKey key, Secret secret) {
    private static final int ID_BYTES = 8;

    /** Creates a key. */
    public static IssuedKey of(String name, Permission permission, @Nullable Instant expires) {
        return of(name, permission, expires, "");
    }

    /** Creates a key whose id begins with these hex digits. */
    public static IssuedKey of(String name, Permission permission, @Nullable Instant expires, String idPrefix) {
        String id =
                idPrefix + HexFormat.of().formatHex(Secrets.random(ID_BYTES)).substring(idPrefix.length());
        Secret secret = Secret.random();
        return new IssuedKey(new AccessKey(id, name, secret.verifier(), permission, expires), secret);
    }
}
