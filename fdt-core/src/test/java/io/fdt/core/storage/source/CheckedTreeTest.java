package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TreeOrder;
import io.fdt.core.storage.ReadBuffer;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.target.PlacedEntries;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What verification needs from storage: walks in order, entries where a copy put them, and reads that bypass the page
 * cache.
 */
class CheckedTreeTest {
    @TempDir
    Path directory;

    private Root root;

    @BeforeEach
    void openRoot() {
        root = Root.confined(raw(directory));
    }

    @AfterEach
    void closeRoot() {
        root.close();
    }

    @Test
    void walksInOrderHoweverWideAndDeepTheTreeIs() throws IOException {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        List<Path> directories = new ArrayList<>(List.of(Files.createDirectory(directory.resolve("tree"))));
        int made = 1;
        for (int i = 0; i < 600; i++) {
            Path parent = directories.get(random.nextInt(directories.size()));
            Path path = parent.resolve(Integer.toString(random.nextInt(5000), 36) + (random.nextBoolean() ? "." : ""));
            if (Files.exists(path)) {
                continue;
            }
            made++;
            if (random.nextInt(3) == 0) {
                directories.add(Files.createDirectory(path));
            } else {
                Files.createFile(path);
            }
        }
        Path deep = directory.resolve("tree/deep" + "/d".repeat(50));
        Files.createDirectories(deep);
        Files.createFile(directory.resolve("tree/deep/d/e"));

        List<RawPath> paths = new ArrayList<>();
        try (SourceTree tree = SourceTree.inOrder(root, RawPath.ofText("/tree/"), new Unheard())) {
            assertThat(tree.isSingleFile()).isFalse();
            for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
                paths.add(entry.path());
            }
        }

