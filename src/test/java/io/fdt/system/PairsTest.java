package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many sources are copied to as many exact targets, in one session. */
final class PairsTest {
    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    private static byte[] bytes(Path file) throws IOException {
        return Files.readAllBytes(file);
    }

    @EachWay
    void eachSourceGetsItsExactTarget(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path small = Trees.file(route.sourcePath("one/data"), 100, 1);
        Path large = Trees.file(route.sourcePath("two/data"), 20 << 20, 2);
        Trees.file(route.sourcePath("tree/sub/c"), 3000, 3);
        Files.createSymbolicLink(route.sourcePath("way"), Path.of("one"));
        Path list = Files.writeString(
                at.path("list"),
                route.source("way/data") + "\t" + route.target("out/first.bin") + "\n\n"
                        + route.source("two/data") + "\t" + route.target("out/deep/down/second.bin") + "\n"
                        + route.source("tree") + "\t" + route.target("out/copy of tree") + "\n");
        Outcome outcome = at.copy("--pairs", list).expectExit(0);
        assertThat(bytes(route.targetPath("out/first.bin"))).isEqualTo(bytes(small));
        assertThat(bytes(route.targetPath("out/deep/down/second.bin"))).isEqualTo(bytes(large));
        assertThat(bytes(route.targetPath("out/copy of tree/sub/c"))).isEqualTo(bytes(route.sourcePath("tree/sub/c")));
        assertThat(outcome.number("files")).isEqualTo(3);
        assertThat(at.copy("--pairs", list).expectExit(0).number("bytes_sent")).isZero();
    }

    @EachWay
    void aMissingSourceIsListedAndTheOthersAreCopied(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path there = Trees.file(route.sourcePath("a"), 100, 1);
        Path list = Files.writeString(
                at.path("list"),
                route.source("gone") + "\t" + route.target("t/b") + "\n"
                        + route.source("no/directory") + "\t" + route.target("t/c") + "\n"
                        + route.source("a") + "\t" + route.target("t/d") + "\n");
        Outcome outcome = at.copy("--pairs", list).expectExit(3);
        assertThat(bytes(route.targetPath("t/d"))).isEqualTo(bytes(there));
        assertThat(outcome.number("files_failed")).isEqualTo(2);
    }

    @EachWay
    void directoriesThatExistStayAsTheyAre(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a"), 100, 1);
        Trees.file(route.sourcePath("b"), 100, 2);
        Path kept = Files.createDirectories(route.targetPath("t/kept"));
        Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwx------"));
        Path list = Files.writeString(
                at.path("list"),
                route.source("a") + "\t" + route.target("t/kept/a") + "\n" + route.source("b") + "\t"
                        + route.target("t/b") + "\n");
        Path receipt = at.path("receipt");
        at.copy("--pairs", list, "--receipt", receipt).expectExit(0);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
                .isEqualTo("rwx------");
        at.fdt("verify", "--metadata", "--extra", "--receipt", receipt, route.target("t"))
                .expectExit(0);
    }

