package io.fdt.core.security;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/**
 * Proofs that a client holds a key, and that a lane belongs to a session: keyed hashes over values that both sides
 * know, with a separate label for each use.
 *
 * <p>The client's proof covers a nonce that the server sent on this link and the server's fingerprint as seen by the
 * client: it can be neither replayed nor forwarded to another server. It is the secret, masked by a hash under the
 * secret's verifier, as in SCRAM (RFC 5802). The server has the verifier, so it can remove the mask and check the
 * secret, and forgets it then. Who has only the verifier has nothing to mask.
 */
public final class SessionProof {
    public static final int BYTES = 32;

    public static final int NONCE_BYTES = 32;

    private static final String CLIENT_LABEL = "fdt 1 client";
    private static final String LANE_LABEL = "fdt 1 lane";
    private static final String REATTACH_LABEL = "fdt 1 reattach";

    private SessionProof() {}

    /** The proof that a client sends on its link after it received the nonce. */
    public static byte[] ofClient(ServerAccess access, byte[] nonce) {
        Secret secret = access.secret();
        return masked(secret.bytes(), secret.verifier(), access.fingerprint(), access.keyId(), nonce);
    }

    /** Whether the client that named this key holds its secret. Takes the same time for every wrong proof. */
    public static boolean verifyClient(AccessKey key, Fingerprint server, byte[] nonce, byte[] proof) {
        return proof.length == BYTES
                && Secret.ofBytes(masked(proof, key.verifier(), server, key.id(), nonce))
                        .verifier()
                        .equals(key.verifier());
    }

    public static byte[] ofLane(Secret sessionSecret, byte[] sessionId, int laneIndex, int attempt) {
        byte[] numbers = ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(laneIndex)
                .putInt(attempt)
                .array();
        return Secrets.hmac(sessionSecret.bytes(), LANE_LABEL, sessionId, numbers);
    }

    /** The proof that a client sends on a new link to continue its session, over the nonce of this link. */
    public static byte[] ofReattachment(Secret sessionSecret, byte[] sessionId, byte[] nonce) {
        return Secrets.hmac(sessionSecret.bytes(), REATTACH_LABEL, sessionId, nonce);
    }

    /** Whether the client knows the session's secret. Takes the same time for every wrong proof. */
    public static boolean verifyReattachment(Secret sessionSecret, byte[] sessionId, byte[] nonce, byte[] proof) {
        return MessageDigest.isEqual(ofReattachment(sessionSecret, sessionId, nonce), proof);
    }

    /** Masks a secret, and unmasks a masked one. */
    private static byte[] masked(byte[] bytes, Fingerprint verifier, Fingerprint server, String keyId, byte[] nonce) {
        byte[] id = keyId.getBytes(StandardCharsets.UTF_8);
        byte[] masked = Secrets.hmac(verifier.bytes(), CLIENT_LABEL, server.bytes(), id, nonce);
        for (int index = 0; index < BYTES; index++) {
            masked[index] ^= bytes[index];
        }
        return masked;
    }
}
