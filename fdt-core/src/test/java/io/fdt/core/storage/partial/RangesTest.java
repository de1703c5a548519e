package io.fdt.core.storage.partial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.NodeDigests;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileRange;
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
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.target.TargetTree;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ranges of one file arrive through two servers that share a directory, in any order, and make the same file as one
 * session would.
 */
final class RangesTest extends StorageTest {
    private static final int RANGE_BYTES = 8 << 20;
    private static final int TAIL_BYTES = 300_001;
    private static final int CHUNK = 1 << 20;
    private static final int NOBODY = 65_534;
    private static final FileEntry WHOLE = fileEntry("f", 2 * RANGE_BYTES + TAIL_BYTES);
    private static final FileRange FIRST = new FileRange(0, WHOLE.sizeBytes(), RANGE_BYTES);
    private static final byte[] CONTENT = content();

    private Root root;
    private TargetTree one;
    private TargetTree two;

    private static byte[] content() {
        byte[] content = new byte[(int) WHOLE.sizeBytes()];
        new Random(11).nextBytes(content);
        return content;
    }

    @BeforeEach
    void openServers() throws IOException {
        directory("out");
        root = Root.confined(raw(temporary));
        one = tree(rules(Existing.SKIP_SAME));
        two = tree(rules(Existing.SKIP_SAME));
    }

    private TargetTree tree(TransferPlan rules) {
        return targetTree(root, "out", rules);
    }

    @AfterEach
    void close() {
        one.close();
        two.close();
        root.close();
    }

    private static FileEntry range(int index) {
        return WHOLE.ranged(FIRST.at(index));
    }

    private static byte[] bytesOf(int index) {
        FileRange range = FIRST.at(index);
        return Arrays.copyOfRange(CONTENT, (int) range.offset(), (int) (range.offset() + range.lengthBytes()));
    }

    private static ChunkRecord record(int index, int offset, int lengthBytes) {
        Memory memory = Memory.of(Arrays.copyOfRange(bytesOf(index), offset, offset + lengthBytes));
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        for (int at = 0; at < lengthBytes; at += LEAF_BYTES) {
            digest.addLeaf(memory.buffer(), memory.address(), at, Math.min(LEAF_BYTES, lengthBytes - at));
        }
        return new ChunkRecord(offset, lengthBytes, digest.finish());
    }

    private static byte[] digestOf(int index) {
        return record(index, 0, (int) FIRST.at(index).lengthBytes()).digest();
    }

    private static Outcome.Wanted prepareChanged(TargetTree tree, FileEntry entry) {
        Outcome outcome = tree.prepare(entry);
        assertThat(outcome).isInstanceOf(Outcome.Wanted.class);
        return (Outcome.Wanted) outcome;
    }

    private static void deliver(TargetTree tree, int index) {
        try (TargetFile file = prepareChanged(tree, range(index)).file()) {
            finish(file, index);
        }
    }

    private static void finish(TargetFile file, int index) {
        write(file, bytesOf(index), 0);
        file.sync();
        file.setDigest(digestOf(index));
        file.seal();
        file.publish();
    }

    private static FileEntry all() {
        return WHOLE.ranged(FIRST.all());
    }

    /** Assembles the file, and returns its digest computed from those of its ranges. */
    private static byte[] join(TargetTree tree) {
        Outcome.Wanted wanted = prepareChanged(tree, all());
        NodeDigests nodes = new NodeDigests(DigestKind.XXH3_128);
        wanted.durable().forEach(each -> nodes.add(each.offset(), each.lengthBytes(), each.digest()));
        assertThat(nodes.coveredBytes()).isEqualTo(WHOLE.sizeBytes());
        try (TargetFile file = wanted.file()) {
            file.seal();
            file.sync();
            file.publish();
        }
        return nodes.root();
    }

    private Path file() {
        return temporary.resolve("out/f");
    }

    private Path partial() {
        return file().resolveSibling(
                        PartialNames.ofRanges(raw("f"), WHOLE, FIRST).partial().text());
    }

    @Test
    void rangesThroughTwoServersMakeTheFile() throws IOException {
        try (TargetFile last = prepareChanged(two, range(2)).file();
                TargetFile first = prepareChanged(one, range(0)).file()) {
            deliver(two, 1);
            finish(last, 2);
            finish(first, 0);
        }
        assertThat(file()).doesNotExist();
        byte[] digest = join(one);
        assertThat(file()).hasBinaryContent(CONTENT);
        assertThat(Files.getLastModifiedTime(file()).to(TimeUnit.SECONDS)).isEqualTo(WHOLE.modifiedSeconds());
        Memory memory = Memory.of(CONTENT);
        TreeDigest whole = new TreeDigest(DigestKind.XXH3_128);
        for (int at = 0; at < CONTENT.length; at += LEAF_BYTES) {
            whole.addLeaf(memory.buffer(), memory.address(), at, Math.min(LEAF_BYTES, CONTENT.length - at));
        }
        assertThat(digest).isEqualTo(whole.finish());
        try (Stream<Path> left = Files.list(temporary.resolve("out"))) {
            assertThat(left).containsExactly(file());
        }
        assertThat(one.prepare(all())).as("once more").isInstanceOf(Outcome.Skipped.class);
        assertThat(two.prepare(range(1))).as("a late run").isInstanceOf(Outcome.Skipped.class);
    }

