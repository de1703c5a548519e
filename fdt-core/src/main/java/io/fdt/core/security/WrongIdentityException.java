package io.fdt.core.security;

import java.security.cert.CertificateException;

/** The server is not the one that the client expects. */
public final class WrongIdentityException extends CertificateException {
    private static final long serialVersionUID = 1L;

    private final transient Fingerprint actual;

    WrongIdentityException(Fingerprint expected, Fingerprint actual) {
        super("the server's identity is " + actual + ", expected " + expected);
        this.actual = actual;
    }

    /** The identity of the server that answered. */
    public Fingerprint actual() {
        return actual;
    }
}
