package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.EntryMetadata;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.ChunkRecord;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.FileStatus;
import io.fdt.core.storage.posix.Zeros;
import io.fdt.core.storage.source.SourceTreeTest;
import io.fdt.core.transport.InBackground;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where a copy puts its files, how they get their names, and how several copies to one target interact. */
class TargetTreeTest extends TargetTest {

    @ParameterizedTest
    @CsvSource({
        "out, false, out/name",
        "out/new/deep, false, out/new/deep/name",
        "new, true, new",
        "new/, true, new/name",
        "out, true, out/name",
        "out/., true, out/name",
        "to-out, true, out/name",
        "old, true, old",
        "missing/new, true, missing/new",
        "/new, true, new",
        "out/../new, true, new",
    })
    void placesFileLikeOtherCopyTools(String target, boolean single, String expected) throws IOException {
        directory("out");
        file("old", "old");
        Files.createSymbolicLink(temporary.resolve("to-out"), Path.of("out"));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary), resolver);
                    TargetTree tree = open(root, target, single)) {
                deliver(tree, fileEntry("name", 3), bytes("new"));
            }
            assertThat(temporary.resolve(expected)).hasContent("new");
            Files.delete(temporary.resolve(expected));
        }
    }

    @Test
    void putsAFileWhereTheLocalUserSays() throws IOException {
        directory("real/deep");
        Files.createSymbolicLink(temporary.resolve("away"), temporary.resolve("real"));
        try (Root root = Root.unconfined(raw(temporary.resolve("real/deep")))) {
            try (TargetTree tree = open(root, temporary.resolve("away/x").toString(), true)) {
                deliver(tree, fileEntry("name", 1), bytes("1"));
            }
            try (TargetTree tree = open(root, "../y", true)) {
                deliver(tree, fileEntry("name", 1), bytes("2"));
            }
            try (TargetTree tree = open(root, "z", true)) {
                deliver(tree, fileEntry("name", 1), bytes("3"));
            }
            try (TargetTree tree = open(root, "../made/on/the/way/", true)) {
                deliver(tree, fileEntry("name", 1), bytes("4"));
            }
        }
        assertThat(temporary.resolve("real/x")).hasContent("1");
        assertThat(temporary.resolve("real/y")).hasContent("2");
        assertThat(temporary.resolve("real/deep/z")).hasContent("3");
        assertThat(temporary.resolve("real/made/on/the/way/name")).hasContent("4");
    }

    /**
     * For root the copy would replace what all programs use. Opens targets only, because a mistake would change /dev.
     */
    @ParameterizedTest
    @ValueSource(strings = {"null", "pipe", "fifo", "/dev/fdt-no-such-file", "/dev/", "/dev/null"})
    void refusesATargetThatIsNoPlaceForAFile(String target) throws Exception {
        Files.createSymbolicLink(temporary.resolve("null"), Path.of("/dev/null"));
        SourceTreeTest.run("mkfifo", temporary.resolve("fifo").toString());
        Files.createSymbolicLink(temporary.resolve("pipe"), Path.of("fifo"));
        try (Root root = Root.unconfined(raw(temporary))) {
            assertThatThrownBy(() -> open(root, target, true).close())
                    .isInstanceOf(TransferException.class)
                    .extracting(
                            failure -> ((TransferException) failure).failure().textWithRemedy())
                    .asString()
                    .matches(".*(a device, pipe or socket; move it away, or|is in /dev, which has no place for files;)"
                            + " choose another target");
        }
        assertThat(temporary.resolve("null")).isSymbolicLink();
        assertThat(temporary.resolve("pipe")).isSymbolicLink();
    }

    @Test
    void placesAFileInAnotherFileSystemBelowDev() throws Exception {
        Path shared = Files.createTempDirectory(Path.of("/dev/shm"), "target-tree");
        try (Root root = Root.unconfined(raw(temporary));
                TargetTree tree = open(root, shared.resolve("f").toString(), true)) {
            deliver(tree, fileEntry("f", 1), bytes("x"));
            assertThat(shared.resolve("f")).hasContent("x");
        } finally {
            SourceTreeTest.run("rm", "-rf", shared.toString());
        }
    }

    /** Two source directories that are one directory in the target would overwrite each other's files. */
    @Test
    void refusesASecondPathToADirectory() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            tree.prepare(directoryEntry("first", 0755));
            deliver(tree, fileEntry("first/f", 1), bytes("1"));
            Files.move(temporary.resolve("out/first"), temporary.resolve("out/second"));
            TransferException why = failure(() -> tree.prepare(directoryEntry("second", 0755)));
            assertThat(why.kind()).isEqualTo(FailureKind.TARGET);
            assertThat(why)
                    .hasMessage(
                            "out/second: is the same directory as one that has another path, where this copy has put"
                                    + " another directory of the source");
            assertThat(failure(() -> tree.prepare(fileEntry("second/f", 1))).kind())
                    .isEqualTo(FailureKind.TARGET);
        }
        assertThat(temporary.resolve("out/second/f")).hasContent("1");
    }

    /**
     * A file that appears during the copy may be another entry of this very copy, where the file system treats two
     * names as one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void replacesOnlyWhatItHasSeen(boolean made) throws IOException {
        directory(made ? "out" : "out/d");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            tree.prepare(directoryEntry("d", 0755));
            try (TargetFile file = wanted(tree.prepare(fileEntry("d/f", 1)))) {
                write(file, bytes("1"), 0);
                file("out/d/f", "other");
                file.sync();
                file.seal();
                assertThatThrownBy(file::publish).hasMessage("out/d/f: was created by another program during the copy");
            }
        }
        assertThat(temporary.resolve("out/d/f")).hasContent("other");
    }

    @Test
    void givesAFileItsFinalNameOnlyAtTheEnd() throws IOException {
        file("out/name", "old");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false);
                TargetFile file = wanted(tree.prepare(fileEntry("name", 3)))) {
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("name");
            write(file, bytes("new"), 0);
            assertThat(namesIn(temporary.resolve("out"))).hasSize(2);
            file.sync();
            file.seal();
            assertThat(temporary.resolve("out/name")).hasContent("old");
            file.publish();
            assertThat(temporary.resolve("out/name")).hasContent("new");
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("name");
        }
    }

    /**
     * If a failed open leaked descriptors, a server that runs out of them would have fewer and fewer. The end of the
     * test checks for descriptors that are still open.
     */
    @Test
    void leavesNothingOpenWhenDescriptorsRunOutWhileItIsOpened() throws IOException {
        directory("out");
        // Classes that are loaded later need descriptors too.
        assertThat(Errno.failure(FailureKind.TARGET, "open", raw("x"), 24)
                        .failure()
                        .cause())
                .isEqualTo(Cause.HOST_LIMIT);
        List<TransferException> failures = new ArrayList<>();
        try (Root root = Root.confined(raw(temporary))) {
            targetTree(root, "out", rules(Existing.SKIP_SAME)).close();
            for (int left = 0; left < 12; left++) {
                withDescriptors(left, () -> {
                    try {
                        targetTree(root, "out", rules(Existing.SKIP_SAME)).close();
                    } catch (TransferException failure) {
                        failures.add(failure);
                    }
                });
            }
        }
        assertThat(failures)
                .hasSizeBetween(2, 11)
                .allSatisfy(failure -> assertThat(failure.failure().cause())
                        .as(failure.getMessage())
                        .isEqualTo(Cause.HOST_LIMIT));
    }

    @Test
    void leavesHolesWhereThereAreOnlyZeros() throws IOException {
        byte[] content = new byte[3 * CHUNK_BYTES];
        content[10] = 1;
        content[CHUNK_BYTES + 5000] = 2;
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", content.length)))) {
                write(file, Arrays.copyOfRange(content, 0, CHUNK_BYTES), 0);
                write(file, Arrays.copyOfRange(content, CHUNK_BYTES, 2 * CHUNK_BYTES), CHUNK_BYTES);
                file.zero(2 * CHUNK_BYTES, CHUNK_BYTES);
                file.sync();
                file.seal();
                file.publish();
            }
        }
        assertThat(Files.readAllBytes(temporary.resolve("out/f"))).isEqualTo(content);
        assertThat(occupiedBytes("out/f")).isLessThanOrEqualTo(2 * 4096);
    }

    @Test
    void saysOnceThatAFileSystemStoresNoHoles() {
        Disk filling = new Disk() {
            @Override
            public int truncate(int fd, long sizeBytes) {
                for (long at = 0; at < sizeBytes; at += Zeros.LENGTH_BYTES) {
                    Disk.writeAll(this, fd, Zeros.ADDRESS, (int) Math.min(Zeros.LENGTH_BYTES, sizeBytes - at), at);
                }
                return Disk.super.truncate(fd, sizeBytes);
            }
        };
        assertThat(remarksOnHoles(new Disk() {}, "usual")).isEmpty();
        assertThat(remarksOnHoles(filling, "filling"))
                .singleElement()
                .asString()
                .contains("f0", "does not store holes");
    }

    private List<String> remarksOnHoles(Disk disk, String target) {
        List<String> remarks = new ArrayList<>();
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        disk, root, raw(target), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            for (int number = 0; number < 3; number++) {
                try (TargetFile file = wanted(tree.prepare(sparseEntry("f" + number, 2 * CHUNK_BYTES)))) {
                    write(file, new byte[] {1}, 0);
                    file.zero(CHUNK_BYTES, CHUNK_BYTES);
                    file.seal();
                    file.publish();
                    String remark = file.remark();
                    if (remark != null) {
                        remarks.add(remark);
                    }
                }
            }
        }
        return remarks;
    }

    private long occupiedBytes(String name) throws IOException {
        Process process =
                new ProcessBuilder("stat", "-c", "%b", temporary.resolve(name).toString()).start();
        return Long.parseLong(new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim())
                * 512;
    }

    @Test
    void writesZerosOverWhatAnEarlierAttemptLeft() throws IOException {
        byte[] garbage = new byte[CHUNK_BYTES];
        Arrays.fill(garbage, (byte) 7);
        byte[] content = new byte[2 * CHUNK_BYTES];
        content[0] = 1;
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", content.length)))) {
                write(file, garbage, 0);
                write(file, garbage, CHUNK_BYTES);
                write(file, Arrays.copyOf(content, LEAF_BYTES), 0);
                file.zero(LEAF_BYTES, CHUNK_BYTES - LEAF_BYTES);
                file.zero(CHUNK_BYTES, CHUNK_BYTES);
                file.seal();
                file.publish();
            }
        }
        assertThat(Files.readAllBytes(temporary.resolve("out/f"))).isEqualTo(content);
    }

    @Test
    void takesFilesBeyondFourTebibytes() throws IOException {
        long sizeBytes = 5L << 40;
        Assumptions.assumeTrue(new ProcessBuilder(
                                "truncate",
                                "-s",
                                "5T",
                                temporary.resolve("probe").toString())
                        .start()
                        .onExit()
                        .join()
                        .exitValue()
                == 0);
        Files.delete(temporary.resolve("probe"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(sparseEntry("f", sizeBytes)))) {
                file.zero(0, sizeBytes - LEAF_BYTES);
                write(file, new byte[] {9}, sizeBytes - 1);
                file.sync();
                file.record(List.of(new ChunkRecord(sizeBytes - CHUNK_BYTES, CHUNK_BYTES, new byte[16])));
            }
            Outcome.Wanted again = (Outcome.Wanted) tree.prepare(sparseEntry("f", sizeBytes));
            assertThat(again.durable()).hasSize(1);
            try (TargetFile file = again.file()) {
                file.seal();
                file.publish();
            }
        }
        FileStatus status = statusOf(temporary.resolve("out/f"));
        assertThat(status.sizeBytes).isEqualTo(sizeBytes);
        assertThat(occupiedBytes("out/f")).isLessThan(1 << 20);
        Files.delete(temporary.resolve("out/f"));
    }

    @Test
    void takesEmptyFilesAndStreamsOfUnknownSize() {
        FileEntry stream = Entries.stream("stream", EntryMetadata.ofMode(0));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            try (TargetFile file = wanted(tree.prepare(fileEntry("empty", 0)))) {
                file.seal();
                file.publish();
            }
            try (TargetFile file = wanted(tree.prepare(stream))) {
                write(file, bytes("hello "), 0);
                write(file, bytes("world"), 6);
                file.seal();
                file.publish();
            }
        }
        assertThat(temporary.resolve("out/empty")).hasContent("");
        assertThat(temporary.resolve("out/stream")).hasContent("hello world");
        assertThat(statusOf(temporary.resolve("out/stream")).mode()).isEqualTo(Umask.apply(0666));
    }

    @Test
    void letsOnlyOneSessionWriteATarget() throws IOException {
        for (long sizeBytes : new long[] {10, 10L * CHUNK_BYTES}) {
            try (Root root = Root.confined(raw(temporary));
                    TargetTree first = open(root, "out", false);
                    TargetTree second = open(root, "out", false);
                    TargetFile winner = wanted(first.prepare(fileEntry("f", sizeBytes)))) {
                write(winner, bytes("0123456789"), 0);
                winner.record(List.of(new ChunkRecord(0, CHUNK_BYTES, new byte[16])));
                // A small file has no journal that would exclude other copies before they write.
                assertThatThrownBy(() -> {
                            try (TargetFile loser = wanted(second.prepare(fileEntry("f", sizeBytes)))) {
                                write(loser, bytes("xxxx"), 0);
                            }
                        })
                        .hasMessage("out/f: another copy is writing this target")
                        .asInstanceOf(type(TransferException.class))
                        .extracting(TransferException::kind)
                        .isEqualTo(FailureKind.BUSY);
                winner.seal();
                winner.publish();
            }
            assertThat(Files.size(temporary.resolve("out/f"))).isEqualTo(sizeBytes);
            assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
            Files.delete(temporary.resolve("out/f"));
        }
    }

    @Test
    void neverMixesSessionsThatRaceForOneTarget() throws Exception {
        directory("out");
        List<InBackground<Void>> racers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            byte[] content = new byte[8192];
            Arrays.fill(content, (byte) ('a' + i));
            racers.add(InBackground.run(() -> {
                try (Root root = Root.confined(raw(temporary));
                        TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
                    for (int round = 0; round < 500; round++) {
                        raceOnce(tree, content);
                    }
                }
            }));
        }
        racers.forEach(InBackground::result);
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    private void raceOnce(TargetTree tree, byte[] content) throws IOException {
        try (TargetFile file = wanted(tree.prepare(fileEntry("f", content.length)))) {
            write(file, Arrays.copyOf(content, 4096), 0);
            write(file, Arrays.copyOf(content, 4096), 4096);
            file.seal();
            file.publish();
        } catch (TransferException refused) {
            // Another copy was faster, and is writing the file or has published it.
            if (refused.kind() != FailureKind.BUSY) {
                assertThat(refused).hasMessage("out/f: was created by another program during the copy");
            }
        }
        if (Files.exists(temporary.resolve("out/f"))) {
            byte[] found = Files.readAllBytes(temporary.resolve("out/f"));
            assertThat(found).hasSize(8192).containsOnly(found[0]);
        }
    }

    @Test
    void reportsAFullDiskAndLeavesNothing() throws Exception {
        Path full = directory("full");
        Assumptions.assumeTrue(FileMetadata.isRoot(), "mounting needs root");
        Assumptions.assumeTrue(
                new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", full.toString())
                                .start()
                                .waitFor()
                        == 0,
                "mounting is not allowed here");
        try {
            try (Root root = Root.confined(raw(full))) {
                try (TargetTree tree = open(root, "out", false)) {
                    try (TargetFile file = wanted(tree.prepare(fileEntry("f", 2 << 20)))) {
                        write(file, new byte[512 << 10], 0);
                        assertThatThrownBy(() -> write(file, new byte[1 << 20], 512 << 10))
                                .hasMessageContaining("No space left on device")
                                .asInstanceOf(type(TransferException.class))
                                .extracting(TransferException::kind)
                                .isEqualTo(FailureKind.TARGET);
                        assertThatThrownBy(() -> open(root, "out", false)).hasMessage("out: No space left on device");
                        file.abandon(false);
                    }
                    assertThat(namesIn(full.resolve("out"))).isEmpty();
                    deliver(tree, fileEntry("small", 3), bytes("abc"));
                }
            }
            SourceTreeTest.run("mount", "-o", "remount,ro", full.toString());
            try (Root root = Root.confined(raw(full))) {
                assertThatThrownBy(() -> open(root, "out", false))
                        .hasMessage("out: is not writable: Read-only file system");
                assertThatThrownBy(() -> open(root, "new", false)).hasMessageContaining("Read-only file system");
            }
        } finally {
            SourceTreeTest.run("umount", full.toString());
        }
    }

    @Test
    void keepsDescriptorsBoundedInManyDirectories() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            for (int i = 0; i < 1000; i++) {
                assertThat(tree.prepare(directoryEntry("d" + i, 0755))).isInstanceOf(Outcome.Made.class);
                deliver(tree, fileEntry("d" + i + "/f", 1), bytes("x"));
            }
            assertThat(tree.openFiles().count()).isZero();
            assertThat(openDescriptors()).hasSizeBetween(1, 500);
            finish(tree);
        }
        for (int i = 0; i < 1000; i++) {
            assertThat(statusOf(temporary.resolve("out/d" + i)).modifiedNanos).isEqualTo(987_654_321);
        }
        assertThat(directoryProblems).isEmpty();
    }

    @Test
    void discardsEverythingIntoNothing() {
        try (Target target = new DiscardTarget()) {
            assertThat(target.prepare(directoryEntry("d", 0755))).isInstanceOf(Outcome.Made.class);
            deliver(target, fileEntry("d/f", 3), bytes("abc"));
        }
    }
}
