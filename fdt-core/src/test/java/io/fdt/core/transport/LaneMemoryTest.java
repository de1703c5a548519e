package io.fdt.core.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.fdt.core.nativecode.Libc;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LaneMemoryTest {
    private static final int PAGE_BYTES = 4096;
    private static final int[] SIZES = {131_584, 131_584, 200_001};

    /** How many pages of the block are in memory, which the last bit of a page's word shows. */
    private static int pagesPresent(LaneBlock block) throws IOException {
        int present = 0;
        byte[] word = new byte[Long.BYTES];
        try (RandomAccessFile pages = new RandomAccessFile("/proc/self/pagemap", "r")) {
            for (long at = block.address(); at < block.address() + block.capacity(); at += PAGE_BYTES) {
                pages.seek(at / PAGE_BYTES * Long.BYTES);
                pages.readFully(word);
                present += word[Long.BYTES - 1] < 0 ? 1 : 0;
            }
        }
        return present;
    }

    /** The kernel places a page near the core that touches it first, so no other lane may have had it before. */
    @Test
    void memoryIsNewForEachLaneAndNobodyHasTouchedIt() throws IOException {
        Path hugePages = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
        assumeFalse(
                Files.exists(hugePages) && Files.readString(hugePages).contains("[always]"),
                "one touch fills two mebibytes here");
        for (int lane = 0; lane < 50; lane++) {
            try (LaneMemory memory = new LaneMemory(SIZES)) {
                for (int size : SIZES) {
                    LaneBlock block = memory.cut(null, size);
                    assertThat(pagesPresent(block)).as("lane " + lane).isZero();
                    Libc.memset(block.address(), 7, size);
                    assertThat(pagesPresent(block)).isEqualTo((size + PAGE_BYTES - 1) / PAGE_BYTES);
                }
            }
        }
    }

    @Test
    void partsArePageAlignedAndDoNotOverlap() {
        try (LaneMemory memory = new LaneMemory(SIZES)) {
            long end = 0;
            for (int size : SIZES) {
                LaneBlock block = memory.cut(null, size);
                assertThat(block.address() % PAGE_BYTES).isZero();
                assertThat(block.address()).isGreaterThanOrEqualTo(end);
                end = block.address() + size;
                assertThat(block.capacity()).isEqualTo(size);
                ByteBuffer buffer = block.buffer().clear();
                buffer.put(0, (byte) 1).put(size - 1, (byte) 2);
            }
        }
    }
}
