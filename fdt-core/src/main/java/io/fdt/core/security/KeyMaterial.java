package io.fdt.core.security;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.internal.tcnative.SSL;
import java.lang.ref.Reference;
import java.nio.charset.StandardCharsets;

/** A chain of certificates and its private key, in BoringSSL's memory. Thread-safe. */
final class KeyMaterial {
    private final Memory memory;

    private KeyMaterial(Memory memory) {
        this.memory = memory;
        TlsContext.freed(this, memory);
    }

    /** Connections that use it hold it themselves. */
    private static final class Memory implements Runnable {
        long chain;
        long key;

        @Override
        public void run() {
            if (chain != 0) {
                SSL.freeX509Chain(chain);
            }
            if (key != 0) {
                SSL.freePrivateKey(key);
            }
        }
    }

    /** Fails if these are no chain and no key. */
    static KeyMaterial of(String chainPem, String keyPem) throws Exception {
        Memory memory = new Memory();
        try {
            memory.chain = fromPem(chainPem, SSL::parseX509Chain);
            memory.key = fromPem(keyPem, bio -> SSL.parsePrivateKey(bio, null));
        } catch (Exception e) {
            memory.run();
            throw e;
        }
        return new KeyMaterial(memory);
    }

    /** Has this connection's server show it. Fails if the key is not that of the first certificate. */
    void showTo(long ssl) throws Exception {
        try {
            SSL.setKeyMaterial(ssl, memory.chain, memory.key);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Like {@link #showTo}, with false for a failure. */
    boolean isShownTo(long ssl) {
        try {
            showTo(ssl);
            return true;
        } catch (Exception e) {
            return false;
        }
    }

    private interface Parser {
        long parse(long bio) throws Exception;
    }

    private static long fromPem(String pem, Parser parser) throws Exception {
        byte[] bytes = pem.getBytes(StandardCharsets.ISO_8859_1);
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
}
