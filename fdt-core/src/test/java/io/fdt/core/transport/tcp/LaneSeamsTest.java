package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FreePort;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.SourcePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What the transport requests from code that knows the host: where a lane's thread runs, and from which port the lane
 * connects.
 */
final class LaneSeamsTest {
    /** A source of these loopback ports, which then leaves the choice to the system. */
    private static final class GivenPorts implements SourcePorts, SourcePorts.PortLease {
        final AtomicInteger releases = new AtomicInteger();
        private final Queue<Integer> ports;

        GivenPorts(Integer... ports) {
            this.ports = new ArrayDeque<>(List.of(ports));
        }

        @Override
        public PortLease place(InetSocketAddress server, @Nullable InetAddress localAddress) {
            return this;
        }

        @Override
        public @Nullable InetSocketAddress next() {
            Integer port = ports.poll();
            return port == null ? null : TcpEnds.loopback(port);
        }

        @Override
        public void release() {
            releases.incrementAndGet();
        }
    }

    private static final class Drops implements LaneHandler {
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

    private static ServerSocket taken() throws IOException {
        return new ServerSocket(0, 1, TcpEnds.loopback(0).getAddress());
    }

    @Test
    void triesNextPortIfOneIsInUseAndReleasesItAtTheEnd() throws IOException {
        try (ServerSocket taken = taken()) {
            int free = FreePort.next();
            GivenPorts ports = new GivenPorts(taken.getLocalPort(), free);
            try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withPorts(ports))) {
                Lane lane = ends.connectLane(true);
                assertThat(TcpEnds.next(ends.lanes).peer()).endsWith(":" + free);
                assertThat(ports.releases).hasValue(0);
                lane.close();
                Await.until("the place is free again", () -> ports.releases.get() > 0);
            }
        }
    }

    @Test
    void leavesThePortToTheSystemWhenNoneIsLeft() throws IOException {
        try (ServerSocket taken = taken()) {
            GivenPorts ports = new GivenPorts(taken.getLocalPort());
            try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withPorts(ports))) {
                ends.connectLane(true);
                assertThat(TcpEnds.next(ends.lanes).peer()).startsWith("127.0.0.1:");
            }
        }
    }

    @Test
    void givesThePlaceBackWhenNobodyListens() throws IOException {
        GivenPorts ports = new GivenPorts(FreePort.next());
        try (Socket nobody = FreePort.withoutListener();
                TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withPorts(ports))) {
            InetSocketAddress address = TcpEnds.loopback(nobody.getLocalPort());
            assertThat(TcpEnds.failureOf(() -> ends.client.connect(address, null, true, TcpEnds.TIMEOUT_MS)))
                    .isNotNull();
            assertThat(ports.releases).hasPositiveValue();
        }
    }

    @Test
    void reportsThreadAndPacketCoreOfEachLane() {
        Queue<String> threads = new ConcurrentLinkedQueue<>();
        Queue<String> packets = new ConcurrentLinkedQueue<>();
        LanePlaces places = new LanePlaces() {
            @Override
            public void onThread(int number) {
                threads.add(number + " " + Thread.currentThread().getName());
            }

            @Override
            public void onPackets(int number, int core) {
                packets.add(number + " " + core + " " + Thread.currentThread().getName());
            }
        };
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS.withPlaces(places))) {
            Lane lane = ends.connectLane(true);
            lane.start(new Drops());
            TcpEnds.next(ends.lanes).start(new Drops());
            Await.until("two threads begin", () -> threads.size() == 2);
            assertThat(threads).containsOnly("0 fdt-lane-0");
            Await.until("the lanes look", () -> !packets.isEmpty());
            assertThat(packets).allSatisfy(seen -> assertThat(seen).matches("0 \\d+ fdt-lane-0"));
        }
    }
}
