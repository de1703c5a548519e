package io.fdt.core.security;

import java.security.cert.CertificateException;
import java.util.Set;
import java.util.stream.Collectors;

/** The server is not the one that the client expects. */
public final class WrongIdentityException extends CertificateException {
    private static final long serialVersionUID = 1L;

    WrongIdentityException(Set<Fingerprint> expected, Fingerprint actual) {
        super("the server's identity is " + actual + ", expected "
                + expected.stream().map(Fingerprint::toString).collect(Collectors.joining(" or ")));
    }
}
