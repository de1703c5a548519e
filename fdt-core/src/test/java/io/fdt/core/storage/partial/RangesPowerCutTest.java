package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budgets;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.LossyDisk;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two targets alternately write the two ranges of one file, over one {@link LossyDisk}, until both ranges are complete
 * and the file is assembled. Wherever the power fails or the process is killed, the journal of each range contains only
 * chunks that are on the disk, and all chunks that were acknowledged. {@code -Dfdt.seed=…} replays one run,
 * {@code -Dfdt.seeds=…} sets the number of runs.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
final class RangesPowerCutTest extends StorageTest {
    private static final int SEEDS = Integer.getInteger("fdt.seeds", 15);
    private static final long FIRST_SEED = Long.getLong("fdt.seed", 1);
    private static final int PIECE_BYTES = 4096;
    private static final int SMALL_CHUNK_BYTES = 2 * PIECE_BYTES;
    private static final int CHUNKS = 6;
    /** The chunk that is a hole. */
    private static final int ZEROS = 3;

    private static final int SESSIONS_MAX = 40;
    /** One of this many runs assembles the file, which takes as long as all the others. */
    private static final int RUNS_A_FILE = 25;

    private static final int CALLS_MAX = 70;
    private static final DigestKind KIND = DigestKind.XXH3_128;
    private static final FileEntry WHOLE = fileEntry("f", FileRange.MIN_BYTES + CHUNKS * SMALL_CHUNK_BYTES - 100);
    private static final FileRange FIRST = new FileRange(0, WHOLE.sizeBytes(), FileRange.MIN_BYTES);
    private static final PartialNames NAMES = PartialNames.ofRanges(raw("f"), WHOLE, FIRST);

    @Test
    void journalRecordsOnlyDurableDataAfterPowerCuts() throws IOException {
        System.err.println("disks fail with -Dfdt.seed=" + FIRST_SEED + " and " + (SEEDS - 1) + " after it");
        int cuts = 0;
        for (int i = 0; i < SEEDS; i++) {
            long seed = FIRST_SEED + i;
            try {
                cuts += new Run(seed, directory("run-" + i)).go(i % RUNS_A_FILE == 0);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("replay with -Dfdt.seed=" + seed + ": " + failure.getMessage(), failure);
            }
        }
        assertThat(cuts).as("sessions that did not end by themselves").isGreaterThanOrEqualTo(SEEDS / 4);
    }

    /**
     * A range and its known progress. Its chunks are small. The last chunk of the long range is all of the remainder,
     * which consists of zeros. Only a session without faults writes it: hashing that much again takes a second thread,
     * and then a seed would not reproduce a run.
     */
    private static final class Part {
        final FileRange range;
        final byte[] content;
        final BitSet acknowledged = new BitSet();
        boolean complete;
        boolean published;

        // State of one session.
        @Nullable TargetFile file;

        final BitSet written = new BitSet();
        final List<ChunkRecord> unflushed = new ArrayList<>();

        Part(FileRange range, Random random) {
            this.range = range;
            this.content = new byte[(int) range.lengthBytes()];
            byte[] start = new byte[Math.min(content.length, (CHUNKS - 1) * SMALL_CHUNK_BYTES)];
            random.nextBytes(start);
            System.arraycopy(start, 0, content, 0, start.length);
            Arrays.fill(content, offset(ZEROS), offset(ZEROS + 1), (byte) 0);
        }

        FileEntry entry() {
            return WHOLE.ranged(range);
        }

        boolean isLong() {
            return content.length == FileRange.MIN_BYTES;
        }

        private static int offset(int chunk) {
            return chunk * SMALL_CHUNK_BYTES;
        }

        byte[] chunk(int index) {
            int end = index == CHUNKS - 1 ? content.length : offset(index + 1);
            return Arrays.copyOfRange(content, offset(index), end);
        }

        ChunkRecord record(int index) {
            byte[] bytes = chunk(index);
            return new ChunkRecord(offset(index), bytes.length, digest(bytes));
        }

        byte[] digest() {
            return digest(content);
        }

        private static byte[] digest(byte[] bytes) {
            Memory memory = Memory.of(bytes);
            TreeDigest digest = new TreeDigest(KIND);
            for (int at = 0; at < bytes.length; at += LEAF_BYTES) {
                digest.addLeaf(memory.buffer(), memory.address(), at, Math.min(LEAF_BYTES, bytes.length - at));
            }
            return digest.finish();
        }
    }

