package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.DirectIo;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.LossyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sessions over a {@link LossyDisk} that end at any point, one after the other, until all files are in place. Whatever
 * was lost, the data that a session resumes is right, acknowledged data is present, and a final name has either its
 * previous contents or all of the new file. {@code -Dfdt.seed=…} replays one run, {@code -Dfdt.seeds=…} sets the number
 * of runs.
 */
@Timeout(value = 4, unit = TimeUnit.HOURS)
public class PowerCutTest extends StorageTest {
    private static final int SEEDS = Integer.getInteger("fdt.seeds", 15);
    private static final long FIRST_SEED = Long.getLong("fdt.seed", 1);
    private static final int PIECE_BYTES = 4096;
    private static final int SMALL_CHUNK_BYTES = 2 * PIECE_BYTES;
    private static final int CHUNKS_MAX = 9;
    private static final int FILES = 5;
    private static final int SESSIONS_MAX = 40;
    private static final int CALLS_MAX = 90;
    private static final List<LossyDisk.Kind> KINDS = List.of(LossyDisk.Kind.values());
    private static final int[] ERRNOS = {Errno.EIO, Errno.ENOSPC, Errno.EDQUOT};

    /** How a session may end, other than normally. */
    private enum Fate {
        KILL,
        POWER_CUT,
        ERROR_THEN_POWER_CUT
    }

    @Test
    void keepsItsPromisesWhenThePowerFailsAnywhere() throws IOException {
        runAll(List.of(Fate.KILL, Fate.POWER_CUT, Fate.POWER_CUT));
    }

    @Test
    void keepsItsPromisesWhenTheDeviceFailsToo() throws IOException {
        runAll(List.of(Fate.values()));
    }

    private void runAll(List<Fate> fates) throws IOException {
        System.err.println("disks fail with -Dfdt.seed=" + FIRST_SEED + " and " + (SEEDS - 1) + " after it");
        for (int i = 0; i < SEEDS; i++) {
            long seed = FIRST_SEED + i;
            Path place = directory("run-" + i);
            try {
                new Run(seed, place, fates).go();
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("replay with -Dfdt.seed=" + seed + ": " + failure.getMessage(), failure);
            }
        }
    }

    /** A file to deliver, and its known progress. */
    private static final class Item {
        final FileEntry entry;
        final byte[] content;
        final byte @Nullable [] old;
        final BitSet acknowledged = new BitSet();
        /** Whether the file has its final name; a power cut may still undo this. */
        boolean published;
        /** Whether the file has its final name durably. */
        boolean settled;

        // State of one session.
        @Nullable TargetFile file;

        final BitSet written = new BitSet();
        final List<ChunkRecord> unflushed = new ArrayList<>();

        Item(FileEntry entry, byte[] content, byte @Nullable [] old) {
            this.entry = entry;
            this.content = content;
            this.old = old;
        }

        int chunks() {
            return (content.length + SMALL_CHUNK_BYTES - 1) / SMALL_CHUNK_BYTES;
        }

        byte[] chunk(int index) {
            int start = index * SMALL_CHUNK_BYTES;
            return Arrays.copyOfRange(content, start, Math.min(content.length, start + SMALL_CHUNK_BYTES));
        }

        boolean isComplete() {
            return written.cardinality() == chunks();
        }
    }

    /** All sessions of one seed. */
    private static final class Run {
        private final Random random;
        private final Path place;
        private final List<Fate> fates;
        private final LossyDisk disk;
        private final Durability durability;
        private final DirectIo directIo;
        private final List<Item> items = new ArrayList<>();
        private boolean errors;

        Run(long seed, Path place, List<Fate> fates) throws IOException {
            this.random = new Random(seed);
            this.place = place;
            this.fates = fates;
            Path attic = Files.createDirectory(place.resolve("attic"));
            Files.createDirectory(place.resolve("out"));
            this.disk = new LossyDisk(attic, random, random.nextBoolean() ? 512 : PIECE_BYTES);
            this.durability = random.nextBoolean() ? Durability.END : Durability.CHUNK;
            this.directIo = random.nextBoolean() ? DirectIo.ALWAYS : DirectIo.NEVER;
            for (int i = 0; i < FILES; i++) {
                items.add(newItem("f" + i));
            }
        }

