package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The lanes of a client's session, joined and refused. */
final class ClientLanesTest {
    private static final long LONG_MS = 600_000;

    private final CountDownLatch connected = new CountDownLatch(1);
    private final CountDownLatch greeted = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    @Test
    void aLaneThatNobodyTakesIsClosed() {
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        try (Transport here = network.newTransport(4096, 4);
                Transport there = network.newTransport(4096, 4);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), new Accepting());
                SessionInSteps in = new SessionInSteps(Clock.SYSTEM, 1);
                ClientLanes lanes = new ClientLanes(
                        in.session(), new QuietRole(), here, listener.address(), List.of(), LONG_MS, null)) {
            lanes.request(1);
            Await.until("it is connected", connected);
            Await.until("it is closed", closed);
        }
    }

    /** A thread for it would cost more than to join it. */
    @Test
    void aLaneThatWasLeftIsJoinedWithoutAnotherThread() {
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        Taking taking = new Taking();
        LeftLanes left = new LeftLanes();
        try (Transport here = network.newTransport(4096, 4);
                Transport there = network.newTransport(4096, 4);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), new Accepting());
                SessionInSteps first = new SessionInSteps(Clock.SYSTEM, 1);
                SessionInSteps second = new SessionInSteps(Clock.SYSTEM, 1);
                ClientLanes before =
                        new ClientLanes(first.session(), taking, here, listener.address(), List.of(), LONG_MS, left);
                ClientLanes after =
                        new ClientLanes(second.session(), taking, here, listener.address(), List.of(), LONG_MS, left)) {
            before.request(1);
            Await.until("it is greeted", greeted);
            first.session().leave();
            second.session().follow(first.session().turns());

            after.request(1);

            assertThat(taking.joining).hasSize(2).last().isEqualTo(Thread.currentThread());
        }
    }

    private static final class Taking extends QuietRole {
        private final List<Thread> joining = new CopyOnWriteArrayList<>();

        @Override
        public LaneHandler onLane(int index, int attempt, Lane lane) {
            joining.add(Thread.currentThread());
            return new Ignoring();
        }
    }

    private static class Ignoring implements LaneHandler {
        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final class Accepting extends Ignoring implements Transport.Acceptor {
        @Override
        public void onLane(Lane lane) {
            lane.start(this);
            connected.countDown();
        }

        @Override
        public void onLink(MessageLink link) {}

        @Override
        public void onGarbage(String peer, Failure what) {}

        @Override
        public void onReceived(Block block) {
            super.onReceived(block);
            greeted.countDown();
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed.countDown();
        }
    }
}