    /** All sessions of one seed. */
    private static final class Run {
        private final Random random;
        private final Path place;
        private final Path copies;
        private final LossyDisk disk;
        private final List<Part> parts;

        Run(long seed, Path place) throws IOException {
            this.random = new Random(seed);
            this.place = place;
            this.copies = Files.createDirectory(place.resolve("copies"));
            Files.createDirectory(place.resolve("out"));
            this.disk = new LossyDisk(Files.createDirectory(place.resolve("attic")), random, PIECE_BYTES);
            this.parts = List.of(new Part(FIRST.at(0), random), new Part(FIRST.at(1), random));
        }

        /** Returns the number of sessions that did not end by themselves. */
        int go(boolean toTheEnd) throws IOException {
            int cuts = 0;
            try (disk) {
                for (int session = 0; session < SESSIONS_MAX && !isNearlyDone(); session++) {
                    cuts += runOne(false) ? 0 : 1;
                }
                if (toTheEnd) {
                    assertThat(runOne(true)).isTrue();
                    assertThat(parts)
                            .as("complete by a session that nothing happened to")
                            .allMatch(part -> part.complete);
                    disk.restart();
                    putTogether();
                    disk.cutPower();
                    assertThat(place.resolve("out/f")).hasBinaryContent(wholeContent());
                }
            }
            return cuts;
        }

        private byte[] wholeContent() {
            byte[] whole = Arrays.copyOf(parts.get(0).content, (int) WHOLE.sizeBytes());
            byte[] rest = parts.get(1).content;
            System.arraycopy(rest, 0, whole, (int) parts.get(1).range.offset(), rest.length);
            return whole;
        }

        private boolean isNearlyDone() {
            return parts.stream()
                    .allMatch(
                            part -> part.complete || (part.isLong() && part.acknowledged.cardinality() == CHUNKS - 1));
        }

        private TargetTree tree(Root root) {
            return new TargetTree(disk, root, raw("out"), rules(Existing.SKIP_SAME), KIND, SMALL_CHUNK_BYTES, false);
        }

        private boolean runOne(boolean spared) throws IOException {
            disk.restart();
            if (!spared) {
                disk.goAfter(random.nextInt(CALLS_MAX));
            }
            boolean ended = false;
            try (Root root = Root.confined(raw(place));
                    TargetTree one = tree(root);
                    TargetTree two = tree(root)) {
                session(List.of(one, two), spared);
                ended = true;
            } catch (LossyDisk.Gone processIsGone) {
                // The state that is left is checked below.
            }
            if (random.nextInt(3) == 0) {
                disk.kill();
            } else {
                disk.cutPower();
            }
            for (Part part : parts) {
                checkJournal(part);
            }
            return ended;
        }

        private void session(List<TargetTree> trees, boolean spared) {
            List<Part> writing = new ArrayList<>();
            for (Part part : parts) {
                begin(trees.get(part.range.index()), part);
                writing.add(part);
            }
            while (!writing.isEmpty()) {
                Part part = writing.get(random.nextInt(writing.size()));
                boolean toBeLeft = part.isLong() && !spared;
                boolean allWritten = part.written.cardinality() == (toBeLeft ? CHUNKS - 1 : CHUNKS);
                if (!spared && random.nextInt(30) == 0) {
                    writing.remove(part);
                    file(part).close();
                } else if (part.complete || (allWritten && part.unflushed.isEmpty())) {
                    writing.remove(part);
                    end(part, toBeLeft);
                } else if (allWritten || random.nextInt(3) == 0) {
                    flush(part);
                } else {
                    write(part);
                }
            }
        }

        private static void end(Part part, boolean toBeLeft) {
            if (toBeLeft) {
                file(part).close();
            } else {
                finish(part);
            }
        }

        private static TargetFile file(Part part) {
            TargetFile file = part.file;
            return Objects.requireNonNull(file);
        }

        private void begin(TargetTree tree, Part part) {
            part.written.clear();
            part.unflushed.clear();
            Outcome outcome = tree.prepare(part.entry());
            assertThat(outcome).isInstanceOf(Outcome.Wanted.class);
            Outcome.Wanted wanted = (Outcome.Wanted) outcome;
            part.file = wanted.file();
            part.complete = covers(wanted.durable(), part);
            if (!part.complete) {
                wanted.durable().forEach(record -> part.written.set(chunkOf(record)));
            }
        }

        private static boolean covers(List<ChunkRecord> records, Part part) {
            return records.size() == 1 && records.get(0).lengthBytes() == part.content.length;
        }

