package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Failure;
import io.fdt.core.security.TlsContext;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a server answers first when many begin TLS at once. The rounds of its loop are those of the test. */
final class HandshakeFloodTest {
    private static final int FLOOD = 20;
    private static final byte[] MAGIC = {(byte) 0xfd, 'f', 'd', 't'};

    private final BlockingQueue<Runnable> rounds = new LinkedBlockingQueue<>();
    private final TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS);
    private final List<Socket> sockets = new ArrayList<>();
    private InetSocketAddress address = TcpEnds.loopback(0);

    private static final Transport.Acceptor NOBODY = new Transport.Acceptor() {
        @Override
        public void onLane(Lane lane) {
            lane.close();
        }

        @Override
        public void onLink(MessageLink link) {
            link.close();
        }

        @Override
        public void onGarbage(String peer, Failure why) {}
    };

    @BeforeEach
    void listen() {
        TcpListener listener = new TcpListener(
                ends.server, TlsContext.server(TcpEnds.IDENTITY, null), NOBODY, new HandshakeTurns(rounds::add));
        address = (InetSocketAddress) new ServerBootstrap()
                .group(ends.server.controlLoop())
                .channelFactory(ends.server.io()::newServerSocket)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(listener)
                .bind(TcpEnds.loopback(0))
                .syncUninterruptibly()
                .channel()
                .localAddress();
    }

    @AfterEach
    void close() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        ends.close();
    }

    private static byte[] clientHello() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, null, null);
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        byte[] bytes = new byte[hello.flip().remaining()];
        hello.get(bytes);
        return bytes;
    }

    /** Begins TLS, which the server has seen when this returns. */
    private Socket begin(int code, int lastNumberOfAddress) throws Exception {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setSoTimeout(Await.LIMIT_MS);
        socket.bind(
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) lastNumberOfAddress}), 0));
        socket.connect(address, Await.LIMIT_MS);
        socket.getOutputStream()
                .write(new byte[] {MAGIC[0], MAGIC[1], MAGIC[2], MAGIC[3], Preamble.VERSION, (byte) code, 0, 0});
        if (code == Preamble.LINK) {
            assertThat(socket.getInputStream().readNBytes(Preamble.BYTES)).hasSize(Preamble.BYTES);
        }
        // The loop accepts and reads the beginning, then looks at the connection for what follows.
        awaitRound();
        socket.getOutputStream().write(clientHello());
        awaitRound();
        return socket;
    }

    /** The loop fetches such a task only after it has looked at its connections. */
    private void awaitRound() throws Exception {
        for (int i = 0; i < 2; i++) {
            ends.server
                    .controlLoop()
                    .schedule(() -> {}, 0, TimeUnit.NANOSECONDS)
                    .sync();
        }
    }

    private void nextRound() throws Exception {
        assertThat(rounds).hasSize(1);
        ends.server.controlLoop().submit(rounds.remove()).sync();
    }

    private static boolean isAnswered(Socket socket) {
        try {
            return socket.getInputStream().available() > 0;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Preamble.LINK, Preamble.TLS_LANE})
    void aFloodOfOneAddressDelaysAnotherByOneStep(int code) throws Exception {
        List<Socket> flood = new ArrayList<>();
        for (int i = 0; i < FLOOD; i++) {
            flood.add(begin(code, 1));
        }
        Socket honest = begin(code, 2);
        assertThat(flood.stream().filter(HandshakeFloodTest::isAnswered)).containsExactly(flood.get(0));
        assertThat(isAnswered(honest)).isFalse();

        nextRound();
        nextRound();

        assertThat(isAnswered(honest)).isTrue();
        assertThat(flood.stream().filter(HandshakeFloodTest::isAnswered))
                .containsExactly(flood.get(0), flood.get(FLOOD - 1));
    }
}
