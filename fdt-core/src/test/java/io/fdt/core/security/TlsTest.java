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
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Both ends of a connection in memory, with each implementation of TLS at either end. */
final class TlsTest {
    private static final Identity IDENTITY = Identity.create();
    private static final int ROUNDS = 20;

    private final ByteBuf toServer = Unpooled.directBuffer();
    private final ByteBuf toClient = Unpooled.directBuffer();
    private Tls client = tls(TlsContexts.client(IDENTITY.fingerprint(), TlsContexts.Provider.BORINGSSL));
    private Tls server = tls(TlsContexts.server(IDENTITY, TlsContexts.Provider.BORINGSSL));

    @AfterEach
    void release() {
        client.release();
        server.release();
        toServer.release();
        toClient.release();
    }

    static Stream<Arguments> pairs() {
        return Stream.of(TlsContexts.Provider.values())
                .flatMap(
                        client -> Stream.of(TlsContexts.Provider.values()).map(server -> Arguments.of(client, server)));
    }

    private static Tls tls(TlsContext context) {
        return context.newTls(UnpooledByteBufAllocator.DEFAULT);
    }

    private void use(TlsContexts.Provider clients, TlsContexts.Provider servers, Fingerprint expected) {
        client.release();
        server.release();
        client = tls(TlsContexts.client(expected, clients));
        server = tls(TlsContexts.server(IDENTITY, servers));
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

    @ParameterizedTest
    @MethodSource("pairs")
    void blocksArriveInBothDirections(TlsContexts.Provider clients, TlsContexts.Provider servers) throws SSLException {
        use(clients, servers, IDENTITY.fingerprint());
        handshake();
        // A server of the Java Runtime sends tickets, which are never used.
        decrypted(client, toClient.nioBuffer(), Integer.MAX_VALUE / 2);
        for (int length : new int[] {1, 4 << 10, 16 << 10, (16 << 10) + 1, 128 << 10}) {
            byte[] block = random(length);
            for (int piece : new int[] {1000, 17_000, 1 << 20}) {
                assertThat(decrypted(server, encrypted(client, block), piece)).isEqualTo(block);
                assertThat(decrypted(client, encrypted(server, block), piece)).isEqualTo(block);
            }
        }
        assertThat(client.description()).isEqualTo("TLSv1.3 TLS_AES_128_GCM_SHA256 (" + label(clients) + ")");
        assertThat(server.description()).isEqualTo("TLSv1.3 TLS_AES_128_GCM_SHA256 (" + label(servers) + ")");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void anEndIsToldFromACut(TlsContexts.Provider clients, TlsContexts.Provider servers) throws SSLException {
        use(clients, servers, IDENTITY.fingerprint());
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

    @ParameterizedTest
    @MethodSource("pairs")
    void aClientLeavesAServerThatItDoesNotExpectAndTellsIt(TlsContexts.Provider clients, TlsContexts.Provider servers)
            throws SSLException {
        use(clients, servers, Identity.create().fingerprint());
        assertThat(client.handshake(toClient, into(toServer))).isFalse();
        server.handshake(toServer, into(toClient));
        assertThatThrownBy(() -> client.handshake(toClient, into(toServer)))
                .isInstanceOf(SSLException.class)
                .hasRootCauseInstanceOf(WrongIdentityException.class);
        client.alert(into(toServer));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient))).isInstanceOf(SSLException.class);
    }

    @ParameterizedTest
    @EnumSource
    void changedBytesAreFound(TlsContexts.Provider provider) throws SSLException {
        for (int at : new int[] {5, 2000}) {
            use(provider, provider, IDENTITY.fingerprint());
            toClient.clear();
            handshake();
            ByteBuffer record = encrypted(client, random(4000));
            record.put(at, (byte) (record.get(at) ^ 1));
            ByteBuffer plain = ByteBuffer.allocateDirect(Tls.RECORD_ROOM);
            assertThatThrownBy(() -> server.decrypt(record, plain)).isInstanceOf(SSLException.class);
            assertThat(plain.position()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoeverDoesNotSpeakTlsIsToldApart(TlsContexts.Provider provider) {
        use(provider, provider, IDENTITY.fingerprint());
        toServer.writeBytes("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient)))
                .isInstanceOf(SSLException.class)
                .hasMessage("it does not speak TLS");
    }

    @ParameterizedTest
    @EnumSource
    void aHandshakeOfGarbageFails(TlsContexts.Provider provider) {
        use(provider, provider, IDENTITY.fingerprint());
        toServer.writeBytes(new byte[] {22, 3, 1, 0, 40}).writeBytes(random(40));
        assertThatThrownBy(() -> server.handshake(toServer, into(toClient))).isInstanceOf(SSLException.class);
    }

    @ParameterizedTest
    @EnumSource
    void aHandshakeMayComeByteByByte(TlsContexts.Provider provider) throws SSLException {
        use(provider, provider, IDENTITY.fingerprint());
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
        old.init(null, new TrustManager[] {new PinnedTrust(IDENTITY.fingerprint())}, null);
        SSLEngine engine = old.createSSLEngine();
        engine.setUseClientMode(true);
        engine.setEnabledProtocols(new String[] {"TLSv1.2"});
        ByteBuffer hello = ByteBuffer.allocate(Tls.RECORD_ROOM);
        engine.beginHandshake();
        engine.wrap(ByteBuffer.allocate(0), hello);
        for (TlsContexts.Provider provider : TlsContexts.Provider.values()) {
            use(provider, provider, IDENTITY.fingerprint());
            toServer.clear().writeBytes(hello.duplicate().flip());
            assertThatThrownBy(() -> server.handshake(toServer, into(toClient)))
                    .as(label(provider))
                    .isInstanceOf(SSLException.class);
        }
    }

    @Test
    void nothingIsDoneAfterTheEnd() {
        client.release();
        client.release();
        assertThatThrownBy(() -> encrypted(client, new byte[1])).isInstanceOf(SSLException.class);
        assertThatThrownBy(() -> client.handshake(toClient, into(toServer))).isInstanceOf(SSLException.class);
        assertThat(client.hasControl()).isFalse();
    }

    @Test
    void boringSslIsUsedWhereItLoads() {
        assertThat(TlsContexts.Provider.best()).isEqualTo(TlsContexts.Provider.BORINGSSL);
    }

    private static String label(TlsContexts.Provider provider) {
        return provider == TlsContexts.Provider.BORINGSSL ? "BoringSSL" : "JDK";
    }
}
