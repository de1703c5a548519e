package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LaneMemory;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lanes whose blocks the kernel reads in place, over loopback, where it does so until the receiver's window opens. The
 * peer is a plain socket that receives nothing before the test lets it, into a small buffer.
 */
final class LaneInPlaceTest {
    /** A handler that sends this many blocks, each word of which has its own value. */
    private static final class Counts implements LaneHandler {
        final CountDownLatch refused = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        volatile @Nullable TransferException cause;
        final AtomicLong sentBytes = new AtomicLong();
        private final Lane lane;
        private final int blocks;
        private final boolean closes;
        private int sentBlocks;
        private long word;

        Counts(Lane lane, int blocks, boolean closes) {
            this.lane = lane;
            this.blocks = blocks;
            this.closes = closes;
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
            while (sentBlocks < blocks) {
                Block block = lane.acquire();
                if (block == null) {
                    refused.countDown();
                    return;
                }
                ByteBuffer bytes = block.buffer();
                while (bytes.remaining() >= Long.BYTES) {
                    bytes.putLong(word++);
                }
                sentBytes.addAndGet(bytes.flip().remaining());
                sentBlocks++;
                lane.send(block);
            }
            if (closes) {
                lane.close();
            }
        }

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            closed.countDown();
        }
    }

    private final TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS, true);
    private final ServerSocket listener = listen();
    private final Lane lane = ends.client.connect(TcpEnds.loopback(listener.getLocalPort()), null, true, 60_000);
    private @Nullable Socket peer;

    private static ServerSocket listen() {
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReceiveBufferSize(1 << 12);
            socket.bind(TcpEnds.loopback(0));
            return socket;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Socket peer() {
        if (peer == null) {
            throw new AssertionError("not accepted");
        }
        return peer;
    }

    @BeforeEach
    void accept() throws IOException {
        peer = listener.accept();
        peer.setSoTimeout((int) TcpEnds.TIMEOUT_MS);
        peer.getInputStream().readNBytes(Preamble.BYTES);
    }

    @AfterEach
    void closeAll() throws IOException {
        peer().close();
        listener.close();
        ends.close();
    }

    /** Receives until the end, and returns the number of bytes, all of which must be the right ones. */
    private long receiveAll() throws IOException {
        InputStream in = peer().getInputStream();
        byte[] bytes = new byte[Long.BYTES * 1024];
        long words = 0;
        while (true) {
            int came;
            try {
                came = in.readNBytes(bytes, 0, bytes.length);
            } catch (EOFException | SocketException reset) {
                came = 0;
            }
            ByteBuffer view = ByteBuffer.wrap(bytes, 0, came);
            while (view.remaining() >= Long.BYTES) {
                assertThat(view.getLong()).as("word " + words).isEqualTo(words);
                words++;
            }
            if (came < bytes.length) {
                return words * Long.BYTES;
            }
        }
    }

    /** Other lanes may get the memory that an ended lane had. */
    private static void fillMemory() {
        for (int i = 0; i < 4; i++) {
            int bytes = 4 << 20;
            try (LaneMemory memory = new LaneMemory(bytes)) {
                LaneBlock block = memory.cut(null, bytes);
                while (block.buffer().hasRemaining()) {
                    block.buffer().putLong(-1);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 200})
    void noBlockIsFilledAgainBeforeItsNotice(int blocks) throws IOException {
        Counts handler = new Counts(lane, blocks, true);
        lane.start(handler);
        if (blocks == 200) {
            Await.until("no block is free", handler.refused);
        }
        assertThat(receiveAll()).isEqualTo(handler.sentBytes.get());
        Await.until("closed", handler.closed);
    }

    /** The kernel sends what it has accepted, although the lane and its memory are gone. */
    @Test
    void closedLaneDeliversWhatTheKernelStillReads() throws IOException {
        Counts handler = new Counts(lane, 5, true);
        lane.start(handler);
        Await.until("the kernel has accepted everything", handler.closed);
        peer().shutdownOutput();
        ends.client.close();
        fillMemory();
        assertThat(receiveAll()).isEqualTo(handler.sentBytes.get());
    }

    @Test
    void abortedLaneHarmsNothing() throws IOException {
        Counts handler = new Counts(lane, 200, true);
        lane.start(handler);
        Await.until("no block is free", handler.refused);
        lane.abort(Cause.INTERRUPTED.failure("made up"));
        Await.until("closed", handler.closed);
        ends.client.close();
        fillMemory();
        assertThat(receiveAll()).isLessThan(handler.sentBytes.get());
    }

    @Test
    void lostPeerEndsTheLane() throws IOException {
        Counts handler = new Counts(lane, 200, true);
        lane.start(handler);
        Await.until("no block is free", handler.refused);
        peer().setSoLinger(true, 0);
        peer().close();
        Await.until("closed", handler.closed);
        assertThat(handler.cause).isNotNull();
        assertThat(handler.cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
    }
}
