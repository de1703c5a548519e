package io.fdt.core.storage.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.CopyValue;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.RawPath;
import io.fdt.core.plan.TransferPlan;
import io.fdt.core.storage.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which entries the sources of a command become, and which sources do not go together. */
class SourceNamesTest extends SourceTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/dir         | dir/ dir/empty/ dir/link@ dir/sub/ dir/sub/y dir/x",
                "a/dir/        | ./ empty/ link@ sub/ sub/y x",
                "a/dir/.       | ./ empty/ link@ sub/ sub/y x",
                "a/dir/sub/..  | ./ empty/ link@ sub/ sub/y x",
                "./a/dir//sub  | sub/ sub/y",
                "a/single      | single",
                "a/to-dir      | to-dir@",
                "a/to-dir/     | ./ empty/ link@ sub/ sub/y x",
                "a/to-dir/sub  | sub/ sub/y",
                "/a/dir/sub    | sub/ sub/y",
            })
    void namesEntriesByTheTrailingSlashRule(String source, String expected) {
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, source)) {
            assertThat(shape(all(tree))).containsExactly(expected.split(" "));
        }
        assertThat(failed).isEmpty();
    }

    private static TransferPlan pairs(String... names) {
        return TransferPlan.from(List.of(raw("a")))
                .with(CopyValue.NAMES, Stream.of(names).map(RawPath::ofText).toList())
                .with(CopyValue.PAIRS, true);
    }

    @Test
    void givesEachSourceOfAPairThePathOfItsTarget() {
        TransferPlan selection = pairs("single", "t/one", "dir", "t/d", "dir/x", "u");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = new SourceTree(root, selection, PRESERVED, problems)) {
            List<FileEntry> entries = all(tree);
            assertThat(shape(entries))
                    .containsExactlyInAnyOrder(
                            "t/ t/one t/d/ t/d/empty/ t/d/link@ t/d/sub/ t/d/sub/y t/d/x u".split(" "));
            for (FileEntry entry : entries) {
                if (entry.hasData()) {
                    tree.open(entry).close();
                }
            }
        }
        assertThat(failed).isEmpty();
    }

    @Test
    void noPairLeadsOutOfTheRoot() throws IOException {
        file("outside", "secret");
        Files.createDirectories(temporary.resolve("inside/a"));
        Files.createSymbolicLink(temporary.resolve("inside/a/way"), Path.of("../.."));
        String absolute = temporary.resolve("outside").toString();
        TransferPlan selection = pairs("../../outside", "t1", absolute, "t2", "way/outside", "t3");
        try (Root root = Root.confined(raw(temporary.resolve("inside")));
                SourceTree tree = new SourceTree(root, selection, PRESERVED, problems)) {
            assertThat(all(tree)).isEmpty();
        }
        assertThat(failed).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "/x", "x//y", "", "t/a/b", "t"})
    void refusesTargetsOfPairsThatLeadOutOrMeet(String second) {
        try (Root root = Root.confined(raw(temporary))) {
            assertThatThrownBy(() -> new SourceTree(
                            root, pairs("single", "t/a", "dir", second, "dir", "t"), PRESERVED, problems))
                    .asInstanceOf(type(TransferException.class))
                    .extracting(TransferException::kind)
                    .isEqualTo(FailureKind.USAGE);
        }
    }

    @Test
    void refusesAMissingSourceByName() {
        try (Root root = Root.confined(raw(temporary))) {
            assertThatThrownBy(() -> sourceTree(root, "a/single", "a/none"))
                    .hasMessageContaining("a/none")
                    .hasMessageContaining("No such file")
                    .asInstanceOf(type(TransferException.class))
                    .extracting(TransferException::kind)
                    .isEqualTo(FailureKind.SOURCE);
        }
    }

    @Test
    void localUserMayNameAnyPath() throws IOException {
        Files.createSymbolicLink(temporary.resolve("elsewhere"), temporary.resolve("a"));
        try (Root root = Root.unconfined(raw(temporary.resolve("a/dir/sub")));
                SourceTree tree = sourceTree(
                        root, "..", temporary.resolve("elsewhere/single").toString())) {
            assertThat(shape(all(tree))).containsExactly("./", "empty/", "link@", "single", "sub/", "sub/y", "x");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a/single b/single | single: would be written twice, from a/single and from b/single",
                "a/dir b/dir       | dir/x: would be written twice, from a/dir and from b/dir",
                "a/dir/ b/dir/     | x: would be written twice, from a/dir/ and from b/dir/",
                "a/single b/       | single: would be written twice, from a/single and from b/",
                "b/ a/dir          | dir/x: would be written twice",
                "a/single a/single | single: would be written twice",
            })
    void refusesTwoSourcesForOneTarget(String sources, String message) throws IOException {
        file("b/single", "other");
        file("b/dir/x", "other");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, sources.split(" "))) {
            assertThatThrownBy(tree::refuseCollisions)
                    .hasMessageContaining(message)
                    .asInstanceOf(type(TransferException.class))
                    .extracting(TransferException::kind)
                    .isEqualTo(FailureKind.USAGE);
        }
    }

    @Test
    void mergesDirectoriesThatShareNoFile() throws IOException {
        file("b/dir/other", "o");
        file("b/dir/sub/another", "a");
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, "a/dir", "b/dir")) {
            tree.refuseCollisions();
            for (FileEntry entry : all(tree)) {
                if (entry.kind() == Kind.FILE) {
                    tree.open(entry).close();
                }
            }
        }
    }

    @Test
    void sharesBasesOfManySources() throws IOException {
        String[] sources =
                IntStream.range(0, 500).mapToObj(i -> "many/d" + i + "/f" + i).toArray(String[]::new);
        for (String source : sources) {
            file(source, source);
        }
        try (Root root = Root.confined(raw(temporary));
                SourceTree tree = sourceTree(root, sources)) {
            List<FileEntry> entries = all(tree);
            assertThat(entries).hasSize(500);
            for (FileEntry entry : entries) {
                tree.open(entry).close();
            }
            assertThat(openDescriptors()).hasSizeBetween(1, 400);
        }
    }
}
