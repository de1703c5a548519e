package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.Checksums;
import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.FileHash;
import io.fdt.core.digest.NodeHash;
import io.fdt.core.digest.TreeDigest;
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
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.LossyDisk;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A session resumes a partial without reading it if nothing else changed it, and hashes it again otherwise. */
class ResumeTest extends StorageTest {
    private static final int CHUNKS = 10;
    private static final FileEntry ENTRY = fileEntry("f", (long) CHUNKS * CHUNK_BYTES);
    private static final PartialNames NAMES = PartialNames.of(raw("f"));

    private LossyDisk disk = new LossyDisk(Path.of("unset"), new Random(0), 4096);
    private Path partial = Path.of("unset");
    private Path journal = Path.of("unset");

    @BeforeEach
    void makeDisk() throws IOException {
        disk = new LossyDisk(directory("place/attic"), new Random(1), 4096);
        partial = directory("place/out").resolve(NAMES.partial().text());
        journal = partial.resolveSibling(NAMES.journal().text());
    }

    @AfterEach
    void closeDisk() {
        disk.close();
    }

    private static byte[] content(int chunk) {
        byte[] content = new byte[CHUNK_BYTES];
        Arrays.fill(content, (byte) (chunk + 1));
        return content;
    }

    private static ChunkRecord record(int chunk) {
        return record((long) chunk * CHUNK_BYTES, content(chunk));
    }

    private static ChunkRecord record(long offset, byte[] content) {
        return record(offset, content, DigestKind.XXH3_128);
    }

    private static ChunkRecord record(long offset, byte[] content, NodeHash hash) {
        Memory memory = Memory.of(content);
        TreeDigest digest = new TreeDigest(hash);
        for (int at = 0; at < content.length; at += LEAF_BYTES) {
            digest.addLeaf(memory.buffer(), memory.address(), at, Math.min(LEAF_BYTES, content.length - at));
        }
        return new ChunkRecord(offset, content.length, digest.finish());
    }

    private interface Session {
        void run(TargetTree tree) throws IOException;
    }

    private void session(Session session) throws IOException {
        session(rules(Existing.SKIP_SAME), session);
    }

    private void session(TransferPlan rules, Session session) throws IOException {
        session(rules, DigestKind.XXH3_128, session);
    }

    private void session(TransferPlan rules, NodeHash hash, Session session) throws IOException {
        disk.restart();
        try (Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree = new TargetTree(disk, root, raw("out"), rules, hash, CHUNK_BYTES, false)) {
            session.run(tree);
        }
    }

    private static Outcome.Wanted takeUp(TargetTree tree) {
        Outcome outcome = tree.prepare(ENTRY);
        assertThat(outcome).isInstanceOf(Outcome.Wanted.class);
        return (Outcome.Wanted) outcome;
    }

    private static List<Integer> chunks(Outcome.Wanted wanted) {
        return wanted.durable().stream()
                .map(record -> (int) (record.offset() / CHUNK_BYTES))
                .toList();
    }

    /** Leaves a state in which the process was killed with chunks 0 and 4 recorded and chunk 7 written. */
    private void leaveKilled() throws IOException {
        session(tree -> {
            TargetFile file = takeUp(tree).file();
            for (int chunk : new int[] {0, 4}) {
                write(file, content(chunk), (long) chunk * CHUNK_BYTES);
            }
            file.sync();
            assertThat(file.record(List.of(record(0), record(4)))).isTrue();
            writeUntilStamped(file, 7);
        });
        disk.kill();
    }

    /**
     * Writes until the stamp vouches for the partial. A writer that is delayed between stamp and write counts as
     * foreign, which can happen on a busy machine.
     */
    private void writeUntilStamped(TargetFile file, int chunk) throws IOException {
        do {
            write(file, content(chunk), (long) chunk * CHUNK_BYTES);
        } while (!isVouchedFor());
    }

