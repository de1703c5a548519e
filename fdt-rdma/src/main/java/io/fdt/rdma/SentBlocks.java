package io.fdt.rdma;

import io.fdt.core.transport.LaneBlock;
import java.util.function.Consumer;

/**
 * The blocks of a lane that are in flight: posted in turn, and free again when one of them, or of those after it,
 * completes. A completion carries the lower 32 bits of a block's number. For the lane's thread.
 */
final class SentBlocks {
    private final LaneBlock[] inFlight;
    private long posted;
    private long completed;

    /** @param first the number of the first block */
    SentBlocks(int count, long first) {
        inFlight = new LaneBlock[count];
        posted = first;
        completed = first;
    }

    /** The number of the block that is posted now. */
    long post(LaneBlock block) {
        inFlight[(int) (posted % inFlight.length)] = block;
        return posted++;
    }

    boolean isEmpty() {
        return posted == completed;
    }

    /** The number of the block that was posted last. */
    long newest() {
        return posted - 1;
    }

    /** All blocks up to this one have been written. */
    void completeThrough(int number, Consumer<LaneBlock> onFree) {
        while ((int) completed - number <= 0 && !isEmpty()) {
            onFree.accept(inFlight[(int) (completed++ % inFlight.length)]);
        }
    }
}
