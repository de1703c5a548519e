package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.digest.TreeDigest;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
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
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.LossyDisk;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A failed call fails its file and names the path. The failure is final where the kernel has forgotten what it lost.
 */
class DiskFailureTest extends StorageTest {
    private static final FileEntry ENTRY = fileEntry("f", 3L * CHUNK_BYTES);
    private static final byte[] CONTENT = new byte[3 * CHUNK_BYTES];

    static {
        Arrays.fill(CONTENT, (byte) 'n');
    }

    private LossyDisk disk = new LossyDisk(Path.of("unset"), new Random(0), 4096);
    private Path target = Path.of("unset");

    @BeforeEach
    void makeDisk() throws IOException {
        disk = new LossyDisk(directory("place/attic"), new Random(1), 4096);
        target = file("place/out/f", "old");
    }

    @AfterEach
    void closeDisk() {
        disk.close();
    }

    private void session(Durability durability, Consumer<TargetTree> session) {
        TransferPlan rules = Rules.of(Existing.OVERWRITE, TargetRules.Comparison.TIME, durability, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree =
                        new TargetTree(disk, root, raw("out"), rules, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            session.accept(tree);
        }
    }

    /** Java reports a store to a mapped page without a file behind it at any later point. */
    @Test
    void aPageOfTheJournalThatIsRefusedCostsOnlyTheStamp() {
        AtomicBoolean refusing = new AtomicBoolean();
        Disk refuses = new Disk() {
            @Override
            public int write(int fd, long address, int length, long offset) {
                int done = Disk.KERNEL.write(fd, address, length, offset);
                if (refusing.compareAndSet(true, false)) {
                    throw new InternalError("a fault occurred in an unsafe memory access operation");
                }
                return done;
            }
        };
        TransferPlan rules = rules(Existing.OVERWRITE);
        try (Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree =
                        new TargetTree(refuses, root, raw("out"), rules, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            TargetFile file = ((Outcome.Wanted) tree.prepare(ENTRY)).file();
            write(file, Arrays.copyOf(CONTENT, CHUNK_BYTES), 0);
            refusing.set(true);
            write(file, Arrays.copyOf(CONTENT, 2 * CHUNK_BYTES), CHUNK_BYTES);
            assertThat(refusing).isFalse();
            file.seal();
            file.sync();
            file.publish();
        }
        assertThat(target).hasBinaryContent(CONTENT);
    }

    /** A session without a free descriptor must not discard what an earlier session left. */
    @ParameterizedTest
    @ValueSource(strings = {"partial", "journal"})
    void keepsWhatAnEarlierSessionLeftIfThereIsNoDescriptor(String what) {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, Arrays.copyOf(CONTENT, CHUNK_BYTES), 0);
                file.sync();
                file.record(List.of(new ChunkRecord(0, CHUNK_BYTES, new byte[16])));
            }
        });
        PartialNames names = PartialNames.of(ENTRY.path());
        RawPath lacking = what.equals("partial") ? names.partial() : names.journal();
        Disk full = new Disk() {
            @Override
            public int open(int dirFd, RawPath name, int flags, int mode) {
                return name.equals(lacking) ? -Errno.EMFILE : Paths.openat(dirFd, name, flags, mode);
            }
        };
        TransferPlan rules = Rules.of(Existing.OVERWRITE, TargetRules.Comparison.TIME, Durability.END, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary.resolve("place")));
                TargetTree tree =
                        new TargetTree(full, root, raw("out"), rules, DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            assertThat(failure(() -> tree.prepare(ENTRY)).failure().cause()).isEqualTo(Cause.HOST_LIMIT);
        }
        session(Durability.END, tree -> {
            Outcome.Wanted again = (Outcome.Wanted) tree.prepare(ENTRY);
            assertThat(again.durable()).hasSize(1);
            again.file().close();
        });
    }

    /** A power cut undid the preallocated size of the partial, and holes do not restore it. */
    @Test
    void keepsHolesAfterTruncatedPartial() {
        FileEntry sparse = sparseEntry("f", 3L * CHUNK_BYTES);
        session(Durability.END, tree -> {
            write(wanted(tree.prepare(sparse)), Arrays.copyOf(CONTENT, CHUNK_BYTES), 0);
            disk.kill();
        });
        disk.restart();
        Path partial = temporary.resolve(
                "place/out/" + PartialNames.of(sparse.path()).partial().text());
        setSize(partial, 0);
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(sparse))) {
                file.zero(2L * CHUNK_BYTES, CHUNK_BYTES);
                file.sync();
                file.record(List.of(new ChunkRecord(2L * CHUNK_BYTES, CHUNK_BYTES, new byte[16])));
            }
        });
        session(Durability.END, tree -> {
            Outcome.Wanted again = (Outcome.Wanted) tree.prepare(sparse);
            assertThat(again.durable()).hasSize(1);
            again.file().close();
        });
    }

    private static void setSize(Path file, long sizeBytes) {
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw")) {
            opened.setLength(sizeBytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertFails(ThrowingCallable step, String message) {
        assertThatThrownBy(step)
                .asInstanceOf(type(TransferException.class))
                .satisfies(failure -> assertThat(failure.kind()).isEqualTo(FailureKind.TARGET))
                .extracting(Throwable::getMessage)
                .asString()
                .startsWith("out")
                .contains(message);
    }

    private static ChunkRecord firstChunk() {
        Memory memory = Memory.of(Arrays.copyOf(CONTENT, CHUNK_BYTES));
        TreeDigest digest = new TreeDigest(DigestKind.XXH3_128);
        digest.addLeaf(memory.buffer(), memory.address(), 0, LEAF_BYTES);
        digest.addLeaf(memory.buffer(), memory.address(), LEAF_BYTES, LEAF_BYTES);
        return new ChunkRecord(0, CHUNK_BYTES, digest.finish());
    }

    @Test
    void neverRepeatsFailedFlush() {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
                assertFails(file::sync, "cannot flush: Input/output error");
                assertFails(file::sync, "cannot flush: Input/output error");
                assertFails(() -> file.record(List.of(firstChunk())), "cannot flush");
                assertFails(file::seal, "cannot flush");
                assertFails(file::publish, "cannot flush");
                assertThat(disk.count(LossyDisk.Kind.SYNC)).isEqualTo(1);
            }
        });
        assertThat(target).hasContent("old");
    }

    @Test
    void publishesNothingAfterAFlushOfTheFileSystemFailed() {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                file.seal();
                disk.failAfter(LossyDisk.Kind.SYNC, 0, Errno.EIO);
                assertFails(tree::syncFileSystem, "cannot flush the file system");
                assertFails(tree::syncFileSystem, "cannot flush the file system");
                assertFails(file::publish, "cannot flush the file system");
            }
        });
        assertThat(target).hasContent("old");
    }

    @Test
    void recordsNothingMoreInAJournalWhoseFlushFailed() {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                file.sync();
                // The first flush is that of the directory.
                disk.failAfter(LossyDisk.Kind.SYNC, 1, Errno.EIO);
                assertFails(() -> file.record(List.of(firstChunk())), "cannot flush the journal: Input/output error");
                assertFails(() -> file.record(List.of(firstChunk())), "cannot write the journal");
                file.abandon(false);
            }
        });
        assertThat(target).hasContent("old");
    }

    /** The kernel reports a loss only once; a second try would succeed although the data is lost. */
    @ParameterizedTest
    @EnumSource(
            value = LossyDisk.Kind.class,
            names = {"OPEN", "WRITE", "TRUNCATE", "METADATA", "SYNC", "RENAME"})
    void failedFileLeavesExistingTarget(LossyDisk.Kind kind) throws IOException {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                disk.failAfter(kind, 0, Errno.EDQUOT);
                assertFails(
                        () -> {
                            write(file, CONTENT, 0);
                            file.seal();
                            file.sync();
                            file.publish();
                        },
                        "Disk quota exceeded");
            }
        });
        assertThat(target).hasContent("old");
        assertThat(namesIn(target.getParent())).containsExactly("f");
        session(Durability.END, tree -> deliver(tree, ENTRY, CONTENT));
        assertThat(target).hasBinaryContent(CONTENT);
    }

    /** A store into mapped memory that the file no longer backs must not end the process, nor the file. */
    @Test
    void aTruncatedJournalCostsOnlyTheStamp() {
        session(Durability.END, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                cutJournalShort();
                long written = System.currentTimeMillis();
                Await.until("another time for the stamp", () -> System.currentTimeMillis() > written);
                write(file, CONTENT, 0);
                file.seal();
                file.sync();
                file.publish();
            }
        });
        assertThat(target).hasBinaryContent(CONTENT);
    }

    private void cutJournalShort() {
        try {
            Files.write(
                    target.resolveSibling(PartialNames.of(raw("f")).journal().text()), new byte[0]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without a flush, network file systems report a full disk at the close. */
    @Test
    void failedCloseFailsUnflushedFile() {
        session(Durability.NONE, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                file.seal();
                disk.failAfter(LossyDisk.Kind.CLOSE, 0, Errno.ENOSPC);
                assertFails(file::publish, "cannot write back: No space left on device");
                assertFails(file::publish, "cannot write back: No space left on device");
            }
        });
        assertThat(target).hasContent("old");
    }

    /** It is unknown whether data was written back before the signal, so the file requests it again. */
    @Test
    void aCloseThatWasInterruptedIsRepeated() {
        session(Durability.NONE, tree -> {
            try (TargetFile file = wanted(tree.prepare(ENTRY))) {
                write(file, CONTENT, 0);
                file.seal();
                disk.failAfter(LossyDisk.Kind.CLOSE, 0, Errno.EINTR);
                file.publish();
            }
        });
        assertThat(target).hasBinaryContent(CONTENT);
    }

    @Test
    void resendsUnreadableRange() throws IOException {
        session(Durability.END, tree -> {
            TargetFile file = wanted(tree.prepare(ENTRY));
            write(file, CONTENT, 0);
            file.sync();
            file.record(List.of(firstChunk()));
        });
        disk.kill();
        disk.reboot();
        disk.restart();
        session(Durability.END, tree -> {
            // Reading the journal takes four calls: header, record, and the end twice.
            disk.failAfter(LossyDisk.Kind.READ, 4, Errno.EIO);
            Outcome.Wanted wanted = (Outcome.Wanted) tree.prepare(ENTRY);
            assertThat(wanted.durable()).isEmpty();
            assertThat(wanted.dropped()).isEqualTo("its partial file was changed");
            try (TargetFile file = wanted.file()) {
                write(file, CONTENT, 0);
                file.sync();
                file.seal();
                file.publish();
            }
        });
        assertThat(target).hasBinaryContent(CONTENT);
        assertThat(namesIn(target.getParent())).containsExactly("f");
    }
}
