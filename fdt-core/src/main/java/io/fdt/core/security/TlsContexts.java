package io.fdt.core.security;

import io.fdt.core.FailureKind;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * TLS 1.3 and nothing else, AES-128-GCM preferred. BoringSSL where it loads, which encrypts several times faster than
 * Java 17 does, else the JDK.
 */
public final class TlsContexts {
    private static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");
    private static final String PROTOCOL = "TLSv1.3";

    private TlsContexts() {}

    /** Who encrypts. */
    public enum Provider {
        BORINGSSL("BoringSSL"),
        JDK("JDK");

        private final String label;

        Provider(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }

        /** The faster one that works here. */
        public static Provider best() {
            return OpenSsl.isAvailable() && SslProvider.isTlsv13Supported(SslProvider.OPENSSL) ? BORINGSSL : JDK;
        }

        SslProvider sslProvider() {
            return this == BORINGSSL ? SslProvider.OPENSSL : SslProvider.JDK;
        }
    }

    /** For a server that proves itself with this identity. */
    public static SslContext server(Identity identity, Provider provider) {
        // Netty puts the key into a store in memory and takes it out again. The usual kind of store would encrypt and
        // decrypt it, which takes a tenth of a second.
        return build(
                SslContextBuilder.forServer(identity.privateKey(), identity.certificate())
                        .keyStoreType("JKS")
                        // No client has a certificate. Without this, those of all authorities would be read.
                        .trustManager(new PinnedTrust(identity.fingerprint())),
                provider);
    }

    /** For a client that accepts exactly the server with this fingerprint, whatever its names or authorities. */
    public static SslContext client(Fingerprint server, Provider provider) {
        return build(
                SslContextBuilder.forClient()
                        .trustManager(new PinnedTrust(server))
                        .endpointIdentificationAlgorithm(null),
                provider);
    }

    private static SslContext build(SslContextBuilder builder, Provider provider) {
        try {
            return builder.sslProvider(provider.sslProvider())
                    .protocols(PROTOCOL)
                    .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                    .build();
        } catch (SSLException e) {
            throw FailureKind.INTERNAL.failure(
                    "cannot set up TLS 1.3 with " + provider.label() + ": " + e.getMessage(), e);
        }
    }
}
