package io.fdt.core.storage;

import static io.fdt.core.storage.Holes.GRANULE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
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
    void aWriteThatMeetsATouchedGranuleAnywhereLeavesNothingOut() {
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

    @Test
    void writesRunsOfPagesThatAreNotZero() {
        byte[] block = new byte[5 * PAGE_BYTES + 10];
        block[PAGE_BYTES] = 1;
        block[3 * PAGE_BYTES - 1] = 2;
        block[block.length - 1] = 3;
        assertThat(written(block, 0)).containsExactly(PAGE_BYTES + "+" + 2 * PAGE_BYTES, 5 * PAGE_BYTES + "+" + 10);
    }

    @Test
    void pagesAreThoseOfTheFile() {
        byte[] block = new byte[2 * PAGE_BYTES];
        block[100] = 1;
        // The first page of the file that the block meets ends 100 bytes into it.
        assertThat(written(block, PAGE_BYTES - 100)).containsExactly("100+" + PAGE_BYTES);
    }

    @Test
    void writesNothingOfZeros() {
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
