package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.FileData;
import io.fdt.core.storage.posix.FileMetadata;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: the target tree made from a source tree's listing is the same as the source, for trees with every oddity. */
class MirrorTest extends StorageTest {
    private static void refuse(RawPath path, TransferException failure) {
        throw new AssertionError(path.display(), failure);
    }

    private static void mirror(SourceTree source, Target target) {
        Memory memory = Memory.of(LEAF_BYTES);
        for (FileEntry entry = source.next(); entry != null; entry = source.next()) {
            Outcome outcome = target.prepare(entry);
            if (outcome instanceof Outcome.Wanted wanted) {
                copy(source, entry, wanted.file(), memory);
            }
        }
        target.finishDirectories(MirrorTest::refuse);
        target.syncRest();
    }

    private static void copy(SourceTree source, FileEntry entry, TargetFile to, Memory memory) {
        try (SourceFile from = source.open(entry);
                TargetFile file = to) {
            for (long offset = 0; offset < entry.sizeBytes(); offset += LEAF_BYTES) {
                if (from.presentLeaves(offset, 1, LEAF_BYTES) == 0) {
                    file.zero(offset, Math.min(LEAF_BYTES, entry.sizeBytes() - offset));
                } else {
                    file.write(memory.address(), from.read(memory.address(), LEAF_BYTES, offset), offset);
                }
            }
            assertThat(from.unchanged()).isTrue();
            file.seal();
            file.publish();
        }
    }

    private List<String> listing(Path tree) {
        try (Root root = Root.confined(raw(tree));
                SourceTree source = sourceTree(root, "./")) {
            return all(source).stream()
                    .map(entry -> entry.path() + " " + entry.kind() + " " + Integer.toOctalString(entry.mode()) + " "
                            + entry.sizeBytes() + " " + entry.modifiedSeconds() + "." + entry.modifiedNanos() + " "
                            + entry.linkTarget() + " " + entry.sparse())
                    .sorted()
                    .toList();
        }
    }

