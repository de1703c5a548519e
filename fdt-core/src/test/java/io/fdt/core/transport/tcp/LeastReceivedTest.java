package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many received bytes wake a lane. */
final class LeastReceivedTest {
    private static final int SO_RCVLOWAT = 18;
    private static final int MSG_PEEK_DONTWAIT = 2 | 0x40;
    private static final short POLLIN = 1;
    private static final int BLOCK_BYTES = 128 << 10;

    /** A connection whose receiving end is a bare descriptor. */
    private static final class Pair implements AutoCloseable {
        final ByteBuffer scratch = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
        final ByteBuffer peeked = ByteBuffer.allocateDirect(1 << 20);
        final int fd = Libc.socket(2, 1, 0);
        final LeastReceived least = new LeastReceived(fd, scratch);
        final Socket peer;

        /** @param bufferBytes for receiving; 0 for what the kernel chooses */
        Pair(int bufferBytes) throws IOException {
            if (bufferBytes > 0) {
                scratch.putInt(0, bufferBytes);
                assertThat(Libc.setsockopt(fd, 1, Sockets.SO_RCVBUF, Libc.addressOf(scratch), 4))
                        .isZero();
            }
            try (ServerSocket listener = new ServerSocket(0, 1, TcpEnds.loopback(0).getAddress())) {
                ByteBuffer address = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder());
                address.putShort(0, (short) 2)
                        .order(ByteOrder.BIG_ENDIAN)
                        .putShort(2, (short) listener.getLocalPort())
                        .putInt(4, 0x7f000001);
                assertThat(Libc.connect(fd, Libc.addressOf(address), 16)).isZero();
                peer = listener.accept();
            }
        }

        void send(int bytes) throws IOException {
            int before = waiting();
            peer.getOutputStream().write(new byte[bytes]);
            Await.until("they have come", () -> waiting() == before + bytes);
        }

        int waiting() {
            return Math.max(0, (int) Libc.recv(fd, Libc.addressOf(peeked), peeked.capacity(), MSG_PEEK_DONTWAIT));
        }

        boolean wakes() {
            scratch.putInt(0, fd).putShort(4, POLLIN).putShort(6, (short) 0);
            return Libc.poll(Libc.addressOf(scratch), 1, 0) > 0;
        }

        int leastBytes() {
            return Sockets.option(fd, SO_RCVLOWAT, scratch);
        }