    /** A run was killed after it set a mode without write permission, and before the rename. */
    @Test
    void assemblesFileWithFinalMode() throws IOException {
        for (int index = 0; index < 3; index++) {
            deliver(one, index);
        }
        Files.setPosixFilePermissions(partial(), PosixFilePermissions.fromString("r--r--r--"));
        Disk asItsOwner = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                FileStatus there = new FileStatus();
                boolean found = FileMetadata.statat(dirFd, name, Paths.AT_SYMLINK_NOFOLLOW, there) == 0;
                return found && (flags & Paths.O_RDWR) != 0 && (there.mode() & 0200) == 0
                        ? -Errno.EACCES
                        : Paths.openat(dirFd, name, flags, mode);
            }
        };
        try (TargetTree tree = tree(asItsOwner)) {
            join(tree);
        }
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    @Test
    void refusesSecondWriterOfRange() {
        try (TargetFile held = prepareChanged(one, range(1)).file()) {
            assertThat(failure(() -> two.prepare(range(1))).kind()).isEqualTo(FailureKind.BUSY);
            assertThat(failure(() -> one.prepare(range(1)))).hasMessageContaining("another copy is writing");
            assertThat(failure(() -> two.prepare(all()))).hasMessageContaining("another copy is writing");
            deliver(two, 0);
            finish(held, 1);
        }
        deliver(two, 2);
        join(two);
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    @Test
    void reportsMissingRangesAndPublishesNothing() {
        assertThat(failure(() -> one.prepare(all()))).hasMessageContaining("none of its ranges");
        deliver(one, 0);
        deliver(one, 2);
        assertThat(failure(() -> one.prepare(all())))
                .hasMessageContaining("1 of its 3 ranges")
                .hasMessageContaining(String.valueOf(RANGE_BYTES));
        assertThat(file()).doesNotExist();
        deliver(two, 1);
        join(one);
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    @Test
    void resumesRangeWhileOthersWrite() {
        try (TargetFile file = prepareChanged(one, range(0)).file()) {
            write(file, Arrays.copyOf(bytesOf(0), 3 * CHUNK), 0);
            file.sync();
            file.record(List.of(record(0, 0, CHUNK), record(0, CHUNK, CHUNK)));
        }
        deliver(two, 1);
        Outcome.Wanted again = prepareChanged(two, range(0));
        assertThat(again.dropped()).isNull();
        assertThat(again.durable()).extracting(ChunkRecord::offset).containsExactly(0L, (long) CHUNK);
        try (TargetFile file = again.file()) {
            finish(file, 0);
        }
        Outcome.Wanted complete = prepareChanged(one, range(0));
        assertThat(complete.durable()).extracting(ChunkRecord::lengthBytes).containsExactly((long) RANGE_BYTES);
        complete.file().close();
        deliver(one, 2);
        join(two);
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    @Test
    void findsForeignChangeBeforePublishing() throws IOException {
        deliver(one, 0);
        deliver(one, 1);
        deliver(one, 2);
        editRange(1);
        assertThat(failure(() -> two.prepare(all()))).hasMessageContaining("1 of its 3 ranges");
        assertThat(file()).doesNotExist();
        Outcome.Wanted damaged = prepareChanged(two, range(1));
        assertThat(damaged.durable()).isEmpty();
        try (TargetFile file = damaged.file()) {
            finish(file, 1);
        }
        join(one);
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    /** The run that opened a complete range last has not looked at what was changed in another one. */
    @Test
    void aRunThatWritesNothingDoesNotVouchForAForeignChange() throws IOException {
        for (int index = 0; index < 3; index++) {
            deliver(one, index);
        }
        editRange(1);
        awaitLaterTime();
        Outcome.Wanted complete = prepareChanged(two, range(0));
        complete.file().close();
        assertThat(complete.durable()).extracting(ChunkRecord::lengthBytes).containsExactly((long) RANGE_BYTES);
        assertThat(failure(() -> two.prepare(all()))).hasMessageContaining("1 of its 3 ranges");
        assertThat(file()).doesNotExist();
    }

    /** @param how whether the stamp shows the foreign change, or cannot be read since the journal was truncated */
    @ParameterizedTest
    @ValueSource(strings = {"changed later", "page refused"})
    void aRangeThatEndsDoesNotVouchForAForeignChange(String how) throws IOException {
        AtomicBoolean refusing = new AtomicBoolean();
        Disk disk = new Disk() {
            @Override
            public UUID bootId() {
                // What the runtime throws when a store or a load meets a mapped page without a file behind it.
                if (refusing.compareAndSet(true, false)) {
                    throw new InternalError("a fault occurred in an unsafe memory access operation");
                }
                return Disk.KERNEL.bootId();
            }
        };
        deliver(one, 0);
        deliver(one, 2);
        try (TargetTree tree = tree(disk);
                TargetFile file = prepareChanged(tree, range(1)).file()) {
            write(file, bytesOf(1), 0);
            file.sync();
            awaitLaterTime();
            editRange(0);
            if (how.equals("page refused")) {
                // As far as a stamp that could be read would show, the last change is of this session.
                write(file, bytesOf(1), 0);
                refusing.set(true);
            }
            file.setDigest(digestOf(1));
            file.seal();
            file.publish();
            assertThat(refusing).isFalse();
        }
        assertThat(failure(() -> two.prepare(all()))).hasMessageContaining("1 of its 3 ranges");
        assertThat(file()).doesNotExist();
    }

    private void editRange(int index) throws IOException {
        int at = index * RANGE_BYTES + 5;
        try (RandomAccessFile edited = new RandomAccessFile(partial().toFile(), "rw")) {
            edited.seek(at);
            edited.write(~CONTENT[at]);
        }
    }

    /** Waits until a stamp of the last change cannot mean a change of now, and the other way round. */
    private void awaitLaterTime() {
        FileStatus status = statusOf(partial());
        long changedMs = status.changedSeconds * 1000 + status.changedNanos / 1_000_000;
        Await.until("later", () -> System.currentTimeMillis() > changedMs + 300);
    }

    @Test
    void writesNothingOutsideItsRange() {
        byte[] two = {1, 2};
        try (TargetFile file = prepareChanged(one, range(1)).file()) {
            write(file, two, RANGE_BYTES - 2);
            for (long offset : new long[] {-1, RANGE_BYTES - 1, RANGE_BYTES, Long.MAX_VALUE}) {
                assertThatThrownBy(() -> write(file, two, offset)).hasMessageContaining("are not within the range");
                assertThatThrownBy(() -> file.zero(offset, 2)).hasMessageContaining("are not within the range");
            }
            assertThatThrownBy(() -> file.zero(0, -1)).hasMessageContaining("are not within the range");
            file.abandon(false);
        }
    }

    /** A file system without holes: what an earlier session wrote and did not record may be anything. */
    @Test
    void zeroesWhatAnEarlierRunLeftThere() throws IOException {
        try (TargetFile file = prepareChanged(one, range(0)).file()) {
            write(file, bytesOf(0), 0);
            file.sync();
            file.record(List.of(record(0, 0, CHUNK)));
        }
        Disk withoutHoles = new Disk() {
            @Override
            public int punchHole(int fd, long offset, long lengthBytes) {
                return -Errno.EOPNOTSUPP;
            }
        };
        for (Disk disk : List.of(withoutHoles, Disk.KERNEL)) {
            try (TargetTree tree = tree(disk);
                    TargetFile file = prepareChanged(tree, range(0)).file()) {
                file.zero(CHUNK, CHUNK);
            }
            byte[] left = Files.readAllBytes(partial());
            assertThat(Arrays.copyOfRange(left, CHUNK, 2 * CHUNK)).containsOnly(0);
            assertThat(Arrays.copyOfRange(left, 0, CHUNK)).isEqualTo(Arrays.copyOf(CONTENT, CHUNK));
            assertThat(Arrays.copyOfRange(left, 2 * CHUNK, 3 * CHUNK))
                    .isEqualTo(Arrays.copyOfRange(CONTENT, 2 * CHUNK, 3 * CHUNK));
            Files.write(partial(), CONTENT);
        }
    }

    /** The kernel reports a lost write once. */
    @Test
    void aRangeWhoseFlushFailedIsNotComplete() {
        AtomicInteger failures = new AtomicInteger(1);
        Disk disk = new Disk() {
            @Override
            public int syncData(int fd) {
                return failures.getAndDecrement() > 0 ? -Errno.EIO : Disk.KERNEL.syncData(fd);
            }
        };
        deliver(one, 0);
        deliver(one, 2);
        try (TargetTree tree = tree(disk);
                TargetFile file = prepareChanged(tree, range(1)).file()) {
            write(file, bytesOf(1), 0);
            for (Runnable step : List.<Runnable>of(
                    file::sync, () -> file.record(List.of(record(1, 0, CHUNK))), file::seal, file::publish)) {
                file.setDigest(digestOf(1));
                assertThatThrownBy(step::run).hasMessageContaining("flush");
            }
            assertThatThrownBy(() -> write(file, bytesOf(1), 0)).hasMessageContaining("flush");
            assertThatThrownBy(() -> file.zero(0, 1)).hasMessageContaining("flush");
        }
        assertThat(failure(() -> two.prepare(all()))).hasMessageContaining("1 of its 3 ranges");
    }

    private TargetTree tree(Disk disk) {
        return new TargetTree(
                disk, root, raw("out"), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, false);
    }

    @Test
    void abandonedRangeKeepsOtherRanges() {
        deliver(one, 0);
        try (TargetFile file = prepareChanged(one, range(1)).file()) {
            write(file, bytesOf(0), 0);
            file.sync();
            file.record(List.of(record(1, 0, CHUNK)));
            file.abandon(false);
        }
        Outcome.Wanted other = prepareChanged(two, range(0));
        other.file().close();
        assertThat(other.durable()).extracting(ChunkRecord::lengthBytes).containsExactly((long) RANGE_BYTES);
        Outcome.Wanted anew = prepareChanged(two, range(1));
        anew.file().close();
        assertThat(anew.durable()).isEmpty();
    }

    @Test
    void changedSourceGetsAnotherPartial() {
        FileEntry later = Entries.file(WHOLE.path(), WHOLE.sizeBytes(), Entries.metadata(0644, 7, 7));
        deliver(one, 0);
        Outcome.Wanted other = prepareChanged(one, later.ranged(FIRST.at(0)));
        assertThat(other.durable()).isEmpty();
        other.file().close();
        deliver(one, 1);
        deliver(one, 2);
        assertThat(failure(() -> one.prepare(later.ranged(FIRST.all())))).hasMessageContaining("3 of its 3 ranges");
        join(one);
        assertThat(file()).hasBinaryContent(CONTENT);
    }

    @Test
    void refusesFileWithoutRanges() {
        TransferPlan notFlushed =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.TIME, Durability.NONE, true, PRESERVED);
        TransferPlan compared =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED);
        for (TransferPlan rules : List.of(notFlushed, compared)) {
            try (TargetTree tree = tree(rules)) {
                assertThat(failure(() -> tree.prepare(range(0))).kind()).isEqualTo(FailureKind.REFUSED);
            }
        }
        try (TargetTree undigested =
                new TargetTree(root, raw("out"), rules(Existing.SKIP_SAME), DigestKind.NONE, CHUNK_BYTES, false)) {
            assertThat(failure(() -> undigested.prepare(range(0))).kind()).isEqualTo(FailureKind.REFUSED);
        }
    }

    @Test
    void aLinkInThePlaceOfThePartialIsNotFollowed() throws IOException {
        Path outside = file("outside", "precious");
        Files.createSymbolicLink(partial(), outside);
        assertThat(failure(() -> one.prepare(range(0))).kind()).isEqualTo(FailureKind.TARGET);
        assertThat(outside).hasContent("precious");
        Files.delete(partial());
        Files.createLink(partial(), outside);
        assertThat(failure(() -> one.prepare(range(0))).kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(outside).hasContent("precious");
    }

    /** As if a file server took root for nobody: what this process makes belongs to somebody else. */
    @Test
    void namesTheOwnerOfAPartialThatIsNotItsOwn() throws IOException {
        Assumptions.assumeTrue(FileMetadata.isRoot(), "only root can give files away");
        Files.createFile(partial(), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.setAttribute(partial(), "unix:uid", NOBODY);
        TransferException failure = failure(() -> one.prepare(range(0)));
        assertThat(failure.kind()).isEqualTo(FailureKind.REFUSED);
        assertThat(failure).hasMessageContaining("which belongs to the user " + NOBODY);
        assertThat(partial()).isEmptyFile();
    }

    @Test
    void namesOfRangesAreKeptForThem() {
        PartialNames names = PartialNames.ofRanges(raw("f"), WHOLE, FIRST);
        for (String name : List.of(
                names.partial().text(),
                names.at(0xabcd).journal().text(),
                names.at(1).next().text())) {
            assertThat(PartialNames.isReserved(raw(name))).as(name).isTrue();
            assertThat(failure(() -> one.prepare(fileEntry(name, 1))).kind()).isEqualTo(FailureKind.REFUSED);
        }
        assertThat(PartialNames.isReserved(raw(".fdt.0123456789abcdef.12.journal")))
                .isFalse();
    }
}