    /** In a push, a pull and a copy within this host. */
    @ParameterizedTest
    @ValueSource(strings = {"push", "pull", "local"})
    void linksAboveATargetAreFollowedWhateverTheOtherLinesAre(String way) throws Exception {
        Route route = Route.of(at, way.equals("pull") ? Direction.PULL : Direction.PUSH);
        Path single = Trees.file(route.sourcePath("a"), 100, 1);
        Trees.file(route.sourcePath("tree/sub/c"), 3000, 3);
        Path here = at.directory("here");
        UnaryOperator<String> target = name -> way.equals("local") ? here + "/" + name : route.target(name);
        Path root = way.equals("local") ? here : route.targetPath("");
        Path elsewhere = Files.createDirectories(root.resolve("elsewhere"));
        Map<String, String> others = Map.of("t/link/b", "t/link", "t/b", "t", "b", "");
        for (String other : others.keySet()) {
            Path disk = Files.createDirectories(root.resolve("disk"));
            Files.createDirectories(disk.resolve("tree"));
            // A link that a copy may have brought is not followed.
            Files.createSymbolicLink(disk.resolve("tree/sub"), elsewhere);
            Files.createDirectories(root.resolve("t"));
            Path link = Files.createSymbolicLink(
                    root.resolve("t/link"), way.equals("push") ? Path.of("../disk") : disk.toAbsolutePath());
            Path list = Files.writeString(
                    at.path("list"),
                    route.source("a") + "\t" + target.apply("t/link/deep/a") + "\n"
                            + route.source("tree") + "\t" + target.apply("t/link/tree") + "\n"
                            + route.source("a") + "\t" + target.apply(other) + "\n");
            Path receipt = at.path("receipt of " + other.replace('/', ' '));

            at.copy("--dry-run", "--pairs", list).expectExit(0);
            assertThat(disk.resolve("deep")).doesNotExist();
            at.copy("--pairs", list).expectExit(0);
            assertThat(at.copy("--pairs", list, "--receipt", receipt, "--checksum", "md5")
                            .expectExit(0)
                            .number("bytes_sent"))
                    .isZero();

            assertThat(Files.isSymbolicLink(link)).as(other).isTrue();
            assertThat(bytes(disk.resolve("deep/a"))).as(other).isEqualTo(bytes(single));
            assertThat(bytes(root.resolve(other))).as(other).isEqualTo(bytes(single));
            assertThat(bytes(disk.resolve("tree/sub/c"))).as(other).isEqualTo(bytes(route.sourcePath("tree/sub/c")));
            assertThat(elsewhere).isEmptyDirectory();
            String top = Objects.requireNonNull(others.get(other));
            at.fdt("verify", "--metadata", "--receipt", receipt, target.apply(top))
                    .expectExit(0);
            Shell.removeTree(disk);
            Shell.removeTree(root.resolve("t"));
        }
    }

    /** Alone, such a line would fail, too. */
    @EachWay
    void nothingAboveATargetIsReplaced(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Path there = Trees.file(route.sourcePath("a"), 100, 1);
        Path file = Trees.file(route.targetPath("t/file"), 10, 2);
        Path dangling = Files.createSymbolicLink(route.targetPath("t/dangling"), Path.of("nothing"));
        Path toFile = Files.createSymbolicLink(route.targetPath("t/way"), Path.of("file"));
        Path loop = Files.createSymbolicLink(route.targetPath("t/loop"), Path.of("loop"));
        StringBuilder lines = new StringBuilder();
        for (String target : List.of("t/file/x", "t/dangling/x", "t/way/x", "t/loop/d/x", "t/good")) {
            lines.append(route.source("a"))
                    .append('\t')
                    .append(route.target(target))
                    .append('\n');
        }
        Path list = Files.writeString(at.path("list"), lines);
        at.copy("--pairs", list, "--existing=overwrite", "--dry-run").expectExit(3);
        at.copy("--pairs", list, "--existing=overwrite").expectExit(3);
        assertThat(bytes(route.targetPath("t/good"))).isEqualTo(bytes(there));
        assertThat(Files.size(file)).isEqualTo(10);
        assertThat(List.of(dangling, toFile, loop)).allMatch(Files::isSymbolicLink);
        assertThat(route.targetPath("t/nothing")).doesNotExist();
    }

    /** Two lines could overwrite each other's files. */
    @EachWay
    void twoPathsToOneDirectoryAreRefused(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a"), 100, 1);
        Path real = Files.createDirectories(route.targetPath("t/real"));
        Files.createSymbolicLink(route.targetPath("t/link"), Path.of("real"));
        Path list = Files.writeString(
                at.path("list"),
                route.source("a") + "\t" + route.target("t/link/x") + "\n" + route.source("a") + "\t"
                        + route.target("t/real/x") + "\n");
        Outcome outcome = at.copy("--pairs", list).expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(real.resolve("x")).exists();
    }