        private Item newItem(String name) throws IOException {
            int chunksMax = random.nextBoolean() ? 1 : CHUNKS_MAX;
            byte[] content = new byte[1 + random.nextInt(chunksMax * SMALL_CHUNK_BYTES)];
            random.nextBytes(content);
            boolean sparse = random.nextInt(3) == 0;
            for (int i = 0; sparse && i < content.length; i += SMALL_CHUNK_BYTES) {
                if (random.nextBoolean()) {
                    Arrays.fill(content, i, Math.min(content.length, i + SMALL_CHUNK_BYTES), (byte) 0);
                }
            }
            byte[] old = null;
            if (random.nextBoolean()) {
                old = new byte[random.nextInt(2 * SMALL_CHUNK_BYTES)];
                random.nextBytes(old);
                Files.write(place.resolve("out").resolve(name), old);
            }
            FileEntry entry = new FileEntry(
                    raw(name), Kind.FILE, content.length, Entries.metadata(0640, 1_500_000_000L, 5), sparse, null);
            return new Item(entry, content, old);
        }

        void go() throws IOException {
            try (disk) {
                for (int session = 0; session < SESSIONS_MAX && !allSettled(); session++) {
                    // The last sessions run without faults, so that the files can be completed.
                    boolean spared = session >= SESSIONS_MAX - 3;
                    runOne(spared ? null : fates.get(random.nextInt(fates.size())));
                }
                assertThat(allSettled()).as("all is delivered in the end").isTrue();
            }
        }

        private boolean allSettled() {
            return items.stream().allMatch(item -> item.settled);
        }

        private void runOne(@Nullable Fate fate) throws IOException {
            disk.restart();
            errors = fate == Fate.ERROR_THEN_POWER_CUT;
            if (fate != null && random.nextInt(8) > 0) {
                disk.goAfter(random.nextInt(CALLS_MAX));
            }
            if (errors) {
                LossyDisk.Kind kind = KINDS.get(random.nextInt(KINDS.size()));
                disk.failAfter(kind, random.nextInt(8), ERRNOS[random.nextInt(ERRNOS.length)]);
            }
            try (Root root = Root.confined(raw(place));
                    TargetTree tree = new TargetTree(
                            disk, root, raw("out"), rules(), DigestKind.XXH3_128, SMALL_CHUNK_BYTES, false)) {
                session(tree);
            } catch (LossyDisk.Gone processIsGone) {
                // The state that is left is checked below.
            } catch (TransferException failure) {
                assertThat(errors).as(failure.getMessage()).isTrue();
            }
            disk.requireClosed();
            if (fate == Fate.KILL) {
                disk.kill();
            } else {
                disk.cutPower();
                items.forEach(item -> item.published = item.settled);
            }
            checkFinalNames();
        }

        private TransferPlan rules() {
            return Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.TIME, durability, true, PRESERVED, directIo);
        }

        private void session(TargetTree tree) {
            List<Item> shuffled = new ArrayList<>(items);
            Collections.shuffle(shuffled, random);
            List<Runnable> work = new ArrayList<>();
            for (Item item : shuffled) {
                begin(tree, item, work);
            }
            Collections.shuffle(work, random);
            for (Runnable write : work) {
                write.run();
                if (durability == Durability.CHUNK || random.nextInt(4) == 0) {
                    flush(tree);
                }
            }
            flush(tree);
            tree.finishDirectories((path, failure) -> {});
            tree.syncRest();
            items.forEach(item -> item.settled |= item.published);
        }

        private void begin(TargetTree tree, Item item, List<Runnable> work) {
            item.written.clear();
            item.unflushed.clear();
            item.file = null;
            if (errors) {
                // After an error the leftover data may be unreadable, and is then discarded.
                item.acknowledged.clear();
            }
            Outcome outcome;
            try {
                outcome = tree.prepare(item.entry);
            } catch (TransferException failed) {
                assertThat(errors).as(failed.getMessage()).isTrue();
                return;
            }
            if (outcome instanceof Outcome.Skipped) {
                item.published = true;
                return;
            }
            Outcome.Wanted wanted = (Outcome.Wanted) outcome;
            item.file = wanted.file();
            takeUp(item, wanted);
            for (int chunk = 0; chunk < item.chunks(); chunk++) {
                int index = chunk;
                if (!item.written.get(chunk)) {
                    work.add(() -> step(item, () -> write(item, index)));
                }
            }
            if (item.isComplete()) {
                step(item, wanted.file()::seal);
            }
        }

