package io.fdt.core.transport.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import io.fdt.core.nativecode.SocketCalls;
import io.fdt.core.nativecode.UnnamedMemory;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.EventDescriptor;
import io.fdt.core.transport.Lane;
import io.fdt.core.transport.LaneHandler;
import io.fdt.core.transport.MessageLink;
import io.fdt.core.transport.Transport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections to a server's socket inside its host, and what remains of them. */
class LocalListenerTest {
    private static final long TIMEOUT_MS = Await.LIMIT_MS;
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4000);

    private final String realm = UUID.randomUUID().toString();
    private final LocalTransport server = LocalTransport.forServer(realm);
    private final BlockingQueue<Lane> lanes = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> garbage = new LinkedBlockingQueue<>();
    private volatile boolean failNext;
    private volatile @Nullable Error errorNext;
    private final Transport.Listener listener = server.listen(ADDRESS, new Transport.Acceptor() {
        @Override
        public void onLane(Lane lane) {
            lanes.add(lane);
            Error error = errorNext;
            if (error != null) {
                errorNext = null;
                throw error;
            }
            if (failNext) {
                failNext = false;
                throw new IllegalStateException("nobody wants it");
            }
        }

        @Override
        public void onLink(MessageLink link) {
            throw new AssertionError("there are no links inside a host");
        }

        @Override
        public void onGarbage(String peer, Failure what) {
            garbage.add(what.text());
            if (failNext) {
                failNext = false;
                throw new IllegalStateException("nobody hears it");
            }
        }
    });

    @AfterEach
    void close() {
        listener.close();
        server.close();
    }

    private static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(TIMEOUT_MS, TimeUnit.MILLISECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    /** Opens a connection on which the test can send anything. */
    private int knock() {
        int fd = Kernel.newSocket();
        assertThat(SocketCalls.setTimeouts(fd, Kernel.memory(16), TIMEOUT_MS)).isZero();
        assertThat(Kernel.connectTo(fd, LocalTransport.socketName(realm, ADDRESS.getPort())))
                .isZero();
        return fd;
    }

    private static void sendBytes(int fd, ByteBuffer bytes) {
        assertThat(SocketCalls.send(fd, Libc.addressOf(bytes), bytes.capacity(), true))
                .isEqualTo(bytes.capacity());
    }

    private static ByteBuffer answer(int fd) {
        ByteBuffer answer = ByteBuffer.allocateDirect(Greeting.BYTES);
        assertThat(LocalTransport.receiveAll(fd, answer, 0, TIMEOUT_MS)).isEqualTo(Greeting.BYTES);
        assertThat(Greeting.isGreeting(answer)).isTrue();
        assertThat(Greeting.version(answer)).isEqualTo(Greeting.VERSION);
        return answer;
    }

    private void assertRefused(int fd, String why) throws InterruptedException {
        assertThat(next(garbage)).contains(why);
        assertThat(Greeting.code(answer(fd))).isEqualTo(Greeting.REFUSED);
        Libc.close(fd);
        assertThat(lanes).isEmpty();
    }

    @Test
    void refusesForeignProtocol() throws Exception {
        int fd = knock();
        sendBytes(fd, ByteBuffer.allocateDirect(Greeting.BYTES).putLong(0, 0x47455420_2f20_4854L));
        assertRefused(fd, "is not from fdt");
    }

    /** One failed connection must not close the listening socket for all later ones. */
    @ParameterizedTest
    @ValueSource(ints = {77, Greeting.UNIX_LANE})
    void listenerSurvivesFailedAccept(int code) throws Exception {
        failNext = true;
        int fd = knock();
        sendBytes(fd, Greeting.of(code));
        int expected = code == 77 ? Greeting.REFUSED : Greeting.WELCOME;
        assertThat(Greeting.code(answer(fd))).isEqualTo(expected);
        // The server has closed it.
        assertThat(LocalTransport.receiveAll(fd, ByteBuffer.allocateDirect(1), 0, TIMEOUT_MS))
                .isZero();
        Libc.close(fd);
        lanes.clear();
        garbage.clear();
        int next = knock();
        sendBytes(next, Greeting.of(77));
        assertRefused(next, "something unknown");
    }

    /** The client notices that nobody has its lane. */
    @Test
    void closesTheLaneThatAnErrorLeavesBehind() throws Exception {
        errorNext = new StackOverflowError("a test");
        int fd = knock();
        sendBytes(fd, Greeting.of(Greeting.UNIX_LANE));
        assertThat(Greeting.code(answer(fd))).isEqualTo(Greeting.WELCOME);
        assertThat(LocalTransport.receiveAll(fd, ByteBuffer.allocateDirect(1), 0, TIMEOUT_MS))
                .isZero();
        Libc.close(fd);
        assertThat(next(lanes)).isNotNull();
        // The client sees the end before the lane is gone from the count.
        Await.until("the end of the lane", () -> server.laneCount() == 0);
    }

    @Test
    void answersOtherVersionWithOurs() throws Exception {
        int fd = knock();
        sendBytes(fd, Greeting.of(Greeting.UNIX_LANE).put(4, (byte) 9));
        assertRefused(fd, "version 9");
    }

    @Test
    void refusesUnknownRequest() throws Exception {
        int fd = knock();
        sendBytes(fd, Greeting.of(77));
        assertRefused(fd, "something unknown");
    }

    @Test
    void ringsWithoutMemoryAreRefused() throws Exception {
        int fd = knock();
        sendBytes(fd, Greeting.of(Greeting.SHM_LANE));
        assertRefused(fd, "no memory");
    }

    @Test
    void aDescriptorThatIsNoSealedMemoryIsRefused() throws Exception {
        int fd = knock();
        try (EventDescriptor event = new EventDescriptor()) {
            assertThat(Kernel.sendWith(fd, Greeting.of(Greeting.SHM_LANE), event.descriptor()))
                    .isEqualTo(Greeting.BYTES);
        }
        assertRefused(fd, "not the sealed memory");
    }

    @Test
    void memoryOfAnotherSizeIsRefused() throws Exception {
        int fd = knock();
        int small = UnnamedMemory.create("fdt-lane", 4096);
        assertThat(Kernel.sendWith(fd, Greeting.of(Greeting.SHM_LANE), small)).isEqualTo(Greeting.BYTES);
        Libc.close(small);
        assertRefused(fd, "not the sealed memory");
    }

    @Test
    void silentClientDoesNotBlockOthers() throws Exception {
        int silent = knock();
        int half = knock();
        sendBytes(half, ByteBuffer.allocateDirect(3));
        try (LocalTransport client = LocalTransport.forClient(Carrier.UNIX, realm)) {
            client.connect(ADDRESS, null, true, TIMEOUT_MS);
            next(lanes);
        }
        assertThat(garbage).hasSize(2);
        Libc.close(silent);
        Libc.close(half);
    }

    @Test
    void probingForListenerLeavesNoTrace() throws Exception {
        try (LocalTransport client = LocalTransport.forClient(Carrier.SHM, realm)) {
            client.requireListener(ADDRESS, TIMEOUT_MS);
            client.connect(ADDRESS, null, true, TIMEOUT_MS);
        }
        next(lanes);
        assertThat(garbage).isEmpty();
        assertThat(lanes).isEmpty();
    }

    @Test
    void anotherServersPortIsNotThisOnes() {
        try (LocalTransport client = LocalTransport.forClient(Carrier.UNIX, "another realm")) {
            assertThatThrownBy(() -> client.requireListener(ADDRESS, TIMEOUT_MS))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CANNOT_CONNECT))
                    .hasMessageContaining("no such server here")
                    .hasMessageContaining(":4000");
        }
    }

    @Test
    void listenerBelongsToOneServer() {
        try (LocalTransport second = LocalTransport.forServer(realm)) {
            assertThatThrownBy(() -> second.listen(ADDRESS, new Refusing()))
                    .isInstanceOf(TransferException.class)
                    .hasMessageContaining("another server uses it");
        }
    }

    @Test
    void refusesEncryptedLanes() {
        try (LocalTransport client = LocalTransport.forClient(Carrier.UNIX, realm)) {
            assertThatThrownBy(() -> client.connect(ADDRESS, null, false, TIMEOUT_MS))
                    .isInstanceOfSatisfying(
                            TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.USAGE));
        }
    }

    /** The client of this lane is honest until the lane is open; then its memory contains an impossible number. */
    @Test
    void closesLaneWithCorruptedRing() throws Exception {
        int fd = knock();
        int descriptor = UnnamedMemory.create("fdt-lane", Ring.TOTAL_BYTES);
        long address = UnnamedMemory.map(descriptor, Ring.TOTAL_BYTES);
        assertThat(Kernel.sendWith(fd, Greeting.of(Greeting.SHM_LANE), descriptor))
                .isEqualTo(Greeting.BYTES);
        assertThat(Greeting.code(answer(fd))).isEqualTo(Greeting.WELCOME);
        Ending handler = new Ending();
        next(lanes).start(handler);
        Ring.of(Libc.bufferAt(address, Ring.TOTAL_BYTES), address, 0, "server").set(Ring.WRITTEN, 1L << 40);
        sendBytes(fd, ByteBuffer.allocateDirect(1));
        Await.until("given up", handler.closed);
        assertThat(handler.cause)
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION));
        assertThat(handler.receivedBytes).isZero();
        Libc.munmap(address, Ring.TOTAL_BYTES);
        Libc.close(descriptor);
        Libc.close(fd);
    }

    /** The kernel closes the descriptors of a process that dies, and does nothing else. */
    @ParameterizedTest
    @EnumSource(names = {"UNIX", "SHM"})
    void reportsKilledPeerAsLoss(Carrier carrier) throws Exception {
        int fd = knock();
        if (carrier == Carrier.SHM) {
            int descriptor = UnnamedMemory.create("fdt-lane", Ring.TOTAL_BYTES);
            assertThat(Kernel.sendWith(fd, Greeting.of(Greeting.SHM_LANE), descriptor))
                    .isEqualTo(Greeting.BYTES);
            Libc.close(descriptor);
        } else {
            sendBytes(fd, Greeting.of(Greeting.UNIX_LANE));
        }
        assertThat(Greeting.code(answer(fd))).isEqualTo(Greeting.WELCOME);
        Ending handler = new Ending();
        next(lanes).start(handler);
        Await.until("started", handler.started);
        Libc.close(fd);
        Await.until("lost", handler.closed);
        assertThat(handler.cause)
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.CONNECTION_LOST));
    }

    @ParameterizedTest
    @EnumSource(names = {"UNIX", "SHM"})
    void lanesLeaveNothingBehind(Carrier carrier) throws Exception {
        roundTrip(carrier, 3);
        long files = openFiles();
        Set<Path> memory = sharedMemory();
        roundTrip(carrier, 40);
        Await.until("threads have ended", () -> laneThreads() == 0);
        Await.until("as few descriptors as before", () -> openFiles() <= files);
        assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain("memfd:fdt-lane");
        assertThat(memory).as("what was there before, by others").containsAll(sharedMemory());
    }

    private static Set<Path> sharedMemory() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/dev/shm"))) {
            return all.filter(path -> path.getFileName().toString().contains("fdt"))
                    .collect(Collectors.toSet());
        }
    }

    private void roundTrip(Carrier carrier, int count) throws InterruptedException {
        try (LocalTransport client = LocalTransport.forClient(carrier, realm)) {
            for (int lane = 0; lane < count; lane++) {
                Lane here = client.connect(ADDRESS, null, true, TIMEOUT_MS);
                Lane there = next(lanes);
                Ending near = new Ending();
                Ending far = new Ending();
                here.start(near);
                if (lane % 3 == 0) {
                    // The remote end never starts the lane.
                    there.close();
                    Await.until("closed", near.closed);
                } else {
                    there.start(far);
                    here.close();
                    Await.until("closed", far.closed);
                    assertThat(far.cause).isNull();
                }
            }
        }
        Await.until("no lane is left", () -> server.laneCount() == 0);
    }

    /** Counts sockets, events and shared memory. The runtime may open another jar at any time. */
    private static long openFiles() {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.map(LocalListenerTest::leadsTo)
                    .filter(target -> target.matches("(socket|anon_inode|/memfd):.*"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String leadsTo(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException closedMeanwhile) {
            return "";
        }
    }

    private static long laneThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("fdt-lane-"))
                .count();
    }

    private static final class Refusing implements Transport.Acceptor {
        @Override
        public void onLane(Lane lane) {
            throw new AssertionError("a lane came to a door that is another's");
        }

        @Override
        public void onLink(MessageLink link) {
            throw new AssertionError("there are no links inside a host");
        }

        @Override
        public void onGarbage(String peer, Failure what) {}
    }

    private static final class Ending implements LaneHandler {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch closed = new CountDownLatch(1);
        volatile @Nullable TransferException cause;
        volatile int receivedBytes;

        @Override
        public int wantedBytes() {
            return 1;
        }

        @Override
        public void onReceived(Block block) {
            receivedBytes = block.buffer().remaining();
            block.buffer().position(block.buffer().limit());
        }

        @Override
        public void onSendable() {
            started.countDown();
        }

        @Override
        public void onClosed(@Nullable TransferException why) {
            cause = why;
            closed.countDown();
        }
    }
}