    private boolean isVouchedFor() throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(journal));
        return WriteStamp.vouches(bytes, Journal.HEADER_BYTES, bytes.getLong(64), disk.bootId(), statusOf(partial));
    }

    /** Waits until a change would get a time that the stamp cannot mean. */
    private void awaitLaterTime() throws IOException {
        FileStatus status = statusOf(partial);
        long changedMs = status.changedSeconds * 1000 + status.changedNanos / 1_000_000;
        while (System.currentTimeMillis() < changedMs + 50) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void edit(Path file, long offset) throws IOException {
        try (RandomAccessFile edited = new RandomAccessFile(file.toFile(), "rw")) {
            edited.seek(offset);
            int was = edited.read();
            edited.seek(offset);
            edited.write(was ^ 64);
        }
    }

    private void finish(TargetFile file, List<Integer> there) {
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            if (!there.contains(chunk)) {
                write(file, content(chunk), (long) chunk * CHUNK_BYTES);
            }
        }
        file.seal();
        file.sync();
        file.publish();
    }

    private void assertDelivered() throws IOException {
        byte[] delivered = Files.readAllBytes(partial.resolveSibling("f"));
        assertThat(delivered).hasSize(CHUNKS * CHUNK_BYTES);
        for (int chunk = 0; chunk < CHUNKS; chunk++) {
            assertThat(Arrays.copyOfRange(delivered, chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES))
                    .isEqualTo(content(chunk));
        }
        assertThat(namesIn(partial.getParent())).containsExactly("f");
    }

    @Test
    void readsNothingAfterAKill() throws IOException {
        leaveKilled();
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0, 4);
            assertThat(wanted.dropped()).isNull();
            assertThat(disk.readBytes(partial)).isZero();
            finish(wanted.file(), List.of(0, 4));
        });
        assertDelivered();
    }

    /** Of a file of one chunk, parts are recorded if it arrives slowly. */
    @Test
    void resumesASmallFileOfWhichALeafWasRecorded() throws IOException {
        FileEntry small = fileEntry("f", CHUNK_BYTES);
        byte[] leaf = Arrays.copyOf(content(0), LEAF_BYTES);
        session(tree -> {
            TargetFile file = ((Outcome.Wanted) tree.prepare(small)).file();
            write(file, leaf, 0);
            file.sync();
            assertThat(journal).doesNotExist();
            file.record(List.of(record(0, leaf)));
            assertThat(journal).exists();
            write(file, leaf, LEAF_BYTES);
        });
        disk.kill();
        session(tree -> {
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(small);
            assertThat(wanted.durable()).extracting(ChunkRecord::lengthBytes).containsExactly((long) LEAF_BYTES);
            write(wanted.file(), leaf, LEAF_BYTES);
            wanted.file().seal();
            wanted.file().sync();
            wanted.file().publish();
        });
        assertThat(Files.readAllBytes(partial.resolveSibling("f"))).isEqualTo(content(0));
        assertThat(namesIn(partial.getParent())).containsExactly("f");
    }

    @Test
    void aSmallFileThatArrivesAtOnceHasNoJournal() throws IOException {
        session(tree -> {
            TargetFile file = ((Outcome.Wanted) tree.prepare(fileEntry("f", CHUNK_BYTES))).file();
            write(file, content(0), 0);
            file.seal();
            file.sync();
            assertThat(file.recordsAtOnce()).isFalse();
            file.publish();
        });
        assertThat(namesIn(partial.getParent())).containsExactly("f");
    }

    @Test
    void readsNothingWhenKilledAgainBeforeItWrote() throws IOException {
        leaveKilled();
        session(tree -> takeUp(tree));
        disk.kill();
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0, 4);
            assertThat(disk.readBytes(partial)).isZero();
            finish(wanted.file(), List.of(0, 4));
        });
        assertDelivered();
    }

    @Test
    void readsNothingWhenKilledBetweenSealAndPublish() throws IOException {
        session(tree -> {
            TargetFile file = takeUp(tree).file();
            List<ChunkRecord> records = new ArrayList<>();
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                write(file, content(chunk), (long) chunk * CHUNK_BYTES);
                records.add(record(chunk));
            }
            do {
                file.seal();
            } while (!isVouchedFor());
            file.sync();
            file.record(records);
        });
        disk.kill();
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(wanted.durable()).hasSize(CHUNKS);
            assertThat(disk.readBytes(partial)).isZero();
            wanted.file().seal();
            wanted.file().publish();
        });
        assertDelivered();
    }

    /** The mode of the source changed after the file was complete and before it got its name. */
    @Test
    void goesOnInAPartialWithAnotherMode() throws IOException {
        leaveKilled();
        Files.setAttribute(partial, "unix:mode", 0640);
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0, 4);
            assertThat(wanted.dropped()).isNull();
            assertThat(statusOf(partial).mode()).isEqualTo(0600);
            finish(wanted.file(), List.of(0, 4));
        });
        assertDelivered();
    }

    /** Whoever has it open could read what is written to it from now on. */
    @Test
    void startsOverInAnotherPartialIfOthersCouldHaveOpenedTheOldOne() throws IOException {
        leaveKilled();
        Files.setAttribute(partial, "unix:mode", 0645);
        long old = statusOf(partial).inode;
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(wanted.durable()).isEmpty();
            assertThat(wanted.dropped()).isEqualTo("its partial file could be read by others");
            write(wanted.file(), content(0), 0);
            assertThat(statusOf(partial).mode()).isEqualTo(0600);
            assertThat(statusOf(partial).inode).isNotEqualTo(old);
            finish(wanted.file(), List.of(0));
        });
        assertDelivered();
    }

    /** The digests are known, and the checksums are not: what was recorded is read, and not sent again. */
    @Test
    void recordsTheChecksumsOfALaterSession() throws IOException {
        NodeHash hash = Checksums.of(List.of(FileHash.CRC32C)).beside(DigestKind.XXH3_128);
        leaveKilled();
        for (long read : new long[] {2 * CHUNK_BYTES, 0}) {
            session(rules(Existing.SKIP_SAME), hash, tree -> {
                Outcome.Wanted wanted = takeUp(tree);
                assertThat(wanted.dropped()).isNull();
                assertThat(wanted.durable())
                        .extracting(each -> HexFormat.of().formatHex(each.digest()))
                        .containsExactly(digestOf(0, hash), digestOf(4, hash));
                assertThat(disk.readBytes(partial)).isEqualTo(read);
            });
            disk.kill();
        }
    }

    private static String digestOf(int chunk, NodeHash hash) {
        return HexFormat.of()
                .formatHex(
                        record((long) chunk * CHUNK_BYTES, content(chunk), hash).digest());
    }

    @Test
    void readsNothingAfterAnOrderlyEnd() throws Exception {
        leaveKilled();
        awaitLaterTime();
        session(tree -> takeUp(tree).file().abandon(true));
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0, 4);
            assertThat(disk.readBytes(partial)).isZero();
            finish(wanted.file(), List.of(0, 4));
        });
        assertDelivered();
    }

    /** A journal identifies its source by size and time, and a caller that requests digests does not trust these. */
    @Test
    void startsOverIfDigestsAreRequested() throws IOException {
        leaveKilled();
        TransferPlan comparing =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED);
        session(comparing, tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(wanted.durable()).isEmpty();
            assertThat(wanted.dropped()).isEqualTo("its journal identifies the source only by size and time");
            finish(wanted.file(), List.of());
        });
        assertDelivered();
    }

    /** A session whose client is gone holds its partial for a while, and must not vouch for changes by others. */
    @Test
    void findsAnEditFromWhileASessionHeldThePartial() throws Exception {
        leaveKilled();
        session(tree -> {
            TargetFile file = takeUp(tree).file();
            writeUntilStamped(file, 6);
            awaitLaterTime();
            edit(partial, 4L * CHUNK_BYTES + 1000);
            file.abandon(true);
        });
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0);
            assertThat(wanted.dropped()).isEqualTo("its partial file was changed");
            finish(wanted.file(), List.of(0));
        });
        assertDelivered();
    }

    /** @param how whether the process was killed or ended in order; the edit hits data that was recorded */
    @ParameterizedTest
    @ValueSource(strings = {"killed", "ended"})
    void findsAnEditThatRestoredTheTime(String how) throws Exception {
        leaveKilled();
        if (how.equals("ended")) {
            session(tree -> takeUp(tree).file().abandon(true));
        }
        awaitLaterTime();
        FileStatus before = statusOf(partial);
        edit(partial, 4L * CHUNK_BYTES + 1000);
        setModified(partial, before.modifiedSeconds, before.modifiedNanos);
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0);
            assertThat(wanted.dropped()).isEqualTo("its partial file was changed");
            assertThat(disk.readBytes(partial)).isEqualTo(2 * CHUNK_BYTES);
            finish(wanted.file(), List.of(0));
        });
        assertDelivered();
    }

    /** The stamp of the session that found the edit must not vouch for the wrong chunk either. */
    @Test
    void doesNotTrustAWrongChunkAfterTheNextKill() throws Exception {
        leaveKilled();
        awaitLaterTime();
        edit(partial, 4L * CHUNK_BYTES + 1000);
        session(tree -> writeUntilStamped(takeUp(tree).file(), 7));
        disk.kill();
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0);
            assertThat(disk.readBytes(partial)).isZero();
            finish(wanted.file(), List.of(0));
        });
        assertDelivered();
    }

    @ParameterizedTest
    @ValueSource(strings = {"grown", "touched", "mode", "rebooted", "damaged stamp", "damaged boot id", "unmapped"})
    void hashesAllWhenAnythingIsOdd(String what) throws Exception {
        leaveDoubtful(what);
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(chunks(wanted)).containsExactly(0, 4);
            assertThat(wanted.dropped()).isNull();
            assertThat(disk.readBytes(partial)).isEqualTo(2 * CHUNK_BYTES);
            finish(wanted.file(), List.of(0, 4));
        });
        assertDelivered();
    }

    private void leaveDoubtful(String what) throws Exception {
        if (what.equals("unmapped")) {
            session(tree -> {
                disk.failAfter(LossyDisk.Kind.MAP, 0, Errno.EIO);
                TargetFile file = takeUp(tree).file();
                write(file, content(0), 0);
                write(file, content(4), 4L * CHUNK_BYTES);
                file.sync();
                file.record(List.of(record(0), record(4)));
            });
            disk.kill();
            return;
        }
        leaveKilled();
        awaitLaterTime();
        switch (what) {
            case "grown" -> {
                try (RandomAccessFile grown = new RandomAccessFile(partial.toFile(), "rw")) {
                    grown.setLength((CHUNKS + 3L) * CHUNK_BYTES);
                }
            }
            case "touched" -> setModified(partial, 1_700_000_000L, 0);
            case "mode" -> Files.setAttribute(partial, "unix:mode", 0400);
            case "rebooted" -> disk.reboot();
            case "damaged stamp" -> edit(journal, Journal.HEADER_BYTES + 7);
            case "damaged boot id" -> edit(journal, Journal.HEADER_BYTES + 20);
            default -> throw new IllegalArgumentException(what);
        }
    }

    @Test
    void startsOverWhenThePartialWasReplaced() throws IOException {
        leaveKilled();
        byte[] bytes = Files.readAllBytes(partial);
        Files.move(partial, temporary.resolve("moved-away"));
        Files.write(partial, bytes);
        session(tree -> {
            Outcome.Wanted wanted = takeUp(tree);
            assertThat(wanted.durable()).isEmpty();
            assertThat(wanted.dropped()).isEqualTo("its partial file was replaced");
            finish(wanted.file(), List.of());
        });
        assertDelivered();
    }

    /** Flips every bit, and all bits of every byte, of the stamp: a damaged stamp vouches for nothing. */
    @Test
    void damagedStampIsIgnored() throws IOException {
        leaveKilled();
        byte[] whole = Files.readAllBytes(journal);
        FileStatus status = statusOf(partial);
        long number = ByteBuffer.wrap(whole).getLong(64);
        for (int at = 0; at < 40; at++) {
            for (int flip : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
                byte[] damaged = whole.clone();
                damaged[Journal.HEADER_BYTES + at] ^= (byte) flip;
                assertThat(WriteStamp.vouches(
                                ByteBuffer.wrap(damaged), Journal.HEADER_BYTES, number, disk.bootId(), status))
                        .as("byte %d", at)
                        .isFalse();
            }
        }
        assertThat(WriteStamp.vouches(ByteBuffer.wrap(whole), Journal.HEADER_BYTES, number + 1, disk.bootId(), status))
                .as("of another journal")
                .isFalse();
    }

    @Test
    void trustsOnlyAChangeTimeCloseToTheStamp() throws IOException {
        leaveKilled();
        byte[] whole = Files.readAllBytes(journal);
        long number = ByteBuffer.wrap(whole).getLong(64);
        long stampMs = ByteBuffer.wrap(whole).getLong(Journal.HEADER_BYTES) >>> 16;
        for (long laterMs = -500; laterMs <= 500; laterMs++) {
            FileStatus status = new FileStatus();
            status.changedSeconds = (stampMs + laterMs) / 1000;
            status.changedNanos = (int) ((stampMs + laterMs) % 1000) * 1_000_000;
            assertThat(WriteStamp.vouches(ByteBuffer.wrap(whole), Journal.HEADER_BYTES, number, disk.bootId(), status))
                    .as("%d ms later", laterMs)
                    .isEqualTo(laterMs >= -250 && laterMs <= 5);
        }
    }

    /** Large enough for several threads. */
    @Test
    void hashesALargeFileWhole() throws IOException {
        int recordBytes = 8 << 20;
        int records = 8;
        FileEntry large = fileEntry("f", (long) records * recordBytes);
        List<ChunkRecord> all = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            all.add(record((long) i * recordBytes, new byte[recordBytes]));
        }
        session(tree -> {
            TargetFile file = wanted(tree.prepare(large));
            write(file, new byte[1], 0);
            file.sync();
            file.record(all);
            write(file, new byte[] {1}, 5L * recordBytes + 77);
        });
        disk.kill();
        disk.reboot();
        session(tree -> {
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(large);
            assertThat(wanted.durable())
                    .extracting(record -> (int) (record.offset() / recordBytes))
                    .containsExactly(0, 1, 2, 3, 4, 6, 7);
            wanted.file().abandon(false);
        });
    }
}
