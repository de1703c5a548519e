package io.fdt.core.transfer.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Range;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.target.DiscardTarget;
import io.fdt.core.transfer.receiving.ReceivingSide.FakeTarget;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReceiverFileTest {
    private static final int LEAF = TreeDigest.LEAF_BYTES;

    private final AtomicInteger nodes = new AtomicInteger();

    private ReceiverFile file(FileEntry.Kind kind, long sizeBytes) {
        FileEntry entry = Entries.of(kind, RawPath.ofText("x"), sizeBytes, EntryMetadata.ofMode(0644));
        Outcome outcome = new DiscardTarget().prepareChanged(entry);
        return new ReceiverFile(
                0, entry, ((Outcome.Wanted) outcome).file(), DigestKind.XXH3_128, List.of(), nodes, new AtomicLong());
    }

    private static boolean arrives(ReceiverFile file, long offset, int lengthBytes) {
        WriteGrant grant = file.allows(offset, lengthBytes) ? file.begin(offset, lengthBytes, 0) : null;
        return grant != null && file.end(grant, new byte[16]);
    }

    /** The record of a session's files is bounded, and honest senders must not reach the bound. */
    @Test
    void countsWhatItRemembersUntilItIsSettled() {
        ReceiverFile complete = file(FileEntry.Kind.FILE, 5L * LEAF);
        for (int leaf : new int[] {3, 1, 4}) {
            assertThat(arrives(complete, (long) leaf * LEAF, LEAF)).isTrue();
        }
        assertThat(nodes).hasValue(3);
        assertThat(arrives(complete, 0, LEAF)).isTrue();
        assertThat(nodes).as("0 and 1 are one now").hasValue(3);
        assertThat(arrives(complete, 2L * LEAF, LEAF)).isTrue();
        assertThat(nodes).hasValue(2);
        byte[] digest = complete.digest();
        assertThat(complete.claimCompletion()).isTrue();
        assertThat(nodes).hasValue(0);
        assertThat(complete.digest()).isEqualTo(digest);
        assertThat(complete.missing()).isEmpty();

        ReceiverFile givenUp = file(FileEntry.Kind.FILE, 5L * LEAF);
        arrives(givenUp, 0, LEAF);
        arrives(givenUp, 2L * LEAF, LEAF);
        assertThat(nodes).hasValue(2);
        assertThat(givenUp.giveUp()).isTrue();
        assertThat(nodes).hasValue(0);
    }

    @Test
    void takesAStreamToItsEnd() {
        ReceiverFile stream = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
        assertThat(arrives(stream, 0, LEAF)).isTrue();
        assertThat(arrives(stream, LEAF, 7)).isTrue();
        assertThat(stream.claimCompletion()).isFalse();
        assertThat(stream.endStream(LEAF + 7)).isTrue();
        assertThat(stream.claimCompletion()).isTrue();
        assertThat(stream.digest()).hasSize(16);
    }

    @Test
    void refusesStreamWithGapsOrAnotherEnd() {
        ReceiverFile gap = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
        assertThat(arrives(gap, LEAF, LEAF)).isTrue();
        assertThat(gap.endStream(LEAF)).isFalse();
        assertThat(gap.claimCompletion()).isFalse();

        ReceiverFile shortInTheMiddle = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
        assertThat(arrives(shortInTheMiddle, 0, 5)).isTrue();
        assertThat(arrives(shortInTheMiddle, LEAF, 5)).isTrue();
        assertThat(shortInTheMiddle.endStream(10)).isFalse();
        assertThat(shortInTheMiddle.endStream(LEAF + 5)).isFalse();
    }

    @Test
    void endsStreamsOnlyAndOnlyOnce() {
        assertThat(file(FileEntry.Kind.FILE, 10).endStream(0)).isFalse();
        ReceiverFile stream = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
        assertThat(stream.endStream(5)).isTrue();
        assertThat(stream.endStream(0)).isFalse();
    }

    /** A chunk that began before the end was known, and that is beyond the end. */
    @Test
    void refusesChunkBeyondTheEndOfTheStream() {
        ReceiverFile stream = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
        WriteGrant late = stream.begin(LEAF, LEAF, 0);
        assertThat(late).isNotNull();
        assertThat(stream.endStream(LEAF)).isTrue();
        assertThat(stream.end(late, new byte[16])).isFalse();
    }

    /**
     * The lane of the whole chunk is dead, and its bytes arrive late: they must not overwrite a piece that was
     * verified.
     */
    @Test
    void pieceRevokesTheWholeChunkButNotViceVersa() {
        ReceiverFile file = file(FileEntry.Kind.FILE, 4L * LEAF);
        WriteGrant whole = file.begin(0, 4 * LEAF, 1);
        WriteGrant piece = file.begin(2L * LEAF, LEAF, 2);

        assertThat(whole).matches(WriteGrant::isRevoked);
        assertThat(piece).isNotNull();
        assertThat(file.begin(0, 4 * LEAF, 1)).isNull();
        assertThat(file.end(whole, new byte[16])).isFalse();
        assertThat(file.end(piece, new byte[16])).isTrue();
        assertThat(file.begin(0, 4 * LEAF, 1)).isNull();
        assertThat(file.begin(3L * LEAF, LEAF, 2)).isNotNull();
    }

    /**
     * The first lane is slow in a write, the second is lost while it waits for it, and a third sends the chunk again.
     * If that one completed the file, the first write would come after it: to a file that has its times, or that is
     * closed.
     */
    @Test
    void aThirdAttemptWaitsForTheWriteOfTheFirst() {
        ReceiverFile file = file(FileEntry.Kind.FILE, LEAF);
        WriteGrant first = Objects.requireNonNull(file.begin(0, LEAF, 0));
        List<InBackground<WriteGrant>> later = new ArrayList<>();
        synchronized (first) {
            assertThat(first.isRevoked()).isFalse();
            for (int number : new int[] {1, 2}) {
                var attempt = InBackground.start(() -> file.begin(0, LEAF, number));
                Await.until(
                        "the attempt waits or has ended",
                        () -> attempt.thread().getState() == Thread.State.BLOCKED || attempt.hasEnded());
                assertThat(attempt.hasEnded()).as("the write is not done").isFalse();
                later.add(attempt);
            }
        }
        WriteGrant second = later.get(0).result();
        WriteGrant third = later.get(1).result();
        assertThat(first).matches(WriteGrant::isRevoked);
        assertThat(second).matches(WriteGrant::isRevoked);
        assertThat(file.end(third, new byte[16])).isTrue();
    }

    /** Its lane sends the chunk once: the same attempt on another lane is a copy of it. */
    @Test
    void aChunkIsWrittenByOneOfTwoLanesWithTheSameAttempt() {
        ReceiverFile file = file(FileEntry.Kind.FILE, LEAF);
        WriteGrant first = Objects.requireNonNull(file.begin(0, LEAF, 1));
        assertThat(file.begin(0, LEAF, 1)).isNull();
        assertThat(first.isRevoked()).isFalse();
        assertThat(file.end(first, new byte[16])).isTrue();
    }

    /** Its descriptor is closed soon after, and another file may get the same one. */
    @Test
    void nobodyWritesToAFileThatIsGivenUp() {
        ReceiverFile file = file(FileEntry.Kind.FILE, 2L * LEAF);
        WriteGrant writing = Objects.requireNonNull(file.begin(0, LEAF, 0));
        assertThat(file.giveUp()).isTrue();
        assertThat(writing).matches(WriteGrant::isRevoked);
        assertThat(file.end(writing, new byte[16])).isFalse();
        assertThat(file.begin(LEAF, LEAF, 0)).isNull();
        assertThat(file.giveUp()).isFalse();
    }

    /** Each file holds a descriptor and a lock until it is closed. */
    @Test
    void countsWhatALaterSessionWouldResume() {
        AtomicLong kept = new AtomicLong();
        ReceiverFile interrupted = resumed(kept);
        assertThat(kept).hasValue(LEAF);
        assertThat(interrupted.resumedBytes()).isEqualTo(LEAF);
        assertThat(interrupted.missing()).containsExactly(new Range(0, LEAF), new Range(2L * LEAF, 3L * LEAF + 5));
        interrupted.record(List.of(new ChunkRecord(0, LEAF, new byte[16])));
        assertThat(kept).hasValue(2L * LEAF);
        ReceiverFile damaged = resumed(kept);
        ReceiverFile complete = resumed(kept);
        assertThat(kept).hasValue(4L * LEAF);

        damaged.end(false);
        complete.publish();
        interrupted.end(true);
        interrupted.end(false);
        assertThat(kept).hasValue(2L * LEAF);
        for (ReceiverFile each : List.of(interrupted, damaged, complete)) {
            assertThat(((FakeTarget) each.target).isClosed()).isTrue();
            assertThat(each.isGivenUp()).isEqualTo(each != complete);
        }
    }

    /** Its journal has the second leaf, and a record that does not fit into such a file. */
    private ReceiverFile resumed(AtomicLong kept) {
        int sizeBytes = 5 * LEAF + 5;
        return new ReceiverFile(
                0,
                Entries.file("x", sizeBytes),
                new FakeTarget(sizeBytes),
                DigestKind.XXH3_128,
                List.of(new ChunkRecord(LEAF, LEAF, new byte[16]), new ChunkRecord(5L * LEAF, LEAF, new byte[16])),
                nodes,
                kept);
    }

    /** Whatever chunks and ends a peer sends, a file that counts as complete is covered without a gap. */
    @Test
    void isCompleteOnlyWithoutGaps() {
        long seed = Long.getLong("fdt.seed", 1);
        SplittableRandom random = new SplittableRandom(seed);
        int completed = 0;
        for (int round = 0; round < 20_000; round++) {
            ReceiverFile stream = file(FileEntry.Kind.STREAM, FileEntry.UNKNOWN_SIZE);
            for (int chunk = random.nextInt(12); chunk > 0; chunk--) {
                int length = random.nextInt(4) == 0 ? 1 + random.nextInt(3 * LEAF) : LEAF << random.nextInt(3);
                arrives(stream, (long) random.nextInt(6) * LEAF, length);
            }
            long end = random.nextBoolean() ? stream.coveredBytes() : random.nextInt(8 * LEAF);
            if (stream.endStream(end) && stream.claimCompletion()) {
                completed++;
                assertThat(stream.missing()).as("seed %d", seed).isEmpty();
                assertThat(stream.digest()).hasSize(16);
            }
        }
        assertThat(completed).isGreaterThan(100);
    }
}