        @Override
        public void close() throws IOException {
            peer.close();
            Libc.close(fd);
        }
    }

    /** Half of the kernel's value for this buffer is what was requested. */
    private static final int LARGE_BUFFER = 100_000;

    @Test
    void wakesOnceForTheNeededBytes() throws IOException {
        try (Pair pair = new Pair(LARGE_BUFFER)) {
            pair.least.await(20_000);
            pair.send(19_999);
            assertThat(pair.wakes()).isFalse();
            pair.send(1);
            assertThat(pair.wakes()).isTrue();
        }
    }

    @Test
    void wakesAtOnceIfFewerBytesAreNeededThanHaveCome() throws IOException {
        try (Pair pair = new Pair(LARGE_BUFFER)) {
            pair.least.await(20_000);
            pair.send(10);
            assertThat(pair.wakes()).isFalse();
            pair.least.await(10);
            assertThat(pair.wakes()).isTrue();
        }
    }

    @Test
    void wakesAtTheEndOfTheStream() throws IOException {
        try (Pair pair = new Pair(LARGE_BUFFER)) {
            pair.least.await(20_000);
            pair.send(10);
            pair.peer.shutdownOutput();
            Await.until("the end has come", pair::wakes);
        }
    }

    @Test
    void resettingWakesForAnyByte() throws IOException {
        try (Pair pair = new Pair(LARGE_BUFFER)) {
            pair.least.await(20_000);
            pair.send(1);
            pair.least.reset();
            assertThat(pair.wakes()).isTrue();
        }
    }

    @Test
    void staysForSlightlyMoreBytes() throws IOException {
        try (Pair pair = new Pair(LARGE_BUFFER)) {
            pair.least.await(17_000);
            pair.least.await(24_000);
            assertThat(pair.leastBytes()).isEqualTo(17_000);
            pair.least.await(16_999);
            assertThat(pair.leastBytes()).isEqualTo(16_999);
        }
    }

    /** So much may wait only if the peer can send far more meanwhile. */
    @ParameterizedTest
    @ValueSource(ints = {2_000, 40_000, 100_000})
    void staysBelowAPartOfTheBuffer(int bufferBytes) throws IOException {
        try (Pair pair = new Pair(bufferBytes)) {
            for (int needed = 1; needed <= BLOCK_BYTES; needed += 1_111) {
                pair.least.await(needed);
                int buffer = Sockets.option(pair.fd, Sockets.SO_RCVBUF, pair.scratch);
                assertThat(buffer).isLessThanOrEqualTo(2 * Math.max(bufferBytes, 2_304));
                assertThat(pair.leastBytes()).isBetween(1, Math.max(1, Math.min(needed, buffer / 8)));
            }
        }
    }

    /** A handler that requests messages of given lengths, and counts how often it is asked for one. */
    private static final class Messages implements LaneHandler {
        final CountDownLatch complete = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        final AtomicLong queries = new AtomicLong();
        private final IntUnaryOperator lengths;
        private final int count;
        private int received;
        volatile @Nullable TransferException cause;

        Messages(int count, IntUnaryOperator lengths) {
            this.count = count;
            this.lengths = lengths;
        }

        @Override
        public int wantedBytes() {
            queries.incrementAndGet();
            return received < count ? lengths.applyAsInt(received) : 1;
        }

        @Override
        public void onReceived(Block block) {
            ByteBuffer bytes = block.buffer();
            while (received < count && bytes.remaining() >= lengths.applyAsInt(received)) {
                bytes.position(bytes.position() + lengths.applyAsInt(received));
                received++;
            }
            if (received == count) {
                complete.countDown();
            }
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            closed.countDown();
        }
    }

    /** A handler that sends this many bytes in blocks of random lengths, then closes its lane. */
    private static final class SendsPieces implements LaneHandler {
        private final SplittableRandom random = new SplittableRandom(3);
        private final Lane lane;
        private long leftBytes;

        SendsPieces(Lane lane, long bytes) {
            this.lane = lane;
            leftBytes = bytes;
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onSendable() {
            while (leftBytes > 0) {
                Block block = lane.acquire();
                if (block == null) {
                    return;
                }
                int length = (int) Math.min(leftBytes, 1 + random.nextInt(1 << random.nextInt(1, 18)));
                block.buffer().limit(length);
                leftBytes -= length;
                lane.send(block);
            }
            lane.close();
        }

        @Override
        public void onClosed(@Nullable TransferException why) {}
    }

    /** Messages of all lengths through any buffer, with the last one before the end of the stream. */
    @ParameterizedTest
    @CsvSource({"true, 2304", "true, 100000", "true, 0", "false, 2304", "false, 0"})
    void everyMessageIsReceived(boolean clear, int socketBufferBytes) {
        int count = 400;
        int[] lengths = new SplittableRandom(1)
                .ints(count)
                .map(random -> 1 + Math.floorMod(random, 1 << Math.floorMod(random >> 20, 18)))
                .toArray();
        long bytes = 0;
        for (int length : lengths) {
            bytes += length;
        }
        TcpSettings settings = TcpEnds.SETTINGS.toBuilder()
                .socketBufferBytes(socketBufferBytes)
                .build();
        try (TcpEnds ends = new TcpEnds(settings)) {
            Lane lane = ends.connectLane(clear);
            Messages handler = new Messages(count, index -> lengths[index]);
            lane.start(handler);
            Lane far = TcpEnds.next(ends.lanes);
            far.start(new SendsPieces(far, bytes));
            Await.until("all messages have come", handler.complete);
            Await.until("closed", handler.closed);
            assertThat(handler.cause).isNull();
        }
    }

    /** Each wake-up queries the handler three times at most. */
    @Test
    void blockInManyPacketsCostsFewWakeUps() throws IOException {
        int blocks = 16;
        int pieceBytes = 512;
        int spins = 2_000;
        try (ServerSocket listener = new ServerSocket(0, 1, TcpEnds.loopback(0).getAddress());
                TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.toBuilder()
                        .socketBufferBytes(LARGE_BUFFER)
                        .build())) {
            Lane lane = ends.client.connect(
                    TcpEnds.loopback(listener.getLocalPort()), null, true, TcpEnds.TIMEOUT_MS);
            Messages handler = new Messages(blocks, index -> BLOCK_BYTES);
            lane.start(handler);
            try (Socket peer = listener.accept()) {
                peer.setTcpNoDelay(true);
                OutputStream out = peer.getOutputStream();
                long started = System.nanoTime();
                for (int at = 0; at < blocks * BLOCK_BYTES; at += pieceBytes) {
                    out.write(new byte[pieceBytes]);
                    for (int i = 0; i < spins; i++) {
                        Thread.onSpinWait();
                    }
                }
                Await.until("all blocks have come", handler.complete);
                long seconds = (System.nanoTime() - started) / 1_000_000_000;
                assertThat(handler.queries.get()).isLessThan(3 * (40L * blocks + 2 * seconds));
            }
        }
    }
}
