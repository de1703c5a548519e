package io.fdt.core.security;

import java.security.cert.CertificateException;
import org.jspecify.annotations.Nullable;

/** The certificate of a server is not from a trusted authority, not for its name, or not valid now. */
public final class UntrustedCertificateException extends CertificateException {
    private static final long serialVersionUID = 1L;

    UntrustedCertificateException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
