package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code --delete} makes the target equal to the source, and deletes nothing else. */
final class MirrorTest {
    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    /** Copies a tree, then adds a file, a directory with two files, and a link to an outside path to the target. */
    private static Route withExtras(Workplace at, Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy(route.source("tree/"), route.target("t/")).expectExit(0);
        Path target = route.targetPath("t");
        Trees.file(target.resolve("old.dat"), 10, 1);
        Trees.file(target.resolve("sub/gone/a.dat"), 10, 2);
        Trees.file(target.resolve("sub/gone/deep/b.dat"), 10, 3);
        Trees.file(route.targetPath("outside/precious.dat"), 10, 4);
        Files.createSymbolicLink(target.resolve("way-out"), route.targetPath("outside"));
        return route;
    }

    @EachWay
    void targetBecomesWhatTheSourceIsAndNothingElseIsTouched(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Trees.file(route.sourcePath("tree/new.dat"), 1000, 5);
        Outcome outcome =
                at.copy("--delete", route.source("tree/"), route.target("t/")).expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("t"));
        assertThat(outcome.number("files_deleted")).as("three files and a link").isEqualTo(4);
        assertThat(route.targetPath("outside/precious.dat")).exists();

        Outcome again = at.fdt("client", "--delete", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(again.transcript()).doesNotContain("deleted");
    }

    @EachWay
    void sourceWithoutASlashMirrorsOnlyItsOwnDirectory(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Trees.file(route.targetPath("t/tree/old.dat"), 10, 1);
        Trees.file(route.targetPath("t/beside.dat"), 10, 1);
        Outcome outcome = at.fdt("client", "--delete", route.source("tree"), route.target("t/"))
                .expectExit(0);
        assertThat(outcome.transcript()).contains("deleted 1 file");
        assertThat(route.targetPath("t/tree/old.dat")).doesNotExist();
        assertThat(route.targetPath("t/beside.dat")).exists();
    }

    @EachWay
    void dryRunListsWhatItWouldDeleteAndDeletesNothing(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        String before = Shell.ok("find", route.targetPath(""), "-ls");
        Outcome plain = at.fdt("client", "--dry-run", "--delete", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(plain.out().stream().sorted())
                .containsExactly(
                        "would delete old.dat",
                        "would delete sub/gone/",
                        "would delete sub/gone/a.dat",
                        "would delete sub/gone/deep/",
                        "would delete sub/gone/deep/b.dat",
                        "would delete way-out");
        assertThat(plain.transcript()).contains("dry run: would copy 0 files, replace 0, delete 4 and skip 4;");
        Outcome json = at.copy("--dry-run", "--delete", route.source("tree/"), route.target("t/"))
                .expectExit(0);
        assertThat(json.number("files_to_delete")).isEqualTo(4);
        assertThat(json.number("files_deleted")).isZero();
        assertThat(Shell.ok("find", route.targetPath(""), "-ls")).isEqualTo(before);
    }

    @EachWay
    void moreThanTheLimitDeletesNothingAndTellsHowMany(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Trees.file(route.sourcePath("tree/new.dat"), 1000, 5);
        Outcome refused = at.copy("--delete", "--max-delete", 3, route.source("tree/"), route.target("t/"))
                .expectExit(10);
        assertThat(refused.transcript()).contains("4 files that the source does not have");
        assertThat(route.targetPath("t/old.dat")).exists();
        assertThat(route.targetPath("t/sub/gone/deep/b.dat")).exists();
        Trees.assertSameFile(route.sourcePath("tree/new.dat"), route.targetPath("t/new.dat"));
        at.copy("--delete", "--max-delete", 4, route.source("tree/"), route.target("t/"))
                .expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("t"));
    }

