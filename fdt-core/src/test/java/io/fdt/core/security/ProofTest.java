package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** The text form of a key, and the proofs that are made with it. */
final class ProofTest {
    private static final Fingerprint SERVER = Identity.create().fingerprint();
    private static final IssuedKey ISSUED = IssuedKey.of("k", Permission.ALL, null);
    private static final AccessKey KEY = ISSUED.key();
    private static final ServerAccess ACCESS = ServerAccess.of(SERVER, ISSUED);

    @Test
    void keyLineIsParsedBack() {
        String line = ACCESS.toLine();
        assertThat(line).matches("fdt-key:[A-Za-z0-9_-]+");
        assertThat(ServerAccess.parse(line)).isEqualTo(ACCESS);
        assertThat(ServerAccess.parse("  " + line.substring(0, 40) + "\n  " + line.substring(40) + "\n"))
                .isEqualTo(ACCESS);
    }

    @Test
    void refusesDamagedKeyLineWithoutQuotingIt() {
        String line = ACCESS.toLine();
        for (int index = 0; index < line.length(); index++) {
            char other = line.charAt(index) == 'x' ? 'y' : 'x';
            assertMangled(line.substring(0, index) + other + line.substring(index + 1), line);
            assertMangled(line.substring(0, index), line);
        }
        // Some bits of the last character have no meaning.
        String before = line.substring(0, line.length() - 1);
        for (char other : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_".toCharArray()) {
            if (other != line.charAt(line.length() - 1)) {
                assertMangled(before + other, line);
            }
        }
        assertMangled(line + "A", line);
        assertMangled("fdt-key:", line);
        assertMangled("fdt-key:!!!!", line);
    }

    private static void assertMangled(String mangled, String line) {
        assertThatThrownBy(() -> ServerAccess.parse(mangled))
                .asInstanceOf(type(TransferException.class))
                .satisfies(e -> assertThat(e.kind()).isIn(FailureKind.USAGE, FailureKind.VERSION))
                .satisfies(e -> assertThat(e.getCause()).isNull())
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain(line.substring(20, 40)));
    }

    @Test
    void keyedHashIsThatOfJava() throws GeneralSecurityException {
        for (int keyBytes : new int[] {1, 20, 32, 64, 65, 200}) {
            byte[] key = Secrets.random(keyBytes);
            byte[] part = Secrets.random(3 * keyBytes);
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            mac.update(new byte[] {0, 0, 0, 1, 'x'});
            mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
            mac.update(part);
            assertThat(Secrets.hmac(key, "x", part)).isEqualTo(mac.doFinal());
        }
    }

    @Test
    void aClientsProofHoldsForItsKeyServerAndNonceAlone() {
        byte[] nonce = Secrets.random(SessionProof.NONCE_BYTES);
        byte[] proof = SessionProof.ofClient(ACCESS, nonce);
        assertThat(proof).hasSize(SessionProof.BYTES);
        assertThat(SessionProof.verifyClient(KEY, SERVER, nonce, proof)).isTrue();
        assertThat(SessionProof.verifyClient(KEY, SERVER, Secrets.random(32), proof))
                .isFalse();
        assertThat(SessionProof.verifyClient(KEY, Identity.create().fingerprint(), nonce, proof))
                .isFalse();
        assertThat(SessionProof.verifyClient(
                        new AccessKey(KEY.id(), "k", Secret.random().verifier(), Permission.ALL, null),
                        SERVER,
                        nonce,
                        proof))
                .isFalse();
        assertThat(SessionProof.verifyClient(
                        new AccessKey("fedcba9876543210", "k", KEY.verifier(), Permission.ALL, null),
                        SERVER,
                        nonce,
                        proof))
                .isFalse();
        proof[31] ^= 1;
        assertThat(SessionProof.verifyClient(KEY, SERVER, nonce, proof)).isFalse();
        assertThat(SessionProof.verifyClient(KEY, SERVER, nonce, new byte[0])).isFalse();
    }

    @Test
    void aLaneIsAdmittedOnceAnAttempt() {
        Secret secret = Secret.random();
        byte[] session = Secrets.random(16);
        LaneAdmission admission = new LaneAdmission(secret, session, 4);
        byte[] first = SessionProof.ofLane(secret, session, 3, 0);
        assertThat(admission.admit(2, 0, first)).as("another lane").isFalse();
        assertThat(admission.admit(3, 1, first)).as("another attempt").isFalse();
        assertThat(admission.admit(3, 0, first)).isTrue();
        assertThat(admission.admit(3, 0, first)).as("the same again").isFalse();
        assertThat(admission.admit(3, 2, SessionProof.ofLane(secret, session, 3, 2)))
                .isTrue();
        assertThat(admission.admit(3, 1, SessionProof.ofLane(secret, session, 3, 1)))
                .as("one that is late")
                .isFalse();
        assertThat(admission.admit(0, 0, SessionProof.ofLane(secret, session, 0, 0)))
                .isTrue();
        assertThat(admission.admit(4, 0, SessionProof.ofLane(secret, session, 4, 0)))
                .as("no such lane")
                .isFalse();
        assertThat(admission.admit(-1, 0, SessionProof.ofLane(secret, session, -1, 0)))
                .isFalse();
        assertThat(admission.admit(1, -1, SessionProof.ofLane(secret, session, 1, -1)))
                .isFalse();
        assertThat(admission.admit(1, 0, SessionProof.ofLane(secret, Secrets.random(16), 1, 0)))
                .as("another session")
                .isFalse();
        assertThat(admission.admit(1, 0, SessionProof.ofLane(Secret.random(), session, 1, 0)))
                .as("another secret")
                .isFalse();
    }
}
