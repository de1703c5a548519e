package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which lanes a {@link ChunkQueue} calls, and what it knows about each of them. */
class ChunkQueueLanesTest {
    private static final int LEAF = 128 * 1024;
    private static final int CHUNK = 1 << 20;
    private static final int LANES = 5;

    private final ChunkQueue queue = new ChunkQueue(CHUNK, LEAF);
    private final AtomicInteger calls = new AtomicInteger();

    private void addFile(int file, long sizeBytes) {
        queue.add(file, 0, sizeBytes, List.of(new Range(0, sizeBytes)));
    }

    private void sleep(int lane) {
        assertThat(queue.claim(lane, CHUNK, calls::incrementAndGet)).isNull();
    }

    private Chunk claim(int lane) {
        return Objects.requireNonNull(queue.claim(lane, CHUNK, null));
    }

    @Test
    void chunkMayBeASingleLeaf() {
        ChunkQueue leaves = new ChunkQueue(LEAF, LEAF);
        leaves.add(1, 0, LEAF + 1, List.of(new Range(0, LEAF + 1)));
        assertThat(leaves.claim(0, CHUNK, null)).isEqualTo(new Chunk(1, 0, LEAF));
        assertThat(leaves.acknowledge(1, 0, LEAF)).isEqualTo(LEAF);
        assertThat(leaves.claim(0, CHUNK, null)).isEqualTo(new Chunk(1, LEAF, 1));
    }

    @Test
    void countsClaimsOfEachLane() {
        addFile(1, 3L * CHUNK);
        for (int lane : new int[] {16, 100}) {
            assertThat(queue.acknowledgedBytes(lane)).isZero();
            assertThat(queue.hasClaims(lane)).isFalse();

            Chunk chunk = claim(lane);
            assertThat(queue.hasClaims(lane)).isTrue();
            queue.acknowledge(1, chunk.offset(), chunk.lengthBytes());
            assertThat(queue.hasClaims(lane)).isFalse();
            assertThat(queue.acknowledgedBytes(lane)).isEqualTo(CHUNK);
        }
    }

    @Test
    void claimsSmallFilesThatFit() {
        for (int file = 0; file < 100; file++) {
            addFile(file, 1_000);
        }
        ArrayDeque<Chunk> claimed = new ArrayDeque<>();
        claim(0);
        queue.claimSmall(0, 10 * 1_104, 104, claimed);

        assertThat(claimed).hasSize(10).allMatch(queue::isOutstanding);
        for (Chunk chunk : claimed) {
            assertThat(queue.acknowledge(chunk.fileId(), 0, 1_000)).isEqualTo(1_000);
        }
        assertThat(queue.acknowledgedBytes(0)).isEqualTo(10_000);
    }

    @Test
    void callsALaneForADamagedChunk() {
        addFile(1, LEAF);
        claim(0);
        sleep(0);
        sleep(1);

        assertThat(queue.sendAgain(1, 0, 0)).isEqualTo(1);
        assertThat(calls).hasValue(1);
    }

    @Test
    void callsALaneForTheChunkOfALostLane() {
        addFile(1, LEAF);
        claim(0);
        sleep(1);

        queue.returnClaims(0);
        assertThat(calls).hasValue(1);
    }

    @Test
    void callsNoLaneAfterTheEnd() {
        sleep(0);
        queue.close();
        addFile(1, LEAF);
        queue.wakeLanes();
        queue.wakeAnother();
        assertThat(calls).hasValue(0);
    }

    @Test
    void callsAllLanesForAStreamUntilItEnds() {
        for (int lane = 0; lane < LANES; lane++) {
            sleep(lane);
        }
        queue.addStream(1, LEAF);
        queue.wakeLanes();
        assertThat(calls).hasValue(LANES);

        claim(0);
        queue.acknowledge(1, 0, LEAF);
        assertThat(queue.endStream(1)).isEqualTo(LEAF);
        assertThat(queue.isDrained()).isTrue();
        for (int lane = 0; lane < LANES; lane++) {
            sleep(lane);
        }
        queue.wakeAnother();
        assertThat(calls).hasValue(LANES);
    }

