package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Block;
import io.fdt.core.transport.Delivery;
import io.fdt.core.transport.LaneBlock;
import io.fdt.core.transport.LaneHandler;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Received blocks reach the handler as one stream, however the sender divided it. */
final class ReceivedTest {
    private static final int BYTES = 64;

    /** A handler that requests and consumes random amounts from a seed, and checks each byte. */
    private static final class Reader implements LaneHandler {
        final SplittableRandom random;
        final boolean greedy;
        int wanted = 1;
        int read;
        int fewerThanWanted;

        Reader(long seed, boolean greedy) {
            random = new SplittableRandom(seed);
            this.greedy = greedy;
        }

        @Override
        public int wantedBytes() {
            return wanted;
        }

        @Override
        public void onReceived(Block block) {
            ByteBuffer bytes = block.buffer();
            int ready = bytes.remaining();
            if (ready < wanted) {
                fewerThanWanted++;
            }
            if (greedy || wanted == BYTES || ready < wanted || random.nextBoolean()) {
                for (int left = greedy ? ready : random.nextInt(1, ready + 1); left > 0; left--) {
                    assertThat(bytes.get()).isEqualTo((byte) read++);
                }
                wanted = random.nextInt(1, BYTES + 1);
            } else {
                wanted = Math.min(BYTES, wanted + random.nextInt(1, 20));
            }
        }

        @Override
        public void onSendable() {}

        @Override
        public void onClosed(@Nullable TransferException cause) {}
    }

    private final LaneBlock[] blocks = new LaneBlock[3];
    private final Received received;

    ReceivedTest() {
        for (int index = 0; index < blocks.length; index++) {
            blocks[index] = new LaneBlock(null, ByteBuffer.allocateDirect(BYTES), 0);
        }
        received = new Received(blocks, new LaneBlock(null, ByteBuffer.allocateDirect(BYTES), 0));
    }

    private static Delivery calls(LaneHandler handler) {
        return new Delivery(handler, BYTES, () -> true);
    }

    private void arrive(int from, int count) {
        ByteBuffer into = blocks[received.nextIndex()].buffer().clear();
        for (int index = 0; index < count; index++) {
            into.put((byte) (from + index));
        }
        received.arrive(count);
    }

    @Test
    void anyCutsGiveTheSameStream() {
        for (long seed = 1; seed <= 300; seed++) {
            ReceivedTest fresh = new ReceivedTest();
            fresh.carry(seed);
        }
    }

    private void carry(long seed) {
        Reader reader = new Reader(seed, seed % 3 == 0);
        SplittableRandom random = new SplittableRandom(-seed);
        int total = 3000;
        int sent = 0;
        while (sent < total) {
            for (int burst = random.nextInt(1, 4); burst > 0 && sent < total && received.mayArrive(); burst--) {
                int count = Math.min(
                        random.nextInt(3) == 0 ? random.nextInt(1, 5) : random.nextInt(1, BYTES + 1), total - sent);
                arrive(sent, count);
                sent += count;
            }
            received.deliver(calls(reader), false);
            assertThat(received.left()).as("seed %s", seed).isEqualTo(sent - reader.read);
            assertThat(received.left())
                    .as("seed %s: what is left is less than wanted", seed)
                    .isLessThan(reader.wanted);
            assertThat(received.mayArrive())
                    .as("seed %s: the peer can go on", seed)
                    .isTrue();
        }
        assertThat(reader.fewerThanWanted).as("seed %s", seed).isZero();
    }

    /** Taking bytes keeps their order, even if a handler consumes other amounts in between. */
    @Test
    void bytesAreTakenInOrderHoweverManyAtATime() {
        for (long seed = 1; seed <= 300; seed++) {
            ReceivedTest fresh = new ReceivedTest();
            fresh.carryByTaking(seed);
        }
    }

    private void carryByTaking(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Reader reader = new Reader(seed, seed % 3 == 0);
        int[] read = new int[1];
        Received.Sink sink = (block, from, count) -> {
            for (int index = 0; index < count; index++) {
                assertThat(block.buffer().get(from + index)).isEqualTo((byte) read[0]++);
            }
        };
        int total = 3000;
        int sent = 0;
        while (read[0] < total) {
            for (int burst = random.nextInt(4); burst > 0 && sent < total && received.mayArrive(); burst--) {
                int count = Math.min(random.nextInt(1, BYTES + 1), total - sent);
                arrive(sent, count);
                sent += count;
            }
            if (random.nextInt(3) == 0) {
                reader.read = read[0];
                received.deliver(calls(reader), false);
                read[0] = reader.read;
            }
            int most = random.nextInt(1, 2 * BYTES);
            int left = received.left();
            assertThat(received.take(sink, most)).as("seed %s", seed).isEqualTo(Math.min(most, left));
            assertThat(received.left()).as("seed %s", seed).isEqualTo(sent - read[0]);
        }
    }

    @Test
    void wholeBlocksAreHandedOutWhereTheyLie() {
        Block[] seen = new Block[1];
        Reader reader = new Reader(1, true);
        LaneHandler looking = new LaneHandler() {
            @Override
            public int wantedBytes() {
                return BYTES;
            }

            @Override
            public void onReceived(Block block) {
                seen[0] = block;
                reader.onReceived(block);
            }

            @Override
            public void onSendable() {}

            @Override
            public void onClosed(@Nullable TransferException cause) {}
        };
        for (int round = 0; round < 7; round++) {
            LaneBlock next = blocks[received.nextIndex()];
            arrive(round * BYTES, BYTES);
            received.deliver(calls(looking), false);
            assertThat(seen[0]).isSameAs(next);
            assertThat(received.givenBack()).isEqualTo(round + 1);
        }
    }

    @Test
    void theEndBringsWhatIsLessThanWanted() {
        Reader reader = new Reader(5, true);
        reader.wanted = 50;
        arrive(0, 10);
        arrive(10, 20);
        received.deliver(calls(reader), false);
        assertThat(reader.read).isZero();
        received.deliver(calls(reader), true);
        assertThat(reader.read).isEqualTo(30);
        assertThat(received.left()).isZero();
    }

    @Test
    void aHandlerThatTakesNothingAndWantsNoMoreIsCaught() {
        arrive(0, 10);
        LaneHandler none = new LaneHandler() {
            @Override
            public int wantedBytes() {
                return 4;
            }

            @Override
            public void onReceived(Block block) {}

            @Override
            public void onSendable() {}

            @Override
            public void onClosed(@Nullable TransferException cause) {}
        };
        assertThatThrownBy(() -> received.deliver(calls(none), false)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatIsDroppedIsGivenBack() {
        Reader reader = new Reader(5, true);
        reader.wanted = 50;
        arrive(0, 10);
        arrive(10, 20);
        received.deliver(calls(reader), false);
        arrive(30, 5);
        received.drop();
        assertThat(received.givenBack()).isEqualTo(3);
        assertThat(received.left()).isZero();
    }
}
