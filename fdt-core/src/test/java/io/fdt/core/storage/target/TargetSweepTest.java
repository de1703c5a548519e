package io.fdt.core.storage.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.budget.Budgets;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.PathRule;
import io.fdt.core.plan.TargetRules;
import io.fdt.core.plan.TargetRules.Existing;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Outcome;
import io.fdt.core.storage.Root;
import io.fdt.core.storage.StorageTest;
import io.fdt.core.storage.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a mirror deletes, and what it must keep. */
final class TargetSweepTest extends StorageTest {
    /**
     * Returns the extra entries. A directory ends with a slash, and an entry that could not be deleted is followed by
     * the reason.
     */
    private List<String> swept(Target target, boolean deletes, List<PathRule> spared, Consumer<TargetMirror> source) {
        List<String> found = new ArrayList<>();
        try (TargetMirror mirror = new TargetMirror(spared, Budgets.ofProcess())) {
            source.accept(mirror);
            try (TargetSweep sweep = mirror.sweep(
                    target,
                    deletes,
                    (path, directory, failure) -> found.add(path.display()
                            + (directory ? "/" : "")
                            + (failure == null ? "" : " | " + failure.getMessage())))) {
                while (sweep.step()) {
                    // One entry after the other.
                }
            }
        }
        return found;
    }

    private List<String> swept(List<PathRule> spared, Consumer<TargetMirror> source) {
        try (Root root = Root.confined(raw(temporary));
                TargetTree tree = targetTree(root, "t", rules(Existing.SKIP_SAME))) {
            return swept(tree, true, spared, source);
        }
    }

    private static Consumer<TargetMirror> source(FileEntry... entries) {
        return mirror -> List.of(entries).forEach(mirror::offered);
    }

    @Test
    void deletesChildrenBeforeTheirDirectoryAndKeepsWhatTheSourceHas() throws IOException {
        file("t/a/keep", "x");
        file("t/a/old", "x");
        file("t/b/c/d", "x");
        assertThat(swept(
                        List.of(), source(directoryEntry("", 0755), directoryEntry("a", 0755), fileEntry("a/keep", 1))))
                .containsExactlyInAnyOrder("a/old", "b/c/d", "b/c/", "b/")
                .containsSubsequence("b/c/d", "b/c/", "b/");
        assertThat(temporary.resolve("t/a/keep")).exists();
        assertThat(temporary.resolve("t/b")).doesNotExist();
    }

    @Test
    void findsTheSameWithoutDeletingIt() throws IOException {
        Path old = file("t/b/c", "x");
        try (Root root = Root.confined(raw(temporary));
                TargetPreview preview = new TargetPreview(root, raw("t"), rules(Existing.SKIP_SAME), false)) {
            assertThat(swept(preview, false, List.of(), source(directoryEntry("", 0755))))
                    .containsExactly("b/c", "b/");
        }
        assertThat(old).exists();
    }

    @Test
    void sweepsOnlyTheDirectoriesThatSourcesMapTo() throws IOException {
        file("t/one/old", "x");
        file("t/two/old", "x");
        file("t/beside", "x");
        assertThat(swept(List.of(), source(directoryEntry("one", 0755), directoryEntry("missing", 0755))))
                .containsExactly("one/old");
    }

    @Test
    void unlinksALinkAndNotWhatItLeadsTo() throws IOException {
        Path precious = file("elsewhere/precious", "x");
        directory("t");
        Files.createSymbolicLink(temporary.resolve("t/link"), temporary.resolve("elsewhere"));
        Files.createSymbolicLink(temporary.resolve("t/known"), Path.of("../elsewhere"));
        assertThat(swept(List.of(), source(directoryEntry("", 0755), directoryEntry("known", 0755))))
                .containsExactly("link");
        assertThat(swept(List.of(), source(directoryEntry("known", 0755))))
                .as("a top that is a link")
                .isEmpty();
        assertThat(precious).exists();
        assertThat(temporary.resolve("t/known")).exists();
    }

    /** The link in the way is replaced, so nothing that was copied is where it led to. */
    @Test
    void sweepsTheDirectoryThatALinkInTheWayLedTo() throws IOException {
        file("t/real/there", "old");
        Files.createSymbolicLink(temporary.resolve("t/link"), Path.of("real"));
        FileEntry[] entries = {directoryEntry("", 0755), directoryEntry("link", 0755), fileEntry("link/there", 3)};
        try (Root root = Root.confined(raw(temporary))) {
            try (TargetPreview preview = new TargetPreview(root, raw("t"), mirroring(), false)) {
                List.of(entries).forEach(preview::prepare);
                assertThat(swept(preview, false, List.of(), source(entries))).containsExactly("real/there", "real/");
            }
            try (TargetTree tree = targetTree(root, "t", mirroring())) {
                assertThat(tree.prepare(entries[0])).isInstanceOf(Outcome.Made.class);
                assertThat(tree.prepare(entries[1])).isInstanceOf(Outcome.Made.class);
                deliver(tree, entries[2], bytes("new"));
                assertThat(swept(tree, true, List.of(), source(entries))).containsExactly("real/there", "real/");
            }
        }
        assertThat(temporary.resolve("t/link/there")).hasContent("new");
    }

    private static TransferPlan mirroring() {
        return rules(Existing.SKIP_SAME)
                .with(CopyValue.MIRROR, new TargetRules.Mirror(TargetRules.Mirror.UNLIMITED, false));
    }

    @Test
    void keepsUnfinishedFilesAndTheDirectoriesTheyAreIn() throws IOException {
        Path partial = file("t/gone/.fdt.0123456789abcdef.part", "x");
        Path journal = file("t/.fdt.0123456789abcdef.0001.journal", "x");
        Path link = temporary.resolve("t/other/.fdt.0123456789abcdef.link");
        directory("t/other");
        Files.createSymbolicLink(link, Path.of("x"));
        file("t/gone/old", "x");
        assertThat(swept(List.of(), source(directoryEntry("", 0755)))).containsExactly("gone/old");
        assertThat(partial).exists();
        assertThat(journal).exists();
        assertThat(Files.isSymbolicLink(link)).isTrue();
    }

    @Test
    void keepsWhatRulesExcludeWithAllThatIsInIt() throws IOException {
        file("t/cache/deep/file", "x");
        file("t/gone/a.log", "x");
        file("t/gone/old", "x");
        List<PathRule> rules = List.of(new PathRule(false, raw("cache/")), new PathRule(false, raw("*.log")));
        assertThat(swept(rules, source(directoryEntry("", 0755)))).containsExactly("gone/old");
        assertThat(temporary.resolve("t/cache/deep/file")).exists();
        assertThat(temporary.resolve("t/gone/a.log")).exists();
    }

    /** For example a socket or a file that is too large in the source: the same path in the target is not extra. */
    @Test
    void keepsWhatTheSourceHasAndDoesNotOffer() throws IOException {
        file("t/socket", "x");
        file("t/large/below", "x");
        assertThat(swept(List.of(), mirror -> {
                    mirror.offered(directoryEntry("", 0755));
                    mirror.has(raw("socket"));
                    mirror.has(raw("large"));
                }))
                .isEmpty();
    }

    @Test
    void deletesDevicesAndPipesToo() throws Exception {
        directory("t");
        assertThat(new ProcessBuilder("mkfifo", temporary + "/t/pipe").start().waitFor())
                .isZero();
        assertThat(swept(List.of(), source(directoryEntry("", 0755)))).containsExactly("pipe");
    }
}
