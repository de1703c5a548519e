package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.DeviceQueues;
import io.fdt.core.transport.DeviceQueues.Granted;
import io.fdt.core.transport.DeviceQueues.Memory;
import io.fdt.core.transport.DeviceQueues.Pair;
import io.fdt.core.transport.DeviceQueues.Peer;
import io.fdt.core.transport.DeviceQueues.QueueKind;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Reads of a peer's memory, datagrams and shared receive queues, between two opened devices of the lab's guest. */
@Tag("lab")
@Tag("sanitized")
final class DeviceQueuesLabTest {
    private static final String HERE = "10.77.0.1";
    private static final int HEADER_BYTES = DeviceQueues.DATAGRAM_HEADER_BYTES;

    private final DeviceQueues near = open();
    private DeviceQueues far = open();

    private static DeviceQueues open() {
        try {
            return Rdma.queues(InetAddress.getByName(HERE));
        } catch (java.net.UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        near.close();
        far.close();
    }

    /** A copy of a completion, because a pair overwrites its completions at the next poll. */
    private record Done(
            int number, boolean received, @Nullable String failure, int lengthBytes) {}

    /** Waits for the next completions of a pair. */
    private static List<Done> await(Pair pair, int count) {
        List<Done> done = new ArrayList<>();
        Await.until(() -> count + " completions, not " + done, () -> {
            int polled = pair.poll();
            for (int index = 0; index < polled; index++) {
                boolean received = pair.isReceived(index);
                String failure = pair.failure(index);
                done.add(new Done(
                        pair.number(index),
                        received,
                        failure,
                        received && failure == null ? pair.lengthBytes(index) : 0));
            }
            return done.size() >= count;
        });
        return done;
    }

    private static void fill(ByteBuffer bytes, int seed) {
        for (int at = 0; at < bytes.capacity(); at++) {
            bytes.put(at, (byte) (at * 31 + seed));
        }
    }

    private static void put(Memory memory, int at, String text) {
        memory.bytes().put(at, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String text(Memory memory, int at, int lengthBytes) {
        byte[] text = new byte[lengthBytes];
        memory.bytes().get(at, text);
        return new String(text, StandardCharsets.US_ASCII);
    }

    private Pair[] connected() {
        Pair one = near.pair(QueueKind.RELIABLE, 16, 16, 64);
        Pair other = far.pair(QueueKind.RELIABLE, 16, 16, 64);
        one.connect(other.address());
        other.connect(one.address());
        return new Pair[] {one, other};
    }

    @Test
    void readsGrantedMemoryWithoutPeer() {
        Pair reader = connected()[0];
        Memory theirs = far.memory(100_000, true);
        Memory mine = near.memory(100_000, false);
        fill(theirs.bytes(), 7);
        Granted grant = near.granted(theirs.grant(1_000, 60_000));
        reader.read(mine, 5_000, 50_000, grant, 2_000, 42);
        assertThat(await(reader, 1)).containsExactly(new Done(42, false, null, 0));
        ByteBuffer expected = theirs.bytes().slice(3_000, 50_000);
        assertThat(mine.bytes().slice(5_000, 50_000)).isEqualTo(expected);
        assertThat(mine.bytes().get(4_999)).as("nothing before it").isZero();
        assertThat(mine.bytes().get(55_000)).as("nothing behind it").isZero();
    }

    @Test
    void refusesReadOutsideGrant() {
        Pair reader = connected()[0];
        Granted grant = near.granted(far.memory(100_000, true).grant(1_000, 60_000));
        Memory mine = near.memory(100_000, false);
        assertThatThrownBy(() -> reader.read(mine, 0, 60_001, grant, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> reader.read(mine, 0, 1, grant, 60_000, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> reader.read(mine, 0, 1, grant, -1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> reader.read(mine, 99_999, 2, grant, 0, 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> near.memory(4096, false).grant(0, 4096)).isInstanceOf(IllegalStateException.class);
    }

    /** Even a reader that ignores the grant, on the same connection, gets no data. */
    @Test
    void theDeviceRefusesReadsOutsideOfTheMemoryOrOfMemoryThatNobodyMayRead() {
        Memory mine = near.memory(200_000, false);
        Memory theirs = far.memory(100_000, true);
        Grant honest = Grant.of(theirs.grant(0, 100_000));
        byte[] longer = new Grant(honest.address(), 200_000, honest.key()).toBytes();
        byte[] earlier = new Grant(honest.address() - 4096, 4096, honest.key()).toBytes();
        byte[] otherKey = new Grant(honest.address(), 4096, honest.key() + 1).toBytes();
        for (byte[] forged : List.of(longer, earlier, otherKey)) {
            Pair reader = connected()[0];
            int lengthBytes = (int) Grant.of(forged).lengthBytes();
            reader.read(mine, 0, lengthBytes, near.granted(forged), 0, 9);
            Done refused = await(reader, 1).get(0);
            assertThat(refused.number()).isEqualTo(9);
            assertThat(refused.failure()).isEqualTo("remote access error");
        }
    }

    /**
     * A server grants the memory of its objects like this: the whole buffer, no byte more, and only until its queues
     * are closed.
     */
    @Test
    void aLentBufferIsReadWholeAndNotBeyondAndNotAfterTheEnd() {
        ByteBuffer lent = ByteBuffer.allocateDirect(30_011).slice(5, 30_000);
        fill(lent, 3);
        Memory theirs = far.memory(lent.position(7).limit(9), true);
        assertThat(theirs.bytes()).isEqualTo(lent.duplicate().clear());
        Memory mine = near.memory(30_001, false);
        Grant all = Grant.of(theirs.grant(0, 30_000));
        Pair reader = connected()[0];
        reader.read(mine, 0, 30_000, near.granted(all.toBytes()), 0, 1);
        assertThat(await(reader, 1)).containsExactly(new Done(1, false, null, 0));
        assertThat(mine.bytes().slice(0, 30_000)).isEqualTo(lent.duplicate().clear());
        for (Grant beyond :
                List.of(new Grant(all.address() - 1, 1, all.key()), new Grant(all.address() + 30_000, 1, all.key()))) {
            Pair stranger = connected()[0];
            stranger.read(mine, 0, 1, near.granted(beyond.toBytes()), 0, 2);
            assertThat(await(stranger, 1).get(0).failure()).isEqualTo("remote access error");
        }
        assertThatThrownBy(() -> far.memory(ByteBuffer.allocate(100), true))
                .isInstanceOf(IllegalArgumentException.class);
        far.close();
        far = open();
        Pair late = connected()[0];
        late.read(mine, 0, 1, near.granted(all.toBytes()), 0, 3);
        assertThat(await(late, 1).get(0).failure()).isEqualTo("remote access error");
    }

    @Test
    void messagesThatAreInlineAreTakenAtOnce() {
        Pair[] pairs = connected();
        assertThat(pairs[0].inlineBytes()).as("soft-RoCE takes them").isEqualTo(64);
        Memory mine = near.memory(4096, false);
        Memory theirs = far.memory(4096, false);
        for (int count = 0; count < 8; count++) {
            pairs[1].receive(theirs, count * 64, 64, count);
        }
        for (int count = 0; count < 8; count++) {
            // All messages use the same memory: a message must have been copied before the next is written.
            put(mine, 0, "message " + count);
            pairs[0].send(mine, 0, 9, count);
        }
        assertThat(await(pairs[0], 8)).allMatch(done -> done.failure() == null && !done.received());
        List<Done> came = await(pairs[1], 8);
        for (int count = 0; count < 8; count++) {
            assertThat(came.get(count)).isEqualTo(new Done(count, true, null, 9));
            assertThat(text(theirs, count * 64, 9)).isEqualTo("message " + count);
        }
    }

    @Test
    void datagramsOfEverySizeUpToAPacketArriveBehindTheirHeader() {
        int most = near.datagramBytes();
        assertThat(most).as("the lab's network takes large packets").isEqualTo(4096);
        Pair sender = near.pair(QueueKind.DATAGRAM, 16, 16, 64);
        Pair receiver = far.pair(QueueKind.DATAGRAM, 16, 16, 0);
        Peer to = sender.peer(receiver.address());
        Memory mine = near.memory(most, false);
        Memory theirs = far.memory(HEADER_BYTES + most, false);
        for (int lengthBytes : new int[] {1, 63, 64, 65, 1000, most - 1, most}) {
            fill(mine.bytes(), lengthBytes);
            receiver.receive(theirs, 0, HEADER_BYTES + most, lengthBytes);
            sender.send(mine, 0, lengthBytes, to, lengthBytes);
            assertThat(await(sender, 1)).containsExactly(new Done(lengthBytes, false, null, 0));
            assertThat(await(receiver, 1))
                    .containsExactly(new Done(lengthBytes, true, null, HEADER_BYTES + lengthBytes));
            assertThat(theirs.bytes().slice(HEADER_BYTES, lengthBytes))
                    .isEqualTo(mine.bytes().slice(0, lengthBytes));
        }
        // In RoCE over IPv4 the address of the sender is at the end of the header.
        assertThat(theirs.bytes().slice(HEADER_BYTES - 8, 4)).isEqualTo(ByteBuffer.wrap(new byte[] {10, 77, 0, 1}));
    }

    @Test
    void aDatagramWithAnotherKeyDoesNotArrive() {
        Pair sender = near.pair(QueueKind.DATAGRAM, 16, 16, 0);
        Pair receiver = far.pair(QueueKind.DATAGRAM, 16, 16, 0);
        PairAddress right = PairAddress.of(receiver.address());
        Peer wrong = sender.peer(
                new PairAddress(right.gid(), right.lid(), right.mtu(), right.number(), right.key() + 1).toBytes());
        Memory mine = near.memory(4096, false);
        Memory theirs = far.memory(4096, false);
        receiver.receive(theirs, 0, 4096, 1);
        put(mine, 0, "to no one");
        sender.send(mine, 0, 9, wrong, 1);
        put(mine, 100, "to you");
        sender.send(mine, 100, 6, sender.peer(receiver.address()), 2);
        assertThat(await(receiver, 1)).containsExactly(new Done(1, true, null, HEADER_BYTES + 6));
        assertThat(text(theirs, HEADER_BYTES, 6)).isEqualTo("to you");
    }

    /** Returns the number of bytes that this thread allocates in this many rounds. */
    private static long allocatedIn(int rounds, Runnable round) {
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        long self = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(self);
        for (int count = 0; count < rounds; count++) {
            round.run();
        }
        return threads.getThreadAllocatedBytes(self) - before;
    }

    /** Waits for the next completion, which must be successful. */
    private static void awaitQuietly(Pair pair) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (pair.poll() == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("nothing completes");
            }
        }
        if (pair.failure(0) != null) {
            throw new AssertionError(pair.failure(0));
        }
    }

    @Test
    void postingAndPollingAllocatesNothing() {
        Pair[] pairs = connected();
        Memory mine = near.memory(4096, false);
        Memory theirs = far.memory(4096, true);
        Granted granted = near.granted(theirs.grant(0, 4096));
        Runnable round = () -> {
            pairs[1].receive(theirs, 0, 64, 1);
            pairs[0].send(mine, 0, 64, 2);
            awaitQuietly(pairs[0]);
            awaitQuietly(pairs[1]);
            pairs[0].read(mine, 0, 4096, granted, 0, 3);
            awaitQuietly(pairs[0]);
        };
        allocatedIn(50, round);
        assertThat(allocatedIn(200, round)).as("bytes in 200 rounds").isLessThan(200);
    }

    @Test
    void anAddressThatNoDeviceHasIsAnError() {
        assertThatThrownBy(() -> Rdma.queues(InetAddress.getByName("192.0.2.1")))
                .isInstanceOf(TransferException.class)
                .hasMessage("RDMA is not available on this host: no RDMA device has the address 192.0.2.1");
    }
}
