package io.fdt.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.LaneBlock;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks become free in the order in which they were posted, and never while the device may read them. */
final class SentBlocksTest {
    private static final int BLOCKS = 6;

    /** Small messages pass the first of these numbers within an hour. */
    @ParameterizedTest
    @ValueSource(longs = {0, (1L << 31) - 20, (1L << 32) - 20})
    void freesWhatHasCompletedWhateverItsNumber(long first) {
        SentBlocks sent = new SentBlocks(BLOCKS, first);
        Deque<LaneBlock> inFlight = new ArrayDeque<>();
        for (int round = 0; round < 20; round++) {
            while (inFlight.size() < BLOCKS) {
                LaneBlock block = new LaneBlock(null, ByteBuffer.allocate(1), 0);
                sent.post(block);
                inFlight.add(block);
            }
            int done = 1 + round % BLOCKS;
            List<LaneBlock> expected = new ArrayList<>();
            for (int i = 0; i < done; i++) {
                expected.add(inFlight.remove());
            }
            List<LaneBlock> free = new ArrayList<>();
            sent.completeThrough((int) (sent.newest() - inFlight.size()), free::add);
            assertThat(free).as("round %d", round).containsExactlyElementsOf(expected);
        }
        sent.completeThrough((int) sent.newest(), block -> {});
        assertThat(sent.isEmpty()).isTrue();
    }
}