        private void takeUp(Item item, Outcome.Wanted wanted) {
            for (ChunkRecord record : wanted.durable()) {
                int index = (int) (record.offset() / SMALL_CHUNK_BYTES);
                byte[] expected = item.chunk(index);
                assertThat(record.lengthBytes()).isEqualTo(expected.length);
                String name = item.entry.path().text();
                assertThat(inPartial(place.resolve("out"), name, record.offset(), expected.length))
                        .as("%s at %d", name, record.offset())
                        .isEqualTo(expected);
                item.written.set(index);
            }
            if (item.published) {
                item.acknowledged.clear();
                item.published = false;
            }
            BitSet missing = (BitSet) item.acknowledged.clone();
            missing.andNot(item.written);
            assertThat(missing.cardinality())
                    .as("acknowledged chunks of %s that are missing: %s", item.entry.path(), wanted.dropped())
                    .isZero();
        }

        /** Runs one step for one file. A failure ends the file, as in a session. */
        private void step(Item item, Runnable step) {
            TargetFile file = item.file;
            if (file == null) {
                return;
            }
            try {
                step.run();
            } catch (TransferException failure) {
                assertThat(errors).as(failure.getMessage()).isTrue();
                item.file = null;
                item.published = false;
                file.abandon(true);
            }
        }

        private void write(Item item, int index) {
            TargetFile file = item.file;
            if (file == null) {
                return;
            }
            byte[] bytes = item.chunk(index);
            long offset = (long) index * SMALL_CHUNK_BYTES;
            Memory memory = Memory.of(bytes);
            if (item.entry.sparse() && FileData.isZero(memory.address(), bytes.length)) {
                file.zero(offset, bytes.length);
            } else {
                write(file, memory, bytes.length, offset);
            }
            TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
            digest.addLeaf(memory.buffer(), memory.address(), 0, bytes.length);
            item.unflushed.add(new ChunkRecord(offset, bytes.length, digest.finish()));
            item.written.set(index);
            if (item.isComplete()) {
                file.seal();
            }
        }

        private static void write(TargetFile file, Memory memory, int lengthBytes, long offset) {
            if (!file.isDirect()) {
                file.write(memory.address(), lengthBytes, offset);
                return;
            }
            try (GatheredWrites gathered = new GatheredWrites()) {
                gathered.write(file, memory.address(), lengthBytes, offset);
                gathered.writeTo(file);
            }
        }

        /** Flushes in the same order as the session's flusher. */
        private void flush(TargetTree tree) {
            Set<Item> batch = new LinkedHashSet<>();
            for (Item item : items) {
                if (item.file != null && (!item.unflushed.isEmpty() || item.isComplete())) {
                    batch.add(item);
                }
            }
            if (!batch.isEmpty() && random.nextInt(3) == 0) {
                try {
                    tree.syncFileSystem();
                } catch (TransferException failure) {
                    assertThat(errors).as(failure.getMessage()).isTrue();
                    batch.forEach(item -> step(item, () -> {
                        throw failure;
                    }));
                }
            } else {
                batch.forEach(item -> step(item, () -> file(item).sync()));
            }
            batch.forEach(item -> step(item, () -> record(item)));
            batch.forEach(item -> step(item, () -> publish(item)));
        }

        private static TargetFile file(Item item) {
            TargetFile file = item.file;
            return Objects.requireNonNull(file);
        }

        private static void record(Item item) {
            file(item).record(item.unflushed);
            if (item.entry.sizeBytes() > SMALL_CHUNK_BYTES) {
                item.unflushed.forEach(record -> item.acknowledged.set((int) (record.offset() / SMALL_CHUNK_BYTES)));
            }
            item.unflushed.clear();
        }

        private static void publish(Item item) {
            if (item.isComplete()) {
                // Set before the call, because the process may end when the name is already given.
                item.published = true;
                item.acknowledged.clear();
                file(item).publish();
                item.file = null;
            }
        }

        private void checkFinalNames() throws IOException {
            for (Item item : items) {
                Path path = place.resolve("out").resolve(item.entry.path().display());
                if (!Files.exists(path)) {
                    assertThat(item.old).as("%s is gone", path).isNull();
                    assertThat(item.settled).as("%s was settled", path).isFalse();
                    continue;
                }
                byte[] there = Files.readAllBytes(path);
                boolean isNew = Arrays.equals(there, item.content);
                assertThat(isNew || (item.old != null && Arrays.equals(there, item.old)))
                        .as("%s is whole", path)
                        .isTrue();
                if (item.settled) {
                    assertThat(isNew).as("%s stays", path).isTrue();
                    FileStatus status = statusOf(path);
                    assertThat(status.modifiedSeconds).as("time of %s", path).isEqualTo(1_500_000_000L);
                    assertThat(status.mode()).as("mode of %s", path).isEqualTo(0640);
                }
            }
        }
    }
}
