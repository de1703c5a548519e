package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lists and patterns choose what is copied, and nothing else comes along. */
final class SelectionTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private static Path makeTree(Path tree) {
        for (String name :
                List.of("a.dat", "b.tmp", "keep.tmp", "sub/c.dat", "sub/d.tmp", "cache/e.dat", "sub/cache/f.dat")) {
            Trees.file(tree.resolve(name), 100, name.hashCode());
        }
        return tree;
    }

    /** The regular files below a directory, sorted, in one line. */
    private static String files(Path directory) {
        if (!Files.exists(directory)) {
            return "";
        }
        String all = Shell.ok("find", directory, "-type", "f", "-printf", "%P\\n");
        String[] names = all.isEmpty() ? new String[0] : all.split("\n", -1);
        Arrays.sort(names);
        return String.join(" ", names).strip();
    }

    @ParameterizedTest
    @EnumSource
    void filesFromNamesOneALine(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Path list = Files.writeString(at.path("list"), "a.dat\nsub/c.dat\n");
        Outcome outcome = at.copy("--files-from", list, route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat sub/c.dat");
        assertThat(outcome.number("files")).isEqualTo(2);
    }

    @Test
    void filesFromTakesNulBetweenNamesSoThatNamesMayHoldNewlines() throws Exception {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        Trees.file(route.sourcePath("tree/new\nline"), 10, 1);
        Path list = Files.write(at.path("list"), "new\nline\0sub/d.tmp\0".getBytes(StandardCharsets.UTF_8));
        at.copy("--files-from", list, "-0", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("line new sub/d.tmp");
        Trees.assertSameFile(route.sourcePath("tree/new\nline"), route.targetPath("t/new\nline"));
    }

    @Test
    void filesFromDashReadsStandardInput() {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "printf 'sub/c.dat\\nb.tmp\\n' | \"$@\"",
                "client",
                "--json",
                "--files-from",
                "-",
                route.source("tree/"),
                route.target("t/"));
        at.track(FdtProcess.start(setup)).await(Workplace.LIMIT).expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("b.tmp sub/c.dat");
    }

    @ParameterizedTest
    @EnumSource
    void listedNameThatIsMissingFailsAloneAndIsNamed(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Path list = Files.writeString(at.path("list"), "a.dat\nno-such-file\nsub/c.dat\n");
        Outcome outcome = at.copy("--files-from", list, route.source("tree/"), route.target("t/"))
                .expectExit(3);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat sub/c.dat");
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(outcome.transcript()).contains("no-such-file");
    }

    @ParameterizedTest
    @EnumSource
    void listedNameCannotLeaveTheSource(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Trees.file(route.sourcePath("secret"), 10, 1);
        Path list = Files.writeString(at.path("list"), "a.dat\n../secret\n");
        Outcome outcome = at.copy("--files-from", list, route.source("tree/"), route.target("t/"));
        assertThat(outcome.exitCode()).as(outcome.transcript()).isIn(2, 3, 7);
        assertThat(files(route.targetPath(""))).doesNotContain("secret");
    }

    @ParameterizedTest
    @EnumSource
    void excludedFilesAndDirectoriesStayBehind(Direction direction) {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        at.copy("--exclude", "*.tmp", "--exclude", "cache", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat sub/c.dat");
        assertThat(route.targetPath("t/cache")).doesNotExist();
        assertThat(route.targetPath("t/sub/cache")).doesNotExist();
    }

    @Test
    void firstRuleThatMatchesDecides() {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        at.copy("--include", "keep.tmp", "--exclude", "*.tmp", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat cache/e.dat keep.tmp sub/c.dat sub/cache/f.dat");
        at.copy("--exclude", "*.tmp", "--include", "keep.tmp", route.source("tree/"), route.target("u/"))
                .expectExit(0);
        assertThat(files(route.targetPath("u"))).isEqualTo("a.dat cache/e.dat sub/c.dat sub/cache/f.dat");
    }

    @Test
    void patternWithASlashIsTakenFromTheTop() {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        at.copy("--exclude", "/cache", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat b.tmp keep.tmp sub/c.dat sub/cache/f.dat sub/d.tmp");
    }
}
