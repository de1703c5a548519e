package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
import io.fdt.core.plan.RawPath;
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
import io.fdt.core.storage.posix.TreeWatch;
import io.fdt.core.storage.target.PowerCutTest;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The order of these calls determines what survives of a file, so a change of the order must be made here too. Between
 * two of them, others come in {@linkplain #anyOrder any order}. {@link PowerCutTest} tests the reasons for each
 * position.
 */
final class CallOrderTest extends StorageTest {
    private static final String AND = " and ";
    private static final FileEntry SMALL = fileEntry("f", LEAF_BYTES);
    private static final FileEntry LARGE = fileEntry("f", 2L * CHUNK_BYTES);
    private static final FileEntry RANGED = fileEntry("f", FileRange.MIN_BYTES + CHUNK_BYTES);
    private static final FileRange FIRST = new FileRange(0, RANGED.sizeBytes(), FileRange.MIN_BYTES);
    private static final byte[] CHUNK = new byte[CHUNK_BYTES];

    private final TracedDisk traced = new TracedDisk();

    static {
        Arrays.fill(CHUNK, (byte) 'c');
    }

    private void session(Consumer<TargetTree> session) throws IOException {
        session(rules(Existing.OVERWRITE), session);
    }

    private void session(TransferPlan rules, Consumer<TargetTree> session) throws IOException {
        directory("out");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        traced.disk(), root, raw("out"), rules, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            // Discards the calls that check for a mark of an earlier session.
            traced.calls();
            session.accept(tree);
        }
    }

    private static ChunkRecord record(long offset, int lengthBytes) {
        Memory memory = Memory.of(CHUNK);
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        for (int at = 0; at < lengthBytes; at += LEAF_BYTES) {
            digest.addLeaf(memory.buffer(), memory.address(), 0, LEAF_BYTES);
        }
        return new ChunkRecord(offset, lengthBytes, digest.finish());
    }

    private static void keepFirstChunk(TargetFile file) {
        write(file, CHUNK, 0);
        file.sync();
        file.record(List.of(record(0, CHUNK_BYTES)));
    }

    private void spoil(RawPath name) {
        try (RandomAccessFile edited = new RandomAccessFile(
                temporary.resolve("out").resolve(name.text()).toFile(), "rw")) {
            edited.write('e');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls between two others that determine what survives. */
    private static String anyOrder(String... calls) {
        return String.join(AND, calls);
    }

    private void assertCalls(String... expected) {
        List<String> calls = new ArrayList<>(traced.calls());
        List<String> grouped = new ArrayList<>();
        for (String group : expected) {
            List<String> members = List.of(group.split(AND));
            List<String> next = calls.subList(0, Math.min(members.size(), calls.size()));
            grouped.add(members.containsAll(next) && next.containsAll(members) ? group : String.join(AND, next));
            next.clear();
        }
        grouped.addAll(calls);
        assertThat(grouped).containsExactly(expected);
    }

    /** The first small file of a session shows whether files can get their names later. */
    @Test
    void smallFile() throws IOException {
        session(tree -> {
            deliver(tree, SMALL, new byte[LEAF_BYTES]);
            assertCalls(
                    "make nameless",
                    "name nameless partial",
                    "write partial",
                    "syncData partial",
                    anyOrder("setMode partial", "setModified partial"),
                    "rename partial to f",
                    "close f");
        });
    }

    @Test
    void furtherSmallFile() throws IOException {
        session(tree -> {
            TargetFile further = afterAnother(tree);
            tree.syncFileSystem();
            further.publish();
            assertCalls(
                    "make nameless",
                    "write nameless",
                    anyOrder("setMode nameless", "setModified nameless"),
                    "syncFileSystem directory",
                    "name nameless f",
                    "open f",
                    "close f");
        });
    }

    /** A flush of this file alone would not reach a file without a name on every file system. */
    @Test
    void furtherSmallFileThatIsFlushedAlone() throws IOException {
        session(tree -> {
            TargetFile further = afterAnother(tree);
            further.sync();
            further.publish();
            assertCalls(
                    "make nameless",
                    "write nameless",
                    anyOrder("setMode nameless", "setModified nameless"),
                    "name nameless partial",
                    "sync partial",
                    "rename partial to f",
                    "close f");
        });
    }

    @Test
    void furtherSmallFileWhoseNameIsTaken() throws IOException {
        session(tree -> {
            TargetFile further = afterAnother(tree);
            uncheckedFile("out/f");
            tree.syncFileSystem();
            assertThatThrownBy(further::publish).hasMessageContaining("was created by another program during the copy");
            further.abandon(true);
            assertCalls(
                    "make nameless",
                    "write nameless",
                    anyOrder("setMode nameless", "setModified nameless"),
                    "syncFileSystem directory",
                    "name nameless f: failed",
                    "name nameless partial",
                    "rename partial to f: failed",
                    "unlink partial",
                    "close partial");
            assertThat(namesIn("out")).containsExactlyInAnyOrder("a", "f");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"make nameless", "name nameless partial"})
    void smallFilesWhereNoneCanBeNamelessHaveANameFromTheStart(String refused) throws IOException {
        session(tree -> {
            traced.refuse(refused, Errno.EOPNOTSUPP);
            afterAnother(tree).abandon(false);
            assertCalls(
                    "make partial",
                    "write partial",
                    anyOrder("setMode partial", "setModified partial"),
                    "unlink partial",
                    "close partial");
        });
    }

    /** What a killed session left of a small file is replaced, not left behind. */
    @Test
    void furtherSmallFileOfWhichAPartialWasLeft() throws IOException {
        session(tree -> {
            uncheckedFile("out/" + PartialNames.of(raw("f")).partial().text());
            TargetFile further = afterAnother(tree);
            tree.syncFileSystem();
            further.publish();
            assertThat(namesIn("out")).containsExactlyInAnyOrder("a", "f");
        });
    }

    /** As for one that is renamed. Most programs that watch a directory wait for that. */
    @Test
    void theEndOfAFurtherSmallFileIsReportedUnderItsName() throws IOException {
        session(tree -> {
            deliver(tree, fileEntry("a", LEAF_BYTES), new byte[LEAF_BYTES]);
            List<String> closed = new ArrayList<>();
            try (TreeWatch watch = new TreeWatch(raw(temporary.resolve("out")))) {
                watch.add(RawPath.EMPTY);
                TargetFile file = ((Outcome.Wanted) tree.prepare(SMALL)).file();
                write(file, new byte[LEAF_BYTES], 0);
                file.seal();
                tree.syncFileSystem();
                file.publish();
                watch.await(-1, 0);
                watch.report(new ClosedFiles(closed), Set.of());
            }
            assertThat(closed).contains("f");
        });
    }

    private record ClosedFiles(List<String> names) implements TreeWatch.Events {
        @Override
        public void onClosed(RawPath file) {
            names.add(file.text());
        }

        @Override
        public void onCreated(RawPath file) {
            // A new name shows no end.
        }

        @Override
        public void onOpened(RawPath file) {
            // The beginning.
        }

        @Override
        public void onDirectory(RawPath found) {
            throw new AssertionError("there is no directory " + found.text());
        }

        @Override
        public void onLost() {
            throw new AssertionError("events were lost");
        }
    }

    @Test
    void abandonedSmallFileLeavesNothing() throws IOException {
        session(tree -> {
            afterAnother(tree).abandon(false);
            assertThat(namesIn("out")).containsExactly("a");
        });
    }

    /** Delivers another small file first, and returns this one, written and sealed. */
    private TargetFile afterAnother(TargetTree tree) {
        deliver(tree, fileEntry("a", LEAF_BYTES), new byte[LEAF_BYTES]);
        traced.calls();
        TargetFile file = ((Outcome.Wanted) tree.prepare(SMALL)).file();
        write(file, new byte[LEAF_BYTES], 0);
        file.seal();
        return file;
    }

    private void uncheckedFile(String name) {
        try {
            file(name, "x");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<String> namesIn(String name) {
        return List.of(Objects.requireNonNull(temporary.resolve(name).toFile().list()));
    }

    /**
     * The session that published the file may have died before it flushed the directory, or may have flushed nothing.
     */
    @Test
    void existingFile() throws IOException {
        session(tree -> deliver(tree, SMALL, new byte[LEAF_BYTES]));
        traced.calls();
        session(rules(Existing.SKIP_SAME), tree -> {
            assertThat(tree.prepare(SMALL)).isInstanceOf(Outcome.Skipped.class);
            tree.syncRest();
            assertCalls("getAttribute f: failed", "open f", "sync f", "close f", "sync directory");
        });
    }

    @Test
    void directWrites() throws IOException {
        session(
                Rules.of(
                        Existing.OVERWRITE,
                        TargetRules.Comparison.TIME,
                        Durability.END,
                        false,
                        PRESERVED,
                        DirectIo.ALWAYS),
                tree -> {
                    deliver(tree, SMALL, new byte[LEAF_BYTES]);
                    assertCalls(
                            "make nameless",
                            "name nameless partial",
                            "openDirect partial",
                            "allocate partial",
                            "write partial",
                            "syncData partial",
                            anyOrder("setMode partial", "setModified partial"),
                            "rename partial to f",
                            "close f");
                });
    }

    @Test
    void fileWithJournal() throws IOException {
        session(tree -> {
            TargetFile file = wanted(tree.prepare(LARGE));
            assertCalls();
            keepFirstChunk(file);
            assertCalls(
                    "make partial",
                    "unlink journal: failed",
                    "truncate partial",
                    "make journal",
                    "write journal",
                    "map journal",
                    "write partial",
                    "syncData partial",
                    "sync directory",
                    "write journal",
                    "syncData journal");
            write(file, CHUNK, CHUNK_BYTES);
            file.seal();
            file.sync();
            file.record(List.of(record(CHUNK_BYTES, CHUNK_BYTES)));
            file.publish();
            assertCalls(
                    "write partial",
                    anyOrder("setMode partial", "setModified partial"),
                    "sync partial",
                    "write journal",
                    "syncData journal",
                    "rename partial to f",
                    "unlink journal",
                    anyOrder("unmap journal", "close journal", "close f"));
        });
    }

    @Test
    void resumedFile() throws IOException {
        session(tree -> {
            TargetFile file = wanted(tree.prepare(LARGE));
            keepFirstChunk(file);
            traced.calls();
            file.close();
            assertCalls(anyOrder("unmap journal", "close journal", "close partial"));
            TargetFile again = wanted(tree.prepare(LARGE));
            assertCalls("open partial", "unlink next: failed", "open journal", "read journal", "map journal");
            keepFirstChunk(again);
            assertCalls("write partial", "syncData partial", "sync directory", "write journal", "syncData journal");
            again.abandon(false);
            assertCalls(
                    "unlink partial", "unlink journal", anyOrder("unmap journal", "close journal", "close partial"));
        });
    }

    /** Valid chunks are recorded at every moment: by the old journal until the new one has its name. */
    @Test
    void resumedFileChangedMeanwhile() throws IOException {
        session(tree -> {
            try (TargetFile file = wanted(tree.prepare(LARGE))) {
                keepFirstChunk(file);
                write(file, CHUNK, CHUNK_BYTES);
                file.sync();
                file.record(List.of(record(CHUNK_BYTES, CHUNK_BYTES)));
            }
            spoil(PartialNames.of(raw("f")).partial());
            traced.calls();
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(LARGE);
            assertThat(wanted.durable()).extracting(ChunkRecord::offset).containsExactly((long) CHUNK_BYTES);
            assertCalls(
                    "open partial",
                    "unlink next: failed",
                    "open journal",
                    "read journal",
                    "map journal",
                    "read partial",
                    anyOrder("unmap journal", "close journal"),
                    "make next",
                    "write next",
                    "map next",
                    "write next",
                    "syncData next",
                    "rename next to journal",
                    "sync directory");
            wanted.file().abandon(false);
        });
    }

    @Test
    void fileWithoutWritableJournal() throws IOException {
        session(tree -> {
            traced.refuse("make journal", Errno.ENOSPC);
            TargetFile file = wanted(tree.prepare(LARGE));
            assertThatThrownBy(() -> write(file, CHUNK, 0)).hasMessageContaining("cannot make the journal");
            file.close();
            assertCalls(
                    "make partial",
                    "unlink journal: failed",
                    "truncate partial",
                    "make journal: failed",
                    "unlink partial",
                    "unlink journal: failed",
                    "close partial");
        });
    }

    @Test
    void range() throws IOException {
        session(tree -> {
            TargetFile file = wanted(tree.prepare(RANGED.ranged(FIRST.at(1))));
            assertCalls(
                    "open partial",
                    "open journal: failed",
                    "unlink journal: failed",
                    "make journal",
                    "write journal",
                    "map journal",
                    "truncate partial");
            keepFirstChunk(file);
            assertCalls("write partial", "syncData partial", "sync directory", "write journal", "syncData journal");
            file.setDigest(record(0, CHUNK_BYTES).digest());
            file.seal();
            file.publish();
            assertCalls(
                    anyOrder("unmap journal", "close journal"),
                    "make next",
                    "write next",
                    "map next",
                    "write next",
                    "syncData next",
                    "rename next to journal",
                    "sync directory",
                    "unmap next",
                    "close journal",
                    "close partial");
        });
    }

    @Test
    void resumedRange() throws IOException {
        session(tree -> {
            FileEntry range = RANGED.ranged(FIRST.at(1));
            TargetFile file = wanted(tree.prepare(range));
            keepFirstChunk(file);
            traced.calls();
            file.close();
            assertCalls(anyOrder("unmap journal", "close journal", "close partial"));
            TargetFile again = wanted(tree.prepare(range));
            assertCalls("open partial", "open journal", "read journal", "map journal");
            again.zero(0, LEAF_BYTES);
            keepFirstChunk(again);
            assertCalls(
                    "punchHole partial",
                    "write partial",
                    "syncData partial",
                    "sync directory",
                    "write journal",
                    "syncData journal");
            again.abandon(false);
            assertCalls("unlink journal", anyOrder("unmap journal", "close journal", "close partial"));
        });
    }

    @Test
    void resumedRangeChangedMeanwhile() throws IOException {
        session(tree -> {
            FileEntry range = RANGED.ranged(FIRST.at(0));
            try (TargetFile file = wanted(tree.prepare(range))) {
                keepFirstChunk(file);
                write(file, CHUNK, CHUNK_BYTES);
                file.sync();
                file.record(List.of(record(CHUNK_BYTES, CHUNK_BYTES)));
            }
            spoil(PartialNames.ofRanges(raw("f"), RANGED, FIRST).partial());
            traced.calls();
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(range);
            assertThat(wanted.durable()).extracting(ChunkRecord::offset).containsExactly((long) CHUNK_BYTES);
            assertCalls(
                    "open partial",
                    "open journal",
                    "read journal",
                    "map journal",
                    "read partial",
                    anyOrder("unmap journal", "close journal"),
                    "make next",
                    "write next",
                    "map next",
                    "write next",
                    "syncData next",
                    "rename next to journal",
                    "sync directory");
            wanted.file().close();
        });
    }

    /** The old journal is durably removed before the session writes data that this journal could seem to describe. */
    @Test
    void resumedFileWithUnusableJournal() throws IOException {
        session(tree -> {
            try (TargetFile file = wanted(tree.prepare(LARGE))) {
                keepFirstChunk(file);
            }
            spoil(PartialNames.of(raw("f")).journal());
            traced.calls();
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(LARGE);
            assertThat(wanted.durable()).isEmpty();
            assertCalls(
                    "open partial",
                    "unlink next: failed",
                    "open journal",
                    "read journal",
                    "close journal",
                    "unlink journal",
                    "sync directory",
                    "truncate partial",
                    "make journal",
                    "write journal",
                    "map journal");
            wanted.file().abandon(false);
        });
    }

    @Test
    void resumedRangeWithUnusableJournal() throws IOException {
        session(tree -> {
            FileEntry range = RANGED.ranged(FIRST.at(1));
            try (TargetFile file = wanted(tree.prepare(range))) {
                keepFirstChunk(file);
            }
            spoil(PartialNames.ofRanges(raw("f"), RANGED, FIRST).at(1).journal());
            traced.calls();
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(range);
            assertThat(wanted.durable()).isEmpty();
            assertCalls(
                    "open partial",
                    "open journal",
                    "read journal",
                    "close journal",
                    "unlink journal",
                    "sync directory",
                    "make journal",
                    "write journal",
                    "map journal");
            wanted.file().close();
        });
    }

    @Test
    void assembledFile() throws IOException {
        session(tree -> {
            for (int index = 0; index < 2; index++) {
                TargetFile file = wanted(tree.prepare(RANGED.ranged(FIRST.at(index))));
                int lengthBytes = (int) FIRST.at(index).lengthBytes();
                for (int at = 0; at < lengthBytes; at += CHUNK_BYTES) {
                    write(file, CHUNK, at);
                }
                file.sync();
                file.setDigest(record(0, lengthBytes).digest());
                file.seal();
                file.publish();
            }
            traced.calls();
            TargetFile file = wanted(tree.prepare(RANGED.ranged(FIRST.all())));
            assertCalls(
                    "open partial",
                    "open journal",
                    "read journal",
                    "map journal",
                    anyOrder("unmap journal", "close journal"),
                    "open journal",
                    "read journal",
                    "map journal",
                    anyOrder("unmap journal", "close journal"));
            file.seal();
            file.sync();
            file.publish();
            assertCalls(
                    anyOrder("setMode partial", "setModified partial"),
                    "sync partial",
                    "rename partial to f",
                    "unlink journal",
                    "unlink next: failed",
                    "unlink journal",
                    "unlink next: failed",
                    "close f");
        });
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }
}