    @Test
    void withdrawnClaimIsForgotten() {
        queue.addStream(1, LEAF);
        Chunk empty = claim(0);
        queue.endStream(1);
        assertThat(queue.isDrained()).isFalse();

        queue.withdraw(empty);
        assertThat(queue.isDrained()).isTrue();
        assertThat(queue.hasClaims(0)).isFalse();
    }

    @Test
    void fileThatIsGivenUpLeavesReturnedChunksOfOthers() {
        addFile(1, LEAF);
        addFile(2, LEAF);
        claim(0);
        claim(0);
        queue.returnClaims(0);

        queue.giveUp(1);
        assertThat(claim(0).fileId()).isEqualTo(2);
        assertThat(queue.claim(0, CHUNK, null)).isNull();
    }

    @Test
    void otherLanesFinishTheFileOfALaneThatLeaves() {
        addFile(1, 1L << 30);
        long bytes = claim(0).lengthBytes();
        queue.leave(0);
        for (Chunk chunk = queue.claim(1, CHUNK, null); chunk != null; chunk = queue.claim(1, CHUNK, null)) {
            bytes += chunk.lengthBytes();
        }
        assertThat(bytes).isEqualTo(1L << 30);
    }

    /**
     * Goal: no lane is called in vain, and none waits while there is work, whatever happened before. Method: large and
     * small files, and lanes that claim, leave, are lost and give up files at random, from a printed seed. Then nothing
     * is left, so nobody is called, and one more file calls exactly one lane.
     */
    @Test
    void callsAsManyLanesAsThereIsWorkForAfterAnything() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        int files = 0;
        for (int round = 0; round < 200; round++) {
            Map<Integer, Long> missing = new HashMap<>();
            int count = 1 + random.nextInt(12);
            for (int i = 0; i < count; i++) {
                long size = 1 + random.nextLong(random.nextBoolean() ? CHUNK : 200L * CHUNK);
                queue.add(files, files / 4, size, List.of(new Range(0, size)));
                missing.put(files++, size);
            }
            for (int step = 0; step < 300; step++) {
                int lane = random.nextInt(LANES);
                switch (random.nextInt(40)) {
                    case 0 -> queue.leave(lane);
                    case 1 -> queue.returnClaims(lane);
                    case 2 -> {
                        List<Integer> those = new ArrayList<>(missing.keySet());
                        if (random.nextInt(4) == 0 && !those.isEmpty()) {
                            int file = those.get(random.nextInt(those.size()));
                            queue.giveUp(file);
                            missing.remove(file);
                        }
                    }
                    default -> acknowledge(queue.claim(lane, CHUNK, null), random.nextInt(8) > 0, missing);
                }
            }
            for (int lane = 0; lane < LANES; lane++) {
                queue.returnClaims(lane);
            }
            for (Chunk chunk = queue.claim(0, CHUNK, null); chunk != null; chunk = queue.claim(0, CHUNK, null)) {
                acknowledge(chunk, true, missing);
            }
            assertThat(missing.values()).as("seed %d, round %d", seed, round).allMatch(left -> left == 0);
            assertThat(queue.isDrained()).isTrue();

            calls.set(0);
            for (int lane = 0; lane < LANES; lane++) {
                sleep(lane);
            }
            queue.wakeAnother();
            assertThat(calls).as("without work, seed %d, round %d", seed, round).hasValue(0);
            addFile(files, 1);
            queue.wakeLanes();
            assertThat(calls).as("for one file, seed %d, round %d", seed, round).hasValue(1);
            queue.giveUp(files++);
            assertThat(queue.claim(0, CHUNK, null)).isNull();
        }
    }

    private void acknowledge(@Nullable Chunk chunk, boolean now, Map<Integer, Long> missing) {
        if (chunk != null && now) {
            int bytes = queue.acknowledge(chunk.fileId(), chunk.offset(), chunk.lengthBytes());
            missing.computeIfPresent(chunk.fileId(), (file, left) -> left - bytes);
        }
    }
}