        assertThat(paths).as("seed %s", seed).hasSize(made + 52).isSortedAccordingTo(TreeOrder::compare);
    }

    @Test
    void walksSingleFile() throws IOException {
        Files.writeString(directory.resolve("f"), "hello");

        try (SourceTree tree = SourceTree.inOrder(root, RawPath.ofText("f"), new Unheard())) {
            assertThat(tree.isSingleFile()).isTrue();
            assertThat(Objects.requireNonNull(tree.next()).sizeBytes()).isEqualTo(5);
            assertThat(tree.next()).isNull();
        }
    }

    @Test
    void reportsMissingRootAndPathsOutsideIt() throws IOException {
        Files.createSymbolicLink(directory.resolve("out"), Path.of("/"));

        assertThatThrownBy(() -> SourceTree.inOrder(root, RawPath.ofText("none"), new Unheard()))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.SOURCE));
        assertThatThrownBy(() -> SourceTree.inOrder(root, RawPath.ofText("../x"), new Unheard()))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
        assertThatThrownBy(() -> new PlacedEntries(root, RawPath.ofText("out/etc"), false))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.REFUSED));
        assertThatThrownBy(() -> new PlacedEntries(root, RawPath.ofText("none"), true))
                .isInstanceOfSatisfying(
                        TransferException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.SOURCE));
    }

    @Test
    void findsEntriesWhereACopyPutsThem() throws IOException {
        Files.createDirectories(directory.resolve("target/d"));
        Files.createDirectory(directory.resolve("elsewhere"));
        Files.writeString(directory.resolve("elsewhere/f"), "hello");
        Files.writeString(directory.resolve("target/d/f"), "hello");
        Files.createSymbolicLink(directory.resolve("target/led"), Path.of("../elsewhere"));

        try (PlacedEntries entries = new PlacedEntries(root, RawPath.ofText("/target"), false)) {
            assertThat(kind(entries, "", true)).isEqualTo(Kind.DIRECTORY);
            assertThat(kind(entries, "d", true)).isEqualTo(Kind.DIRECTORY);
            assertThat(kind(entries, "led", true)).isEqualTo(Kind.LINK);
            assertThat(kind(entries, "led", false)).isEqualTo(Kind.LINK);
            assertThat(kind(entries, "d/f", false)).isEqualTo(Kind.FILE);
            assertThat(entries.lookAt(RawPath.ofText("d/none"), false)).isNull();
            assertThat(entries.lookAt(RawPath.ofText("none/f"), false)).isNull();
            assertThat(entries.lookAt(RawPath.ofText("d/f/x"), false)).isNull();
            assertThat(entries.lookAt(RawPath.ofText("led/f"), false)).isNull();
            FileEntry file = Objects.requireNonNull(entries.lookAt(RawPath.ofText("d/f"), false));
            assertThat(content(entries.open(file), 5, false)).isEqualTo("hello");
        }
    }

    @Test
    void findsASingleFileUnderTheTargetsNameOrInItsDirectory() throws IOException {
        Files.createDirectory(directory.resolve("d"));
        Files.writeString(directory.resolve("d/source"), "in the directory");
        Files.writeString(directory.resolve("renamed"), "under its name");

        try (PlacedEntries renamed = new PlacedEntries(root, RawPath.ofText("renamed"), true);
                PlacedEntries within = new PlacedEntries(root, RawPath.ofText("d"), true)) {
            assertThat(Objects.requireNonNull(renamed.lookAt(RawPath.ofText("source"), false))
                            .sizeBytes())
                    .isEqualTo(14);
            assertThat(Objects.requireNonNull(within.lookAt(RawPath.ofText("source"), false))
                            .sizeBytes())
                    .isEqualTo(16);
        }
    }

    /** Goal: a read that bypasses the cache returns the same bytes, including at the end of a file of any size. */
    @Test
    void readsSameDigestsWithDirectReads() throws IOException {
        for (int size : new int[] {0, 1, 511, 4096, 4097, 100_000}) {
            byte[] bytes = new byte[size];
            new Random(size).nextBytes(bytes);
            Files.write(directory.resolve("f" + size), bytes);
            try (SourceTree tree = SourceTree.inOrder(root, RawPath.ofText("f" + size), new Unheard())) {
                FileEntry entry = Objects.requireNonNull(tree.next());
                String expected = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
                assertThat(content(tree.open(entry), size, true)).isEqualTo(expected);
                assertThat(content(tree.open(entry), size, false)).isEqualTo(expected);
            }
        }
    }

    /** Method: files of procfs can only be read through the kernel's own memory. */
    @Test
    void warnsWithoutDirectReadsAndReadsAnyway() {
        try (Root proc = Root.unconfined(RawPath.ofText("/proc"));
                SourceTree tree = SourceTree.inOrder(proc, RawPath.ofText("version"), new Unheard());
                SourceFile file = tree.open(Objects.requireNonNull(tree.next()))) {
            assertThat(file.bypassCache()).isFalse();
            ReadBuffer buffer = new ReadBuffer(ReadBuffer.ALIGN_BYTES);
            assertThat(file.read(buffer.address(), 5, 0)).isEqualTo(5);
            assertThat((char) buffer.bytes().get(0)).isEqualTo('L');
        }
    }

    private static String content(SourceFile file, int sizeBytes, boolean bypassing) {
        try (file) {
            if (bypassing) {
                // The bytes are the same with or without the cache; the file system of the test decides which it is.
                file.bypassCache();
            }
            ReadBuffer buffer = new ReadBuffer(128 * 1024);
            assertThat(file.read(buffer.address(), sizeBytes, 0)).isEqualTo(sizeBytes);
            byte[] bytes = new byte[sizeBytes];
            ByteBuffer view = buffer.bytes();
            view.get(0, bytes);
            assertThat(file.unchanged()).isTrue();
            return new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
        }
    }

    private static Kind kind(PlacedEntries entries, String path, boolean directory) {
        return Objects.requireNonNull(entries.lookAt(RawPath.ofText(path), directory))
                .kind();
    }

    private static RawPath raw(Path path) {
        return RawPath.ofText(path.toString());
    }

    private static final class Unheard implements SourceProblems {
        @Override
        public void onFailed(RawPath path, TransferException reason) {
            throw reason;
        }

        @Override
        public void onSkipped(RawPath path, String reason) {
            throw new AssertionError(path + " was skipped: " + reason);
        }
    }
}
