package io.fdt.core.security;

import java.util.List;

/**
 * Creates contexts for TLS 1.3 only, with AES-128-GCM preferred. Uses BoringSSL if it can be loaded, because it
 * encrypts several times as fast as Java 17, otherwise the JDK.
 */
public final class TlsContexts {
    static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");
    static final String PROTOCOL = "TLSv1.3";

    private TlsContexts() {}

    /** The implementation of TLS. */
    public enum Provider {
        BORINGSSL,
        JDK;

        /** The fastest implementation that works here. */
        public static Provider best() {
            return BoringContext.isAvailable() ? BORINGSSL : JDK;
        }
    }

    /** A context for a server with this identity. */
    public static TlsContext server(Identity identity, Provider provider) {
        return switch (provider) {
            case BORINGSSL -> BoringContext.server(identity);
            case JDK -> EngineContext.server(identity);
        };
    }

    /** A context for a client that accepts only the server with this fingerprint, whatever its names or authorities. */
    public static TlsContext client(Fingerprint server, Provider provider) {
        return switch (provider) {
            case BORINGSSL -> BoringContext.client(server);
            case JDK -> EngineContext.client(server);
        };
    }
}
