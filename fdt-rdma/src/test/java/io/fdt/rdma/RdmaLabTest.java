package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import com.sun.management.ThreadMXBean;
import io.fdt.core.basic.Addresses;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.LanePlaces;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guarantees of lanes over RDMA beyond the transport contract, on the lab's device. */
@Tag("lab")
final class RdmaLabTest {
    private static final String HERE = "10.77.0.1";
    private static final long TIMEOUT_MS = 20_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private final BlockingQueue<Lane> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> garbage = new LinkedBlockingQueue<>();
    private final Transport server = Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE);
    private final Transport client = Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE);

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private Transport.Listener listen() throws IOException {
        return listen(InetAddress.getByName(HERE));
    }

    private Transport.Listener listen(InetAddress address) {
        return server.listen(new InetSocketAddress(address, 0), new Transport.Acceptor() {
            @Override
            public void onLane(Lane lane) {
                accepted.add(lane);
            }

            @Override
            public void onLink(MessageLink link) {
                link.close();
            }

            @Override
            public void onGarbage(String peer, Failure what) {
                garbage.add(peer + ": " + what.text());
            }
        });
    }

    private Lane nextAccepted() throws InterruptedException {
        Lane lane = accepted.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        assertThat(lane).as("an accepted lane").isNotNull();
        return lane;
    }

    /** Accepts and counts all bytes, and records how the lane ended. */
    private static class Sink implements LaneHandler {
        final AtomicLong bytes = new AtomicLong();
        final CountDownLatch closed = new CountDownLatch(1);
        volatile @Nullable TransferException cause;

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            bytes.addAndGet(block.buffer().remaining());
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            closed.countDown();
        }
    }

    private static void send(Lane lane, Block block, int lengthBytes) {
        block.buffer().position(0).limit(lengthBytes);
        lane.send(block);
    }

    @Test
    @Tag("sanitized")
    void nativesThatLanesDoWithoutSayWhatTheDeviceIs() throws Exception {
        Function<?, ?> probe = Class.forName("io.fdt.rdma.NativesProbe", true, RdmaLoader.get())
                .asSubclass(Function.class)
                .getConstructor()
                .newInstance();
        @SuppressWarnings("unchecked")
        Function<byte[], Object> ofAddress = (Function<byte[], Object>) probe;
        assertThat(ofAddress.apply(InetAddress.getByName(HERE).getAddress())).isEqualTo(List.of());
    }

    /**
     * Sent blocks do not request a completion each. A handler that holds all other blocks must still be notified when
     * they become free.
     */
    @Test
    void whoHoldsBlocksIsToldThatTheOthersAreFree() throws Exception {
        try (Transport.Listener listener = listen()) {
            Lane lane = client.connect(listener.address(), null, true, TIMEOUT_MS);
            Sink far = new Sink();
            nextAccepted().start(far);
            CountDownLatch again = new CountDownLatch(1);
            lane.start(new Sink() {
                final List<Block> held = new ArrayList<>();
                boolean refused;

                @Override
                public void onSendable() {
                    if (refused) {
                        again.countDown();
                        return;
                    }
                    for (Block block = lane.acquire(); block != null; block = lane.acquire()) {
                        held.add(block);
                    }
                    // Fewer blocks than would request a completion.
                    for (int count = 0; count < RdmaSettings.DEFAULT.blocks().signalEvery() - 1; count++) {
                        send(lane, held.remove(0), 1000);
                    }
                    refused = lane.acquire() == null;
                }
            });
            Await.until("a block is free", again);
            Await.until(
                    "all received",
                    () -> far.bytes.get()
                            == 1000L * (RdmaSettings.DEFAULT.blocks().signalEvery() - 1));
        }
    }

    @Test
    @Tag("sanitized")
    void someoneElsesProtocolIsRefusedAndReported() throws Exception {
        try (Transport.Listener listener = listen()) {
            Process stranger = new ProcessBuilder(
                            "rping",
                            "-c",
                            "-a",
                            HERE,
                            "-p",
                            "" + listener.address().getPort(),
                            "-C",
                            "1")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            assertThat(garbage.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS))
                    .startsWith(HERE + ":")
                    .endsWith("it is not an fdt lane");
            assertThat(stranger.waitFor(TIMEOUT_MS, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(accepted).isEmpty();
        }
    }

    /** The remote end in {@link #aKilledPeerIsALostLaneWithACause}: sends until it is killed. */
    static final class Victim {
        private Victim() {}

        public static void main(String[] words) throws Exception {
            Transport transport = Rdma.open(RdmaSettings.DEFAULT, LanePlaces.ANYWHERE);
            Lane lane = transport.connect(
                    new InetSocketAddress(InetAddress.getByName(HERE), Integer.parseInt(words[0])),
                    null,
                    true,
                    TIMEOUT_MS);
            CountDownLatch never = new CountDownLatch(1);
            lane.start(new Sink() {
                @Override
                public void onSendable() {
                    for (Block block = lane.acquire(); block != null; block = lane.acquire()) {
                        send(lane, block, block.capacity());
                    }
                }
            });
            never.await();
        }
    }

    private static String testClasses() {
        return RdmaLabTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
    }

    @Test
    void aKilledPeerIsALostLaneWithACause() throws Exception {
        try (Transport.Listener listener = listen()) {
            Process victim = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-cp",
                            // The packaged jar without other flags: its class loader finds the library in the jar.
                            System.getProperty("fdt.jar") + File.pathSeparator + testClasses(),
                            Victim.class.getName(),
                            "" + listener.address().getPort())
                    .redirectErrorStream(true)
                    .redirectOutput(new File("/run/lab/out/victim"))
                    .start();
            try {
                Lane lane = accepted.poll(Await.LIMIT_SECONDS, TimeUnit.SECONDS);
                assertThat(lane).isNotNull();
                Sink sink = new Sink();
                lane.start(sink);
                Await.until("traffic", () -> sink.bytes.get() > 1_000_000);
                victim.destroyForcibly();
                Await.until("the loss is seen", sink.closed);
                assertThat(sink.cause)
                        .asInstanceOf(type(TransferException.class))
                        .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.CONNECTION_LOST))
                        .satisfies(e -> assertThat(e).hasMessageContaining(lane.peer()));
                // The listener is unaffected.
                Lane next = client.connect(listener.address(), null, true, TIMEOUT_MS);
                assertThat(nextAccepted()).isNotNull();
                next.close();
            } finally {
                victim.destroyForcibly().waitFor();
            }
        }
    }

    /** Sends data over a lane in both directions, then closes it. */
    private void useAndClose(Lane near, Lane far) {
        Sink farSink = new Sink();
        Sink nearSink = new Sink();
        far.start(farSink);
        near.start(nearSink);
        near.execute(() -> {
            Block block = near.acquire();
            if (block != null) {
                send(near, block, block.capacity());
            }
        });
        Await.until("the block arrived", () -> farSink.bytes.get() == near.blockBytes());
        near.close();
        Await.until("near end closed", nearSink.closed);
        Await.until("far end closed", farSink.closed);
        assertThat(nearSink.cause).isNull();
        assertThat(farSink.cause).isNull();
    }

    @Test
    void aLinkLocalAddressIsReachedByItsScope() throws Exception {
        NetworkInterface card = NetworkInterface.getByName("eth0");
        InetAddress address = card.inetAddresses()
                .filter(candidate -> candidate instanceof Inet6Address && candidate.isLinkLocalAddress())
                .findFirst()
                .orElseThrow(() -> new AssertionError("eth0 has no link-local address"));
        try (Transport.Listener listener = listen(address)) {
            Lane near = client.connect(listener.address(), null, true, TIMEOUT_MS);
            Lane far = nextAccepted();
            assertThat(far.peer()).startsWith("[" + Addresses.shown(address).replaceFirst("%.*", ""));
            useAndClose(near, far);
        }
    }

    private static long allocatedByThisThread() {
        return THREADS.getThreadAllocatedBytes(Thread.currentThread().getId());
    }

    /** Sends or receives this many blocks, and measures the allocations of its thread between two of them. */
    private static final class Counted extends Sink {
        static final int BLOCKS = 350;
        private static final int FROM = 100;

        final CountDownLatch done = new CountDownLatch(1);
        private final Lane lane;
        private final boolean sends;
        private int blocks;
        private long before;
        volatile long allocated;

        Counted(Lane lane, boolean sends) {
            this.lane = lane;
            this.sends = sends;
        }

        private void count() {
            blocks++;
            if (blocks == FROM) {
                before = allocatedByThisThread();
            } else if (blocks == BLOCKS) {
                allocated = allocatedByThisThread() - before;
                done.countDown();
            }
        }

        @Override
        public int wantedBytes() {
            return lane.blockBytes();
        }

        @Override
        public void onReceived(Block block) {
            block.buffer().position(block.buffer().limit());
            count();
        }

        @Override
        public void onSendable() {
            if (!sends) {
                return;
            }
            Block block = blocks < BLOCKS ? lane.acquire() : null;
            while (block != null) {
                block.buffer().position(0).limit(block.capacity());
                lane.send(block);
                count();
                block = blocks < BLOCKS ? lane.acquire() : null;
            }
        }
    }

    @Test
    void aLaneAllocatesNothingForABlock() throws Exception {
        try (Transport.Listener listener = listen()) {
            Lane near = client.connect(listener.address(), null, true, TIMEOUT_MS);
            Lane far = nextAccepted();
            Counted sender = new Counted(near, true);
            Counted receiver = new Counted(far, false);
            far.start(receiver);
            near.start(sender);
            assertThat(sender.done.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(receiver.done.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(sender.allocated).as("bytes for 250 blocks sent").isLessThan(250);
            assertThat(receiver.allocated).as("bytes for 250 blocks received").isLessThan(250);
        }
    }

    private static void run(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(String.join(" ", words) + ": " + output)
                .isZero();
    }

    /** A busy lane: sends blocks in one direction as fast as possible. */
    private static final class Stream {
        final Sink near = new Sink();
        final Sink far = new Sink();
        final Lane lane;

        Stream(Lane lane, Lane accepted) {
            this.lane = lane;
            accepted.start(far);
            lane.start(new Sink() {
                @Override
                public void onSendable() {
                    for (Block block = lane.acquire(); block != null; block = lane.acquire()) {
                        send(lane, block, block.capacity());
                    }
                }

                @Override
                public void onClosed(@Nullable TransferException why) {
                    near.onClosed(why);
                }
            });
        }

        /** Waits until more bytes arrive than were in flight at the time of the call. */
        void awaitProgress() {
            long before = far.bytes.get();
            Await.until("bytes go on", () -> far.bytes.get() > before + 40L * lane.blockBytes());
        }
    }

    /** One listener serves all devices. The local address of a lane selects its device. */
    @Test
    void lanesSpreadOverDevicesAndOneThatIsRemovedTakesItsOwnLanesOnly() throws Exception {
        String other = "10.78.0.1";
        run("ip", "link", "add", "rail1", "type", "dummy");
        run("ip", "addr", "add", other + "/24", "dev", "rail1");
        run("ip", "link", "set", "rail1", "mtu", "9000", "up");
        run("rdma", "link", "add", "rxe1", "type", "rxe", "netdev", "rail1");
        Process removal = null;
        try (Transport.Listener listener = listen(InetAddress.getByName("0.0.0.0"))) {
            List<Stream> first = new ArrayList<>();
            List<Stream> second = new ArrayList<>();
            for (int count = 0; count < 2; count++) {
                first.add(streamOver(listener, HERE, "rdma rxe0, clear"));
                second.add(streamOver(listener, other, "rdma rxe1, clear"));
            }
            first.forEach(Stream::awaitProgress);
            second.forEach(Stream::awaitProgress);
            removal = new ProcessBuilder("rdma", "link", "del", "rxe1")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            for (Stream lost : second) {
                Await.until("near end lost", lost.near.closed);
                Await.until("far end lost", lost.far.closed);
                for (TransferException cause : new TransferException[] {lost.near.cause, lost.far.cause}) {
                    assertThat(cause)
                            .asInstanceOf(type(TransferException.class))
                            .satisfies(e -> assertThat(e.kind()).isEqualTo(FailureKind.CONNECTION_LOST));
                }
            }
            first.forEach(Stream::awaitProgress);
            assertThat(first).allMatch(stream -> stream.near.closed.getCount() == 1);
            for (Stream stream : first) {
                stream.lane.close();
                Await.until("closed in order", stream.far.closed);
                assertThat(stream.far.cause).isNull();
            }
        } finally {
            if (removal != null) {
                removal.destroyForcibly();
            }
        }
    }

    private Stream streamOver(Transport.Listener listener, String address, String description) throws Exception {
        InetAddress device = InetAddress.getByName(address);
        Lane lane = client.connect(
                new InetSocketAddress(device, listener.address().getPort()),
                new InetSocketAddress(device, 0),
                true,
                TIMEOUT_MS);
        Lane far = nextAccepted();
        assertThat(lane.description()).isEqualTo(description);
        assertThat(far.description()).isEqualTo(description);
        return new Stream(lane, far);
    }

    private static int hugePages(String line) throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(text -> text.startsWith(line + ":"))
                .mapToInt(text ->
                        Integer.parseInt(text.substring(line.length() + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("sanitized")
    void lanesTakeHugePagesWhileThereAreSomeAndOthersAfterThat() throws Exception {
        Path reserved = Path.of("/proc/sys/vm/nr_hugepages");
        Files.writeString(reserved, "3");
        try (Transport.Listener listener = listen()) {
            assertThat(hugePages("HugePages_Free")).isEqualTo(3);
            Lane firstNear = client.connect(listener.address(), null, true, TIMEOUT_MS);
            Lane firstFar = nextAccepted();
            assertThat(hugePages("HugePages_Free"))
                    .as("one for each end of a lane")
                    .isEqualTo(1);
            Lane secondNear = client.connect(listener.address(), null, true, TIMEOUT_MS);
            Lane secondFar = nextAccepted();
            assertThat(hugePages("HugePages_Free")).isZero();
            useAndClose(firstNear, firstFar);
            useAndClose(secondNear, secondFar);
            Await.until("all are free again", () -> {
                try {
                    return hugePages("HugePages_Free") == 3;
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        } finally {
            Files.writeString(reserved, "0");
        }
    }

    private static Map<String, Integer> resources() throws IOException, InterruptedException {
        Map<String, Integer> counts = new TreeMap<>();
        for (String kind : List.of("qp", "mr", "cq", "pd", "cm_id", "ctx")) {
            Process shown = new ProcessBuilder("rdma", "resource", "show", kind).start();
            String text = new String(shown.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            shown.waitFor();
            // All resources of the guest: the owner that the kernel shows is the thread that created them.
            counts.put(kind, (int) text.lines().count());
        }
        String[] descriptors = new File("/proc/self/fd").list();
        counts.put("descriptors", descriptors == null ? -1 : descriptors.length);
        counts.put("mapped KiB", MappedMemory.kib());
        return counts;
    }

    /**
     * Returns the resources once they match, or after a time limit. The threads of the last lanes may still be running.
     */
    static Map<String, Integer> settled(Map<String, Integer> expected) throws Exception {
        Map<String, Integer> now = resources();
        for (int tries = 0; tries < 50 && !now.equals(expected); tries++) {
            TimeUnit.MILLISECONDS.sleep(100);
            now = resources();
        }
        return now;
    }

    @Test
    void twoHundredLanesLeaveNothingBehind() throws Exception {
        try (Transport.Listener listener = listen()) {
            // The first lane opens what a process opens only once.
            openAndClose(listener.address(), 0);
            Map<String, Integer> before = settled(Map.of());
            for (int round = 0; round < 200; round++) {
                openAndClose(listener.address(), round);
            }
            assertThat(settled(before)).isEqualTo(before);
            assertThat(before.get("cm_id")).as("the listener is counted").isPositive();
            assertThat(before.get("mapped KiB"))
                    .as("the listener's event is counted")
                    .isPositive();
        }
    }

    private void openAndClose(InetSocketAddress address, int round) throws InterruptedException {
        Lane lane = client.connect(address, null, true, TIMEOUT_MS);
        Sink near = new Sink();
        Sink far = new Sink();
        nextAccepted().start(far);
        lane.start(near);
        lane.execute(() -> {
            Block block = lane.acquire();
            if (block != null) {
                send(lane, block, 1 + round);
            }
        });
        if (round % 3 == 0) {
            lane.abort(Cause.LIMIT.failure("made up"));
        } else {
            lane.close();
        }
        Await.until("near end closed", near.closed);
        Await.until("far end closed", far.closed);
    }
}
