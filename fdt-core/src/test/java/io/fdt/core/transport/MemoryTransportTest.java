package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Failure;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The in-memory network keeps the contract of the real ones, so that tests on it are valid. */
final class MemoryTransportTest extends TransportContract {
    private static final int BLOCK_BYTES = 10_000;

    @Override
    protected Ends open() {
        MemoryNetwork network = MemoryNetwork.withThreads(1);
        return new Ends(
                network.newTransport(BLOCK_BYTES, 3),
                network.newTransport(BLOCK_BYTES, 3),
                InetSocketAddress.createUnresolved("memory", 0),
                true);
    }

    @Override
    protected InetSocketAddress nobody() {
        return InetSocketAddress.createUnresolved("memory", 1);
    }

    /** Returns the events on a network that runs in steps. */
    private static List<String> run(long seed) {
        MemoryNetwork network = MemoryNetwork.inSteps(seed);
        List<String> events = new ArrayList<>();
        List<Lane> accepted = new ArrayList<>();
        try (LinkTransport server = network.newTransport(1000, 2);
                LinkTransport client = network.newTransport(1000, 2)) {
            Transport.Listener listener =
                    server.listen(InetSocketAddress.createUnresolved("memory", 0), new Transport.Acceptor() {
                        @Override
                        public void onLane(Lane lane) {
                            accepted.add(lane);
                        }

                        @Override
                        public void onLink(MessageLink link) {}

                        @Override
                        public void onGarbage(String peer, Failure what) {}
                    });
            List<TestHandler> receivers = new ArrayList<>();
            for (int lane = 0; lane < 3; lane++) {
                int number = lane;
                Lane here = client.connect(listener.address(), null, true, 1);
                TestHandler receiver = TestHandler.receiver(accepted.get(lane), lane);
                receiver.take = (ready, wanted) -> {
                    events.add(number + " received " + ready);
                    return ready;
                };
                receivers.add(receiver);
                accepted.get(lane).start(receiver);
                here.start(TestHandler.sender(here, lane, 20_000));
                here.schedule(() -> events.add(number + " at " + network.clock().nanoTime()), lane, TimeUnit.SECONDS);
            }
            network.runUntil(
                    "all received", () -> receivers.stream().allMatch(receiver -> receiver.receivedBytes == 20_000));
            network.runUntil("time passed", () -> network.clock().nanoTime() == TimeUnit.SECONDS.toNanos(2));
            while (network.step()) {
                assertThat(receivers).allMatch(receiver -> receiver.breaches.isEmpty());
            }
        }
        return events;
    }

    @Test
    void sameSeedRepeatsTheRun() {
        assertThat(run(7)).isEqualTo(run(7)).isNotEqualTo(run(8)).hasSizeGreaterThan(60);
    }
}
