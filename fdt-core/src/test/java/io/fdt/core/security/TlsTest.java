package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Both ends of a connection in memory. */
final class TlsTest {
    private static final Identity IDENTITY = Identity.create();
    private static final int ROUNDS = 20;

    private final ByteBuf toServer = Unpooled.directBuffer();
    private final ByteBuf toClient = Unpooled.directBuffer();
    private Tls client = tls(TlsContext.client(IDENTITY.fingerprint()));
    private Tls server = tls(TlsContext.server(IDENTITY, null));

    @AfterEach
    void release() {
        client.release();
        server.release();
        toServer.release();
        toClient.release();
    }

    private static Tls tls(TlsContext context) {
        return context.newTls(UnpooledByteBufAllocator.DEFAULT);
    }

    private void useClientOf(Fingerprint expected) {
        client.release();
        client = tls(TlsContext.client(expected));
    }

    private void restart() {
        client.release();
        server.release();
        client = tls(TlsContext.client(IDENTITY.fingerprint()));
        server = tls(TlsContext.server(IDENTITY, null));
        toClient.clear();
        toServer.clear();
    }

    private static Consumer<ByteBuf> into(ByteBuf queue) {
        return packet -> {
            queue.writeBytes(packet);
            packet.release();
        };
    }

    private void handshake() throws SSLException {
        boolean clientIsReady = false;
        boolean serverIsReady = false;
        for (int round = 0; round < ROUNDS && !(clientIsReady && serverIsReady); round++) {
            clientIsReady = clientIsReady || client.handshake(toClient, into(toServer));
            serverIsReady = serverIsReady || server.handshake(toServer, into(toClient));
        }
        assertThat(clientIsReady && serverIsReady).isTrue();
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer encrypted(Tls by, byte[] plain) throws SSLException {
        ByteBuffer target = ByteBuffer.allocateDirect(Tls.encryptedBytes(plain.length));
        by.encrypt(direct(plain), target);
        return target.flip();
    }

    /**
     * Feeds the bytes in pieces of this size, each after the remainder of the last, and returns all decrypted bytes.
     */
    private static byte[] decrypted(Tls by, ByteBuffer source, int pieceBytes) throws SSLException {
        ByteBuffer plain = ByteBuffer.allocateDirect(source.remaining() + Tls.RECORD_ROOM);
        int end = source.limit();
        int until = source.position();
        while (until < end) {
            until = Math.min(end, until + pieceBytes);
            source.limit(until);
            assertThat(by.decrypt(source, plain)).as("no goodbye").isTrue();
        }
        byte[] result = new byte[plain.flip().remaining()];
        plain.get(result);
        return result;
    }

    private static ByteBuffer goodbye(Tls by) throws SSLException {
        ByteBuffer target = ByteBuffer.allocateDirect(Tls.RECORD_ROOM);
        by.closeOutbound();
        by.control(target);
        return target.flip();
    }

    @Test
    void blocksArriveInBothDirections() throws SSLException {
        handshake();
        for (int length : new int[] {1, 4 << 10, 16 << 10, (16 << 10) + 1, 128 << 10}) {
            byte[] block = random(length);
            for (int piece : new int[] {1000, 17_000, 1 << 20}) {
                assertThat(decrypted(server, encrypted(client, block), piece)).isEqualTo(block);
                assertThat(decrypted(client, encrypted(server, block), piece)).isEqualTo(block);
            }
        }
        assertThat(client.description()).isEqualTo("TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)");
        assertThat(server.description()).isEqualTo("TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)");
    }

    @Test
    void distinguishesCloseFromLoss() throws SSLException {
        handshake();
        byte[] last = random(5000);
        ByteBuffer data = encrypted(client, last);
        ByteBuffer all = ByteBuffer.allocateDirect(data.remaining() + Tls.RECORD_ROOM)
                .put(data)
                .put(goodbye(client))
                .flip();
        ByteBuffer plain = ByteBuffer.allocateDirect(2 * Tls.RECORD_ROOM);
        assertThat(server.decrypt(all, plain)).as("more will come").isFalse();
        assertThat(plain.position()).isEqualTo(last.length);
    }

    @Test
    void clientRefusesServerWithAnotherIdentityByAlert() throws SSLException {
        useClientOf(Identity.create().fingerprint());
        assertThat(client.handshake(toClient, into(toServer))).isFalse();
        server.handshake(toServer, into(toClient));
        assertThatThrownBy(() -> client.handshake(toClient, into(toServer)))
                .isInstanceOf(SSLException.class)
                .hasRootCauseInstanceOf(WrongIdentityException.class);
        client.alert(into(toServer));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient))).isInstanceOf(SSLException.class);
    }

    @Test
    void changedBytesAreFound() throws SSLException {
        for (int at : new int[] {5, 2000}) {
            restart();
            handshake();
            ByteBuffer record = encrypted(client, random(4000));
            record.put(at, (byte) (record.get(at) ^ 1));
            ByteBuffer plain = ByteBuffer.allocateDirect(Tls.RECORD_ROOM);
            assertThatThrownBy(() -> server.decrypt(record, plain)).isInstanceOf(SSLException.class);
            assertThat(plain.position()).isZero();
        }
    }

    @Test
    void recognizesPeerWithoutTls() {
        toServer.writeBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient)))
                .isInstanceOf(SSLException.class)
                .hasMessage("it does not speak TLS");
    }

    @Test
    void aHandshakeOfGarbageFails() {
        toServer.writeBytes(new byte[] {22, 3, 1, 0, 40}).writeBytes(random(40));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient))).isInstanceOf(SSLException.class);
    }

    @Test
    void aHandshakeMayComeByteByByte() throws SSLException {
        ByteBuf slow = Unpooled.directBuffer();
        try {
            boolean clientIsReady = client.handshake(toClient, into(toServer));
            boolean serverIsReady = false;
            for (int round = 0; round < ROUNDS && !(clientIsReady && serverIsReady); round++) {
                while (toServer.isReadable()) {
                    slow.writeByte(toServer.readByte());
                    serverIsReady = server.handshake(slow, into(toClient));
                }
                clientIsReady = clientIsReady || client.handshake(toClient, into(toServer));
            }
            assertThat(clientIsReady && serverIsReady).isTrue();
        } finally {
            slow.release();
        }
    }

    @Test
    void olderVersionsAreRefused() throws Exception {
        SSLContext old = SSLContext.getInstance("TLSv1.2");
        old.init(null, null, null);
        SSLEngine engine = old.createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.2"});
        ByteBuffer hello = ByteBuffer.allocate(Tls.RECORD_ROOM);
        engine.beginHandshake();
        engine.wrap(ByteBuffer.allocate(0), hello);
        toServer.writeBytes(hello.flip());
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient))).isInstanceOf(SSLException.class);
    }

    @Test
    void doesNothingAfterEnd() {
        client.release();
        client.release();
        assertThatThrownBy(() -> encrypted(client, new byte[1])).isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> client.handshake(toClient, into(toServer))).isInstanceOf(SSLException.class);
        assertThat(client.hasControl()).isFalse();
    }
}
