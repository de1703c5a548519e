package io.fdt.core.storage.partial;

import static io.fdt.core.storage.partial.Holes.GRANULE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.storage.StorageTest;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class HolesTest extends StorageTest {
    private static final int PAGE_BYTES = 4096;

    private final Holes holes = new Holes();

    @Test
    void aFirstWriteMayLeaveZerosOutAndALaterOneMayNot() {
        assertThat(holes.touch(0, GRANULE_BYTES)).isFalse();
        assertThat(holes.touch(GRANULE_BYTES, 1)).isFalse();
        assertThat(holes.touch(2L * GRANULE_BYTES - 1, 1)).isTrue();
        assertThat(holes.touch(0, 1)).isTrue();
        assertThat(holes.touch(2L * GRANULE_BYTES, 0))
                .as("nothing to leave out")
                .isTrue();
    }

    @Test
    void writesZerosIfAnyGranuleWasWrittenBefore() {
        holes.touch(3L * GRANULE_BYTES, 1);
        assertThat(holes.touch(GRANULE_BYTES, 2L * GRANULE_BYTES + 1)).isTrue();
    }

    @Test
    void knowsWhereThereAreZerosAlready() {
        holes.touch(2L * GRANULE_BYTES, GRANULE_BYTES);
        assertThat(holes.isUntouched(0, 2L * GRANULE_BYTES)).isTrue();
        assertThat(holes.isUntouched(0, 2L * GRANULE_BYTES + 1)).isFalse();
        assertThat(holes.isUntouched(3L * GRANULE_BYTES, 1L << 40)).isTrue();
    }

    /** A range that was not recorded would keep old bytes where zeros belong. */
    @RepeatedTest(20)
    void forgetsNothingThatWasTouched(RepetitionInfo run) {
        Random random = new Random(run.getCurrentRepetition());
        BitSet touched = new BitSet();
        int granules = 1 << (4 + random.nextInt(12));
        for (int i = 0; i < 2_000; i++) {
            int first = random.nextInt(granules);
            int count = 1 + random.nextInt(4);
            long offset = (long) first * GRANULE_BYTES + random.nextInt(GRANULE_BYTES);
            long length = (long) (first + count) * GRANULE_BYTES - offset;
            boolean before = touched.nextSetBit(first) >= 0 && touched.nextSetBit(first) < first + count;
            boolean exact = granules < Holes.MAX_RANGES;
            if (random.nextBoolean()) {
                boolean untouched = holes.isUntouched(offset, length);
                assertThat(exact ? untouched : untouched && before).isEqualTo(exact && !before);
            } else {
                boolean known = holes.touch(offset, length);
                assertThat(exact ? known : known || !before).isEqualTo(!exact || before);
                touched.set(first, first + count);
            }
        }
    }

    /** A sender of scattered single bytes must not fill the heap. */
    @Test
    void withTooManyRangesTheLowestGapsCountAsTouched() {
        long step = 2L * GRANULE_BYTES;
        for (int i = 0; i < 10 * Holes.MAX_RANGES; i++) {
            assertThat(holes.touch((1L << 50) + i * step, 1)).isFalse();
        }
        assertThat(holes.isUntouched(0, 1L << 50)).as("before all of them").isTrue();
        assertThat(holes.isUntouched((1L << 50) + GRANULE_BYTES, 1))
                .as("the oldest gap")
                .isFalse();
        assertThat(holes.isUntouched((1L << 50) + (10 * Holes.MAX_RANGES - 2) * step + GRANULE_BYTES, 1))
                .as("the newest gap")
                .isTrue();
    }

    @Test
    void writesRunsOfPagesThatAreNotZero() {
        byte[] block = new byte[5 * PAGE_BYTES + 10];
        block[PAGE_BYTES] = 1;
        block[3 * PAGE_BYTES - 1] = 2;
        block[block.length - 1] = 3;
        assertThat(written(block, 0)).containsExactly(PAGE_BYTES + "+" + 2 * PAGE_BYTES, 5 * PAGE_BYTES + "+" + 10);
    }

    @Test
    void skipsZerosByPagesOfTheFile() {
        byte[] block = new byte[2 * PAGE_BYTES];
        block[100] = 1;
        // The first page boundary of the file is 100 bytes into the block.
        assertThat(written(block, PAGE_BYTES - 100)).containsExactly("100+" + PAGE_BYTES);
    }

    @Test
    void writesNoPagesOfZeros() {
        assertThat(written(new byte[3 * PAGE_BYTES], 5)).isEmpty();
    }

    private static List<String> written(byte[] block, long offset) {
        List<String> runs = new ArrayList<>();
        Memory memory = Memory.of(block);
        try {
            Holes.writeNonZeroPages(
                    memory.address(), block.length, offset, (at, lengthBytes) -> runs.add(at + "+" + lengthBytes));
        } finally {
            Reference.reachabilityFence(memory);
        }
        return runs;
    }
}
