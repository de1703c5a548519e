package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.digest.DigestKind;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.Rules;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Durability;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TargetRules.Preserve;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.CreationMask;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.SourceFile;
import io.fdt.core.storage.Target;
import io.fdt.core.storage.TargetFile;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.core.storage.posix.Disk;
import io.fdt.core.storage.posix.Errno;
import io.fdt.core.storage.posix.Paths;
import io.fdt.core.storage.source.SourceTreeTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the rules of the copy apply to entries that exist already, and to entries that appear meanwhile. */
class ExistingRulesTest extends TargetTest {
    @ParameterizedTest
    @CsvSource({"abc, true", "xyz, true", "abcd, false"})
    void keepsAFileOfEqualSizeIfOnlySizesAreCompared(String existing, boolean kept) throws IOException {
        Path path = directory("out").resolve("f");
        Files.writeString(path, existing);
        setModified(path, 1_400_000_000L, 0);
        TransferPlan rules = Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.SIZE, Durability.END, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            Outcome outcome = tree.prepare(fileEntry("f", 3));
            if (outcome instanceof Outcome.Wanted wanted) {
                wanted.file().close();
            }
            assertThat(outcome instanceof Outcome.Skipped).isEqualTo(kept);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SKIP_SAME, same,    skipped",
        "SKIP_SAME, newer,   wanted",
        "SKIP_SAME, longer,  wanted",
        "SKIP_SAME, link,    wanted",
        "SKIP_SAME, directory, TARGET",
        "SKIP_SAME, fifo,    TARGET",
        "OVERWRITE, same,    wanted",
        "OVERWRITE, longer,  wanted",
        "OVERWRITE, directory, TARGET",
        "SKIP,      longer,  skipped",
        "SKIP,      link,    skipped",
        "FAIL,      same,    TARGET",
        "FAIL,      absent,  wanted",
        "SKIP,      absent,  wanted",
    })
    void appliesRulesToExistingFiles(Existing existing, String there, String expected) throws Exception {
        Path path = directory("out").resolve("f");
        switch (there) {
            case "same", "newer" -> Files.writeString(path, "abc");
            case "longer" -> Files.writeString(path, "abcd");
            case "link" -> Files.createSymbolicLink(path, Path.of("elsewhere"));
            case "directory" -> Files.createDirectory(path);
            case "fifo" -> SourceTreeTest.run("mkfifo", path.toString());
            default -> {}
        }
        if (!there.equals("absent")) {
            setModified(path, 1_500_000_000L, there.equals("newer") ? 123_456_788 : 123_456_789);
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(existing))) {
            String actual = "?";
            try {
                Outcome outcome = tree.prepare(fileEntry("f", 3));
                if (outcome instanceof Outcome.Skipped) {
                    actual = "skipped";
                } else if (outcome instanceof Outcome.Wanted wanted) {
                    actual = "wanted";
                    wanted.file().close();
                }
            } catch (TransferException failed) {
                actual = failed.kind().name();
            }
            assertThat(actual).isEqualTo(expected);
        }
    }

    @Test
    void updatesModeOfSkippedFile() throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_500_000_000L, 123_456_789);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP))) {
            assertThat(tree.prepare(fileEntry("f", 3))).isInstanceOf(Outcome.Skipped.class);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .isEqualTo("rw-rw-rw-");
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThat(tree.prepare(fileEntry("f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-r--r--");
        assertThat(path).hasContent("abc");
    }

    @Test
    void updatesTimeAndModeOfComparedFile() throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_400_000_000L, 1);
        TransferPlan rules =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            FileEntry entry = fileEntry("f", 3);
            assertThat(tree.prepare(entry)).isInstanceOf(Outcome.Compare.class);
            tree.keep(entry);
        }
        assertThat(path).hasContent("abc");
        assertThat(Files.getLastModifiedTime(path).toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_500_000_000L, 123_456_789));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-r--r--");
    }

    @Test
    void comparesDigestsOnRequest() throws IOException {
        file("out/f", "abc");
        TransferPlan rules =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules)) {
            Outcome outcome = tree.prepare(fileEntry("f", 3));
            assertThat(outcome).isInstanceOf(Outcome.Compare.class);
            try (SourceFile existing = ((Outcome.Compare) outcome).existing().get()) {
                assertThat(readAll(existing, 10)).isEqualTo(bytes("abc"));
            }
            try (TargetFile file = wanted(tree.prepareChanged(fileEntry("f", 3)))) {
                write(file, bytes("xyz"), 0);
                file.seal();
                file.publish();
            }
            assertThat(temporary.resolve("out/f")).hasContent("xyz");
            wanted(tree.prepare(fileEntry("f", 4))).close();
        }
    }

    /** Otherwise the changed file would be kept, and would get the source's time. */
    @ParameterizedTest
    @ValueSource(strings = {"abd", "abcd"})
    void comparesOnlyTheFileItSaw(String changed) throws IOException {
        Path path = file("out/f", "abc");
        setModified(path, 1_400_000_000L, 1);
        TransferPlan rules =
                Rules.of(Existing.SKIP_SAME, TargetRules.Comparison.DIGEST, Durability.END, true, PRESERVED);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules);
                TargetPreview preview = new TargetPreview(root, raw("out"), rules, false)) {
            for (Target target : List.of(tree, preview)) {
                setModified(file("out/f", "abc"), 1_400_000_000L, 1);
                Outcome.Compare seen = (Outcome.Compare) target.prepare(fileEntry("f", 3));
                seen.existing().get().close();
                Files.writeString(path, changed);
                assertThatThrownBy(() -> seen.existing().get().close())
                        .isInstanceOf(TransferException.class)
                        .hasMessage("out/f: changed while it was compared");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Existing.class)
    void aDryRunTellsWhatACopyDoesWhereTheSourceHasALink(Existing existing) throws IOException {
        for (String there : List.of("directory", "file", "same", "other", "nothing")) {
            String out = "out-" + there;
            Path name = directory(out).resolve("x");
            switch (there) {
                case "directory" -> Files.createDirectory(name);
                case "file" -> Files.writeString(name, "content");
                case "same" -> Files.createSymbolicLink(name, Path.of("to"));
                case "other" -> Files.createSymbolicLink(name, Path.of("elsewhere"));
                default -> assertThat(name).doesNotExist();
            }
            for (boolean onlyNew : new boolean[] {true, false}) {
                CreationMask mask = new CreationMask(0, true, onlyNew);
                try (Root root = Root.confined(raw(temporary), mask);
                        TargetPreview preview = new TargetPreview(root, raw(out), rules(existing), false);
                        TargetTree tree = targetTree(root, out, rules(existing))) {
                    String told = outcome(preview);
                    assertThat(outcome(tree))
                            .as("%s, only new names: %s", there, onlyNew)
                            .isEqualTo(told);
                }
            }
        }
    }

    /** Other names of the file keep its mode, so it is replaced instead of changed. */
    @Test
    void aDryRunTellsThatAFileWithSeveralNamesIsReplacedForItsMode() throws IOException {
        FileEntry entry = fileEntry("f", 3);
        Path path = file("out/f", "abc");
        Path link = Files.createSymbolicLink(temporary.resolve("out/x"), Path.of("to"));
        Files.createLink(temporary.resolve("f again"), path);
        Files.createLink(temporary.resolve("x again"), link);
        setModified(path, entry.modifiedSeconds(), entry.modifiedNanos());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
        try (Root root = Root.confined(raw(temporary));
                TargetPreview preview = new TargetPreview(root, raw("out"), rules(Existing.SKIP_SAME), false);
                TargetPreview keeping = new TargetPreview(root, raw("out"), rules(Existing.SKIP), false);
                TargetTree tree = targetTree(root, "out", rules(Existing.SKIP_SAME))) {
            assertThat(preview.prepare(entry)).isInstanceOf(Outcome.WouldReplace.class);
            assertThat(preview.prepare(linkEntry("x", "to"))).isInstanceOf(Outcome.Made.class);
            assertThat(keeping.prepare(entry)).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(linkEntry("x", "to"))).isInstanceOf(Outcome.Made.class);
            wanted(tree.prepare(entry)).close();
        }
    }

    @ParameterizedTest
    @EnumSource(TargetRules.Comparison.class)
    void aDryRunTellsThatAllNamesOfAReplacedFileAreReplaced(TargetRules.Comparison comparison) throws IOException {
        TransferPlan rules =
                Rules.of(Existing.SKIP_SAME, comparison, Durability.END, true, EnumSet.of(Preserve.HARDLINKS));
        FileEntry entry = fileEntry("f", 3);
        FileEntry further = with(fileEntry(raw("g"), 3, 0644), raw("f"));
        for (String content : List.of("older", "abc")) {
            Path path = file("out/f", content);
            setModified(path, entry.modifiedSeconds(), entry.modifiedNanos());
            Files.deleteIfExists(temporary.resolve("out/g"));
            Files.createLink(temporary.resolve("out/g"), path);
            try (Root root = Root.confined(raw(temporary));
                    TargetPreview preview = new TargetPreview(root, raw("out"), rules, false)) {
                Outcome first = preview.prepare(with(entry, raw("f")));
                boolean replaced = first instanceof Outcome.WouldReplace;
                assertThat(replaced).isEqualTo(content.length() != 3);
                assertThat(preview.prepare(further))
                        .isInstanceOf(replaced ? Outcome.WouldReplace.class : Outcome.Skipped.class);
                preview.prepareChanged(with(entry, raw("f")));
                assertThat(preview.prepare(further)).isInstanceOf(Outcome.WouldReplace.class);
            }
        }
    }

    private static String outcome(Target target) {
        try {
            return target.prepare(linkEntry("x", "to")).getClass().getSimpleName();
        } catch (TransferException failure) {
            return failure.kind() + " " + failure.getMessage();
        }
    }

    @Test
    void keepsFileThatAppearedUnlessItMayReplace() throws IOException {
        directory("out");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.FAIL));
                TargetFile file = wanted(tree.prepare(fileEntry("f", 3)))) {
            write(file, bytes("new"), 0);
            file.seal();
            file("out/f", "mine");
            assertThatThrownBy(file::publish).hasMessage("out/f: was created by another program during the copy");
            file.abandon(false);
        }
        assertThat(temporary.resolve("out/f")).hasContent("mine");
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    /** The copy does not look for each of many files in a directory that it has just made; the rename decides. */
    @Test
    void replacesNothingInNewDirectory() throws IOException {
        for (Existing rule : List.of(Existing.SKIP_SAME, Existing.OVERWRITE, Existing.SKIP, Existing.FAIL)) {
            try (Root root = Root.confined(raw(temporary));
                    TargetTree tree = targetTree(root, "out-" + rule, rules(rule))) {
                tree.prepare(directoryEntry("made", 0700));
                file("out-" + rule + "/made/f", "mine");
                directory("out-" + rule + "/made/taken");
                if (rule == Existing.FAIL) {
                    assertThat(failure(() -> tree.prepare(fileEntry("made/f", 3))))
                            .hasMessageContaining("already exists");
                } else if (rule == Existing.SKIP) {
                    assertThat(tree.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
                } else {
                    for (String name : List.of("f", "taken")) {
                        assertThatThrownBy(() -> deliver(tree, fileEntry("made/" + name, 3), bytes("new")))
                                .hasMessageEndingWith(name + ": was created by another program during the copy");
                    }
                }
                assertThat(temporary.resolve("out-" + rule + "/made/f")).hasContent("mine");
            }
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree again = targetTree(root, "out-SKIP_SAME", rules(Existing.SKIP_SAME))) {
            again.prepare(directoryEntry("made", 0700));
            deliver(again, fileEntry("made/f", 3), bytes("new"));
            assertThat(again.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
    }

    @Test
    void keepsWhatBecameNewerDuringTheCopy() throws IOException {
        TransferPlan update =
                TransferPlan.EMPTY.with(CopyValue.PRESERVE, PRESERVED).with(CopyValue.UPDATE, true);
        setModified(file("out/f", "old"), 1_400_000_000L, 0);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", update);
                TargetFile file = wanted(tree.prepare(fileEntry("f", 3)))) {
            write(file, bytes("new"), 0);
            file.sync();
            file.seal();
            file("out/f", "newer than the source");
            assertThatThrownBy(file::publish)
                    .hasMessage("out/f: was modified during the copy and is newer than the source; it stays");
            file.abandon(false);
        }
        assertThat(temporary.resolve("out/f")).hasContent("newer than the source");
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("f");
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "0, false", "1, true"})
    void updateKeepsOnlyWhatIsNewer(long laterNanos, boolean kept) throws IOException {
        FileEntry source = fileEntry("f", 3);
        setModified(
                file("out/f", "of another size"),
                source.modifiedSeconds(),
                Math.toIntExact(source.modifiedNanos() + laterNanos));
        TransferPlan update = rules(Existing.SKIP_SAME).with(CopyValue.UPDATE, true);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", update)) {
            Outcome outcome = tree.prepare(source);
            if (outcome instanceof Outcome.Wanted wanted) {
                wanted.file().close();
            }
            assertThat(outcome instanceof Outcome.Skipped).isEqualTo(kept);
        }
    }

    @Test
    void keepsWhatIsNewerAlsoInADirectoryThatItHasJustMade() throws IOException {
        TransferPlan update =
                TransferPlan.EMPTY.with(CopyValue.PRESERVE, PRESERVED).with(CopyValue.UPDATE, true);
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", update)) {
            tree.prepare(directoryEntry("made", 0700));
            file("out/made/f", "newer than the source");
            assertThat(tree.prepare(fileEntry("made/f", 3))).isInstanceOf(Outcome.Skipped.class);
        }
        assertThat(temporary.resolve("out/made/f")).hasContent("newer than the source");
    }

    /** A run that is killed before the link has its time must leave nothing that a later run keeps. */
    @Test
    void givesALinkItsNameLast() throws IOException {
        Disk failing = new Disk() {
            @Override
            public int rename(int dirFd, RawPath from, RawPath to, int flags) {
                return -Errno.EIO;
            }
        };
        directory("out");
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        failing, root, raw("out"), rules(Existing.SKIP), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            failure(() -> tree.prepare(linkEntry("link", "nowhere")));
        }
        assertThat(namesIn(temporary.resolve("out"))).isEmpty();
    }

    @Test
    void makesEveryKindOfLinkAndReplacesOnlyWhatItMay() throws IOException {
        file("out/file", "f");
        directory("out/directory");
        Files.createSymbolicLink(directory("out").resolve("same"), Path.of("x"));
        Files.createSymbolicLink(temporary.resolve("out/other"), Path.of("y"));
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = open(root, "out", false)) {
            assertThat(tree.prepare(linkEntry("absolute", "/etc/passwd"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("dangling", "nowhere/at/all"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("same", "x"))).isInstanceOf(Outcome.Skipped.class);
            assertThat(tree.prepare(linkEntry("other", "x"))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("file", "x"))).isInstanceOf(Outcome.Made.class);
            assertThat(failure(() -> tree.prepare(linkEntry("directory", "x"))).kind())
                    .isEqualTo(FailureKind.TARGET);
            assertThat(failure(() -> tree.prepare(linkEntry("nothing", ""))).kind())
                    .isEqualTo(FailureKind.REFUSED);
        }
        assertThat(Files.readSymbolicLink(temporary.resolve("out/absolute"))).isEqualTo(Path.of("/etc/passwd"));
        assertThat(Files.readSymbolicLink(temporary.resolve("out/other"))).isEqualTo(Path.of("x"));
        assertThat(Files.readSymbolicLink(temporary.resolve("out/file"))).isEqualTo(Path.of("x"));
        assertThat(namesIn(temporary.resolve("out")))
                .containsExactly("absolute", "dangling", "directory", "file", "other", "same");
    }

    /** A run that was killed while it replaced a file by a directory leaves a directory under the temporary name. */
    @Test
    void replacesFileDespiteLeftoversOfKilledRun() throws IOException {
        for (String name : List.of("directory", "link", "further")) {
            file("out/" + name, "x");
            directory("out/" + PartialNames.of(raw(name)).link().text());
        }
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
            assertThat(tree.prepare(directoryEntry("directory", 0755))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("link", "x"))).isInstanceOf(Outcome.Made.class);
            deliver(tree, fileEntry("first", 3), bytes("abc"));
            assertThat(tree.prepare(with(fileEntry(raw("further"), 3, 0644), raw("first"))))
                    .isInstanceOf(Outcome.Made.class);
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("directory", "first", "further", "link");
    }

    /** The other session may be making the same links, and would give what it finds their final names. */
    @Test
    void leavesTheTemporaryNamesOfOtherSessionsAlone() throws IOException {
        List<String> names = List.of("directory", "link", "further");
        directory("out");
        try (Root otherRoot = Root.confined(raw(temporary));
                Root root = Root.confined(raw(temporary));
                TargetTree other = targetTree(otherRoot, "out", rules(Existing.OVERWRITE));
                TargetTree tree = targetTree(root, "out", rules(Existing.OVERWRITE))) {
            assertThat(other.prepare(linkEntry("other", "y"))).isInstanceOf(Outcome.Made.class);
            for (String name : names) {
                file("out/" + name, "x");
                Files.createSymbolicLink(temporaryName(name), Path.of("of the other session"));
            }
            assertThat(tree.prepare(directoryEntry("directory", 0755))).isInstanceOf(Outcome.Made.class);
            assertThat(tree.prepare(linkEntry("link", "x"))).isInstanceOf(Outcome.Made.class);
            deliver(tree, fileEntry("first", 3), bytes("abc"));
            assertThat(tree.prepare(with(fileEntry(raw("further"), 3, 0644), raw("first"))))
                    .isInstanceOf(Outcome.Made.class);
            for (String name : names) {
                assertThat(temporaryName(name)).isSymbolicLink();
                Files.delete(temporaryName(name));
            }
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("directory", "first", "further", "link", "other");
    }

    /** As two copies of one tree do, which begin at the same time. */
    @Test
    void acceptsTheSameLinkThatAppearsMeanwhile() throws IOException {
        directory("out");
        Path link = temporary.resolve("out/l");
        Disk disk = new Disk() {
            @Override
            public int rename(int dirFd, RawPath from, RawPath to, int flags) {
                if (to.text().equals("l") && !Files.exists(link, LinkOption.NOFOLLOW_LINKS)) {
                    Paths.symlinkat(raw("x"), dirFd, to);
                }
                return Disk.super.rename(dirFd, from, to, flags);
            }
        };
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = new TargetTree(
                        disk, root, raw("out"), rules(Existing.SKIP_SAME), DigestKind.XXH3_128, CHUNK_BYTES, false)) {
            assertThat(tree.prepare(linkEntry("l", "x"))).isInstanceOf(Outcome.Skipped.class);
        }
        assertThat(namesIn(temporary.resolve("out"))).containsExactly("l");
    }

    private Path temporaryName(String name) {
        return temporary
                .resolve("out")
                .resolve(PartialNames.of(raw(name)).link().text());
    }
}
