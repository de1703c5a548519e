package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
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
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.target.TargetTree;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest extends StorageTest {
    private static final long SIZE_BYTES = 10L * CHUNK_BYTES - 5;
    private static final PartialNames NAMES = PartialNames.of(RawPath.ofText("f"));
    private static final long INODE = 4711;
    private static final int NOBODY = 65_534;

    private Path journalFile = Path.of("unset");
    private final List<ChunkRecord> written = new ArrayList<>();

    @BeforeEach
    void writeJournal() throws IOException {
        journalFile = directory("j").resolve(NAMES.journal().text());
        write(List.of(chunk(0), chunk(1)), List.of(chunk(5)), List.of(chunk(9)));
    }

    private static Journal.Identity identity() {
        return new Journal.Identity(fileEntry("f", SIZE_BYTES), DigestKind.XXH3_128, NAMES.nameHash(), INODE);
    }

    private static ChunkRecord chunk(int index) {
        byte[] digest = new byte[16];
        new Random(index).nextBytes(digest);
        long offset = (long) index * CHUNK_BYTES;
        return new ChunkRecord(offset, Math.min(CHUNK_BYTES, SIZE_BYTES - offset), digest);
    }

    private int openDirectory() {
        int fd = Paths.openat(Paths.AT_FDCWD, raw(temporary.resolve("j")), Paths.O_RDONLY | Paths.O_DIRECTORY, 0);
        assertThat(fd).isPositive();
        return fd;
    }

    @SafeVarargs
    private void write(List<ChunkRecord>... batches) {
        int fd = openDirectory();
        try (Journal journal = Journal.create(Disk.KERNEL, fd, NAMES.journal(), raw("f"), identity())) {
            written.clear();
            for (List<ChunkRecord> batch : batches) {
                journal.add(batch, true);
                written.addAll(batch);
            }
        }
        Descriptor.closeFd(fd);
    }

    private Journal.Loaded load() {
        return load(identity(), SIZE_BYTES);
    }

    private Journal.Loaded load(Journal.Identity identity, long partialBytes) {
        int fd = openDirectory();
        Journal.Loaded loaded = Objects.requireNonNull(
                Journal.load(Disk.KERNEL, fd, NAMES.journal(), raw("f"), identity, status(partialBytes)));
        Descriptor.closeFd(fd);
        if (loaded.journal() != null) {
            loaded.journal().close();
        }
        return loaded;
    }

    private static FileStatus status(long sizeBytes) {
        FileStatus status = new FileStatus();
        status.sizeBytes = sizeBytes;
        return status;
    }

    private void appendTo(ChunkRecord chunk) {
        int fd = openDirectory();
        Journal.Loaded loaded = Objects.requireNonNull(
                Journal.load(Disk.KERNEL, fd, NAMES.journal(), raw("f"), identity(), status(SIZE_BYTES)));
        try (Journal journal = Objects.requireNonNull(loaded.journal())) {
            journal.add(List.of(chunk), true);
        }
        Descriptor.closeFd(fd);
    }

    private static List<String> lines(List<ChunkRecord> records) {
        return records.stream()
                .map(record -> record.offset() + "+" + record.lengthBytes() + "=" + Arrays.toString(record.digest()))
                .toList();
    }

    @Test
    void readsRecordedChunks() {
        Journal.Loaded loaded = load();
        assertThat(loaded.doubt()).isNull();
        assertThat(lines(loaded.records())).isEqualTo(lines(written));
    }

    @Test
    void continuesAfterReopening() {
        appendTo(chunk(7));
        assertThat(load().records())
                .extracting(ChunkRecord::offset)
                .contains(7L * CHUNK_BYTES)
                .hasSize(5);
    }

    /** Power can fail at any byte of an append; the bytes after it are then missing. */
    @Test
    void neverYieldsAnythingElseWhenCutAtAnyByte() throws IOException {
        byte[] whole = Files.readAllBytes(journalFile);
        for (int length = 0; length < whole.length; length++) {
            Files.write(journalFile, Arrays.copyOf(whole, length));
            Journal.Loaded loaded = load();
            int kept = Math.max(0, (length - Journal.RECORDS_INDEX) / Journal.RECORD_BYTES);
            assertThat(lines(loaded.records())).isEqualTo(lines(written.subList(0, kept)));
            boolean torn =
                    length < Journal.RECORDS_INDEX || (length - Journal.RECORDS_INDEX) % Journal.RECORD_BYTES != 0;
            assertThat(loaded.doubt() != null).as("doubt at %d", length).isEqualTo(torn);
        }
    }

    @Test
    void appendsAlignedAfterATruncatedRecord() throws IOException {
        byte[] whole = Files.readAllBytes(journalFile);
        Files.write(journalFile, Arrays.copyOf(whole, whole.length - 10));
        appendTo(chunk(3));
        assertThat(load().records())
                .extracting(record -> record.offset() / CHUNK_BYTES)
                .containsExactly(0L, 1L, 3L, 5L);
        assertThat(load().doubt()).isNull();
    }

    /** Otherwise every later run would doubt it again. */
    @Test
    void removesATruncatedRecordWhenItIsRead() throws IOException {
        byte[] whole = Files.readAllBytes(journalFile);
        Files.write(journalFile, Arrays.copyOf(whole, whole.length - 10));
        assertThat(load().doubt()).isNotNull();
        assertThat(Files.size(journalFile)).isEqualTo(whole.length - Journal.RECORD_BYTES);
        assertThat(load().doubt()).isNull();
    }

    @Test
    void keepsTheRecordOfAFileThatIsOneChunk() {
        write(List.of(new ChunkRecord(0, SIZE_BYTES, new byte[16])));
        assertThat(load().records()).hasSize(1);
    }

    @Test
    void doubtsAJournalWithAsManyDamagedAsContradictingRecords() throws IOException {
        write(List.of(chunk(0), new ChunkRecord(0, CHUNK_BYTES, new byte[16]), chunk(2), chunk(3)));
        byte[] damaged = Files.readAllBytes(journalFile);
        damaged[damaged.length - 1] ^= 1;
        damaged[damaged.length - Journal.RECORD_BYTES - 1] ^= 1;
        Files.write(journalFile, damaged);
        assertThat(load().records()).isEmpty();
        assertThat(load().doubt()).isEqualTo("its journal has an incomplete end or damaged records and was discarded");
    }

    @Test
    void saysWhatIsWrongWithAHeader() throws IOException {
        byte[] whole = Files.readAllBytes(journalFile);
        byte[] damaged = whole.clone();
        damaged[20] ^= 1;
        Files.write(journalFile, damaged);
        assertThat(load().doubt()).isEqualTo("its journal's header is damaged");
        damaged = whole.clone();
        damaged[0] ^= 1;
        Files.write(journalFile, damaged);
        assertThat(load().doubt()).isEqualTo("its journal is not from fdt");
        ByteBuffer unknown = ByteBuffer.wrap(whole.clone()).putShort(12, (short) -1);
        CRC32C crc = new CRC32C();
        crc.update(unknown.array(), 0, Journal.HEADER_BYTES - 4);
        unknown.putInt(Journal.HEADER_BYTES - 4, (int) crc.getValue());
        Files.write(journalFile, unknown.array());
        assertThat(load().doubt()).isEqualTo("its journal has checksums of another type");
    }

    /** Flips every bit of every byte, and all bits of every byte. */
    @Test
    void neverYieldsAnythingElseWhenFlippedAnywhere() throws IOException {
        byte[] whole = Files.readAllBytes(journalFile);
        for (int at = 0; at < whole.length; at++) {
            for (int flip : new int[] {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
                byte[] damaged = whole.clone();
                damaged[at] ^= (byte) flip;
                Files.write(journalFile, damaged);
                Journal.Loaded loaded = load();
                boolean inStamp = at >= Journal.HEADER_BYTES && at < Journal.RECORDS_INDEX;
                assertThat(loaded.doubt() == null).as("byte %d", at).isEqualTo(inStamp);
                assertThat(lines(written)).containsAll(lines(loaded.records()));
                assertThat(loaded.records().size() == written.size()).isEqualTo(inStamp);
                assertThat(loaded.untouched()).isFalse();
            }
        }
    }

    @Test
    void neverYieldsAnythingFromGarbage() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        byte[] whole = Files.readAllBytes(journalFile);
        for (int round = 0; round < 2000; round++) {
            byte[] garbage = Arrays.copyOf(whole, whole.length + random.nextInt(400));
            for (int i = random.nextInt(4); i >= 0; i--) {
                int from = random.nextInt(garbage.length);
                int to = from + random.nextInt(garbage.length - from);
                byte[] noise = new byte[to - from];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, garbage, from, noise.length);
            }
            Files.write(journalFile, garbage);
            assertThat(lines(written)).as("seed %d", seed).containsAll(lines(load().records()));
        }
    }

    @Test
    void trustsNoRecordOfAnotherJournal() throws IOException {
        byte[] first = Files.readAllBytes(journalFile);
        write(List.of(chunk(2)), List.of(chunk(4)), List.of(chunk(6)));
        byte[] second = Files.readAllBytes(journalFile);
        byte[] mixed = Arrays.copyOf(second, second.length + Journal.RECORD_BYTES);
        System.arraycopy(first, Journal.RECORDS_INDEX, mixed, second.length, Journal.RECORD_BYTES);
        Files.write(journalFile, mixed);
        Journal.Loaded loaded = load();
        assertThat(lines(loaded.records())).isEqualTo(lines(written));
        assertThat(loaded.doubt()).isNotNull();
    }

    @Test
    void refusesJournalOfOtherFile() throws IOException {
        FileEntry entry = fileEntry("f", SIZE_BYTES);
        FileEntry later = Entries.file(entry.path(), SIZE_BYTES, Entries.metadata(0644, 1_500_000_000L, 123_456_790));
        byte[] hash = NAMES.nameHash();
        assertThat(load(
                                new Journal.Identity(fileEntry("f", SIZE_BYTES + 1), DigestKind.XXH3_128, hash, INODE),
                                SIZE_BYTES)
                        .doubt())
                .isEqualTo("the source has changed since");
        assertThat(load(new Journal.Identity(later, DigestKind.XXH3_128, hash, INODE), SIZE_BYTES)
                        .doubt())
                .isEqualTo("the source has changed since");
        assertThat(load(new Journal.Identity(entry, DigestKind.SHA256, hash, INODE), SIZE_BYTES)
                        .doubt())
                .isEqualTo("its journal has digests of another type");
        assertThat(load(new Journal.Identity(entry, DigestKind.XXH3_128, hash, INODE + 1), SIZE_BYTES)
                        .doubt())
                .isEqualTo("its partial file was replaced");
        byte[] otherHash = PartialNames.of(raw("g")).nameHash();
        assertThat(load(new Journal.Identity(entry, DigestKind.XXH3_128, otherHash, INODE), SIZE_BYTES)
                        .doubt())
                .isEqualTo("its journal belongs to another name or partial file");
        assertThat(load(identity(), SIZE_BYTES - 1).doubt())
                .isEqualTo("its partial file is shorter than its journal records");
        byte[] future = Files.readAllBytes(journalFile);
        future[11] = 2;
        Files.write(journalFile, future);
        assertThat(load().doubt()).isEqualTo("its journal has format 2, this release writes 1");
        assertThat(load().records()).isEmpty();
    }

    @Test
    void dropsRecordsThatContradictEachOtherOrTheSize() {
        ChunkRecord other = new ChunkRecord(0, CHUNK_BYTES, new byte[16]);
        ChunkRecord overlapping = new ChunkRecord(CHUNK_BYTES + 1, CHUNK_BYTES, new byte[16]);
        write(List.of(chunk(0), chunk(1), chunk(3), chunk(3)), List.of(other, overlapping));
        Journal.Loaded loaded = load();
        assertThat(lines(loaded.records())).isEqualTo(lines(List.of(chunk(3))));
        assertThat(loaded.doubt()).isNotNull();

        write(List.of(
                chunk(4),
                new ChunkRecord(SIZE_BYTES, 1, new byte[16]),
                new ChunkRecord(-1, 1, new byte[16]),
                new ChunkRecord(0, 0, new byte[16]),
                new ChunkRecord(5, Long.MAX_VALUE, new byte[16]),
                new ChunkRecord(Long.MAX_VALUE, Long.MAX_VALUE, new byte[16])));
        assertThat(lines(load().records())).isEqualTo(lines(List.of(chunk(4))));
    }

    /** A forged record has a matching checksum only if its writer knows the journal's number. */
    @Test
    void readsBackTheLayoutThatItDocuments() throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(journalFile));
        assertThat(new String(bytes.array(), 0, 8, StandardCharsets.US_ASCII)).isEqualTo("FDTJRNL\n");
        assertThat(bytes.getInt(8)).isEqualTo(1);
        assertThat(bytes.getLong(16)).isEqualTo(SIZE_BYTES);
        assertThat(bytes.getLong(56)).isEqualTo(INODE);
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), 0, 124);
        assertThat(bytes.getInt(124)).isEqualTo((int) crc.getValue());
        assertThat(bytes.getLong(192)).isEqualTo(bytes.getLong(64));
        assertThat(bytes.capacity()).isEqualTo(Journal.RECORDS_INDEX + 4 * Journal.RECORD_BYTES);
    }

    // The following tests use a journal together with its partial.

    private TargetTree tree(Root root) {
        return targetTree(root, "out", rules(Existing.SKIP_SAME));
    }

    private static byte[] content(int chunk) {
        byte[] content = new byte[CHUNK_BYTES];
        Arrays.fill(content, (byte) (chunk + 1));
        return content;
    }

    /** Three of ten chunks arrive, two are recorded, then the session ends without notice. */
    private void leaveHalf(Root root) {
        try (TargetTree tree = tree(root);
                TargetFile file = wanted(tree.prepare(fileEntry("f", 10L * CHUNK_BYTES)))) {
            for (int index : new int[] {0, 4, 7}) {
                write(file, content(index), (long) index * CHUNK_BYTES);
            }
            file.sync();
            file.record(List.of(chunk(0), chunk(4)));
        }
    }

    private Outcome.Wanted again(TargetTree tree) {
        Outcome outcome = tree.prepare(fileEntry("f", 10L * CHUNK_BYTES));
        assertThat(outcome).isInstanceOf(Outcome.Wanted.class);
        return (Outcome.Wanted) outcome;
    }

    @Test
    void resumesAfterSession() throws IOException {
        try (Root root = Root.confined(raw(temporary))) {
            leaveHalf(root);
            assertThat(namesIn(temporary.resolve("out"))).hasSize(2);
            try (TargetTree tree = tree(root)) {
                Outcome.Wanted wanted = again(tree);
                assertThat(lines(wanted.durable())).isEqualTo(lines(List.of(chunk(0), chunk(4))));
                assertThat(wanted.dropped()).isNull();
                try (TargetFile file = wanted.file()) {
                    assertThat(inPartial(temporary.resolve("out"), "f", 4L * CHUNK_BYTES, CHUNK_BYTES))
                            .isEqualTo(content(4));
                    for (int index : new int[] {1, 2, 3, 5, 6, 7, 8, 9}) {
                        write(file, content(index), (long) index * CHUNK_BYTES);
                    }
                    file.sync();
                    file.record(List.of(chunk(1)));
                    file.seal();
                    file.publish();
                }
            }
        }
        byte[] delivered = Files.readAllBytes(temporary.resolve("out/f"));
        for (int index = 0; index < 10; index++) {
            assertThat(Arrays.copyOfRange(delivered, index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES))
                    .isEqualTo(content(index));
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "missing",
                "shorter",
                "copied",
                "hardlinked",
                "journal-gone",
                "journal-is-a-link",
                "source-changed",
                "garbage",
                "of-nobody",
                "journal-of-nobody"
            })
    void startsOverIfPartialIsDoubtful(String what) throws IOException {
        // On a file server that takes root for nobody, what root makes belongs to somebody else.
        Assumptions.assumeTrue(FileMetadata.isRoot() || !what.endsWith("of-nobody"), "only root can give files away");
        Path partial = directory("out").resolve(NAMES.partial().text());
        Path journal = temporary.resolve("out").resolve(NAMES.journal().text());
        FileEntry changed = fileEntry("f", 10L * CHUNK_BYTES - 1);
        try (Root root = Root.confined(raw(temporary))) {
            leaveHalf(root);
            switch (what) {
                case "missing" -> Files.delete(partial);
                case "shorter" -> Files.write(partial, new byte[2 * CHUNK_BYTES]);
                case "copied" -> {
                    Files.copy(partial, temporary.resolve("copy"));
                    Files.move(temporary.resolve("copy"), partial, StandardCopyOption.REPLACE_EXISTING);
                }
                case "hardlinked" -> Files.createLink(temporary.resolve("other-name"), partial);
                case "journal-gone" -> Files.delete(journal);
                case "journal-is-a-link" -> {
                    Files.move(journal, temporary.resolve("journal"));
                    Files.createSymbolicLink(journal, temporary.resolve("journal"));
                }
                case "garbage" -> Files.write(journal, new byte[5000]);
                case "of-nobody" -> Files.setAttribute(partial, "unix:uid", NOBODY);
                case "journal-of-nobody" -> Files.setAttribute(journal, "unix:uid", NOBODY);
                default -> {}
            }
            try (TargetTree tree = tree(root)) {
                Outcome outcome = what.equals("source-changed") ? tree.prepare(changed) : again(tree);
                Outcome.Wanted wanted = (Outcome.Wanted) outcome;
                assertThat(wanted.durable()).isEmpty();
                if (what.equals("journal-is-a-link")) {
                    assertThat(wanted.dropped())
                            .isEqualTo("its journal cannot be opened: Too many levels of symbolic links");
                } else if (!what.equals("journal-gone")) {
                    assertThat(wanted.dropped()).isNotNull();
                }
                try (TargetFile file = wanted.file()) {
                    write(file, content(1), CHUNK_BYTES);
                    assertThat(inPartial(temporary.resolve("out"), "f", 0, 10))
                            .as("nothing of the old data is left")
                            .containsOnly(0);
                    file.abandon(true);
                }
            }
        }
        assertThat(namesIn(temporary.resolve("out"))).isEmpty();
        if (what.equals("hardlinked")) {
            assertThat(Files.size(temporary.resolve("other-name"))).isEqualTo(10L * CHUNK_BYTES);
        }
    }

    @Test
    void leavesNoOldBytesInHolesWhenItTakesUpASparseFile() throws IOException {
        FileEntry entry = sparseEntry("f", 10L * CHUNK_BYTES);
        try (Root root = Root.confined(raw(temporary))) {
            try (TargetTree tree = tree(root);
                    TargetFile file = wanted(tree.prepare(entry))) {
                for (int index = 0; index < 10; index++) {
                    write(file, content(index), (long) index * CHUNK_BYTES);
                }
                file.sync();
                file.record(List.of(chunk(0), chunk(4)));
            }
            try (TargetTree tree = tree(root);
                    TargetFile file = wanted(tree.prepare(entry))) {
                write(file, new byte[CHUNK_BYTES], 2L * CHUNK_BYTES);
                file.seal();
                file.publish();
            }
        }
        byte[] expected = new byte[10 * CHUNK_BYTES];
        System.arraycopy(content(0), 0, expected, 0, CHUNK_BYTES);
        System.arraycopy(content(4), 0, expected, 4 * CHUNK_BYTES, CHUNK_BYTES);
        assertThat(Files.readAllBytes(temporary.resolve("out/f"))).isEqualTo(expected);
        assertThat(statusOf(temporary.resolve("out/f")).isSparse()).isTrue();
    }

    @Test
    void discardsPartialWithoutResume() throws IOException {
        TransferPlan noResume =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.TIME, Durability.END, false, PRESERVED);
        try (Root root = Root.confined(raw(temporary))) {
            leaveHalf(root);
            try (TargetTree tree = targetTree(root, "out", noResume)) {
                Outcome.Wanted wanted = again(tree);
                assertThat(wanted.durable()).isEmpty();
                try (TargetFile file = wanted.file()) {
                    write(file, content(1), CHUNK_BYTES);
                    assertThat(file.record(List.of(chunk(1)))).isFalse();
                }
            }
            assertThat(namesIn(temporary.resolve("out"))).isEmpty();
        }
    }

    @Test
    void keepsOnlyWhatCanBeResumed() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = tree(root)) {
            try (TargetFile small = wanted(tree.prepare(fileEntry("small", 10)))) {
                write(small, bytes("0123"), 0);
            }
            try (TargetFile nothingRecorded = wanted(tree.prepare(fileEntry("f", 10L * CHUNK_BYTES)))) {
                write(nothingRecorded, content(0), 0);
            }
            assertThat(namesIn(temporary.resolve("out"))).isEmpty();
            leaveHalf(root);
            try (TargetFile given = again(tree).file()) {
                given.abandon(false);
            }
            assertThat(namesIn(temporary.resolve("out"))).isEmpty();
        }
    }
}
