package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.NativeLibrary;
import io.netty.buffer.ByteBufAllocator;
import io.netty.internal.tcnative.Library;
import io.netty.internal.tcnative.SSL;
import io.netty.internal.tcnative.SSLContext;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.security.cert.CertificateException;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all connections of a server, or of a client to one server, share: TLS 1.3 only, by BoringSSL, which prefers
 * AES-128-GCM. It is called through Netty's tcnative. Netty's own classes above that are not used: they query the
 * features of the Java runtime, which delays a start by a quarter of a second, and cost one call per record.
 * Thread-safe.
 */
public final class TlsContext {
    /** The first group is also secure against quantum computers. */
    private static final String[] GROUPS = {"X25519MLKEM768", "X25519", "P-256", "P-384"};

    /** More certificates of a server are ignored. */
    private static final int CHAIN_DEPTH = 10;

    private static final NativeLibrary LIBRARY = NativeLibrary.ofNetty("tcnative_linux");

    // Guarded by the class.
    private static boolean initialized;

    private final Memory memory;
    private final @Nullable ServerVerifier verifier;

    private TlsContext(Memory memory, @Nullable ServerVerifier verifier) {
        this.memory = memory;
        this.verifier = verifier;
        freed(this, memory);
    }

    /** Created on first use, because it has a thread. */
    private static final class Freeing {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /** Has the memory freed when the object is no longer in use. */
    static void freed(Object owner, Runnable memory) {
        Freeing.CLEANER.register(owner, memory);
    }

    /** Loads BoringSSL, unless this has been done. USAGE if that is not possible on this host. */
    static synchronized void load() {
        LIBRARY.load();
        if (!initialized) {
            try {
                Library.initialize("provided", null);
                initialized = true;
            } catch (Exception e) {
                throw Cause.INTERNAL.failure("cannot initialize BoringSSL: " + e.getMessage(), e);
            }
        }
    }

    /** The memory outside the heap. Freed when neither the context nor any of its connections is in use. */
    private static final class Memory implements Runnable {
        final long context;
        /** What a server shows to clients that have pinned it; null for a client. */
        @Nullable KeyMaterial own;

        Memory(int mode) throws Exception {
            context = SSLContext.make(SSL.SSL_PROTOCOL_TLSV1_3, mode);
        }

        @Override
        public void run() {
            SSLContext.free(context);
        }
    }

    /**
     * For a server with a certificate of an authority: clients that name the server trust the authority, and all others
     * have pinned the server's own identity.
     *
     * @param certificate what to show now, null for none; must not wait, and must not refer to the context; null if
     *     there is never any
     */
    public static TlsContext server(
            Identity identity, @Nullable Supplier<? extends @Nullable ServerCertificate> certificate) {
        return made(false, memory -> {
            memory.own = identity.material();
            if (certificate != null) {
                SSLContext.setSniHostnameMatcher(memory.context, (ssl, name) -> {
                    ServerCertificate shown = certificate.get();
                    return shown == null || shown.material().isShownTo(ssl);
                });
            }
            return null;
        });
    }

    /** For a client that knows the server by what it shows to it. */
    public static TlsContext client(Credential credential) {
        // Also what the verifiers extend needs the library.
        load();
        return credential instanceof ServerAccess key
                ? client(key.fingerprint())
                : CertifiedServer.context((TokenAccess) credential);
    }

    /** For a client that accepts only the server with this fingerprint, whatever its names or authorities. */
    public static TlsContext client(Fingerprint server) {
        return client(Set.of(server), accepted -> {});
    }

    /**
     * For a client that accepts the servers with these fingerprints.
     *
     * @param accepted receives which one a connection has found, on the connection's thread
     */
    public static TlsContext client(Set<Fingerprint> servers, Consumer<Fingerprint> accepted) {
        load();
        return client(new PinnedServers(servers, accepted));
    }

    static TlsContext client(ServerVerifier verifier) {
        return made(true, memory -> {
            SSLContext.setVerify(memory.context, SSL.SSL_CVERIFY_REQUIRED, CHAIN_DEPTH);
            SSLContext.setCertVerifyCallback(memory.context, verifier);
            return verifier;
        });
    }

    private interface Setup {
        @Nullable ServerVerifier of(Memory memory) throws Exception;
    }

    private static TlsContext made(boolean client, Setup setup) {
        load();
        // An error that an earlier call left on this thread would be reported as an error of this call.
        SSL.clearError();
        try {
            Memory memory = new Memory(client ? SSL.SSL_MODE_CLIENT : SSL.SSL_MODE_SERVER);
            try {
                SSLContext.setOptions(
                        memory.context,
                        SSL.SSL_OP_NO_SSLv2
                                | SSL.SSL_OP_NO_SSLv3
                                | SSL.SSL_OP_NO_TLSv1
                                | SSL.SSL_OP_NO_TLSv1_1
                                | SSL.SSL_OP_NO_TLSv1_2
                                | SSL.SSL_OP_NO_TICKET);
                SSLContext.setSessionCacheMode(memory.context, SSL.SSL_SESS_CACHE_OFF);
                if (!SSLContext.setCurvesList(memory.context, GROUPS)) {
                    throw new IllegalStateException("it does not know all of " + String.join(", ", GROUPS));
                }
                return new TlsContext(memory, setup.of(memory));
            } catch (Exception e) {
                memory.run();
                throw e;
            }
        } catch (Exception e) {
            throw Cause.INTERNAL.failure("cannot set up TLS 1.3 with BoringSSL: " + e.getMessage(), e);
        }
    }

    /** Fails if BoringSSL cannot use it: its key is another one's. */
    static void requireUsable(KeyMaterial material) throws Exception {
        TlsContext trial = made(false, memory -> null);
        long ssl = SSL.newSSL(trial.memory.context, true);
        try {
            material.showTo(ssl);
        } finally {
            SSL.freeSSL(ssl);
            Reference.reachabilityFence(trial);
        }
    }

    public Tls newTls(ByteBufAllocator allocator) {
        long ssl = SSL.newSSL(memory.context, verifier == null);
        try {
            KeyMaterial own = memory.own;
            if (own != null) {
                own.showTo(ssl);
            }
            String name = verifier == null ? null : verifier.indicated();
            if (name != null) {
                SSL.setTlsExtHostName(ssl, name);
            }
            return new Tls(this, ssl, allocator);
        } catch (Exception e) {
            SSL.freeSSL(ssl);
            throw Cause.INTERNAL.failure("cannot begin TLS 1.3 with BoringSSL: " + e.getMessage(), e);
        }
    }

    /** Why a client's connection does not trust the server; null if it does. */
    @Nullable CertificateException objection(long ssl) {
        return verifier == null ? null : verifier.objection(ssl);
    }

    void free(long ssl) {
        SSL.freeSSL(ssl);
        if (verifier != null) {
            verifier.forget(ssl);
        }
    }
}
