package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lists and patterns select what is copied, and nothing else is copied. */
final class SelectionTest {
    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    private static Path makeTree(Path tree) {
        for (String name :
                List.of("a.dat", "b.tmp", "keep.tmp", "sub/c.dat", "sub/d.tmp", "cache/e.dat", "sub/cache/f.dat")) {
            Trees.file(tree.resolve(name), 100, name.hashCode());
        }
        return tree;
    }

    /** Returns the regular files below a directory, sorted, in one line. */
    private static String files(Path directory) {
        if (!Files.exists(directory)) {
            return "";
        }
        String all = Shell.ok("find", directory, "-type", "f", "-printf", "%P\\n");
        String[] names = all.isEmpty() ? new String[0] : all.split("\n", -1);
        Arrays.sort(names);
        return String.join(" ", names).strip();
    }

    @EachWay
    void filesFromNamesOneALine(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Path list = Files.writeString(at.path("list"), "a.dat\nsub/c.dat\n");
        Outcome outcome = at.copy("--files-from", list, route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat sub/c.dat");
        assertThat(outcome.number("files")).isEqualTo(2);
    }

    /** A server could open the directory of the one requested name to everybody. */
    @EachWay
    void filesFromLeavesParentsThatExist(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Files.setPosixFilePermissions(route.sourcePath("tree/sub"), PosixFilePermissions.fromString("rwxrwxrwx"));
        Path parent = Files.createDirectories(route.targetPath("t/sub"));
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwx------"));
        Path list = Files.writeString(at.path("list"), "sub/c.dat\n");
        at.copy("--files-from", list, "--preserve", "mode,times", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("sub/c.dat");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(parent)))
                .isEqualTo("rwx------");
    }

    /** The modes that are asked for, although this process's umask takes the group's right to write. */
    @EachWay
    void chmodChangesModesOnTheWay(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        at.copy("--chmod", "Dg+w,F660", route.source("tree"), route.target("t/"))
                .expectExit(0);
        Path copied = route.targetPath("t/tree");
        assertThat(Shell.ok("find", copied, "-type", "f", "-not", "-perm", "0660"))
                .isEmpty();
        assertThat(Shell.ok("find", copied, "-type", "d", "-not", "-perm", "-0070"))
                .isEmpty();
        assertThat(Shell.ok("find", route.sourcePath("tree"), "-perm", "0660")).isEmpty();
    }

    @EachWay
    void relativeContinuesThePathBelowTheTarget(Direction direction) {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        at.copy("--relative", route.source("./tree/sub/c.dat"), route.source("./tree/cache"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("tree/cache/e.dat tree/sub/c.dat");
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

    @EachWay
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

    @EachWay
    void listedNameCannotLeaveTheSource(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Trees.file(route.sourcePath("secret"), 10, 1);
        Path list = Files.writeString(at.path("list"), "a.dat\n../secret\n");
        Outcome outcome = at.copy("--files-from", list, route.source("tree/"), route.target("t/"));
        outcome.expectExit(2);
        assertThat(files(route.targetPath(""))).doesNotContain("secret");
    }

    @EachWay
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
    void patternWithASlashIsRelativeToTheTop() {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        at.copy("--exclude", "/cache", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat b.tmp keep.tmp sub/c.dat sub/cache/f.dat sub/d.tmp");
    }

    @EachWay
    void patternsComeFromFilesInTheirTurn(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        makeTree(route.sourcePath("tree"));
        Path keep = Files.writeString(at.path("keep"), "# kept\n\nkeep.tmp\n");
        Path drop = Files.writeString(at.path("drop"), "*.tmp\n/cache");
        at.copy("--include-from", keep, "--exclude-from", drop, route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("a.dat keep.tmp sub/c.dat sub/cache/f.dat");
    }

    @Test
    void patternFileThatIsMissingIsNamed() {
        Route route = Route.of(at, Direction.PUSH);
        makeTree(route.sourcePath("tree"));
        Outcome outcome = at.copy("--exclude-from", at.path("none"), route.source("tree/"), route.target("t/"))
                .expectExit(2);
        assertThat(outcome.transcript()).contains("--exclude-from: cannot read").contains("no such file");
    }

    @EachWay
    void sizesAndTimesChooseFiles(Direction direction) {
        Route route = Route.of(at, direction);
        Path tree = route.sourcePath("tree");
        Trees.file(tree.resolve("small"), 10, 1);
        Trees.file(tree.resolve("sub/middle"), 1000, 2);
        Trees.file(tree.resolve("large"), 2000, 3);
        Trees.file(tree.resolve("old"), 1000, 4);
        Shell.ok("touch", "-d", "2001-02-03 04:05:06 UTC", tree.resolve("old"));
        at.copy("--min-size", 1000, "--max-size", 1000, route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(files(route.targetPath("t"))).isEqualTo("old sub/middle");
        at.copy("--newer", "1d", route.source("tree/"), route.target("u/")).expectExit(0);
        assertThat(files(route.targetPath("u"))).isEqualTo("large small sub/middle");
        at.copy("--newer", "2001-02-03T04:05:06Z", route.source("tree/"), route.target("v/"))
                .expectExit(0);
        assertThat(files(route.targetPath("v"))).isEqualTo("large small sub/middle");
        at.copy("--newer", "2001-02-03", route.source("tree/"), route.target("w/"))
                .expectExit(0);
        assertThat(files(route.targetPath("w"))).isEqualTo("large old small sub/middle");
    }

    @EachWay
    void updateKeepsWhatIsNewerInTheTarget(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        for (String name : List.of("older", "newer")) {
            Trees.file(route.sourcePath("tree").resolve(name), 100, 1);
            Shell.ok(
                    "touch",
                    "-d",
                    "2001-02-03 04:05:06 UTC",
                    route.sourcePath("tree").resolve(name));
        }
        Path newer = Trees.file(route.targetPath("t/newer"), 50, 2);
        Path older = Trees.file(route.targetPath("t/older"), 50, 3);
        Shell.ok("touch", "-d", "2001-02-03 04:05:05 UTC", older);
        String before = Shell.ok("stat", "-c", "%i %s %y", newer);
        Outcome outcome = at.copy("--update", "--existing", "overwrite", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(outcome.number("files_skipped")).isEqualTo(1);
        assertThat(Shell.ok("stat", "-c", "%i %s %y", newer)).isEqualTo(before);
        Trees.assertSameFile(route.sourcePath("tree/older"), older);
        at.copy("--update", route.source("tree/"), route.target("t/")).expectExit(0);
        assertThat(Shell.ok("stat", "-c", "%i %s %y", newer)).isEqualTo(before);
    }
}
