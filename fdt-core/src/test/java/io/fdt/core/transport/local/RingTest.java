package io.fdt.core.transport.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.Libc;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring between two honest ends, and one whose memory the peer fills with arbitrary values at any time. */
class RingTest {
    private static final int CAPACITY = 4096;
    private static final int FENCE = 64 << 10;
    private static final byte UNTOUCHED = 0x5a;

    private final long seed = Long.getLong("fdt.seed", 1);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final ByteBuffer words = Kernel.memory(Ring.WORDS_BYTES + 8).alignedSlice(8);

    /** The ring's data between two fences. */
    private final ByteBuffer fenced = fencedMemory(CAPACITY);

    private final Ring ring = new Ring(words, Libc.addressOf(fenced) + FENCE, CAPACITY, "the peer");

    private static ByteBuffer fencedMemory(int bytes) {
        ByteBuffer memory = Kernel.memory(bytes + 2 * FENCE);
        for (int at = 0; at < memory.capacity(); at++) {
            memory.put(at, UNTOUCHED);
        }
        return memory;
    }

    private void assertFences(ByteBuffer memory) {
        for (int at = 0; at < FENCE; at++) {
            assertThat(memory.get(at)).as("before, seed %d", seed).isEqualTo(UNTOUCHED);
            assertThat(memory.get(memory.capacity() - 1 - at))
                    .as("behind, seed %d", seed)
                    .isEqualTo(UNTOUCHED);
        }
    }

    private RingWriter writer() {
        return new RingWriter(ring);
    }

    private RingReader reader() {
        return new RingReader(ring);
    }

    @Test
    void carriesPiecesOfAnySizeInOrder() throws Exception {
        long total = 3_000_000;
        SplittableRandom content = random.split();
        SplittableRandom expected = new SplittableRandom(seed);
        SplittableRandom sent = new SplittableRandom(seed);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread sending = new Thread(() -> {
            try {
                RingWriter writer = writer();
                ByteBuffer from = Kernel.memory(2 * CAPACITY);
                long address = Libc.addressOf(from);
                long left = total;
                while (left > 0) {
                    int length = (int) Math.min(left, content.nextInt(1, from.capacity() + 1));
                    for (int at = 0; at < length; at++) {
                        from.put(at, (byte) sent.nextInt());
                    }
                    int at = 0;
                    while (at < length) {
                        at += writer.write(address + at, length - at);
                    }
                    left -= length;
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        sending.start();
        RingReader reader = reader();
        ByteBuffer to = Kernel.memory(2 * CAPACITY);
        long address = Libc.addressOf(to);
        long got = 0;
        while (got < total && failure.get() == null) {
            int came = reader.read(address, random.nextInt(1, to.capacity() + 1));
            for (int at = 0; at < came; at++) {
                if (to.get(at) != (byte) expected.nextInt()) {
                    throw new AssertionError("byte " + (got + at) + " is not what was written; seed " + seed);
                }
            }
            got += came;
        }
        sending.join();
        assertThat(failure.get()).isNull();
        assertThat(got).isEqualTo(total);
        assertFences(fenced);
    }

    @Test
    void isFullAtItsCapacityAndEmptyWhenAllWasSkipped() {
        RingWriter writer = writer();
        RingReader reader = reader();
        ByteBuffer from = Kernel.memory(CAPACITY + 1);
        assertThat(writer.write(Libc.addressOf(from), CAPACITY + 1)).isEqualTo(CAPACITY);
        assertThat(writer.write(Libc.addressOf(from), 1)).isZero();
        assertThat(reader.skip(100)).isEqualTo(100);
        assertThat(writer.room()).isEqualTo(100);
        assertThat(reader.skip(CAPACITY)).isEqualTo(CAPACITY - 100);
        assertThat(reader.available()).isZero();
    }

    @Test
    void wakeUpRequestIsConsumedOnce() {
        RingWriter writer = writer();
        RingReader reader = reader();
        assertThat(writer.takeReadersCall()).isFalse();
        reader.waits(true);
        assertThat(writer.takeReadersCall()).isTrue();
        assertThat(writer.takeReadersCall()).isFalse();
        ByteBuffer from = Kernel.memory(CAPACITY);
        writer.write(Libc.addressOf(from), CAPACITY);
        writer.waits(true);
        reader.skip(1);
        assertThat(reader.takeWritersCall())
                .as("for a byte it is not worth while")
                .isFalse();
        reader.skip(CAPACITY / 2);
        assertThat(reader.takeWritersCall()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, CAPACITY + 1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, -(1L << 32)})
    void aNumberThatCannotBeIsABreach(long garbage) {
        ByteBuffer own = Kernel.memory(CAPACITY);
        RingReader reader = reader();
        ring.set(Ring.WRITTEN, garbage);
        assertBreach(() -> reader.read(Libc.addressOf(own), CAPACITY));
        assertBreach(() -> reader.skip(1));
        RingWriter writer = writer();
        // More cannot have been read than was written.
        ring.set(Ring.READ, -garbage);
        assertBreach(() -> writer.write(Libc.addressOf(own), 1));
    }

    private static void assertBreach(Runnable action) {
        assertThatThrownBy(action::run)
                .isInstanceOfSatisfying(
                        TransferException.class,
                        breach -> assertThat(breach.kind()).isEqualTo(FailureKind.VERSION))
                .hasMessageContaining("the peer");
    }

    /** Whatever the peer writes while this end works, this end accesses only its own buffer and the ring. */
    @Test
    void accessesOnlyItsMemoryWhateverThePeerWrites() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        SplittableRandom scribbles = random.split();
        Thread peer = new Thread(() -> {
            int[] places = {Ring.WRITTEN, Ring.READ, Ring.READER_WAITS, Ring.WRITER_WAITS};
            while (!over.get()) {
                int place = places[scribbles.nextInt(places.length)];
                ring.set(place, garbage(scribbles, ring.get(place)));
            }
        });
        peer.start();
        ByteBuffer own = fencedMemory(CAPACITY);
        long address = Libc.addressOf(own) + FENCE;
        int breaches = 0;
        int moved = 0;
        for (int round = 0; round < 20_000; round++) {
            RingWriter writer = writer();
            RingReader reader = reader();
            try {
                for (int step = 0; step < 20; step++) {
                    int length = random.nextInt(CAPACITY + 1);
                    int count = switch (random.nextInt(4)) {
                        case 0 -> writer.write(address, length);
                        case 1 -> reader.read(address, length);
                        case 2 -> reader.skip(length);
                        default -> writer.takeReadersCall() || reader.takeWritersCall() ? 1 : 0;
                    };
                    assertThat(count).as("seed %d", seed).isBetween(0, Math.max(1, length));
                    moved += count > 0 ? 1 : 0;
                }
            } catch (TransferException breach) {
                assertThat(breach.kind()).isEqualTo(FailureKind.VERSION);
                breaches++;
            }
        }
        over.set(true);
        peer.join();
        assertFences(own);
        assertFences(fenced);
        assertThat(breaches).as("seed %d", seed).isPositive();
        assertThat(moved).as("seed %d", seed).isPositive();
    }

    private static long garbage(SplittableRandom from, long now) {
        return switch (from.nextInt(6)) {
            case 0 -> from.nextLong();
            case 1 -> now + from.nextInt(-2 * CAPACITY, 2 * CAPACITY);
            case 2 -> from.nextInt(CAPACITY + 1);
            case 3 -> Long.MAX_VALUE - from.nextInt(3);
            case 4 -> Long.MIN_VALUE + from.nextInt(3);
            default -> 0;
        };
    }
}
