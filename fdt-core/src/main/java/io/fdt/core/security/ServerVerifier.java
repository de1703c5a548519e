package io.fdt.core.security;

import io.netty.internal.tcnative.CertificateVerifier;
import java.security.cert.CertificateException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Decides whether a client trusts a server, and remembers why it did not. */
abstract class ServerVerifier extends CertificateVerifier {
    private final Map<Long, CertificateException> refused = new ConcurrentHashMap<>();

    /** Throws the reason why these certificates, of which the first is the server's, are not accepted. */
    abstract void require(byte[][] chain) throws CertificateException;

    @Override
    public final int verify(long ssl, byte[][] chain, String authAlgorithm) {
        if (chain.length == 0) {
            return X509_V_ERR_UNSPECIFIED;
        }
        try {
            require(chain);
            return X509_V_OK;
        } catch (CertificateException objection) {
            refused.put(ssl, objection);
        } catch (RuntimeException mistake) {
            refused.put(ssl, new UntrustedCertificateException("its certificate cannot be read", mistake));
        }
        return X509_V_ERR_CERT_REJECTED;
    }

    /** What a client sends as the server's name; null if it sends none. */
    @Nullable String indicated() {
        return null;
    }

    @Nullable CertificateException objection(long ssl) {
        return refused.get(ssl);
    }

    void forget(long ssl) {
        refused.remove(ssl);
    }
}
