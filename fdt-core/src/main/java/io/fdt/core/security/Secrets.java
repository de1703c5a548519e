package io.fdt.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;

/** Random bytes and keyed hashes. */
public final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();

    private static final int HASH_BLOCK_BYTES = 64;
    private static final int INNER = 0x36;
    private static final int OUTER = 0x5c;

    private Secrets() {}

    /** Unpredictable bytes for session ids, session secrets and nonces. */
    public static byte[] random(int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /**
     * HMAC-SHA256 over a label and parts, each preceded by its length, so that different lists of parts never produce
     * the same input. RFC 2104 in a few lines: Java's own is behind a framework that reads policies and loads every
     * security provider, which takes as long as the rest of a short copy's handshake.
     */
    static byte[] hmac(byte[] secret, String label, byte[]... parts) {
        MessageDigest hash = Fingerprint.sha256();
        byte[] key = Arrays.copyOf(secret.length > HASH_BLOCK_BYTES ? hash.digest(secret) : secret, HASH_BLOCK_BYTES);
        hash.update(masked(key, INNER));
        update(hash, label.getBytes(StandardCharsets.UTF_8));
        for (byte[] part : parts) {
            update(hash, part);
        }
        byte[] inner = hash.digest();
        hash.update(masked(key, OUTER));
        return hash.digest(inner);
    }

    private static byte[] masked(byte[] key, int mask) {
        byte[] masked = new byte[key.length];
        for (int index = 0; index < key.length; index++) {
            masked[index] = (byte) (key[index] ^ mask);
        }
        return masked;
    }

    private static void update(MessageDigest hash, byte[] part) {
        hash.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        hash.update(part);
    }
}
