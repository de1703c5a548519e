package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.InBackground;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads, descriptors, memory and socket options: what a transport takes, and that it releases everything. */
final class TcpResourcesTest {
    private static final com.sun.management.ThreadMXBean THREADS =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** A handler that sends as fast as the lane permits, or receives whole blocks, until this many have passed. */
    private static final class Passing implements LaneHandler {
        final CountDownLatch done = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        private final Lane lane;
        private final boolean sends;
        private final int blocks;
        private int count;

        Passing(Lane lane, boolean sends, int blocks) {
            this.lane = lane;
            this.sends = sends;
            this.blocks = blocks;
        }

        private void count() {
            count++;
            if (count == blocks) {
                done.countDown();
            }
        }

        @Override
        public int wantedBytes() {
            return lane.blockBytes();
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().position() + lane.blockBytes());
            count();
        }

        @Override
        public void onSendable() {
            if (!sends) {
                return;
            }
            Block block = lane.acquire();
            while (block != null) {
                lane.send(block);
                count();
                block = lane.acquire();
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {
            closed.countDown();
        }
    }

    /**
     * A handler that sends a block for each one received, and measures what its thread allocates meanwhile. It takes
     * the window of this many blocks with the least allocation: in other windows the compiler is at work, or Netty
     * records that a socket is full.
     */
    private static final class Meter implements LaneHandler {
        private static final int BLOCKS = 5_000;
        private static final int WINDOWS = 8;

        final CountDownLatch done = new CountDownLatch(1);
        private final Lane lane;
        private int owed;
        private int count;
        private long allocatedBefore;
        volatile long leastBytes = Long.MAX_VALUE;

        Meter(Lane lane, boolean begins) {
            this.lane = lane;
            this.owed = begins ? 1 : 0;
        }

        @Override
        public int wantedBytes() {
            return lane.blockBytes();
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().position() + lane.blockBytes());
            owed++;
            onSendable();
            count++;
            if (count % BLOCKS == 0) {
                long allocated = THREADS.getCurrentThreadAllocatedBytes();
                if (count > BLOCKS) {
                    leastBytes = Math.min(leastBytes, allocated - allocatedBefore);
                }
                allocatedBefore = allocated;
                if (count == (WINDOWS + 1) * BLOCKS) {
                    done.countDown();
                }
            }
        }

        @Override
        public void onSendable() {
            Block block = owed == 0 ? null : lane.acquire();
            while (block != null) {
                lane.send(block);
                owed--;
                block = owed == 0 ? null : lane.acquire();
            }
        }

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    @Test
    void allocatesNothingForABlockOnAClearEpollLane() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane client = ends.connectLane(true);
            Lane server = TcpEnds.next(ends.lanes);
            Meter here = new Meter(client, true);
            Meter there = new Meter(server, false);
            server.start(there);
            client.start(here);
            Await.until("measured here", here.done);
            Await.until("measured there", there.done);
            // One object for sixteen blocks would be more.
            assertThat(here.leastBytes).isLessThan(Meter.BLOCKS);
            assertThat(there.leastBytes).isLessThan(Meter.BLOCKS);
        }
    }

    @Test
    void closesAllThreadsAndDescriptors() {
        // A first use creates what a process creates only once.
        useLanesAndLinks();
        Await.until("no thread of ours", () -> TcpEnds.threads().isEmpty());
        long files = TcpEnds.openFiles();
        for (int round = 0; round < 5; round++) {
            useLanesAndLinks();
        }
        Await.until(
                () -> "no thread of ours: " + TcpEnds.threads(),
                () -> TcpEnds.threads().isEmpty());
        Await.until(() -> files + " descriptors, not " + TcpEnds.openFiles(), () -> TcpEnds.openFiles() <= files);
    }

    private static void useLanesAndLinks() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            for (int index = 0; index < 4; index++) {
                ends.connectLink();
                Lane client = ends.connectLane(index % 2 == 0);
                Lane server = TcpEnds.next(ends.lanes);
                Passing sender = new Passing(client, true, 50);
                Passing receiver = new Passing(server, false, 50);
                switch (index) {
                    case 0, 1 -> {
                        server.start(receiver);
                        client.start(sender);
                        Await.until("measured", receiver.done);
                    }
                    case 2 -> client.start(sender);
                    default -> {
                        // A lane that is never started.
                    }
                }
            }
        }
    }

    @Test
    void aLanesThreadEndsWithItsLaneAndItsNumberIsUsedAgain() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            for (int round = 0; round < 20; round++) {
                Lane client = ends.connectLane(round % 2 == 0);
                Lane server = TcpEnds.next(ends.lanes);
                Passing sender = new Passing(client, true, 10);
                Passing receiver = new Passing(server, false, 10);
                server.start(receiver);
                client.start(sender);
                Await.until("measured", receiver.done);
                client.abort(Cause.LIMIT.failure("made up"));
                Await.until("sender closed", sender.closed);
                Await.until("receiver closed", receiver.closed);
                Await.until(
                        () -> "no lane's thread: " + TcpEnds.threads(),
                        () -> TcpEnds.threads().stream().noneMatch(name -> name.startsWith("fdt-lane")));
            }
        }
    }

    @Test
    void handlerThatThrowsOnCloseLeavesNoThread() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane client = ends.connectLane(true);
            Lane server = TcpEnds.next(ends.lanes);
            client.start(new FailingAtItsEnd());
            server.start(new FailingAtItsEnd());
            client.abort(Cause.LIMIT.failure("made up"));
            Await.until(
                    () -> "no lane's thread: " + TcpEnds.threads(),
                    () -> TcpEnds.threads().stream().noneMatch(name -> name.startsWith("fdt-lane")));
        }
    }

    private static final class FailingAtItsEnd implements LaneHandler {
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
        public void onClosed(@Nullable TransferException cause) {
            throw new IllegalStateException("made up");
        }
    }

    @Test
    void failedAttemptsToConnectLeaveNoThreads() throws IOException {
        try (TcpTransport client =
                TcpTransport.forClient(TcpEnds.SETTINGS, Set.of(TcpEnds.IDENTITY.fingerprint()), accepted -> {})) {
            InetSocketAddress address;
            try (ServerSocket silent = new ServerSocket(0, 50, java.net.InetAddress.getLoopbackAddress())) {
                address = TcpEnds.loopback(silent.getLocalPort());
                for (int round = 0; round < 3; round++) {
                    assertThat(TcpEnds.failureOf(() -> client.connect(address, null, false, 50)))
                            .isNotNull();
                }
            }
            assertThat(TcpEnds.failureOf(() -> client.connect(address, null, false, 5000)))
                    .isNotNull();
            Await.until(
                    () -> "no lane's thread: " + TcpEnds.threads(),
                    () -> TcpEnds.threads().stream().noneMatch(name -> name.startsWith("fdt-lane")));
        }
    }

    @Test
    void connectTimesOutIfTheServerNeverAccepts() throws IOException {
        // With a full backlog the kernel drops further connections.
        List<Socket> fillers = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
                TcpTransport client = TcpTransport.forClient(
                        TcpEnds.SETTINGS, Set.of(TcpEnds.IDENTITY.fingerprint()), accepted -> {})) {
            InetSocketAddress address = TcpEnds.loopback(full.getLocalPort());
            for (int index = 0; index < 4; index++) {
                Socket socket = new Socket();
                fillers.add(socket);
                try {
                    socket.connect(address, 100);
                } catch (java.net.SocketTimeoutException e) {
                    break;
                }
            }
            TransferException failure = TcpEnds.failureOf(() -> client.connect(address, null, true, 300));
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isEqualTo(FailureKind.CANNOT_CONNECT);
            assertThat(failure).hasMessageContaining("no answer within 300ms").hasMessageContaining("127.0.0.1:");
        } finally {
            for (Socket socket : fillers) {
                socket.close();
            }
        }
    }

    @Test
    void setsCongestionControlAndBuffers() {
        TcpSettings settings = TcpEnds.SETTINGS.withCongestionControl("reno").withSocketBufferBytes(200_000);
        try (TcpEnds ends = new TcpEnds(settings)) {
            Lane client = ends.connectLane(true);
            Lane server = TcpEnds.next(ends.lanes);
            Passing receiver = new Passing(server, false, 100);
            server.start(receiver);
            client.start(new Passing(client, true, 100));
            Await.until("measured", receiver.done);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sendsNoFasterThanItsPace(boolean clear) {
        int blocks = 40;
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            Lane client = ends.connectLane(clear);
            Lane server = TcpEnds.next(ends.lanes);
            Passing receiver = new Passing(server, false, blocks);
            server.start(receiver);
            // Sending everything at this pace would take a second, but the kernel starts faster than that.
            client.connection().pace((long) blocks * client.blockBytes());
            long started = System.nanoTime();
            client.start(new Passing(client, true, blocks));
            Await.until("all has arrived", receiver.done);
            assertThat(System.nanoTime() - started).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(700));
        }
    }

    /**
     * A transfer that has ended interrupts the threads that dial for it, wherever they are. Nothing may remain that
     * close would wait for.
     */
    @Test
    void forgetsLanesWhoseDiallingWasInterrupted() {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        for (int attempt = 0; attempt < 60; attempt++) {
            try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
                boolean clear = attempt % 2 == 0;
                var dialler = InBackground.start(() -> TcpEnds.failureOf(() -> ends.connectLane(clear)));
                LockSupport.parkNanos(random.nextLong(clear ? 3_000_000 : 12_000_000));
                dialler.interrupt();
                dialler.result();
                long started = System.nanoTime();
                ends.client.close();
                assertThat(System.nanoTime() - started)
                        .as("nanoseconds to close, attempt %d of seed %d", attempt, seed)
                        .isLessThan(TimeUnit.MILLISECONDS.toNanos(TcpTransport.CLOSE_TIMEOUT_MS));
            }
        }
    }

    @Test
    void refusesAnUnknownCongestionControlAndNamesTheOthers() {
        assertThatThrownBy(() -> TcpTransport.forClient(
                        TcpEnds.SETTINGS.withCongestionControl("no-such"),
                        Set.of(TcpEnds.IDENTITY.fingerprint()),
                        accepted -> {}))
                .asInstanceOf(type(TransferException.class))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                .satisfies(e -> assertThat(e).hasMessageContaining("no-such").hasMessageContaining("reno"));
    }

    @Test
    void bindsToALocalAddress() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            InetSocketAddress local = new InetSocketAddress("127.0.0.9", 0);
            ends.client.connect(ends.listener.address(), local, true, TcpEnds.TIMEOUT_MS);
            assertThat(TcpEnds.next(ends.lanes).peer()).startsWith("127.0.0.9:");
            ends.client.connectLink(ends.listener.address(), local, TcpEnds.TIMEOUT_MS);
            assertThat(TcpEnds.next(ends.links).peer()).startsWith("127.0.0.9:");
            TransferException failure = TcpEnds.failureOf(() -> ends.client.connect(
                    ends.listener.address(), new InetSocketAddress("192.0.2.1", 0), true, TcpEnds.TIMEOUT_MS));
            assertThat(failure).isNotNull();
            assertThat(failure.kind()).isEqualTo(FailureKind.USAGE);
            assertThat(failure).hasMessageContaining("192.0.2.1");
        }
    }

    @Test
    void saysThatAPortIsInUse() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            assertThatThrownBy(() -> ends.server.listen(ends.listener.address(), new Transport.Acceptor() {
                        @Override
                        public void onLane(Lane lane) {}

                        @Override
                        public void onLink(io.fdt.core.transport.MessageLink link) {}

                        @Override
                        public void onGarbage(String peer, Failure what) {}
                    }))
                    .asInstanceOf(type(TransferException.class))
                    .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE))
                    .satisfies(e -> assertThat(e).hasMessageContaining("in use"));
        }
    }

    @Test
    void describesIoAndCipher() {
        try (TcpEnds ends = new TcpEnds(TcpEnds.SETTINGS)) {
            assertThat(ends.client.name()).isEqualTo("epoll");
            assertThat(ends.connectLane(true).description()).isEqualTo("epoll, clear");
            assertThat(ends.connectLane(false).description())
                    .isEqualTo("epoll, TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)");
        }
    }
}
