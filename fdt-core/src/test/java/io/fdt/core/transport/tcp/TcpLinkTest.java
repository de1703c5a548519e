package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.security.Identity;
import io.fdt.core.security.Tls;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.MessageLink;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a link guarantees, and the error that a client gets from the wrong server. */
final class TcpLinkTest {
    /** A handler that records the events of an end of a link. */
    static class Recorder implements MessageLink.Handler {
        final Queue<byte[]> messages = new ConcurrentLinkedQueue<>();
        final CountDownLatch closed = new CountDownLatch(1);
        final AtomicLong afterClosed = new AtomicLong();
        volatile @Nullable TransferException cause;

        @Override
        public void onMessage(byte[] message) {
            messages.add(message);
            if (closed.getCount() == 0) {
                afterClosed.incrementAndGet();
            }
        }

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            if (closed.getCount() == 0) {
                afterClosed.incrementAndGet();
            }
            closed.countDown();
        }
    }

    /** Has no memory for the first buffer of this size. */
    private static final class Once extends AbstractByteBufAllocator {
        private final int refusedBytes;
        private final AtomicBoolean refused = new AtomicBoolean();

        Once(int refusedBytes) {
            super(true);
            this.refusedBytes = refusedBytes;
        }

        @Override
        protected ByteBuf newHeapBuffer(int bytes, int maxBytes) {
            return UnpooledByteBufAllocator.DEFAULT.heapBuffer(bytes, maxBytes);
        }

        @Override
        protected ByteBuf newDirectBuffer(int bytes, int maxBytes) {
            if (bytes == refusedBytes && refused.compareAndSet(false, true)) {
                throw new OutOfMemoryError("made up");
            }
            return UnpooledByteBufAllocator.DEFAULT.directBuffer(bytes, maxBytes);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** Starts a link that accepts all messages, as from an authenticated peer. */
    static Recorder start(MessageLink link) {
        Recorder recorder = new Recorder();
        link.admitted();
        link.start(recorder);
        return recorder;
    }

    @Test
    void carriesMessagesWholeAndInOrderBothWays() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            MessageLink server = TcpEnds.next(ends.links);
            Recorder atClient = start(client);
            Recorder atServer = start(server);
            SplittableRandom random = new SplittableRandom(1);
            int count = 500;
            for (int index = 0; index < count; index++) {
                byte[] message = ByteBuffer.allocate(4 + random.nextInt(20_000))
                        .putInt(index)
                        .array();
                client.send(message);
                server.send(message);
            }
            for (Recorder recorder : List.of(atClient, atServer)) {
                Await.until("all messages", () -> recorder.messages.size() == count);
                int expected = 0;
                for (byte[] message : recorder.messages) {
                    assertThat(ByteBuffer.wrap(message).getInt()).isEqualTo(expected++);
                }
            }
            Await.until("nothing queued", () -> client.queuedBytes() == 0 && server.queuedBytes() == 0);
            assertThat(client.description()).contains(ends.client.name()).contains("TLSv1.3 TLS_AES_128_GCM_SHA256");
            assertThat(server.peer()).startsWith("127.0.0.1:");
        }
    }

    /**
     * A message that the link's own thread sends in reply does not overtake messages that another thread sent before.
     */
    @Test
    void messagesFromTheLinksThreadKeepTheirOrder() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            MessageLink server = TcpEnds.next(ends.links);
            Recorder atClient = start(client);
            server.admitted();
            server.start(new Recorder() {
                @Override
                public void onMessage(byte[] message) {
                    InBackground.run(() -> server.send(new byte[] {1})).result();
                    server.send(new byte[] {2});
                }
            });
            client.send(new byte[] {0});
            Await.until("both answers", () -> atClient.messages.size() == 2);
            assertThat(atClient.messages).containsExactly(new byte[] {1}, new byte[] {2});
        }
    }

    @Test
    void carriesEmptyMessagesAndTheLongestButNoLonger() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            Recorder atServer = start(TcpEnds.next(ends.links));
            client.send(new byte[0]);
            client.send(new byte[1 << 20]);
            Await.until("both", () -> atServer.messages.size() == 2);
            assertThat(atServer.messages.stream().map(message -> message.length))
                    .containsExactly(0, 1 << 20);
            assertThatThrownBy(() -> client.send(new byte[(1 << 20) + 1])).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void closeDeliversEarlierMessagesToALateHandler() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            Recorder atClient = start(client);
            for (int index = 0; index < 300; index++) {
                client.send(new byte[10_000]);
            }
            client.close();
            client.close();
            Recorder atServer = start(TcpEnds.next(ends.links));
            Await.until("server closed", atServer.closed);
            Await.until("client closed", atClient.closed);
            assertThat(atServer.messages).hasSize(300);
            assertThat(atServer.cause).isNull();
            assertThat(atClient.cause).isNull();
            client.send(new byte[10]);
            Await.until("nothing queued", () -> client.queuedBytes() == 0);
        }
    }

    /** Its connection and what is queued on it are held no longer, though nobody watches a link that is closing. */
    @Test
    void closeEndsThoughThePeerReadsNothing() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            TcpLink server = (TcpLink) TcpEnds.next(ends.links);
            Recorder atServer = start(server);
            for (int index = 0; index < 40; index++) {
                server.send(new byte[1 << 20]);
            }
            server.close(300);
            Await.until("server closed", atServer.closed);
            assertThat(atServer.cause).isNotNull().hasMessageContaining("does not read");
            Await.until("nothing queued", () -> server.queuedBytes() == 0);
            Recorder atClient = start(client);
            Await.until("client closed", atClient.closed);
            assertThat(atClient.cause).isNotNull();
        }
    }

    @Test
    void sendingWhileThePeerClosesLosesNoReceivedMessages() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            MessageLink server = TcpEnds.next(ends.links);
            Recorder atClient = start(client);
            start(server);
            for (int index = 0; index < 100; index++) {
                client.send(new byte[50_000]);
                server.send(new byte[50_000]);
            }
            server.close();
            Await.until("client closed", atClient.closed);
            assertThat(atClient.messages).hasSize(100);
            assertThat(atClient.cause).isNull();
        }
    }

    /** A process that ends does not wait for what is still sent to it: the first that the server notices is that. */
    @Test
    void deliversLastMessageOfThePeerDespiteAFailedSend() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            MessageLink server = TcpEnds.next(ends.links);
            Recorder atServer = start(server);
            CountDownLatch held = new CountDownLatch(1);
            CountDownLatch gone = new CountDownLatch(1);
            ends.server.controlLoop().execute(() -> {
                held.countDown();
                Await.until("the client has gone", gone);
            });
            Await.until("the server reads nothing", held);
            client.send(new byte[] {1});
            client.close();
            ends.client.close();
            // The first of them is answered by a reset, so that the next ones fail.
            for (int index = 0; index < 3; index++) {
                server.send(new byte[10]);
            }
            gone.countDown();
            Await.until("server closed", atServer.closed);
            assertThat(atServer.messages).containsExactly(new byte[] {1});
            assertThat(atServer.cause).isNull();
        }
    }

    /** Later messages must not arrive without it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void endsWhenThereIsNoMemoryForAMessage(boolean encrypted) {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            Recorder atClient = start(client);
            Recorder atServer = start(TcpEnds.next(ends.links));
            int frameBytes = Integer.BYTES + 1;
            ((TcpLink) client)
                    .channel
                    .config()
                    .setAllocator(new Once(encrypted ? Tls.encryptedBytes(frameBytes) : frameBytes));
            client.send(new byte[] {1});
            client.send(new byte[] {2});
            Await.until("client closed", atClient.closed);
            assertThat(atClient.cause).isNotNull().hasMessageContaining("out of memory");
            Await.until("server closed", atServer.closed);
            assertThat(atServer.messages).isEmpty();
            Await.until("nothing queued", () -> client.queuedBytes() == 0);
        }
    }

    @Test
    void abortReportsItsCauseHereAndALossAtThePeer() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink client = ends.connectLink();
            Recorder atClient = start(client);
            Recorder atServer = start(TcpEnds.next(ends.links));
            TransferException cause = Cause.LIMIT.failure("made up");
            client.abort(cause);
            Await.until("client closed", atClient.closed);
            assertThat(atClient.cause).isSameAs(cause);
            Await.until("server closed", atServer.closed);
            assertThat(atServer.cause).isNotNull();
            assertThat(atServer.cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
            assertThat(atClient.afterClosed).hasValue(0);
        }
    }

    @Test
    void aHandlerThatThrowsEndsItsLinkAlone() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            MessageLink first = ends.connectLink();
            MessageLink atServer = TcpEnds.next(ends.links);
            CountDownLatch closed = new CountDownLatch(1);
            atServer.start(new MessageLink.Handler() {
                @Override
                public void onMessage(byte[] message) {
                    throw new IllegalStateException("made up");
                }

                @Override
                public void onClosed(@Nullable TransferException cause) {
                    closed.countDown();
                }
            });
            first.send(new byte[1]);
            Await.until("closed", closed);
            MessageLink second = ends.connectLink();
            Recorder recorder = start(TcpEnds.next(ends.links));
            second.send(new byte[1]);
            Await.until("the other link works", () -> recorder.messages.size() == 1);
        }
    }

    @Test
    void refusesAServerWithAnotherIdentity() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            try (TcpTransport stranger = TcpTransport.forClient(
                    TcpEnds.SETTINGS, Set.of(Identity.create().fingerprint()), accepted -> {})) {
                for (Runnable attempt : List.<Runnable>of(
                        () -> stranger.connectLink(ends.listener.address(), null, TcpEnds.TIMEOUT_MS),
                        () -> stranger.connect(ends.listener.address(), null, false, TcpEnds.TIMEOUT_MS))) {
                    TransferException failure = TcpEnds.failureOf(attempt);
                    assertThat(failure).isNotNull();
                    assertThat(failure.kind()).as("%s", failure).isEqualTo(FailureKind.REFUSED);
                    assertThat(failure)
                            .hasMessageContaining("not the server that the key was made for")
                            .hasMessageContaining(TcpEnds.IDENTITY.fingerprint().toString());
                }
            }
        }
    }

    @Test
    void namesAnUnknownHost() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            InetSocketAddress address = InetSocketAddress.createUnresolved("no-such-host.invalid", 1234);
            TransferException failure =
                    TcpEnds.failureOf(() -> ends.client.connectLink(address, null, TcpEnds.TIMEOUT_MS));
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isEqualTo(FailureKind.CANNOT_CONNECT);
            assertThat(failure)
                    .hasMessageContaining("no-such-host.invalid:1234")
                    .hasMessageContaining("unknown");
        }
    }

    @Test
    void connectsToAddressesOfTheWantedFamilyOnly() {
        TcpSettings six = TcpEnds.SETTINGS.withFamily(StandardProtocolFamily.INET6);
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS);
                TcpTransport other =
                        TcpTransport.forClient(six, Set.of(TcpEnds.IDENTITY.fingerprint()), accepted -> {})) {
            // The server listens on 127.0.0.1.
            InetSocketAddress address = ends.listener.address();
            assertThat(TcpEnds.failureOf(() -> other.connectLink(address, null, TcpEnds.TIMEOUT_MS)))
                    .hasMessageContaining("the host has no IPv6 address");
            TcpSettings four = TcpEnds.SETTINGS.withFamily(StandardProtocolFamily.INET);
            try (TcpTransport same =
                    TcpTransport.forClient(four, Set.of(TcpEnds.IDENTITY.fingerprint()), accepted -> {})) {
                assertThat(same.connectLink(address, null, TcpEnds.TIMEOUT_MS).peer())
                        .endsWith(":" + address.getPort());
            }
        }
    }

    @Test
    void triesEveryAddressOfAName() {
        // On most machines localhost is ::1 and 127.0.0.1, and the server listens on the latter only.
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            InetSocketAddress address = InetSocketAddress.createUnresolved(
                    "localhost", ends.listener.address().getPort());
            MessageLink link = ends.client.connectLink(address, null, TcpEnds.TIMEOUT_MS);
            assertThat(link.peer()).isEqualTo("localhost:" + address.getPort());
        }
    }
}
