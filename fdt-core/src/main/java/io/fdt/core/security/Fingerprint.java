package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The SHA-256 of a server's certificate, by which a client identifies the server, or of a key's secret, by which a
 * server checks that a client holds it. Not a secret.
 */
public final class Fingerprint {
    public static final int BYTES = 32;

    private final byte[] sha256;

    private Fingerprint(byte[] sha256) {
        this.sha256 = sha256;
    }

    /** The fingerprint of a certificate in DER. */
    static Fingerprint ofCertificate(byte[] encoded) {
        return new Fingerprint(sha256().digest(encoded));
    }

    public static Fingerprint ofBytes(byte[] sha256) {
        if (sha256.length != BYTES) {
            throw new IllegalArgumentException("a fingerprint has " + BYTES + " bytes, not " + sha256.length);
        }
        return new Fingerprint(sha256.clone());
    }

    public byte[] bytes() {
        return sha256.clone();
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException e) {
            throw Cause.INTERNAL.failure("this Java has no SHA-256", e);
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Fingerprint that && MessageDigest.isEqual(sha256, that.sha256);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sha256);
    }

    /** For display: {@code sha256:} and 64 hex digits. */
    @Override
    public String toString() {
        return "sha256:" + HexFormat.of().formatHex(sha256);
    }
}
