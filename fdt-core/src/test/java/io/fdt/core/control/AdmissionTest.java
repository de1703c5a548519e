package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.TransferException;
import io.fdt.core.security.SessionProof;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.wire.LaneHello;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A lane without TLS is accepted only for a session that was granted such lanes. Otherwise not a byte after its hello
 * is read. All lanes of this network are clear.
 */
class AdmissionTest {
    private static final int PAYLOAD_BYTES = 1000;

    private final BlockingQueue<String> refusals = new LinkedBlockingQueue<>();
    private final CountDownLatch laneGiven = new CountDownLatch(1);
    private final AtomicLong receivedBytes = new AtomicLong();
    private final CountDownLatch allReceived = new CountDownLatch(1);

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void clearLaneNeedsASessionThatWasGrantedThem(boolean granted, @TempDir Path home) throws Exception {
        try (ServedNetwork network = new ServedNetwork(home, TestService.of(1, granted, new Owner()), new Refusals())) {
            Session session = network.open();
            assertThat(session.clearLanes()).isEqualTo(granted);
            Lane lane = network.here.connect(network.address(), null, true, Await.LIMIT_MS);
            Sending sending = new Sending(lane, session);
            lane.start(sending);

            if (granted) {
                assertThat(allReceived.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                assertThat(receivedBytes).hasValue(PAYLOAD_BYTES);
                lane.close();
            } else {
                assertThat(refusals.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).contains("without TLS");
                assertThat(sending.closed.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                assertThat(laneGiven.getCount()).as("nobody was given the lane").isOne();
                assertThat(receivedBytes).hasValue(0);
            }
            session.end(null);
        }
    }

    /** Whatever the service does about its lanes: the one here forgets them. */
    @Test
    void sessionEndClosesItsLanes(@TempDir Path home) throws Exception {
        try (ServedNetwork network = new ServedNetwork(home, TestService.of(1, true, new Owner()), new Refusals())) {
            Session session = network.open();
            Lane lane = network.here.connect(network.address(), null, true, Await.LIMIT_MS);
            Sending sending = new Sending(lane, session);
            lane.start(sending);
            assertThat(allReceived.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            session.end(null);
            assertThat(sending.closed.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** A handler that sends a hello and payload directly after it. */
    private static final class Sending implements LaneHandler {
        final CountDownLatch closed = new CountDownLatch(1);
        private final Lane lane;
        private final Session session;
        private boolean sent;

        Sending(Lane lane, Session session) {
            this.lane = lane;
            this.session = session;
        }

        @Override
        public void onSendable() {
            Block block = sent ? null : lane.acquire();
            if (block != null) {
                sent = true;
                byte[] proof = SessionProof.ofLane(session.secret(), session.id(), 0, 0);
                new LaneHello(session.id(), 0, 0, proof).write(block.buffer());
                block.buffer().put(new byte[PAYLOAD_BYTES]).flip();
                lane.send(block);
            }
        }

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {}

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed.countDown();
        }
    }

    /** A handler that owns the session's lanes and counts what they receive. */
    private final class Owner extends QuietRole {
        @Override
        public LaneHandler onLane(int index, int attempt, Lane lane) {
            laneGiven.countDown();
            return new LaneHandler() {
                @Override
                public int wantedBytes() {
                    return 1;
                }

                @Override
                public void onReceived(Block block) {
                    long all = receivedBytes.addAndGet(block.buffer().remaining());
                    block.buffer().position(block.buffer().limit());
                    if (all == PAYLOAD_BYTES) {
                        allReceived.countDown();
                    }
                }

                @Override
                public void onSendable() {}

                @Override
                public void onClosed(@Nullable TransferException cause) {}
            };
        }
    }

    private final class Refusals implements ServerObserver {
        @Override
        public void onRefused(String peer, String why) {
            refusals.add(why);
        }
    }
}
