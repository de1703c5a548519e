package io.fdt.core.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** 32 secret bytes that are not printed by accident. */
public final class Secret {
    static final int BYTES = 32;

    private static final byte[] VERIFIER_LABEL = "fdt 1 key".getBytes(StandardCharsets.US_ASCII);

    private final byte[] bytes;

    private Secret(byte[] bytes) {
        this.bytes = bytes;
    }

    public static Secret random() {
        return new Secret(Secrets.random(BYTES));
    }

    public static Secret ofBytes(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a secret has " + BYTES + " bytes, not " + bytes.length);
        }
        return new Secret(bytes.clone());
    }

    /** What checks a proof made with this secret, and cannot make one. Nobody can guess 32 random bytes from it. */
    Fingerprint verifier() {
        MessageDigest sha256 = Fingerprint.sha256();
        sha256.update(VERIFIER_LABEL);
        return Fingerprint.ofBytes(sha256.digest(bytes));
    }

    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