        private static int chunkOf(ChunkRecord record) {
            int chunk = (int) (record.offset() / SMALL_CHUNK_BYTES);
            assertThat(record.offset()).isEqualTo(Part.offset(chunk));
            return chunk;
        }

        private void write(Part part) {
            int chunk = part.written.nextClearBit(0);
            int offset = Part.offset(chunk);
            byte[] bytes = part.chunk(chunk);
            if (chunk == ZEROS || bytes.length > SMALL_CHUNK_BYTES) {
                file(part).zero(offset, bytes.length);
            } else {
                StorageTest.write(file(part), bytes, offset);
            }
            part.written.set(chunk);
            part.unflushed.add(part.record(chunk));
        }

        private static void flush(Part part) {
            file(part).sync();
            file(part).record(part.unflushed);
            part.unflushed.forEach(record -> part.acknowledged.set(chunkOf(record)));
            part.unflushed.clear();
        }

        private static void finish(Part part) {
            TargetFile file = file(part);
            file.setDigest(part.digest());
            file.seal();
            file.publish();
            part.complete = true;
            part.published = true;
            part.acknowledged.set(0, CHUNKS);
        }

        /**
         * Checks the journal on disk in a way that no session does: it does not hash data that a stamp does not vouch
         * for.
         */
        private void checkJournal(Part part) throws IOException {
            part.complete = false;
            BitSet recorded = new BitSet();
            Path partial = place.resolve("out").resolve(NAMES.partial().text());
            Path journal = partial.resolveSibling(
                    NAMES.at(part.range.index()).journal().text());
            if (Files.exists(partial) && Files.exists(journal)) {
                List<ChunkRecord> records = recordsOf(part, journal, statusOf(partial));
                assertOnDisk(part, partial, records);
                if (covers(records, part)) {
                    assertThat(records.get(0).digest()).isEqualTo(part.digest());
                    recorded.set(0, CHUNKS);
                    part.complete = true;
                } else {
                    for (ChunkRecord record : records) {
                        int chunk = chunkOf(record);
                        assertThat(record.digest()).isEqualTo(part.record(chunk).digest());
                        recorded.set(chunk);
                    }
                }
            }
            if (part.published) {
                assertThat(part.complete)
                        .as("range %d has one record for all of it", part.range.index())
                        .isTrue();
            }
            BitSet missing = (BitSet) part.acknowledged.clone();
            missing.andNot(recorded);
            assertThat(missing.cardinality())
                    .as("acknowledged chunks of range %d that are missing", part.range.index())
                    .isZero();
        }

        /** Reads a copy of the journal, because reading truncates a torn end. */
        private List<ChunkRecord> recordsOf(Part part, Path journal, FileStatus status) throws IOException {
            RawPath name = raw("journal");
            Files.copy(journal, copies.resolve("journal"), StandardCopyOption.REPLACE_EXISTING);
            try (Descriptor directory =
                    Descriptor.ofProcess(Paths.openat(Paths.AT_FDCWD, raw(copies), Paths.O_RDONLY, 0))) {
                Journal.Identity identity =
                        RangeFile.identity(NAMES.at(part.range.index()), part.entry(), part.range, KIND, status.inode);
                Journal.Loaded loaded =
                        Objects.requireNonNull(Journal.load(Disk.KERNEL, directory.fd(), name, name, identity, status));
                if (loaded.journal() != null) {
                    loaded.journal().close();
                }
                return loaded.records();
            }
        }

        private static void assertOnDisk(Part part, Path partial, List<ChunkRecord> records) {
            try (Descriptor file =
                    Descriptor.ofProcess(Paths.openat(Paths.AT_FDCWD, raw(partial), Paths.O_RDONLY, 0))) {
                assertThat(new RecordedData(KIND, KIND, false, Budgets.ofProcess())
                                .sound(records, part.range.offset(), Disk.KERNEL, file.fd()))
                        .as("what the journal of range %d speaks of", part.range.index())
                        .hasSameSizeAs(records);
            }
        }

        private void putTogether() {
            try (Root root = Root.confined(raw(place));
                    TargetTree tree = tree(root)) {
                Outcome outcome = tree.prepare(WHOLE.ranged(FIRST.all()));
                try (TargetFile file = wanted(outcome)) {
                    file.seal();
                    file.sync();
                    file.publish();
                }
                tree.syncRest();
            } catch (TransferException failure) {
                throw new AssertionError("cannot be put together: " + failure.getMessage(), failure);
            }
        }
    }
}
