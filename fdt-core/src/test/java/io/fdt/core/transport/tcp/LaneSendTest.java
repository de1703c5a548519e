package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.StreamLane;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sending lane does while the network accepts nothing. */
final class LaneSendTest {
    /** A handler that receives everything and counts it. */
    private abstract static class Counts implements LaneHandler {
        final AtomicLong received = new AtomicLong();
        final CountDownLatch closed = new CountDownLatch(1);
        final Lane lane;
        volatile @Nullable TransferException cause;

        Counts(Lane lane) {
            this.lane = lane;
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            received.addAndGet(block.buffer().remaining());
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            closed.countDown();
        }
    }

    /** Longer than a lane waits in one system call. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** A handler that sends without end. */
    private static final class Floods extends Counts {
        final CountDownLatch refused = new CountDownLatch(1);
        final AtomicLong sent = new AtomicLong();

        Floods(Lane lane) {
            super(lane);
        }

        @Override
        public void onSendable() {
            for (Block block = lane.acquire(); block != null; block = lane.acquire()) {
                sent.addAndGet(block.buffer().remaining());
                lane.send(block);
            }
            refused.countDown();
        }
    }

    /** A handler that sends this many bytes, then blocks its thread until released, and receives nothing meanwhile. */
    private static final class Holds extends Counts {
        final CountDownLatch held = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        private final int bytes;

        Holds(Lane lane, int bytes) {
            super(lane);
            this.bytes = bytes;
        }

        @Override
        public void onSendable() {
            if (held.getCount() == 0) {
                return;
            }
            Block block = lane.acquire();
            assertThat(block).isNotNull();
            block.buffer().limit(bytes);
            lane.send(block);
            held.countDown();
            Await.until("the test goes on", goOn);
        }
    }

    private static TransferException madeUp() {
        return Cause.INTERRUPTED.failure("made up");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whileThePeerTakesNothingItReceivesAndRunsItsTasks(boolean clear) {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane lane = ends.connectLane(clear);
            Lane far = TcpEnds.next(ends.lanes);
            Holds peer = new Holds(far, 100_000);
            far.start(peer);
            Await.until("the peer has sent and holds its thread", peer.held);
            Floods flood = new Floods(lane);
            lane.start(flood);
            Await.until("no block is free", flood.refused);
            Await.until("what the peer sent has come", () -> flood.received.get() == 100_000);
            CountDownLatch task = new CountDownLatch(1);
            lane.execute(task::countDown);
            Await.until("the task has run", task);
            assertThat(peer.received).hasValue(0);
            peer.goOn.countDown();
            Await.until("the peer takes bytes again", () -> peer.received.get() > 0);
            lane.abort(madeUp());
            Await.until("closed", flood.closed);
        }
    }

    /** Data that waits in one lane's socket cannot be sent by another lane, however large the buffer may become. */
    @Test
    void keepsFewUnsentBytesInTheSocket() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane lane = ends.connectLane(true);
            Holds peer = new Holds(TcpEnds.next(ends.lanes), 0);
            peer.lane.start(peer);
            Await.until("the peer holds its thread", peer.held);
            Floods flood = new Floods(lane);
            lane.start(flood);
            Await.until("no block is free", flood.refused);
            AtomicLong sent = new AtomicLong();
            AtomicLong since = new AtomicLong();
            Await.until("the socket takes no more", () -> {
                if (sent.getAndSet(flood.sent.get()) != flood.sent.get()) {
                    since.set(System.nanoTime());
                }
                return System.nanoTime() - since.get() > QUIET_NANOS;
            });
            long blocks = (long) StreamLane.SEND_BLOCKS * StreamLane.BLOCK_BYTES;
            assertThat(flood.sent.get()).isBetween(blocks, blocks + (1536 << 10));
            peer.goOn.countDown();
            lane.abort(madeUp());
            Await.until("closed", flood.closed);
        }
    }

    @Test
    void countsHowLongItWaitedForRoom() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane lane = ends.connectLane(true);
            Lane far = TcpEnds.next(ends.lanes);
            Holds peer = new Holds(far, 0);
            far.start(peer);
            Await.until("the peer holds its thread", peer.held);
            Floods flood = new Floods(lane);
            lane.start(flood);
            Await.until("no block is free", flood.refused);
            AtomicLong waited = new AtomicLong();
            Await.until("it has waited for room", () -> {
                lane.execute(() -> waited.set(lane.sendWaitNanos()));
                return waited.get() > 0;
            });
            peer.goOn.countDown();
            lane.abort(madeUp());
            Await.until("closed", flood.closed);
        }
    }

    @Test
    void lostPeerEndsALaneThatIsSending() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane lane = ends.connectLane(true);
            Lane far = TcpEnds.next(ends.lanes);
            Floods peer = new Floods(far);
            far.start(peer);
            Floods flood = new Floods(lane);
            lane.start(flood);
            Await.until("both send", () -> peer.received.get() > 0 && flood.received.get() > 0);
            far.abort(madeUp());
            Await.until("closed", flood.closed);
            assertThat(flood.cause).isNotNull();
            assertThat(flood.cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        }
    }

    /** Answers the first bytes once the peer has gone. */
    private static final class AnswersLate extends Counts {
        final CountDownLatch came = new CountDownLatch(1);
        final CountDownLatch gone = new CountDownLatch(1);

        AnswersLate(Lane lane) {
            super(lane);
        }

        @Override
        public void onReceived(Block block) {
            super.onReceived(block);
            came.countDown();
            Await.until("the peer has gone", gone);
            Block answer = lane.acquire();
            if (answer != null) {
                answer.buffer().limit(1);
                lane.send(answer);
            }
        }

        @Override
        public void onSendable() {}
    }

    @Test
    void deliversLastBytesOfThePeerDespiteAFailedSend() throws IOException {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Socket peer = ends.knock();
            OutputStream out = peer.getOutputStream();
            ByteBuf preamble = Preamble.encode(Preamble.VERSION, Preamble.CLEAR_LANE);
            preamble.readBytes(out, Preamble.BYTES).release();
            AnswersLate handler = new AnswersLate(TcpEnds.next(ends.lanes));
            handler.lane.start(handler);
            out.write(new byte[10]);
            Await.until("the first bytes", handler.came);
            out.write(new byte[10]);
            peer.setSoLinger(true, 0);
            peer.close();
            handler.gone.countDown();
            Await.until("closed", handler.closed);
            assertThat(handler.received).hasValue(20);
            assertThat(handler.cause).isNotNull();
            assertThat(handler.cause.kind()).isEqualTo(FailureKind.CONNECTION_LOST);
        }
    }
}
