package io.fdt.core.security;

import java.util.List;

/**
 * TLS 1.3 and nothing else, AES-128-GCM preferred. BoringSSL where it loads, which encrypts several times faster than
 * Java 17 does, else the JDK.
 */
public final class TlsContexts {
    static final List<String> CIPHERS =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");
    static final String PROTOCOL = "TLSv1.3";

    private TlsContexts() {}

    /** Who encrypts. */
    public enum Provider {
        BORINGSSL,
        JDK;

        /** The faster one that works here. */
        public static Provider best() {
            return BoringContext.isAvailable() ? BORINGSSL : JDK;
        }
    }

    /** For a server that proves itself with this identity. */
    public static TlsContext server(Identity identity, Provider provider) {
        return switch (provider) {
            case BORINGSSL -> BoringContext.server(identity);
            case JDK -> EngineContext.server(identity);
        };
    }

    /** For a client that accepts exactly the server with this fingerprint, whatever its names or authorities. */
    public static TlsContext client(Fingerprint server, Provider provider) {
        return switch (provider) {
            case BORINGSSL -> BoringContext.client(server);
            case JDK -> EngineContext.client(server);
        };
    }
}
