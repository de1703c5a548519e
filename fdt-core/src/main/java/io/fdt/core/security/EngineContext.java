package io.fdt.core.security;

import io.fdt.core.FailureKind;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.cert.Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;

/** TLS by the Java runtime. */
final class EngineContext implements TlsContext {
    private static final char[] NO_PASSWORD = {};

    private final SSLContext context;
    private final boolean client;

    private EngineContext(boolean client, KeyManager[] keys, TrustManager[] trust) throws GeneralSecurityException {
        this.client = client;
        this.context = SSLContext.getInstance(TlsContexts.PROTOCOL);
        context.init(keys, trust, null);
    }

    static TlsContext server(Identity identity) {
        try {
            java.security.KeyStore store = java.security.KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry("fdt", identity.privateKey(), NO_PASSWORD, new Certificate[] {identity.certificate()});
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, NO_PASSWORD);
            // Clients have no certificates.
            return new EngineContext(false, factory.getKeyManagers(), new TrustManager[0]);
        } catch (GeneralSecurityException | IOException e) {
            throw cannot(e);
        }
    }

    static TlsContext client(Fingerprint server) {
        try {
            return new EngineContext(true, new KeyManager[0], new TrustManager[] {new PinnedTrust(server)});
        } catch (GeneralSecurityException e) {
            throw cannot(e);
        }
    }

    private static RuntimeException cannot(Exception e) {
        return FailureKind.INTERNAL.failure("cannot set up TLS 1.3 with the JDK: " + e.getMessage(), e);
    }

    @Override
    public Tls newTls(ByteBufAllocator allocator) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(client);
        engine.setEnabledProtocols(new String[] {TlsContexts.PROTOCOL});
        engine.setEnabledCipherSuites(TlsContexts.CIPHERS.toArray(new String[0]));
        return new EngineTls(engine, allocator);
    }
}
