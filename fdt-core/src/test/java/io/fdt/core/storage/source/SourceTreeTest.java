package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.ModeChange;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Resolver;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.WalkingResolver;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.Paths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class SourceTreeTest extends SourceTest {
    @Test
    void leavesOutMountPointsAndWhatIsBelowThem() throws Exception {
        Path mount = directory("a/dir/mount");
        Assumptions.assumeTrue(FileMetadata.isRoot(), "mounting needs root");
        Assumptions.assumeTrue(
                new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount.toString())
                                .start()
                                .waitFor()
                        == 0,
                "mounting is not allowed here");
        try {
            file("a/dir/mount/sub/z", "z");
            assertThat(shape(oneFileSystem(null, "a/dir/"))).containsExactly("./ empty/ link@ sub/ sub/y x".split(" "));
            assertThat(shape(oneFileSystem(null, "a/dir/mount/"))).containsExactly("./", "sub/", "sub/z");
            assertThat(shape(oneFileSystem(List.of(raw("x"), raw("mount/sub/z")), "a/dir")))
                    .containsExactly("x");
            assertThat(failed).isEmpty();
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void changesModesOfFilesAndDirectories() throws Exception {
        Files.setPosixFilePermissions(temporary.resolve("a/dir/x"), PosixFilePermissions.fromString("rw-------"));
        TransferPlan selection = TransferPlan.from(List.of(raw("a/dir")))
                .with(CopyValue.CHMOD, Objects.requireNonNull(ModeChange.parse("D2750,Fg+r")));
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = new SourceTree(root, selection, PRESERVED, problems)) {
            for (FileEntry entry : all(tree)) {
                switch (entry.kind()) {
                    case DIRECTORY -> assertThat(entry.mode()).isEqualTo(02750);
                    case LINK -> assertThat(entry.mode()).isEqualTo(0777);
                    default -> assertThat(entry.mode() & 040).isEqualTo(040);
                }
            }
        }
    }

    private List<FileEntry> oneFileSystem(@Nullable List<RawPath> names, String source) {
        TransferPlan selection = TransferPlan.from(List.of(raw(source)))
                .with(CopyValue.NAMES, names)
                .with(CopyValue.ONE_FILE_SYSTEM, true);
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = new SourceTree(root, selection, PRESERVED, problems)) {
            return all(tree);
        }
    }

    @Test
    void givesParentsBeforeChildren() {
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a")) {
            Set<RawPath> seen = new HashSet<>(Set.of(RawPath.EMPTY));
            for (FileEntry entry : all(tree)) {
                assertThat(seen).contains(entry.path().parent());
                seen.add(entry.path());
            }
        }
    }

    @Test
    void readsSizeModeAndTimeOfAFile() throws IOException {
        Path file = file("meta", "12345");
        setModified(file, Instant.parse("1901-12-14T00:00:00Z").getEpochSecond(), 7);
        Files.setAttribute(file, "unix:mode", 06751);
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "meta")) {
            FileEntry entry = Objects.requireNonNull(tree.next());
            assertThat(entry.kind()).isEqualTo(Kind.FILE);
            assertThat(entry.sizeBytes()).isEqualTo(5);
            assertThat(entry.mode()).isEqualTo(06751);
            assertThat(entry.modifiedSeconds())
                    .isEqualTo(Instant.parse("1901-12-14T00:00:00Z").getEpochSecond());
            assertThat(entry.modifiedNanos()).isEqualTo(7);
            assertThat(entry.sparse()).isFalse();
            assertThat(tree.next()).isNull();
        }
    }

    @Test
    void keepsNamesOfAnyBytes() throws IOException {
        directory("odd");
        RawPath odd = raw(temporary).resolve(raw("odd"));
        List<RawPath> names = List.of(
                rawBytes('n', '\n', 'l'),
                rawBytes(0xff, 0xfe),
                rawBytes(1, 27, '[', '3', '1', 'm'),
                raw("日本"),
                raw(" "),
                RawPath.ofBytes(filled(255)));
        for (RawPath name : names) {
            int fd = Paths.openat(Paths.AT_FDCWD, odd.resolve(name), Paths.O_CREAT | Paths.O_WRONLY, 0644);
            assertThat(fd).isPositive();
            Descriptor.closeFd(fd);
        }
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "odd/")) {
            List<FileEntry> entries = all(tree);
            assertThat(entries).extracting(FileEntry::path).contains(names.toArray(new RawPath[0]));
            for (FileEntry entry : entries.subList(1, entries.size())) {
                tree.open(entry).close();
            }
        }
    }

    private static byte[] filled(int length) {
        byte[] name = new byte[length];
        Arrays.fill(name, (byte) 'n');
        return name;
    }

    @ParameterizedTest
    @CsvSource({"../outside", "..", "a/../../outside", "a/out/canary", "a/abs/canary", "a/out/", "a/abs/"})
    void refusesASourceOutsideTheRoot(String source) throws IOException {
        directory("inside");
        file("outside/canary", "c");
        Files.move(temporary.resolve("a"), temporary.resolve("inside/a"));
        Files.createSymbolicLink(temporary.resolve("inside/a/out"), Path.of("../../outside"));
        Files.createSymbolicLink(temporary.resolve("inside/a/abs"), temporary.resolve("outside"));
        for (Resolver resolver : List.of(Resolver.best(), new WalkingResolver())) {
            try (Root root = Root.confined(raw(temporary.resolve("inside")), resolver)) {
                assertThatThrownBy(() -> sourceTree(root, source).close())
                        .asInstanceOf(type(TransferException.class))
                        .extracting(TransferException::kind)
                        .isEqualTo(FailureKind.REFUSED);
            }
        }
    }

    @Test
    void followsNoLinkBelowASource() throws IOException {
        file("outside/canary", "c");
        try (Root root = Root.unconfined(raw(temporary));
                SourceTree tree = sourceTree(root, "a/dir")) {
            List<FileEntry> entries = all(tree);
            FileEntry below = entries.stream()
                    .filter(entry -> entry.path().equals(raw("dir/sub/y")))
                    .findFirst()
                    .orElseThrow();
            Files.delete(temporary.resolve("a/dir/sub/y"));
            Files.delete(temporary.resolve("a/dir/sub"));
            file("outside/y", "yyy");
            Files.setLastModifiedTime(
                    temporary.resolve("outside/y"),
                    FileTime.from(Instant.ofEpochSecond(below.modifiedSeconds(), below.modifiedNanos())));
            Files.createSymbolicLink(temporary.resolve("a/dir/sub"), temporary.resolve("outside"));
            assertThatThrownBy(() -> tree.open(below)).isInstanceOf(TransferException.class);
        }
    }

    @Test
    void refusesToOpenWhatHasChangedSinceItWasListed() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a/single")) {
            FileEntry entry = Objects.requireNonNull(tree.next());
            tree.open(entry).close();
            file("a/single", "longer");
            assertThatThrownBy(() -> tree.open(entry)).hasMessage("single: changed since it was listed");
            Files.delete(temporary.resolve("a/single"));
            assertThatThrownBy(() -> tree.open(entry)).hasMessage("single: has vanished since it was listed");
        }
    }

    @Test
    void noticesAChangeWhileAFileIsOpen() throws IOException {
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a/single");
                SourceFile file = tree.open(Objects.requireNonNull(tree.next()))) {
            assertThat(file.unchanged()).isTrue();
            assertThat(readAll(file, 100)).isEqualTo(bytes("s"));
            assertThat(file.unchanged()).isTrue();
            Files.writeString(temporary.resolve("a/single"), "t");
            Files.setLastModifiedTime(temporary.resolve("a/single"), FileTime.from(Instant.EPOCH));
            assertThat(file.unchanged()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/fifo", "a/to-dir", "a/.fdt.0123456789abcdef.part"})
    void whatWasNamedAndCannotBeCopiedIsAFailure(String source) throws Exception {
        run("mkfifo", temporary.resolve("a/fifo").toString());
        file("a/.fdt.0123456789abcdef.part", "half");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, EnumSet.of(Preserve.MODE), List.of(), null, source)) {
            assertThat(all(tree)).isEmpty();
        }
        String name = Path.of(source).getFileName().toString();
        assertThat(failed).singleElement().asString().startsWith(name + " | SOURCE | " + name + ": ");
        assertThat(skipped).isEmpty();
    }

    @Test
    void reportsAndSkipsWhatCannotBeMoved() throws Exception {
        run("mkfifo", temporary.resolve("a/dir/fifo").toString());
        file("a/dir/.fdt.0123456789abcdef.part", "old");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, EnumSet.noneOf(Preserve.class), List.of(), null, "a/dir")) {
            assertThat(shape(all(tree))).containsExactly("dir/", "dir/empty/", "dir/sub/", "dir/sub/y", "dir/x");
            assertThat(tree.skippedCount()).isEqualTo(3);
        }
        assertThat(skipped)
                .containsExactlyInAnyOrder(
                        "dir/fifo | skipped, it is a device, pipe or socket",
                        "dir/link | skipped, it is a symbolic link, and links are not preserved",
                        "dir/.fdt.0123456789abcdef.part | skipped, it belongs to an unfinished transfer");
        assertThat(failed).isEmpty();
    }

    @Test
    void furtherNamesReferToTheFirstOrAreCounted() throws IOException {
        Path first = file("linked/x", "x");
        Files.createLink(temporary.resolve("linked/y"), first);
        file("linked/alone", "z");
        try (Root root = Root.confined(raw(temporary));
                SourceTree kept = sourceTree(root, EnumSet.of(Preserve.HARDLINKS), List.of(), null, "linked/");
                SourceTree copied = sourceTree(root, EnumSet.of(Preserve.MODE), List.of(), null, "linked/")) {
            List<FileEntry> entries = all(kept);
            assertThat(entries).filteredOn(FileEntry::isFirstName).hasSize(1);
            assertThat(entries).filteredOn(FileEntry::isFurtherName).hasSize(1);
            assertThat(kept.furtherNamesCopied()).isZero();
            assertThat(all(copied)).filteredOn(FileEntry::hasData).hasSize(3);
            assertThat(copied.furtherNamesCopied()).isEqualTo(1);
        }
    }

    @Test
    void continuesWhenNamesVanish() throws IOException {
        for (int i = 0; i < 3000; i++) {
            file("many/" + "long-enough-to-need-several-reads-" + i, "");
        }
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "many")) {
            assertThat(tree.next()).isNotNull();
            assertThat(tree.next()).isNotNull();
            Files.move(temporary.resolve("many"), temporary.resolve("gone"));
            for (String name : namesIn(temporary.resolve("gone"))) {
                Files.delete(temporary.resolve("gone").resolve(name));
            }
            assertThat(all(tree)).isEmpty();
        }
        assertThat(failed).isNotEmpty().allMatch(line -> line.endsWith("has vanished"));
    }

    @Test
    void movesOnlyTheNamesOfAList() throws IOException {
        file("a/dir/sub/deep/z", "z");
        List<RawPath> names = List.of(
                raw("sub/y"),
                raw("/sub//deep/"),
                raw("./x"),
                raw("sub/y"),
                raw("sub/deep/z"),
                raw("none"),
                raw("../single"));
        for (String source : List.of("a/dir", "a/dir/")) {
            failed.clear();
            try (Root root = Root.confined(raw(temporary));
                    SourceTree tree = sourceTree(root, PRESERVED, List.of(), names, source)) {
                assertThat(shape(all(tree))).containsExactly("sub/", "sub/deep/", "sub/deep/z", "sub/y", "x");
            }
            assertThat(failed)
                    .containsExactlyInAnyOrder(
                            "none | SOURCE | none: has vanished",
                            "../single | REFUSED | ../single: leads out of the source");
        }
    }

    @Test
    void doesNotEnterExcludedDirectories() {
        List<PathRule> rules = List.of(new PathRule(true, raw("/dir/sub/y")), new PathRule(false, raw("sub/")));
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, PRESERVED, rules, null, "a/dir")) {
            assertThat(shape(all(tree))).containsExactly("dir/", "dir/empty/", "dir/link@", "dir/x");
        }
    }

    @Test
    void distinguishesHolesFromData() throws IOException {
        Path file = temporary.resolve("sparse");
        try (var channel = java.nio.channels.FileChannel.open(
                file, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
            channel.write(java.nio.ByteBuffer.wrap(bytes("head")), 0);
            channel.write(java.nio.ByteBuffer.wrap(bytes("mid")), 5L * LEAF_BYTES + 10);
            channel.write(java.nio.ByteBuffer.wrap(new byte[] {1}), 100L * LEAF_BYTES);
        }
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "sparse")) {
            FileEntry entry = Objects.requireNonNull(tree.next());
            assertThat(entry.sparse()).isTrue();
            try (SourceFile source = tree.open(entry)) {
                assertThat(source.presentLeaves(0, 64, LEAF_BYTES)).isEqualTo(1L | 1L << 5);
                assertThat(source.presentLeaves(64L * LEAF_BYTES, 37, LEAF_BYTES))
                        .isEqualTo(1L << 36);
                assertThat(source.presentLeaves(5L * LEAF_BYTES, 1, LEAF_BYTES)).isEqualTo(1);
                assertThat(source.presentLeaves(6L * LEAF_BYTES, 58, LEAF_BYTES))
                        .isZero();
            }
        }
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a/single");
                SourceFile source = tree.open(Objects.requireNonNull(tree.next()))) {
            assertThat(source.presentLeaves(0, 64, LEAF_BYTES)).isEqualTo(-1L);
            assertThat(source.presentLeaves(0, 3, LEAF_BYTES)).isEqualTo(7L);
        }
    }

    @Test
    void walksATreeAsDeepAsPathsCanBe() {
        int depth = 2000;
        int fd = Paths.openat(Paths.AT_FDCWD, raw(temporary), Paths.O_PATH | Paths.O_DIRECTORY, 0);
        RawPath level = raw("d");
        for (int i = 0; i < depth; i++) {
            assertThat(Paths.mkdirat(fd, level, 0755)).isZero();
            assertThat(Paths.mkdirat(fd, raw("e"), 0755)).isZero();
            int below = Paths.openat(fd, level, Paths.O_PATH | Paths.O_DIRECTORY, 0);
            Descriptor.closeFd(fd);
            fd = below;
        }
        // One level deeper than a path can express: d/d/…/<250 bytes>
        assertThat(Paths.mkdirat(fd, RawPath.ofBytes(filled(250)), 0755)).isZero();
        Descriptor.closeFd(fd);
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "d")) {
            long directories = 0;
            int longest = 0;
            for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
                directories++;
                longest = Math.max(longest, entry.path().lengthBytes());
            }
            assertThat(directories).isEqualTo(2 * depth - 1);
            assertThat(longest).isEqualTo(2 * depth - 1);
        }
        assertThat(failed).singleElement().asString().contains("its path is longer than 4,095 bytes");
        failed.clear();
        removeDeepTree();
    }

    /** Whoever plans a job ends it at the first problem. */
    @ParameterizedTest
    @ValueSource(strings = {"a name that is missing", "a link to a directory above"})
    void keepsNoDescriptorWhenAProblemEndsTheWalk(String problem) throws IOException {
        Files.createSymbolicLink(temporary.resolve("a/dir/sub/loop"), Path.of(".."));
        List<RawPath> source = List.of(raw("a"));
        TransferPlan selection = problem.contains("link")
                ? TransferPlan.from(source).with(CopyValue.COPY_LINKS, true)
                : TransferPlan.from(source).with(CopyValue.NAMES, List.of(raw("dir/sub/missing")));
        SourceProblems ending = new SourceProblems() {
            @Override
            public void onFailed(RawPath path, TransferException reason) {
                throw reason;
            }

            @Override
            public void onSkipped(RawPath path, String reason) {}
        };
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = new SourceTree(root, selection, PRESERVED, ending)) {
            assertThatThrownBy(() -> all(tree)).isInstanceOf(TransferException.class);
        }
    }

    /** A source that cannot be looked at has not changed: its user has to hear why it stays. */
    @Test
    void failsToRemoveWhatIsInADirectoryThatCannotBeOpened() {
        AtomicInteger refused = new AtomicInteger();
        Resolver kernel = Resolver.best();
        Resolver refusing = new Resolver() {
            @Override
            public int openBeneath(int dirFd, RawPath path, int flags, int mode) {
                return kernel.openBeneath(dirFd, path, flags, mode);
            }

            @Override
            public int openWithoutLinks(int dirFd, RawPath path, int flags, int mode) {
                return refused.get() == 0 ? kernel.openWithoutLinks(dirFd, path, flags, mode) : -refused.get();
            }
        };
        try (Root root = Root.confined(raw(temporary), refusing);
                SourceTree tree = new SourceTree(root, removing("a/dir"), PRESERVED, problems)) {
            FileEntry entry = all(tree).stream()
                    .filter(each -> each.path().equals(raw("dir/sub/y")))
                    .findFirst()
                    .orElseThrow();
            // -100 is also how the kernel is told to begin in the process's own directory.
            int networkIsDown = 100;
            for (int errno : List.of(Errno.EACCES, Errno.EMFILE, networkIsDown)) {
                refused.set(errno);
                assertThatThrownBy(() -> tree.remove(entry, Long.MAX_VALUE))
                        .as("errno %d", errno)
                        .isInstanceOf(TransferException.class)
                        .hasMessageContaining("dir/sub/y: cannot remove");
            }
            refused.set(Errno.ENOENT);
            assertThat(tree.remove(entry, Long.MAX_VALUE)).isFalse();
            refused.set(0);
            assertThat(tree.remove(entry, Long.MAX_VALUE)).isTrue();
        }
        assertThat(temporary.resolve("a/dir/sub/y")).doesNotExist();
    }

    private static TransferPlan removing(String source) {
        return TransferPlan.from(List.of(raw(source))).with(CopyValue.REMOVE_SOURCE, true);
    }

    private void removeDeepTree() {
        try {
            run(
                    "rm",
                    "-rf",
                    temporary.resolve("d").toString(),
                    temporary.resolve("e").toString());
        } catch (Exception failure) {
            throw new AssertionError(failure);
        }
    }

    @Test
    @Tag("full")
    void walksManyFilesInBoundedMemory() throws IOException {
        int count = 100_000;
        int fd = Paths.openat(Paths.AT_FDCWD, raw(directory("many")), Paths.O_PATH | Paths.O_DIRECTORY, 0);
        for (int i = 0; i < count; i++) {
            Descriptor.closeFd(Paths.openat(fd, raw("f" + i), Paths.O_CREAT | Paths.O_WRONLY, 0644));
        }
        Descriptor.closeFd(fd);
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "many")) {
            long before = usedHeap();
            long seen = 0;
            for (FileEntry entry = tree.next(); entry != null; entry = tree.next()) {
                seen++;
            }
            assertThat(seen).isEqualTo(count + 1);
            assertThat(usedHeap() - before).isLessThan(4L << 20);
        }
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    @Test
    void readsExtendedAttributes() throws Exception {
        Path file = temporary.resolve("a/single");
        var view = Files.getFileAttributeView(
                file, java.nio.file.attribute.UserDefinedFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
        Assumptions.assumeTrue(view != null && Files.getFileStore(file).supportsFileAttributeView("user"));
        view.write("origin", java.nio.ByteBuffer.wrap(bytes("here")));
        view.write("empty", java.nio.ByteBuffer.allocate(0));
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, EnumSet.of(Preserve.XATTRS), List.of(), null, "a/single")) {
            FileEntry entry = Objects.requireNonNull(tree.next());
            assertThat(entry.attributes()).hasSize(2);
            assertThat(entry.attributes()).anySatisfy(attribute -> {
                assertThat(attribute.name()).isEqualTo(raw("user.origin"));
                assertThat(attribute.value()).isEqualTo(bytes("here"));
            });
        }
    }

    public static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor()).isZero();
    }
}
