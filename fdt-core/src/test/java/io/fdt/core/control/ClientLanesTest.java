package io.fdt.core.control;

import io.fdt.core.Clock;
import io.fdt.core.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MemoryNetwork;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import io.fdt.core.wire.ControlMessage;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The lanes of a client whose session has no use for them. */
final class ClientLanesTest {
    private static final long LONG_MS = 600_000;

    private final CountDownLatch connected = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);

    @Test
    void aLaneThatNobodyTakesIsClosed() {
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        try (Transport here = network.newTransport(4096, 4);
                Transport there = network.newTransport(4096, 4);
                Transport.Listener listener = there.listen(new InetSocketAddress("localhost", 0), new Accepting());
                SessionInSteps in = new SessionInSteps(Clock.SYSTEM, 1);
                ClientLanes lanes = new ClientLanes(
                        in.session(), new Refusing(), here, listener.address(), List.of(), LONG_MS, null)) {
            lanes.request(1);
            Await.until("it is connected", connected);
            Await.until("it is closed", closed);
        }
    }

    /** As by default, it takes no lane. */
    private static final class Refusing implements SessionHandler {
        @Override
        public void onMessage(ControlMessage message) {}

        @Override
        public boolean takes(Class<? extends ControlMessage> type) {
            return true;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public void onLinkClosed(@Nullable TransferException cause) {}
    }

    private final class Accepting implements Transport.Acceptor, LaneHandler {
        @Override
        public void onLane(Lane lane) {
            lane.start(this);
            connected.countDown();
        }

        @Override
        public void onLink(MessageLink link) {}

        @Override
        public void onGarbage(String peer, String what) {}

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            block.release();
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed.countDown();
        }
    }
}
