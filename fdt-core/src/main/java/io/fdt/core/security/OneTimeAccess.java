package io.fdt.core.security;

/** The identity and the only key of a server that serves one copy. No file has them, so nothing is left of them. */
public final class OneTimeAccess {
    private final Identity identity = Identity.create();
    private final IssuedKey key = KeyStore.unstored();

    public Identity identity() {
        return identity;
    }

    public KeyStore keys() {
        return KeyStore.of(key.key());
    }

    /** Returns the line with the key, see {@link ServerAccess}. It is a secret. */
    public String line() {
        return ServerAccess.of(identity, key).toLine();
    }
}
