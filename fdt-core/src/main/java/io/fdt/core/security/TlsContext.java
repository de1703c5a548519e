package io.fdt.core.security;

import io.fdt.core.failure.Cause;
import io.fdt.core.nativecode.NativeLibrary;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.internal.tcnative.CertificateVerifier;
import io.netty.internal.tcnative.Library;
import io.netty.internal.tcnative.SSL;
import io.netty.internal.tcnative.SSLContext;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
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

    private static final int CHAIN_DEPTH = 1;

    private static final NativeLibrary LIBRARY = NativeLibrary.ofNetty("tcnative_linux");

    // Guarded by the class.
    private static boolean initialized;

    private final Memory memory;
    private final @Nullable Pinned pinned;

    private TlsContext(Memory memory, @Nullable Pinned pinned) {
        this.memory = memory;
        this.pinned = pinned;
        Freeing.CLEANER.register(this, memory);
    }

    /** Created on first use, because it has a thread. */
    private static final class Freeing {
        static final Cleaner CLEANER = Cleaner.create();
    }

    /** Loads BoringSSL, unless this has been done. USAGE if that is not possible on this host. */
    private static synchronized void load() {
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
        long chain;
        long key;

        Memory(int mode) throws Exception {
            context = SSLContext.make(SSL.SSL_PROTOCOL_TLSV1_3, mode);
        }

        @Override
        public void run() {
            SSLContext.free(context);
            if (chain != 0) {
                SSL.freeX509Chain(chain);
            }
            if (key != 0) {
                SSL.freePrivateKey(key);
            }
        }
    }

    /** Trusts some certificates, by their fingerprints, and remembers which other one it rejected. */
    private static final class Pinned extends CertificateVerifier {
        private final Set<Fingerprint> expected;
        private final Consumer<Fingerprint> accepted;
        private final Map<Long, Fingerprint> refused = new ConcurrentHashMap<>();

        Pinned(Set<Fingerprint> expected, Consumer<Fingerprint> accepted) {
            this.expected = expected;
            this.accepted = accepted;
        }

        @Override
        public int verify(long ssl, byte[][] chain, String authAlgorithm) {
            if (chain.length == 0) {
                return X509_V_ERR_UNSPECIFIED;
            }
            Fingerprint actual = Fingerprint.ofCertificate(chain[0]);
            if (expected.contains(actual)) {
                accepted.accept(actual);
                return X509_V_OK;
            }
            refused.put(ssl, actual);
            return X509_V_ERR_CERT_REJECTED;
        }

        @Nullable WrongIdentityException wrongIdentity(long ssl) {
            Fingerprint actual = refused.get(ssl);
            return actual == null ? null : new WrongIdentityException(expected, actual);
        }
    }

    public static TlsContext server(Identity identity) {
        return made(false, memory -> {
            memory.chain = fromPem(identity.certificatePem(), SSL::parseX509Chain);
            memory.key = fromPem(identity.keyPem(), bio -> SSL.parsePrivateKey(bio, null));
            return null;
        });
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
        return made(true, memory -> {
            Pinned pinned = new Pinned(servers, accepted);
            SSLContext.setVerify(memory.context, SSL.SSL_CVERIFY_REQUIRED, CHAIN_DEPTH);
            SSLContext.setCertVerifyCallback(memory.context, pinned);
            return pinned;
        });
    }

    private interface Setup {
        @Nullable Pinned of(Memory memory) throws Exception;
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

    private interface Parser {
        long parse(long bio) throws Exception;
    }

    private static long fromPem(String pem, Parser parser) throws Exception {
        byte[] bytes = pem.getBytes(StandardCharsets.US_ASCII);
        ByteBuf direct = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
        long bio = SSL.newMemBIO();
        try {
            int written = SSL.bioWrite(bio, direct.memoryAddress(), bytes.length);
            if (written != bytes.length) {
                throw new IllegalStateException("it took " + written + " of " + bytes.length + " bytes");
            }
            return parser.parse(bio);
        } finally {
            SSL.freeBIO(bio);
            direct.setZero(0, bytes.length);
            direct.release();
        }
    }

    public Tls newTls(ByteBufAllocator allocator) {
        long ssl = SSL.newSSL(memory.context, pinned == null);
        try {
            if (pinned == null) {
                SSL.setKeyMaterial(ssl, memory.chain, memory.key);
            }
            return new Tls(this, ssl, allocator);
        } catch (Exception e) {
            SSL.freeSSL(ssl);
            throw Cause.INTERNAL.failure("cannot begin TLS 1.3 with BoringSSL: " + e.getMessage(), e);
        }
    }

    /** The server that a client's connection found in place of the expected one. */
    @Nullable WrongIdentityException wrongIdentity(long ssl) {
        return pinned == null ? null : pinned.wrongIdentity(ssl);
    }

    void free(long ssl) {
        SSL.freeSSL(ssl);
        if (pinned != null) {
            pinned.refused.remove(ssl);
        }
    }
}