    @EachWay
    void excludedFilesStayUnlessTheyAreToGoToo(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Trees.file(route.targetPath("t/a.log"), 10, 1);
        Trees.file(route.targetPath("t/sub/gone/b.log"), 10, 1);
        Object[] copy = {"--delete", "--exclude", "*.log", route.source("tree/"), route.target("t/")};
        at.copy(copy).expectExit(0);
        assertThat(route.targetPath("t/old.dat")).doesNotExist();
        assertThat(route.targetPath("t/a.log")).exists();
        assertThat(route.targetPath("t/sub/gone/b.log")).exists();
        assertThat(route.targetPath("t/sub/gone/a.dat")).doesNotExist();
        at.copy("--delete-excluded", copy[0], copy[1], copy[2], copy[3], copy[4])
                .expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("t"));
    }

    @EachWay
    void filesThatSizeOrTimeLeavesOutStayUnlessTheyAreToGoToo(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Trees.file(route.sourcePath("tree/large.dat"), 9000, 5);
        Trees.file(route.targetPath("t/large.dat"), 10, 6);
        Object[] copy = {"--delete", "--max-size", 8999, route.source("tree/"), route.target("t/")};
        at.copy(copy).expectExit(0);
        assertThat(route.targetPath("t/large.dat")).hasSize(10);
        assertThat(route.targetPath("t/old.dat")).doesNotExist();
        at.copy("--delete-excluded", copy[0], copy[1], copy[2], copy[3], copy[4])
                .expectExit(0);
        assertThat(route.targetPath("t/large.dat")).doesNotExist();
    }

    @EachWay
    void unfinishedFilesOfOtherCopiesStay(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Path partial = Trees.file(route.targetPath("t/sub/gone/.fdt.0123456789abcdef.part"), 10, 1);
        Path journal = Trees.file(route.targetPath("t/.fdt.0123456789abcdef.journal"), 10, 1);
        at.copy("--delete", route.source("tree/"), route.target("t/")).expectExit(0);
        assertThat(partial).exists();
        assertThat(journal).exists();
        assertThat(route.targetPath("t/sub/gone/a.dat")).doesNotExist();
        assertThat(route.targetPath("t/sub/gone/deep")).doesNotExist();
    }

    @EachWay
    void nothingIsDeletedWhenAFileFailed(Direction direction) throws Exception {
        Route route = withExtras(at, direction);
        Trees.file(route.sourcePath("tree/clash"), 10, 1);
        Files.createDirectories(route.targetPath("t/clash/sub"));
        Outcome outcome = at.fdt("client", "--delete", route.source("tree/"), route.target("t/"))
                .expectExit(3);
        assertThat(outcome.transcript()).contains("nothing was deleted, because 1 file failed");
        assertThat(route.targetPath("t/old.dat")).exists();
        assertThat(route.targetPath("t/clash/sub")).exists();
    }

    @EachWay
    void nothingIsDeletedThroughALinkInTheTarget(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("tree/sub/a.dat"), 10, 1);
        Trees.file(route.targetPath("elsewhere/precious.dat"), 10, 2);
        Files.createDirectories(route.targetPath("t"));
        Files.createSymbolicLink(route.targetPath("t/sub"), Path.of("../elsewhere"));
        at.copy("--delete", route.source("tree/"), route.target("t/")).expectExit(0);
        assertThat(route.targetPath("elsewhere/precious.dat")).exists();
        assertThat(route.targetPath("elsewhere/a.dat")).doesNotExist();
        assertThat(route.targetPath("t/sub/a.dat")).exists();
    }

    @Test
    void serverThatIsReadOnlyDeletesNothing() throws Exception {
        Route route = Route.of(at, Direction.PUSH, "--read-only");
        Trees.small(route.sourcePath("tree"), 1);
        Path old = Trees.file(route.targetPath("t/old.dat"), 10, 1);
        at.copy("--delete", route.source("tree/"), route.target("t/")).expectExit(7);
        assertThat(old).exists();
    }

    @EachWay
    void singleFileIsRefused(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("a.dat"), 10, 1);
        Path old = Trees.file(route.targetPath("t/old.dat"), 10, 1);
        Outcome outcome =
                at.copy("--delete", route.source("a.dat"), route.target("t/")).expectExit(2);
        assertThat(outcome.transcript()).contains("--delete needs a directory");
        assertThat(old).exists();
    }
}
