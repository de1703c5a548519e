package io.fdt.core.plan;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * The life of a chunk in the queue that all lanes share: a lane claims it, and the control channel acknowledges it. 64
 * chunks are in flight, as in a session with 16 lanes.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClaimBenchmark {
    private static final int LEAF_BYTES = 128 << 10;
    private static final int CHUNK_BYTES = 8 << 20;
    private static final int ON_THEIR_WAY = 64;
    /** More than a benchmark can claim. */
    private static final long FILE_BYTES = Long.MAX_VALUE / 2;

    private ChunkQueue queue = new ChunkQueue(CHUNK_BYTES, LEAF_BYTES);

    @Setup(Level.Iteration)
    public void fill() {
        queue = new ChunkQueue(CHUNK_BYTES, LEAF_BYTES);
        queue.add(1, 0, FILE_BYTES, List.of(new Range(0, FILE_BYTES)));
    }

    /** The chunks that one lane has claimed and that are not yet acknowledged. */
    @State(Scope.Thread)
    public static class LaneClaims {
        private final Runnable wakeUp = this::onWork;
        private final Chunk[] claimed = new Chunk[ON_THEIR_WAY];
        private int next;

        Chunk turn(ChunkQueue queue) {
            Chunk before = claimed[next];
            if (before != null) {
                queue.acknowledge(before.fileId(), before.offset(), before.lengthBytes());
            }
            Chunk chunk = Objects.requireNonNull(queue.claim(1, CHUNK_BYTES, wakeUp));
            claimed[next] = chunk;
            next = (next + 1) % ON_THEIR_WAY;
            return chunk;
        }

        private void onWork() {}
    }

    @Benchmark
    public Chunk oneLane(LaneClaims lane) {
        return lane.turn(queue);
    }

    @Benchmark
    @Threads(2)
    public Chunk twoLanes(LaneClaims lane) {
        return lane.turn(queue);
    }
}
