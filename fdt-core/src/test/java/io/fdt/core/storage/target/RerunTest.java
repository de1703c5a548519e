package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.LossyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * After a successful run, files that it found in place are as durable as files that it wrote, whatever happened to the
 * run that put them there. Each seed of the disk loses different data, so every scenario is tried with several seeds.
 */
final class RerunTest extends StorageTest {
    private static final int SEEDS = 8;
    private static final FileEntry LARGE = fileEntry("f", 2L * CHUNK_BYTES);
    private static final byte[] CHUNK = new byte[CHUNK_BYTES];

    private LossyDisk disk = new LossyDisk(Path.of("/unset/attic"), new Random(0), 4096);
    private Path place = Path.of("unset");

    @BeforeEach
    void makeDisk() throws IOException {
        newDisk(0);
    }

    private void newDisk(int seed) throws IOException {
        disk.close();
        place = directory("place-" + seed);
        disk = new LossyDisk(directory("place-" + seed + "/attic"), new Random(seed), 4096);
    }

    @AfterEach
    void closeDisk() {
        disk.close();
    }

    private void session(Durability durability, String target, Consumer<TargetTree> session) {
        session(
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.TIME, durability, true, PRESERVED),
                target,
                session);
    }

    private void session(TransferPlan rules, String target, Consumer<TargetTree> session) {
        disk.restart();
        try (Root root = Root.confined(raw(place));
                TargetTree tree =
                        new TargetTree(disk, root, raw(target), rules, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            session.accept(tree);
        }
    }

    private void session(Durability durability, Consumer<TargetTree> session) {
        session(durability, "out", session);
    }

    /** Runs again, finds everything in place, and ends successfully. */
    private void rerun(List<FileEntry> entries) {
        session(Durability.END, tree -> {
            for (FileEntry entry : entries) {
                assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Skipped.class);
            }
            finish(tree);
        });
    }

    private static void finish(TargetTree tree) {
        tree.finishDirectories((path, failure) -> {
            throw failure;
        });
        tree.syncRest();
    }

    private static List<FileEntry> files(int count) {
        List<FileEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(fileEntry("f" + i, 9000));
        }
        return entries;
    }

    private static byte[] contentOf(FileEntry entry) {
        byte[] content = new byte[(int) entry.sizeBytes()];
        new Random(entry.path().name().hashCode()).nextBytes(content);
        return content;
    }

    private static void deliverAll(TargetTree tree, List<FileEntry> entries) {
        entries.forEach(entry -> deliver(tree, entry, contentOf(entry)));
    }

    /** Delivers a file as {@code --durable none} does. */
    private static void deliverUnflushed(TargetTree tree, FileEntry entry) {
        try (TargetFile file = wanted(tree.prepare(entry))) {
            write(file, contentOf(entry), 0);
            file.seal();
            file.publish();
        }
    }

    private void assertAllThere(List<FileEntry> entries) {
        for (FileEntry entry : entries) {
            assertThat(place.resolve("out").resolve(entry.path().text())).hasBinaryContent(contentOf(entry));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 12})
    void keepsTheNamesOfARunThatWasKilledAfterItsLastRename(int count) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            session(Durability.END, tree -> deliverAll(tree, files(count)));
            disk.kill();
            rerun(files(count));
            disk.cutPower();
            assertAllThere(files(count));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 12})
    void bringsNoOlderFilesBack(int count) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            for (FileEntry entry : files(count)) {
                file("place-" + seed + "/out/" + entry.path().text(), "old");
            }
            session(Durability.END, tree -> deliverAll(tree, files(count)));
            disk.kill();
            rerun(files(count));
            disk.cutPower();
            assertAllThere(files(count));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 12})
    void keepsWhatARunThatFlushedNothingLeft(int count) throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            session(Durability.NONE, tree -> files(count).forEach(entry -> deliverUnflushed(tree, entry)));
            rerun(files(count));
            disk.cutPower();
            assertAllThere(files(count));
        }
    }

    /** Length, time and name may become durable before the data, so a file that looks complete may have lost it. */
    @ParameterizedTest
    @CsvSource({"out,out,true", "out/sub,out,true", "out,out/sub,true", "out,out,false"})
    void copiesAgainWhatAPowerCutTookFromARunThatFlushedNothing(String first, String then, boolean hasAttributes)
            throws IOException {
        String below = first.length() >= then.length() ? first : then;
        List<FileEntry> entries = files(4);
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            directory("place-" + seed + "/" + below);
            if (!hasAttributes) {
                disk.refuseAttributes();
            }
            session(
                    Durability.NONE,
                    first,
                    tree -> entriesAt(below, first, entries).forEach(entry -> deliverUnflushed(tree, entry)));
            disk.cutPower();
            copyWhatIsMissing(then, entriesAt(below, then, entries));
            for (FileEntry entry : entries) {
                assertThat(place.resolve(below).resolve(entry.path().text())).hasBinaryContent(contentOf(entry));
            }
        }
    }

    /** Returns the entries that a session with this target has for files in the directory below. */
    private static List<FileEntry> entriesAt(String below, String target, List<FileEntry> entries) {
        String prefix = below.equals(target) ? "" : below.substring(target.length() + 1) + "/";
        return entries.stream()
                .map(entry -> entry.at(raw(prefix + entry.path().text())))
                .toList();
    }

    private void copyWhatIsMissing(String target, List<FileEntry> entries) {
        session(Durability.END, target, tree -> {
            for (FileEntry entry : entries) {
                if (!(tree.prepare(entry) instanceof Outcome.Skipped)) {
                    deliver(tree, entry, contentOf(entry));
                }
            }
            finish(tree);
        });
    }

    @Test
    void copiesNothingAgainOnceEverythingWasFlushed() throws IOException {
        session(Durability.NONE, tree -> deliverUnflushed(tree, files(1).get(0)));
        rerun(files(1));
        disk.reboot();
        rerun(files(1));
    }

    /** What was flushed before the run that flushed nothing is not affected. */
    @Test
    void copiesOnlyWhatWasNotFlushedAgain() throws IOException {
        session(Durability.END, tree -> {
            deliver(tree, LARGE, contentOf(LARGE));
            finish(tree);
        });
        session(Durability.NONE, tree -> deliverUnflushed(tree, files(1).get(0)));
        disk.reboot();
        session(Durability.END, tree -> {
            assertThat(tree.prepare(LARGE)).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(files(1).get(0))).isInstanceOf(Outcome.Wanted.class);
        });
    }

    /** The doubt goes with the file, and is not in the directory where it was. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void copiesAgainWhatWasMovedOrLinkedElsewhere(boolean linked) throws IOException {
        FileEntry entry = files(1).get(0);
        Path elsewhere = directory("place-0/elsewhere").resolve("f0");
        session(Durability.NONE, tree -> deliverUnflushed(tree, entry));
        if (linked) {
            Files.createLink(elsewhere, place.resolve("out/f0"));
        } else {
            Files.move(place.resolve("out/f0"), elsewhere);
        }
        disk.reboot();
        session(
                Durability.END,
                "elsewhere",
                tree -> assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Wanted.class));
    }

    /** Each of a flush, and of what has the name by then, concerns its own file. */
    @Test
    void keepsTheMarkOfAFileThatTookTheNameOfAFlushedOne() throws IOException {
        FileEntry entry = files(1).get(0);
        session(Durability.NONE, tree -> deliverUnflushed(tree, entry));
        session(Durability.END, tree -> {
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Skipped.class);
            TransferPlan none =
                    Rules.of(Existing.OVERWRITE, TargetRules.Comparison.TIME, Durability.NONE, true, PRESERVED);
            try (Root root = Root.confined(raw(place));
                    TargetTree other =
                            new TargetTree(disk, root, raw("out"), none, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
                deliverUnflushed(other, entry);
            }
            finish(tree);
        });
        disk.reboot();
        session(Durability.END, tree -> assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Wanted.class));
    }

    /** More than one batch of marks is removed. */
    @Test
    void copiesNothingOfManyFilesAgainOnceTheyWereFlushed() throws IOException {
        List<FileEntry> many = new ArrayList<>();
        for (int i = 0; i < 9000; i++) {
            many.add(fileEntry("a-file-with-a-name-of-some-length-" + i, 0));
        }
        session(Durability.NONE, tree -> many.forEach(entry -> deliverUnflushed(tree, entry)));
        rerun(many);
        disk.reboot();
        rerun(many);
    }

    /** The file is read, so it is known to be there, and the next run need not read it. */
    @Test
    void trustsWhatWasComparedAndFlushed() throws IOException {
        FileEntry entry = files(1).get(0);
        session(Durability.NONE, tree -> deliverUnflushed(tree, entry));
        disk.reboot();
        session(
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED),
                "out",
                tree -> {
                    assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Compare.class);
                    tree.keep(entry);
                    finish(tree);
                });
        rerun(files(1));
    }

    @Test
    void saysOnceThatFilesAreFlushedWhereTheyCannotBeMarked() {
        disk.refuseAttributes();
        session(Durability.NONE, tree -> {
            List<String> remarks = new ArrayList<>();
            for (FileEntry entry : files(3)) {
                try (TargetFile file = wanted(tree.prepare(entry))) {
                    write(file, contentOf(entry), 0);
                    file.seal();
                    file.publish();
                    if (file.remark() != null) {
                        remarks.add(file.remark());
                    }
                }
            }
            assertThat(remarks).singleElement().asString().contains("f0", "was flushed");
            assertThat(disk.count(LossyDisk.Kind.SYNC)).isEqualTo(3);
        });
    }

    @Test
    void flushesNothingForAMark() {
        session(Durability.NONE, tree -> {
            deliverUnflushed(tree, files(1).get(0));
            assertThat(disk.count(LossyDisk.Kind.SYNC)).isZero();
        });
    }

    @Test
    void failsOnADiskThatStillFails() {
        session(Durability.END, tree -> {
            deliverAll(tree, files(3));
            disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
            assertThatThrownBy(() -> finish(tree)).isInstanceOf(TransferException.class);
        });
        session(Durability.END, tree -> {
            files(3).forEach(tree::prepare);
            disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
            assertThatThrownBy(() -> finish(tree)).isInstanceOf(TransferException.class);
        });
    }

    @Test
    void makesAModeDurableIfNothingElseChanged() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            session(Durability.END, tree -> {
                deliverAll(tree, files(1));
                finish(tree);
            });
            rerun(List.of(fileEntry(raw("f0"), 9000, 0600)));
            disk.cutPower();
            assertThat(statusOf(place.resolve("out/f0")).mode()).isEqualTo(0600);
        }
    }

    /** The name of each directory is stored in its parent directory, and an earlier run may have created it. */
    @Test
    void flushesEveryDirectoryThatItsTargetMayNeed() throws IOException {
        session(Durability.END, "a/b/c", tree -> {
            assertThat(tree.prepare(directoryEntry("made", 0755))).isInstanceOf(Outcome.Made.class);
            finish(tree);
        });
        assertThat(disk.flushedDirectories())
                .contains(place, place.resolve("a"), place.resolve("a/b"), place.resolve("a/b/c"))
                .contains(place.resolve("a/b/c/made"));
        newDisk(1);
        directory("place-1/a/b/c/made");
        session(Durability.END, "a/b/c", tree -> {
            assertThat(tree.prepare(directoryEntry("made", 0755))).isInstanceOf(Outcome.Made.class);
            finish(tree);
        });
        assertThat(disk.flushedDirectories())
                .contains(place, place.resolve("a"), place.resolve("a/b"), place.resolve("a/b/c"))
                .contains(place.resolve("a/b/c/made"));
    }

    /** The kernel reports a loss once, and serves the lost data from memory until it needs that memory. */
    @ParameterizedTest
    @ValueSource(ints = {3, 12})
    void copiesAgainWhatAFlushThatFailedMayHaveLost(int count) throws IOException {
        directory("place-0/out");
        session(Durability.NONE, tree -> files(count).forEach(entry -> deliverUnflushed(tree, entry)));
        session(Durability.END, tree -> {
            files(count).forEach(tree::prepare);
            disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
            assertThatThrownBy(() -> finish(tree)).isInstanceOf(TransferException.class);
        });
        awaitALaterTimeThanThatOf(place.resolve("out/.fdt.lost"));
        session(Durability.END, tree -> {
            deliverAll(tree, files(count));
            finish(tree);
        });
        rerun(files(count));
        disk.reboot();
        rerun(files(count));
        disk.cutPower();
        assertAllThere(files(count));
    }

    /**
     * After the restart the loss is visible to every program. But size and time of each file still match the source.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 12})
    void copiesAgainWhatAFlushThatFailedHasLostWhenTheMachineHasStartedAgain(int count) throws IOException {
        loseSomeAndStartAgain(count);
        session(Durability.END, tree -> {
            for (FileEntry entry : files(count)) {
                if (!(tree.prepare(entry) instanceof Outcome.Skipped)) {
                    deliver(tree, entry, contentOf(entry));
                }
            }
            finish(tree);
        });
        assertAllThere(files(count));
    }

    /** A file that the run reads anyway does not have to be copied again. */
    @Test
    void readsWhatAFlushThatFailedMayHaveLostWhenTheMachineHasStartedAgain() throws IOException {
        loseSomeAndStartAgain(3);
        session(
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED),
                "out",
                tree -> {
                    for (FileEntry entry : files(3)) {
                        assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Compare.class);
                    }
                });
    }

    private void loseSomeAndStartAgain(int count) throws IOException {
        directory("place-0/out");
        session(Durability.NONE, tree -> files(count).forEach(entry -> deliverUnflushed(tree, entry)));
        session(Durability.END, tree -> {
            files(count).forEach(tree::prepare);
            disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
            assertThatThrownBy(() -> finish(tree)).isInstanceOf(TransferException.class);
        });
        assertThatThrownBy(() -> assertAllThere(files(count))).isInstanceOf(AssertionError.class);
        disk.reboot();
    }

    /** The older source does not have the data that the newer target file may have lost. */
    @Test
    void keepsWhatIsNewerThanItsSourceAlsoWhenAFlushFailed() throws IOException {
        Path newer = file("place-0/out/f0", "edited here");
        setModified(newer, 1_600_000_000L, 0);
        TransferPlan keepingNewer =
                TransferPlan.EMPTY.with(CopyValue.PRESERVE, PRESERVED).with(CopyValue.UPDATE, true);
        session(keepingNewer, "out", tree -> {
            assertThat(tree.prepare(files(1).get(0))).isInstanceOf(Outcome.Skipped.class);
            disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
            assertThatThrownBy(() -> finish(tree)).isInstanceOf(TransferException.class);
        });
        assertThat(place.resolve("out/.fdt.lost")).exists();
        session(keepingNewer, "out", tree -> {
            assertThat(tree.prepare(files(1).get(0))).isInstanceOf(Outcome.Skipped.class);
            finish(tree);
        });
        assertThat(newer).hasContent("edited here");
    }

    /** Waits for the kernel's file clock, which ticks every few milliseconds. */
    private void awaitALaterTimeThanThatOf(Path mark) throws IOException {
        FileStatus left = statusOf(mark);
        FileStatus now = left;
        while (now.changedSeconds == left.changedSeconds && now.changedNanos <= left.changedNanos) {
            now = statusOf(file("probe", ""));
        }
    }

    @Test
    void removesTheJournalOfARunThatWasKilledAfterTheRename() throws IOException {
        session(Durability.END, tree -> {
            TargetFile file = wanted(tree.prepare(LARGE));
            write(file, CHUNK, 0);
            write(file, CHUNK, CHUNK_BYTES);
            file.seal();
            file.sync();
            file.record(List.of(record(0), record(CHUNK_BYTES)));
            disk.failAfter(LossyDisk.Kind.UNLINK, 0, Errno.EIO);
            file.publish();
        });
        String journal = PartialNames.of(raw("f")).journal().text();
        assertThat(namesIn(place.resolve("out"))).containsExactlyInAnyOrder(journal, "f");
        rerun(List.of(LARGE));
        assertThat(namesIn(place.resolve("out"))).containsExactly("f");
    }

    /** A partial that another run may still resume is not a leftover. */
    @Test
    void leavesTheJournalOfAPartialThatIsThere() throws IOException {
        session(Durability.END, tree -> deliver(tree, LARGE, new byte[2 * CHUNK_BYTES]));
        FileEntry newer = Entries.file(LARGE.path(), LARGE.sizeBytes(), Entries.metadata(0644, 1, 0));
        session(Durability.END, tree -> keepFirstChunk(tree, newer));
        rerun(List.of(LARGE));
        assertThat(namesIn(place.resolve("out"))).hasSize(3);
    }

    private static void keepFirstChunk(TargetTree tree, FileEntry entry) {
        try (TargetFile file = wanted(tree.prepare(entry))) {
            write(file, CHUNK, 0);
            file.record(List.of(record(0)));
        }
    }

    private static ChunkRecord record(long offset) {
        Memory memory = Memory.of(CHUNK);
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        digest.addLeaf(memory.buffer(), memory.address(), 0, LEAF_BYTES);
        digest.addLeaf(memory.buffer(), memory.address(), LEAF_BYTES, LEAF_BYTES);
        return new ChunkRecord(offset, CHUNK_BYTES, digest.finish());
    }

    @Test
    void resumesWhatWasNotFlushedWithoutAFlush() throws IOException {
        session(Durability.NONE, tree -> {
            keepFirstChunk(tree, LARGE);
            assertThat(disk.count(LossyDisk.Kind.SYNC)).isZero();
        });
        disk.kill();
        session(Durability.NONE, tree -> {
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(LARGE);
            assertThat(wanted.durable()).hasSize(1);
            wanted.file().close();
        });
        assertThat(disk.readBytes(place.resolve("out")
                        .resolve(PartialNames.of(raw("f")).partial().text())))
                .as("what nobody has changed is not read")
                .isZero();
    }

    /** A journal may survive the data that it records. The data is then hashed, and the loss is found. */
    @Test
    void resumesNothingThatAPowerCutTook() throws IOException {
        byte[] expected = CHUNK.clone();
        for (int seed = 0; seed < SEEDS; seed++) {
            newDisk(seed);
            directory("place-" + seed + "/out");
            session(Durability.NONE, tree -> keepFirstChunk(tree, LARGE));
            disk.cutPower();
            session(Durability.END, tree -> {
                Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(LARGE);
                for (ChunkRecord record : wanted.durable()) {
                    assertThat(inPartial(place.resolve("out"), "f", record.offset(), CHUNK_BYTES))
                            .isEqualTo(expected);
                }
                wanted.file().close();
            });
        }
    }
}
