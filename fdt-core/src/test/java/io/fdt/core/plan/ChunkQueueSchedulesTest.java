package io.fdt.core.plan;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.transport.Schedules;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Lanes that claim, finish, are lost and leave at the same time: every byte is acknowledged exactly once. */
final class ChunkQueueSchedulesTest {
    private static final int LEAF = 1 << 17;
    private static final int CHUNK = 2 * LEAF;

    private static ChunkQueue queue(int file, long sizeBytes) {
        ChunkQueue queue = new ChunkQueue(CHUNK, LEAF);
        queue.add(file, 0, sizeBytes, List.of(new Range(0, sizeBytes)));
        return queue;
    }

    /** Claims and acknowledges until nothing is left; returns the acknowledged bytes. */
    private static long work(ChunkQueue queue, int lane) {
        long moved = 0;
        for (Chunk chunk = queue.claim(lane, CHUNK, null); chunk != null; chunk = queue.claim(lane, CHUNK, null)) {
            moved += Math.max(0, queue.acknowledge(chunk.fileId(), chunk.offset(), chunk.lengthBytes()));
        }
        return moved;
    }

    @Test
    void theChunksOfALostLaneAreMovedOnceByTheOthers() {
        Schedules.explore(40, () -> {
            long sizeBytes = 3L * CHUNK + LEAF;
            ChunkQueue queue = queue(1, sizeBytes);
            AtomicLong moved = new AtomicLong();
            together(
                    () -> moved.addAndGet(work(queue, 0)),
                    () -> {
                        Chunk last = queue.claim(1, CHUNK, null);
                        queue.returnClaims(1);
                        // It was on its way when the lane was lost.
                        if (last != null) {
                            moved.addAndGet(
                                    Math.max(0, queue.acknowledge(last.fileId(), last.offset(), last.lengthBytes())));
                        }
                    },
                    () -> {
                        moved.addAndGet(work(queue, 2));
                        queue.leave(2);
                    });
            moved.addAndGet(work(queue, 0));
            require(moved.get() == sizeBytes, "every byte is acknowledged once, and not " + moved.get());
            require(queue.isDrained(), "nothing is left");
        });
    }

    /** Two lanes finish the last chunks, and the file gets its name before the second one is acknowledged. */
    @Test
    void aFileInPlaceIsCountedOnceAsAWhole() {
        Schedules.explore(40, () -> {
            ChunkQueue queue = queue(1, 2L * CHUNK);
            Chunk first = queue.claim(0, CHUNK, null);
            Chunk second = queue.claim(1, CHUNK, null);
            require(first != null && second != null, "each lane has a chunk");
            AtomicLong counted = new AtomicLong();
            together(
                    () -> counted.addAndGet(Math.max(0, queue.acknowledge(1, first.offset(), CHUNK))),
                    () -> counted.addAndGet(Math.max(0, queue.acknowledge(1, second.offset(), CHUNK))),
                    () -> counted.addAndGet(queue.complete(1)));
            require(counted.get() == 2L * CHUNK, "counted " + counted.get());
            require(queue.isDrained(), "nothing is left");
            require(!queue.hasClaims(0) && !queue.hasClaims(1), "no lane is waited for");
            require(queue.acknowledgedBytes(0) + queue.acknowledgedBytes(1) == 2L * CHUNK, "of both lanes");
        });
    }

    @Test
    void aLaneThatFindsNothingIsCalledWhenThereIsWork() {
        Schedules.explore(60, () -> {
            ChunkQueue queue = new ChunkQueue(CHUNK, LEAF);
            AtomicInteger calls = new AtomicInteger();
            AtomicInteger found = new AtomicInteger();
            together(() -> found.addAndGet(queue.claim(0, CHUNK, calls::incrementAndGet) == null ? 0 : 1), () -> {
                queue.add(1, 0, CHUNK, List.of(new Range(0, CHUNK)));
                queue.wakeLanes();
            });
            require(found.get() + calls.get() == 1, "found " + found.get() + ", called " + calls.get());
        });
    }

    @Test
    void aDamagedChunkIsSentAgainOnceThoughItsLaneIsLost() {
        Schedules.explore(40, () -> {
            ChunkQueue queue = queue(1, CHUNK);
            Chunk claimed = queue.claim(0, CHUNK, null);
            require(claimed != null, "there is a chunk");
            together(() -> queue.sendAgain(1, 0, claimed.attempt()), () -> queue.returnClaims(0));
            require(work(queue, 1) == CHUNK, "the other lane moves it once");
            require(queue.isDrained(), "nothing is left");
        });
    }
}
