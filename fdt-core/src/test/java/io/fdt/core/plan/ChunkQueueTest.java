package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.NodeDigests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChunkQueueTest {
    private static final int LEAF = 128 * 1024;
    private static final int CHUNK = 8 << 20;
    private static final Runnable NO_WAKE = () -> {};

    private final ChunkQueue queue = new ChunkQueue(CHUNK, LEAF);

    @Test
    void cutsAFileIntoChunksInOrder() {
        queue.add(7, 0, 2L * CHUNK + 5, List.of(new Range(0, 2L * CHUNK + 5)));

        assertThat(claimAll())
                .containsExactly(new Chunk(7, 0, CHUNK), new Chunk(7, CHUNK, CHUNK), new Chunk(7, 2L * CHUNK, 5));
    }

    @Test
    void cutsMissingRangesIntoNodesOfTheHashTree() {
        long size = 3L * CHUNK + 1000;
        queue.add(1, 0, size, List.of(new Range(LEAF, CHUNK - LEAF), new Range(2L * CHUNK, size - 2L * CHUNK)));

        List<Chunk> chunks = claimAll();

        assertThat(chunks.stream().mapToLong(Chunk::lengthBytes).sum()).isEqualTo(size - CHUNK - LEAF);
        for (Chunk chunk : chunks) {
            boolean toTheEnd = chunk.offset() + chunk.lengthBytes() == size;
            boolean node = Integer.bitCount(chunk.lengthBytes()) == 1 && chunk.offset() % chunk.lengthBytes() == 0;
            assertThat(node || toTheEnd).as(chunk.toString()).isTrue();
        }
    }

    @Test
    void claimOfAbandonedFileIsInvalidAfterReAdding() {
        queue.add(1, 0, CHUNK, List.of(new Range(0, CHUNK)));
        Chunk early = Objects.requireNonNull(queue.claim(0, CHUNK, NO_WAKE));
        assertThat(queue.isOutstanding(early)).isTrue();

        queue.giveUp(1);
        queue.add(1, 0, CHUNK, List.of(new Range(0, CHUNK)));
        Chunk late = Objects.requireNonNull(queue.claim(1, CHUNK, NO_WAKE));

        assertThat(late).isEqualTo(early);
        assertThat(queue.isOutstanding(early)).isFalse();
        queue.withdraw(early);
        assertThat(queue.isOutstanding(late)).isTrue();
        assertThat(queue.isDrained()).isFalse();
    }

    @Test
    void countsPast4TiB() {
        long size = (5L << 40) + 1;
        queue.add(1, 0, size, List.of(new Range(size - CHUNK - 1, CHUNK + 1)));

        assertThat(claimAll()).containsExactly(new Chunk(1, size - CHUNK - 1, CHUNK), new Chunk(1, size - 1, 1));
    }

    @Test
    void requeuesChunksOfLostLaneFirst() {
        queue.add(1, 0, 3L * CHUNK, List.of(new Range(0, 3L * CHUNK)));
        Chunk lost = claim(0, NO_WAKE);
        claim(1, NO_WAKE);

        assertThat(queue.returnClaims(0)).isEqualTo(1);

        assertThat(claim(1, NO_WAKE)).isEqualTo(new Chunk(1, lost.offset(), CHUNK, 1, 0, 0));
    }

    @Test
    void doesNotSendAgainWhatWasAcknowledgedAfterItsLaneDied() {
        queue.add(1, 0, CHUNK, List.of(new Range(0, CHUNK)));
        claim(0, NO_WAKE);
        queue.returnClaims(0);

        assertThat(queue.acknowledge(1, 0, CHUNK)).isEqualTo(CHUNK);

        assertThat(queue.isDrained()).isTrue();
        assertThat(queue.acknowledge(1, 0, CHUNK)).isEqualTo(-1);
    }

    /** Half a second on a quiet machine; if each file cost a look at all others, many minutes. */
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void aFileCostsTheSameHoweverManyThereAre() {
        int files = 400_000;
        for (int id = 0; id < files; id++) {
            queue.add(id, id / 1000, 1024, List.of(new Range(0, 1024)));
        }
        assertThat(claimAll()).hasSize(files);
        for (int id = 0; id < files; id += 2) {
            queue.giveUp(id);
            assertThat(queue.acknowledge(id + 1, 0, 1024)).isEqualTo(1024);
        }
        assertThat(queue.isDrained()).isTrue();
    }

    private List<Chunk> loseAndClaimAll() {
        queue.returnClaims(0);
        return claimAll();
    }

    @Test
    void chunkIsSplitAfterTwoLosses() {
        long size = CHUNK + 3L * LEAF + 5;
        queue.add(1, 0, size, List.of(new Range(0, size)));
        assertThat(claimAll()).hasSize(2);
        assertThat(loseAndClaimAll())
                .containsExactlyInAnyOrder(new Chunk(1, 0, CHUNK, 1, 0, 0), new Chunk(1, CHUNK, 3 * LEAF + 5, 1, 0, 0));

        List<Chunk> pieces = loseAndClaimAll();
        assertThat(pieces).hasSize(16 + 4).allMatch(piece -> piece.attempt() == 2);
        assertThat(pieces).contains(new Chunk(1, 0, CHUNK / 16, 2, 0, 0), new Chunk(1, size - 5, 5, 2, 0, 0));
        List<Chunk> leaves = loseAndClaimAll();
        assertThat(leaves).hasSize(CHUNK / LEAF + 4).allMatch(leaf -> leaf.lengthBytes() <= LEAF);
        assertThat(loseAndClaimAll()).hasSameSizeAs(leaves);
        for (List<Chunk> each : List.of(pieces, leaves)) {
            assertThat(each).allMatch(piece -> NodeDigests.isNode(piece.offset(), piece.lengthBytes(), size));
            assertThat(each.stream().mapToLong(Chunk::lengthBytes).sum()).isEqualTo(size);
        }
    }

    /**
     * A session ends if its lanes are lost too often before something arrives. So the same chunk is tried again, whole,
     * in pieces and in leaves, before another one is lost.
     */
    @Test
    void pathThatCarriesALeafMakesProgressAfterFewLosses() {
        int lanes = 4;
        int carriedBytes = LEAF;
        queue.add(1, 0, 64L * CHUNK, List.of(new Range(0, 64L * CHUNK)));
        int losses = 0;
        Chunk[] claimed = new Chunk[lanes];
        while (Arrays.stream(claimed).noneMatch(chunk -> chunk != null && chunk.lengthBytes() <= carriedBytes)) {
            for (int lane = 0; lane < lanes; lane++) {
                queue.returnClaims(lane);
            }
            for (int lane = 0; lane < lanes; lane++) {
                claimed[lane] = claim(lane, NO_WAKE);
            }
            assertThat(losses++).as("losses of each lane").isLessThanOrEqualTo(3);
        }
    }

    /** A slow lane would lose all of a long one. */
    @Test
    void claimsNoMoreThanTheLaneAsksFor() {
        queue.add(1, 0, 2L * CHUNK + 1, List.of(new Range(LEAF, 2L * CHUNK + 1 - LEAF)));
        assertThat(queue.claim(0, 2 * LEAF, NO_WAKE)).isEqualTo(new Chunk(1, LEAF, LEAF));
        assertThat(queue.claim(0, 2 * LEAF, NO_WAKE)).isEqualTo(new Chunk(1, 2L * LEAF, 2 * LEAF));
        assertThat(queue.claim(0, CHUNK, NO_WAKE)).isEqualTo(new Chunk(1, 4L * LEAF, 4 * LEAF));
    }

    @Test
    void aSlowLaneClaimsTheChunkOfALostOneInPieces() {
        queue.add(1, 0, CHUNK - 1, List.of(new Range(0, CHUNK - 1)));
        claim(0, NO_WAKE);
        queue.returnClaims(0);
        int half = CHUNK / 2;
        assertThat(queue.claim(1, half, NO_WAKE)).isEqualTo(new Chunk(1, 0, half, 1, 1, 0));
        assertThat(queue.claim(2, CHUNK, NO_WAKE)).isEqualTo(new Chunk(1, half, half - 1, 1, 1, 0));
        // The whole chunk had arrived.
        assertThat(queue.acknowledge(1, 0, CHUNK - 1)).isEqualTo(CHUNK - 1);
        assertThat(queue.isDrained()).isTrue();
    }

    /** The whole chunk had arrived, and its lane died before the acknowledgement. */
    @Test
    void acknowledgedChunkRemovesItsPieces() {
        queue.add(1, 0, 2L * CHUNK, List.of(new Range(0, 2L * CHUNK)));
        claim(0, NO_WAKE);
        for (int loss = 0; loss < 2; loss++) {
            queue.returnClaims(0);
            claim(0, NO_WAKE);
        }
        int piece = CHUNK / 16;
        assertThat(queue.acknowledge(1, 0, piece)).isEqualTo(piece);
        assertThat(claim(1, NO_WAKE)).isEqualTo(new Chunk(1, piece, piece, 2, 0, 0));

        assertThat(queue.acknowledge(1, 0, CHUNK)).isEqualTo(CHUNK - piece);

        assertThat(claimAll()).containsExactly(new Chunk(1, CHUNK, CHUNK));
        assertThat(queue.acknowledgedBytes(1)).isEqualTo(CHUNK / 16);
    }

    @Test
    void lostLanesAreNoDamage() {
        queue.add(1, 0, LEAF, List.of(new Range(0, LEAF)));
        for (int loss = 0; loss < 2; loss++) {
            claim(0, NO_WAKE);
            queue.returnClaims(0);
        }
        claim(0, NO_WAKE);

        assertThat(queue.sendAgain(1, 0, 1))
                .as("a report about an attempt that was replaced")
                .isZero();
        assertThat(queue.sendAgain(1, 0, 2)).isEqualTo(1);
        claim(0, NO_WAKE);
        queue.returnClaims(0);
        claim(0, NO_WAKE);
        assertThat(queue.sendAgain(1, 0, 4)).isEqualTo(2);
    }

    @Test
    void wakesAnIdleLaneOnceWhenThereIsWork() {
        AtomicInteger wakeUps = new AtomicInteger();
        assertThat(claim(0, wakeUps::incrementAndGet)).isNull();
        assertThat(claim(0, wakeUps::incrementAndGet)).isNull();

        queue.add(1, 0, 10, List.of(new Range(0, 10)));
        queue.add(2, 0, 10, List.of(new Range(0, 10)));
        queue.wakeLanes();
        queue.wakeLanes();

        assertThat(wakeUps).hasValue(1);
    }

    @Test
    void removesChunksOfAbandonedFile() {
        queue.add(1, 0, 3L * CHUNK, List.of(new Range(0, 3L * CHUNK)));
        claim(0, NO_WAKE);
        claim(0, NO_WAKE);
        queue.returnClaims(0);
        claim(0, NO_WAKE);

        queue.giveUp(1);

        assertThat(queue.isDrained()).isTrue();
    }

    @Test
    void streamEndsAtLastClaim() {
        queue.addStream(3, LEAF);
        claim(0, NO_WAKE);
        claim(0, NO_WAKE);

        assertThat(queue.endStream(3)).isEqualTo(2L * LEAF);
        assertThat(claim(0, NO_WAKE)).isNull();
        assertThat(queue.endStream(3)).isEqualTo(-1);
    }

    /** Each chunk is a node of the hash tree, whatever the lengths before it. */
    @Test
    void changesClaimLengthOfStream() {
        queue.addStream(3, CHUNK);
        assertThat(claim(0, NO_WAKE)).isEqualTo(new Chunk(3, 0, CHUNK));
        queue.limitStream(3, LEAF);
        assertThat(claim(0, NO_WAKE)).isEqualTo(new Chunk(3, CHUNK, LEAF));
        queue.limitStream(3, 4 * LEAF);
        long end = CHUNK + LEAF;
        for (int length : new int[] {LEAF, 2 * LEAF, 4 * LEAF, 4 * LEAF}) {
            assertThat(claim(0, NO_WAKE)).isEqualTo(new Chunk(3, end, length));
            end += length;
        }
        assertThat(queue.endStream(3)).isEqualTo(end);
    }

    /** Otherwise the stream would never end. */
    @Test
    void abandonedStreamIsNotClaimed() {
        queue.addStream(3, LEAF);
        claim(0, NO_WAKE);
        queue.giveUp(3);

        assertThat(claim(0, NO_WAKE)).isNull();
        assertThat(queue.isDrained()).isTrue();
    }

    @Test
    void claimAfterEndReturnsNothing() {
        queue.addStream(3, LEAF);
        claim(0, NO_WAKE);
        AtomicInteger woken = new AtomicInteger();
        queue.close();

        assertThat(claim(0, woken::incrementAndGet)).isNull();
        queue.returnClaims(0);
        queue.add(4, 0, LEAF, List.of(new Range(0, LEAF)));
        queue.wakeLanes();
        assertThat(claim(1, woken::incrementAndGet)).isNull();
        assertThat(woken).hasValue(0);
    }

    @Test
    void lanesWorkInDifferentFilesWhileThereAreEnough() {
        for (int file = 0; file < 16; file++) {
            addFile(file, 0, 64L * CHUNK);
        }
        Map<Integer, Integer> laneOfFile = new HashMap<>();
        for (int turn = 0; turn < 64 * 16; turn++) {
            int lane = turn % 16;
            Chunk chunk = Objects.requireNonNull(queue.claim(lane, CHUNK, null));
            assertThat(laneOfFile.computeIfAbsent(chunk.fileId(), file -> lane))
                    .as("the only lane in file %d", chunk.fileId())
                    .isEqualTo(lane);
        }
        assertThat(laneOfFile).hasSize(16);
        assertThat(queue.claim(0, CHUNK, null)).isNull();
    }

    @Test
    void lanesShareALargeFileInRangesOfTensOfMebibytes() {
        addFile(1, 0, 1L << 30);
        Map<Integer, Long> ends = new HashMap<>();
        int jumps = 0;
        int claims = 0;
        for (Chunk chunk = queue.claim(0, CHUNK, null); chunk != null; chunk = queue.claim(claims % 4, CHUNK, null)) {
            Long end = ends.put(claims % 4, chunk.end());
            jumps += end != null && end == chunk.offset() ? 0 : 1;
            claims++;
        }
        assertThat(claims).isEqualTo(128);
        assertThat(jumps).as("ranges").isBetween(32, 32 + 12);
    }

    /** Otherwise a chunk would wait for the lane. */
    @Test
    void otherLanesTakeRangeOfStuckLane() {
        addFile(1, 0, 4L * CHUNK);
        assertThat(queue.claim(0, CHUNK, null)).isEqualTo(new Chunk(1, 0, CHUNK));
        List<Chunk> rest = new ArrayList<>();
        for (Chunk chunk = queue.claim(1, CHUNK, null); chunk != null; chunk = queue.claim(1, CHUNK, null)) {
            rest.add(chunk);
        }
        assertThat(rest).hasSize(3);
        assertThat(queue.claim(0, CHUNK, null)).isNull();
    }

    @Test
    void smallFilesOfADirectoryStayWithOneLane() {
        for (int file = 0; file < 960; file++) {
            addFile(file, file / 240, 4_096);
        }
        Map<Integer, Integer> laneOfDirectory = new HashMap<>();
        ArrayDeque<Chunk> claimed = new ArrayDeque<>();
        int locked = 0;
        for (int turn = 0; turn < 4 * 10; turn++) {
            int lane = turn % 4;
            claimed.add(Objects.requireNonNull(queue.claim(lane, CHUNK, null)));
            queue.claimSmall(lane, 23 * 4_200 + 104, 104, claimed);
            locked += 2;
            for (Chunk chunk = claimed.poll(); chunk != null; chunk = claimed.poll()) {
                assertThat(laneOfDirectory.computeIfAbsent(chunk.fileId() / 240, directory -> lane))
                        .isEqualTo(lane);
            }
        }
        assertThat(laneOfDirectory).hasSize(4);
        assertThat(queue.claim(0, CHUNK, null)).as("all are claimed").isNull();
        assertThat(locked).as("times that the lock was taken").isLessThan(960 / 10);
    }

    @Test
    void wakesAsManyLanesAsNeeded() {
        AtomicInteger wakeUps = new AtomicInteger();
        for (int lane = 0; lane < 16; lane++) {
            queue.claim(lane, CHUNK, wakeUps::incrementAndGet);
        }
        for (int file = 0; file < 100; file++) {
            addFile(file, 0, 4_096);
        }
        queue.wakeLanes();
        assertThat(wakeUps)
                .as("a hundred small files cost as much as two chunks")
                .hasValue(2);
        queue.wakeLanes();
        assertThat(wakeUps).as("they work").hasValue(2);
        queue.wakeAnother();
        assertThat(wakeUps).as("they do not get on").hasValue(3);

        addFile(100, 0, 1L << 30);
        queue.wakeLanes();
        assertThat(wakeUps).hasValue(16);
    }

    @Test
    void countsThePlacesWhereLanesFindWork() {
        for (int file = 0; file < 1_000; file++) {
            addFile(file, 0, 4_096);
        }
        assertThat(queue.placesForLanes()).as("small files of 4 MB").isZero();
        addFile(2_000, 0, CHUNK);
        addFile(2_001, 1, CHUNK);
        assertThat(queue.placesForLanes()).as("and two of a chunk").isEqualTo(2);
        addFile(3_000, 2, 1L << 30);
        addFile(3_001, 2, 1L << 30);
        assertThat(queue.placesForLanes()).as("and two large ones").isEqualTo(2 + 2 * 4);
        assertThat(queue.usefulLanes()).isGreaterThan(100);

        queue.giveUp(3_000);
        assertThat(claimAll()).isNotEmpty();
        assertThat(queue.placesForLanes()).as("all are claimed").isZero();
        queue.addStream(4_000, CHUNK);
        assertThat(queue.placesForLanes()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void wakesLaneForChunksOfRetiringLane() {
        addFile(1, 0, CHUNK * 4L);
        queue.claim(0, CHUNK, null);
        AtomicInteger wakeUps = new AtomicInteger();
        queue.claim(1, CHUNK, null);
        queue.claim(1, CHUNK, null);
        queue.claim(1, CHUNK, null);
        assertThat(queue.claim(1, CHUNK, wakeUps::incrementAndGet)).isNull();
        addFile(2, 0, 4L * CHUNK);
        queue.claim(0, CHUNK, null);
        queue.leave(0);

        assertThat(wakeUps).hasValue(1);
        assertThat(queue.claim(1, CHUNK, null)).isEqualTo(new Chunk(2, CHUNK, CHUNK));
        assertThat(queue.hasClaims(0)).isTrue();
    }

    /** Each decision of the receiver about a file gives up its comparison. */
    @Test
    void abandoningFileKeepsOthers() {
        for (int file = 0; file < 200_000; file++) {
            addFile(file, file / 500, 4_096);
            queue.claim(file % 4, CHUNK, null);
        }
        for (int file = 0; file < 200_000; file++) {
            queue.giveUp(file);
        }
        assertThat(queue.isDrained()).isTrue();
        assertThat(queue.claim(0, CHUNK, null)).isNull();
    }

    private void addFile(int file, int directory, long sizeBytes) {
        queue.add(file, directory, sizeBytes, List.of(new Range(0, sizeBytes)));
    }

    /**
     * Goal: whatever lanes do, every byte is acknowledged exactly once. Method: random claims, losses, resends and
     * acknowledgements from a printed seed, with a model of the acknowledged bytes.
     */
    @Test
    void neverLosesOrDuplicatesChunks() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        Map<Integer, Long> sizes = new HashMap<>();
        for (int file = 0; file < 40; file++) {
            long size = 1 + random.nextLong(4L * CHUNK);
            sizes.put(file, size);
            queue.add(file, file / 8, size, List.of(new Range(0, size)));
        }
        Map<Integer, Long> acknowledged = new HashMap<>();
        List<Chunk> claimed = new ArrayList<>();
        while (!queue.isDrained()) {
            int lane = random.nextInt(4);
            switch (random.nextInt(9)) {
                case 0 -> queue.returnClaims(lane);
                case 8 -> queue.leave(lane);
                case 1 -> {
                    if (!claimed.isEmpty()) {
                        Chunk chunk = claimed.get(random.nextInt(claimed.size()));
                        queue.sendAgain(chunk.fileId(), chunk.offset(), chunk.attempt());
                    }
                }
                case 2, 3, 4 -> {
                    if (!claimed.isEmpty()) {
                        Chunk chunk = claimed.get(random.nextInt(claimed.size()));
                        int firstBytes = queue.acknowledge(chunk.fileId(), chunk.offset(), chunk.lengthBytes());
                        if (firstBytes >= 0) {
                            acknowledged.merge(chunk.fileId(), (long) firstBytes, Long::sum);
                        }
                    }
                }
                default -> {
                    Chunk chunk = claim(lane, NO_WAKE);
                    if (chunk != null) {
                        claimed.add(chunk);
                    }
                }
            }
        }
        assertThat(acknowledged).as("seed %d", seed).isEqualTo(sizes);
    }

    /** Without its history, so that chunks of one place and attempt are equal. */
    private @Nullable Chunk claim(int lane, Runnable wake) {
        Chunk claimed = queue.claim(lane, CHUNK, wake);
        return claimed == null
                ? null
                : new Chunk(claimed.fileId(), claimed.offset(), claimed.lengthBytes(), claimed.attempt(), 0, 0);
    }

    private List<Chunk> claimAll() {
        List<Chunk> all = new ArrayList<>();
        for (Chunk chunk = claim(0, NO_WAKE); chunk != null; chunk = claim(0, NO_WAKE)) {
            all.add(chunk);
        }
        return all;
    }
}