    @Test
    void nulSeparatesNamesWithTabsAndNewlines() throws Exception {
        Route route = Route.of(at, Direction.PUSH);
        Path odd = Trees.file(route.sourcePath("a\tb\nc"), 100, 1);
        byte[] list =
                (route.source("a\tb\nc") + "\0" + route.target("t/d\te\nf") + "\0").getBytes(StandardCharsets.UTF_8);
        at.copy("--pairs", Files.write(at.path("list"), list), "-0").expectExit(0);
        assertThat(bytes(route.targetPath("t/d\te\nf"))).isEqualTo(bytes(odd));
    }

    @EachWay
    void oneTargetForTwoSourcesIsRefused(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a"), 100, 1);
        Trees.file(route.sourcePath("d/b"), 100, 1);
        for (String second : new String[] {"t/x", "t/x/b"}) {
            Path list = Files.writeString(
                    at.path("list"),
                    route.source("d") + "\t" + route.target("t/x") + "\n" + route.source("a") + "\t"
                            + route.target(second) + "\n");
            at.copy("--pairs", list).expectExit(2);
            assertThat(route.targetPath("t")).doesNotExist();
        }
    }

    /** The sources are relative to the working directory, where the targets may be, too. */
    @Test
    void copiesWithinOneHost() throws Exception {
        Path one = Trees.file(at.path("src/one"), 100, 1);
        Trees.file(at.path("src/d/f"), 100, 2);
        Files.setPosixFilePermissions(at.path("src"), PosixFilePermissions.fromString("rwxrwxrwx"));
        Path list = at.path("list");
        Files.writeString(list, "src/one\tnew/deep/first\nsrc/d\tsrc/e\n");
        at.process("client", "--pairs", list).expectExit(0);
        assertThat(bytes(at.path("new/deep/first"))).isEqualTo(bytes(one));
        assertThat(at.path("src/e/f")).exists();
        for (String made : List.of("new", "new/deep")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(at.path(made))))
                    .as("not those of the source's directory, which all may write to")
                    .isEqualTo("rwxr-xr-x");
        }
        for (String line : List.of("src/d\tsrc/d/below/copy", "src/one\tsrc/one", "src/d\tsrc/d")) {
            Files.writeString(list, "src/one\tnew/x\n" + line + "\n");
            at.process("client", "--pairs", list).expectExit(2);
            assertThat(at.path("new/x")).doesNotExist();
        }
    }

    @Test
    void refusesListsThatMeanSomethingElse() throws Exception {
        Route route = Route.of(at, Direction.PUSH);
        Path source = Trees.file(route.sourcePath("a"), 100, 1);
        for (String end : List.of("b\r\n", "b/\n")) {
            Path list = Files.writeString(at.path("list"), source + "\t" + route.target("t/" + end));
            at.copy("--pairs", list).expectExit(2);
        }
        Path twice = Files.writeString(
                at.path("list"),
                source + "\t" + route.target("t/b") + "\n" + source + "\t" + route.target("t/c") + "\n");
        at.copy("--pairs", twice, "--remove-source").expectExit(2);
        assertThat(source).exists();
        at.copy("--pairs", twice).expectExit(0);
    }

    /** The source of such a pair is another inode than the one that its target's name would lead to. */
    @Test
    void sourcesAreRemovedOnceTheirCopiesAreDurable() throws Exception {
        Route route = Route.of(at, Direction.PUSH);
        Path moved = Trees.file(route.sourcePath("in/a"), 100, 1);
        Path kept = Trees.file(route.sourcePath("in/b"), 100, 2);
        Path list = Files.writeString(at.path("list"), moved + "\t" + route.target("t/b") + "\n");
        at.copy("--pairs", list, "--remove-source").expectExit(0);
        assertThat(moved).doesNotExist();
        assertThat(kept).exists();
        assertThat(route.targetPath("t/b")).exists();
    }
}
