package io.fdt.core.security;

import io.fdt.core.FailureKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Random bytes and keyed hashes. */
public final class Secrets {
    private static final SecureRandom RANDOM = new SecureRandom();

    private Secrets() {}

    /** Unpredictable bytes for session ids, session secrets and nonces. */
    public static byte[] random(int lengthBytes) {
        byte[] bytes = new byte[lengthBytes];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /**
     * HMAC-SHA256 over a label and parts, each preceded by its length, so that different lists of parts never produce
     * the same input.
     */
    static byte[] hmac(byte[] secret, String label, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret, "HmacSHA256"));
            update(mac, label.getBytes(StandardCharsets.UTF_8));
            for (byte[] part : parts) {
                update(mac, part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw FailureKind.INTERNAL.failure("this Java has no HmacSHA256", e);
        }
    }

    private static void update(Mac mac, byte[] part) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        mac.update(part);
    }
}
