package io.fdt.core.security;

import java.security.cert.CertificateException;
import java.util.Set;
import java.util.function.Consumer;

/** Trusts some certificates, by their fingerprints. */
final class PinnedServers extends ServerVerifier {
    private final Set<Fingerprint> expected;
    private final Consumer<Fingerprint> accepted;

    PinnedServers(Set<Fingerprint> expected, Consumer<Fingerprint> accepted) {
        this.expected = expected;
        this.accepted = accepted;
    }

    @Override
    void require(byte[][] chain) throws CertificateException {
        Fingerprint actual = Fingerprint.ofCertificate(chain[0]);
        if (!expected.contains(actual)) {
            throw new WrongIdentityException(expected, actual);
        }
        accepted.accept(actual);
    }
}