    private void makeRandomTree(Random random, Path top) throws IOException {
        List<RawPath> directories = new ArrayList<>(List.of(raw(top)));
        for (int i = 0; i < 60; i++) {
            RawPath path = directories.get(random.nextInt(directories.size())).resolve(randomName(random));
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    if (Paths.mkdirat(Paths.AT_FDCWD, path, 0755) == 0) {
                        directories.add(path);
                    }
                }
                case 2 -> Paths.symlinkat(randomName(random), Paths.AT_FDCWD, path);
                default -> makeFile(random, path);
            }
        }
        for (int i = directories.size() - 1; i >= 0; i--) {
            setTimeAndMode(random, directories.get(i), readable(0700) | random.nextInt(01000));
        }
    }

    private static RawPath randomName(Random random) {
        byte[] name = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 255 : 12)];
        for (int i = 0; i < name.length; i++) {
            int value = 1 + random.nextInt(255);
            name[i] = (byte) (value == '/' || value == '.' ? '\n' : value);
        }
        return RawPath.ofBytes(name);
    }

    private static void makeFile(Random random, RawPath path) {
        int fd = Paths.openat(Paths.AT_FDCWD, path, Paths.O_CREAT | Paths.O_EXCL | Paths.O_WRONLY, 0600);
        if (fd < 0) {
            return;
        }
        for (int i = random.nextInt(4); i > 0; i--) {
            byte[] content = new byte[random.nextInt(2 * LEAF_BYTES)];
            random.nextBytes(content);
            Memory memory = Memory.of(content);
            FileData.pwriteAt(fd, memory.address(), content.length, random.nextInt(4) * 8L * LEAF_BYTES);
        }
        Descriptor.closeFd(fd);
        setTimeAndMode(random, path, readable(0400) | random.nextInt(01000));
    }

    /** Returns permission bits that all users but root need to read the tree and to delete it. */
    private static int readable(int mode) {
        return FileMetadata.isRoot() ? 0 : mode;
    }

    private static void setTimeAndMode(Random random, RawPath path, int mode) {
        int fd = Paths.openat(Paths.AT_FDCWD, path, Paths.O_RDONLY, 0);
        long seconds = random.nextInt();
        assertThat(FileMetadata.setModified(fd, seconds, random.nextInt(1_000_000_000)))
                .isZero();
        assertThat(FileMetadata.setMode(fd, mode)).isZero();
        Descriptor.closeFd(fd);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void makesTheSameTreeOnTheOtherSide(long seed) throws IOException {
        makeRandomTree(new Random(seed), directory("from"));
        List<String> expected = listing(temporary.resolve("from"));
        for (int round = 0; round < 2; round++) {
            try (Root root = Root.confined(raw(temporary));
                    SourceTree source = sourceTree(root, "from/");
                    TargetTree target = targetTree(root, "to", rules(Existing.SKIP_SAME))) {
                mirror(source, target);
            }
            assertThat(listing(temporary.resolve("to"))).as("seed %d", seed).isEqualTo(expected);
        }
        assertThat(failed).isEmpty();
        assertThat(skipped).isEmpty();
        try (Root root = Root.confined(raw(temporary));
                SourceTree from = sourceTree(root, "from/");
                SourceTree to = sourceTree(root, "to/")) {
            for (FileEntry entry : all(from)) {
                if (entry.kind() == Kind.FILE) {
                    try (SourceFile left = from.open(entry);
                            SourceFile right = to.open(entry)) {
                        int size = (int) entry.sizeBytes();
                        assertThat(readAll(right, size)).isEqualTo(readAll(left, size));
                    }
                }
            }
        }
    }

    @Test
    void makesADeepTreeAgain() throws Exception {
        RawPath deep = raw("d");
        for (int i = 0; i < 150; i++) {
            deep = deep.resolve(raw("directory-" + i));
        }
        try (Root root = Root.confined(raw(temporary))) {
            Descriptor.closeFd(root.openDirectoryMakingIt(raw("from").resolve(deep), () -> {}));
            try (SourceTree source = sourceTree(root, "from/");
                    TargetTree target = targetTree(root, "to", rules(Existing.SKIP_SAME))) {
                mirror(source, target);
            }
        }
        assertThat(failed).isEmpty();
        assertThat(listing(temporary.resolve("to"))).isEqualTo(listing(temporary.resolve("from")));
    }

    @Test
    void previewsWithoutTouchingAnything() throws IOException {
        makeRandomTree(new Random(9), directory("from"));
        file("to/there", "old");
        List<String> before = listing(temporary.resolve("to"));
        try (Root root = Root.confined(raw(temporary))) {
            for (String name : List.of("to", "to/new/deeper")) {
                try (SourceTree source = sourceTree(root, "from/");
                        TargetPreview preview = new TargetPreview(root, raw(name), rules(Existing.SKIP_SAME), false)) {
                    for (FileEntry entry : all(source)) {
                        Class<?> expected = entry.hasData() ? Outcome.Wanted.class : Outcome.Made.class;
                        assertThat(preview.prepare(entry)).isInstanceOf(expected);
                    }
                }
            }
            try (TargetPreview preview = new TargetPreview(root, raw("to"), rules(Existing.FAIL), false)) {
                failure(() -> preview.prepare(fileEntry("there", 1)));
                failure(() -> preview.prepare(fileEntry("../there", 1)));
            }
            try (TargetPreview preview = new TargetPreview(root, raw("to/there"), rules(Existing.SKIP), true)) {
                assertThat(preview.prepare(fileEntry("any", 1))).isInstanceOf(Outcome.Skipped.class);
            }
        }
        assertThat(listing(temporary.resolve("to"))).isEqualTo(before);
        assertThat(namesIn(temporary)).containsExactly("from", "to");
    }

    @Test
    void previewsWhatADirectoryReplacesAsTheCopyDoes() throws IOException {
        file("to/d", "a file that the rules let make way");
        file("to/e", "another one");
        Files.createSymbolicLink(temporary.resolve("to/l"), Path.of("e"));
        try (Root root = Root.confined(raw(temporary));
                TargetPreview refusing = new TargetPreview(root, raw("to"), rules(Existing.FAIL), false);
                TargetPreview keeping = new TargetPreview(root, raw("to"), rules(Existing.SKIP_SAME), false);
                TargetTree keepingToo = targetTree(root, "to", rules(Existing.SKIP_SAME));
                TargetPreview preview = new TargetPreview(root, raw("to"), rules(Existing.OVERWRITE), false);
                TargetTree target = targetTree(root, "to", rules(Existing.OVERWRITE))) {
            failure(() -> refusing.prepare(directoryEntry("d", 0755)));
            failure(() -> keeping.prepare(directoryEntry("d", 0755)));
            failure(() -> keepingToo.prepare(directoryEntry("d", 0755)));
            failure(() -> refusing.prepare(fileEntry("d/f", 1)));
            for (Target each : List.of(preview, target)) {
                for (String name : List.of("d", "l")) {
                    assertThat(each.prepare(directoryEntry(name, 0755)))
                            .isInstanceOf(each == preview ? Outcome.WouldReplace.class : Outcome.Made.class);
                    assertThat(each.prepare(fileEntry(name + "/f", 1))).isInstanceOf(Outcome.Wanted.class);
                    assertThat(each.prepare(directoryEntry(name + "/s", 0755))).isInstanceOf(Outcome.Made.class);
                }
            }
        }
    }

    @Test
    void knowsWhetherASingleThingComes() throws IOException {
        file("a/file", "f");
        Files.createSymbolicLink(temporary.resolve("a/link"), Path.of("nowhere"));
        try (Root root = Root.confined(raw(temporary))) {
            for (String single : List.of("a/file", "a/link")) {
                try (SourceTree tree = sourceTree(root, single)) {
                    assertThat(tree.isSingleFile()).isTrue();
                }
            }
            for (String several : List.of("a", "a/", "a/file a/link")) {
                try (SourceTree tree = sourceTree(root, several.split(" "))) {
                    assertThat(tree.isSingleFile()).isFalse();
                }
            }
        }
    }
}
