package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Files that already exist in the target are skipped, replaced, kept or refused as requested, and a second run moves
 * nothing.
 */
final class ExistingTest {
    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    /** Copies a tree and then changes the content of {@code one.dat} in the target, but not its size and time. */
    private static Route copiedTreeWithOneSilentChange(Workplace at, Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        Path changed = route.targetPath("tree/one.dat");
        FileTime time = Files.getLastModifiedTime(changed);
        Trees.file(changed, 1000, 99);
        Shell.ok("touch", "-r", route.sourcePath("tree/one.dat"), changed);
        assertThat(Files.getLastModifiedTime(changed)).isEqualTo(time);
        return route;
    }

    @EachWay
    void secondRunMovesNothingAndIsASuccess(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Outcome first = at.copy(route.source("tree"), route.target("")).expectExit(0);
        Outcome second = at.copy(route.source("tree"), route.target("")).expectExit(0);
        assertThat(second.number("bytes_sent")).isZero();
        assertThat(second.number("files_skipped")).isEqualTo(4);
        assertThat(second.number("files")).isEqualTo(first.number("files"));
        assertThat(second.number("bytes")).isEqualTo(first.number("bytes"));
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @Test
    void secondRunOfTheOddTreeMovesNothing() {
        FdtServer server = at.server("--mode-mask", "000");
        String all = "--preserve=mode,times,links,xattrs,owner";
        at.copy(all, OddTree.shared() + "/", server.url("/odd/")).expectExit(0);
        Outcome second =
                at.copy(all, OddTree.shared() + "/", server.url("/odd/")).expectExit(0);
        assertThat(second.number("bytes_sent")).isZero();
        Trees.assertSame(OddTree.shared(), server.root().resolve("odd"));
    }

    @EachWay
    void newerAndGrownSourcesAreCopiedAgain(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        Trees.file(route.sourcePath("tree/one.dat"), 1000, 77);
        Trees.file(route.sourcePath("tree/empty.dat"), 5, 78);
        Outcome second = at.copy(route.source("tree"), route.target("")).expectExit(0);
        assertThat(second.number("bytes_sent")).isEqualTo(1005);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void changedModeOfASameFileIsMended(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        Shell.ok("chmod", "640", route.sourcePath("tree/one.dat"));
        Shell.ok("chmod", "750", route.sourcePath("tree/sub"));
        Outcome second = at.copy(route.source("tree"), route.target("")).expectExit(0);
        assertThat(second.number("bytes_sent")).isZero();
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void sameSizeAndTimeIsSkippedUnlessDigestsAreCompared(Direction direction) throws Exception {
        Route route = copiedTreeWithOneSilentChange(at, direction);
        assertThat(at.copy("--existing", "skip-same", route.source("tree"), route.target(""))
                        .expectExit(0)
                        .number("bytes_sent"))
                .isZero();
        assertThat(Trees.differences(route.sourcePath("tree"), route.targetPath("tree")))
                .hasLineCount(1)
                .contains("one.dat");
        Outcome compared = at.copy("--compare", "digest", route.source("tree"), route.target(""))
                .expectExit(0);
        assertThat(compared.number("bytes_sent")).isEqualTo(1000);
        assertThat(compared.number("files_skipped")).isEqualTo(3);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void comparedFileOfAnotherTimeIsNotMovedAndGetsTheTime(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        Shell.ok("touch", "-d", "2020-02-02 02:02:02", route.sourcePath("tree/one.dat"));
        Outcome compared = at.copy("--compare", "digest", route.source("tree"), route.target(""))
                .expectExit(0);
        assertThat(compared.number("bytes_sent")).isZero();
        assertThat(compared.number("files_skipped")).isEqualTo(4);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void overwriteCopiesEverythingAgain(Direction direction) throws Exception {
        Route route = copiedTreeWithOneSilentChange(at, direction);
        Outcome outcome = at.copy("--existing", "overwrite", route.source("tree"), route.target(""))
                .expectExit(0);
        assertThat(outcome.number("bytes_sent")).isEqualTo(17_201_000);
        assertThat(outcome.number("files_skipped")).isZero();
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void skipLeavesWhatIsThereAndAddsWhatIsMissing(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Path standing = Trees.file(route.targetPath("tree/one.dat"), 7, 55);
        byte[] before = Files.readAllBytes(standing);
        Outcome outcome = at.copy("--existing", "skip", route.source("tree"), route.target(""))
                .expectExit(0);
        assertThat(standing).hasBinaryContent(before);
        assertThat(outcome.number("files_skipped")).isEqualTo(1);
        Trees.assertSameFile(
                route.sourcePath("tree/sub/deeper/three.dat"), route.targetPath("tree/sub/deeper/three.dat"));
    }

    @EachWay
    void failRefusesTheFileThatIsThereAndCopiesTheRest(Direction direction) throws Exception {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        Path standing = Trees.file(route.targetPath("tree/one.dat"), 7, 55);
        byte[] before = Files.readAllBytes(standing);
        Outcome outcome = at.copy("--existing", "fail", route.source("tree"), route.target(""))
                .expectExit(3);
        assertThat(standing).hasBinaryContent(before);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(outcome.transcript()).contains("one.dat");
        Trees.assertSameFile(route.sourcePath("tree/sub/two.dat"), route.targetPath("tree/sub/two.dat"));
    }

    @EachWay
    void dryRunChangesNothingAndTellsWhatItWouldCopy(Direction direction) throws Exception {
        Route route = copiedTreeWithOneSilentChange(at, direction);
        Trees.file(route.sourcePath("tree/new.dat"), 4242, 3);
        Trees.file(route.sourcePath("tree/one.dat"), 77, 4);
        String before = Shell.ok("find", route.targetPath(""), "-ls");
        Outcome outcome =
                at.copy("--dry-run", route.source("tree"), route.target("")).expectExit(0);
        assertThat(outcome.number("bytes_sent")).isZero();
        assertThat(outcome.number("files_to_copy")).isEqualTo(1);
        assertThat(outcome.number("files_to_replace")).isEqualTo(1);
        assertThat(outcome.number("bytes_to_copy")).isEqualTo(4242 + 77);
        assertThat(Shell.ok("find", route.targetPath(""), "-ls")).isEqualTo(before);

        Outcome plain = at.fdt("client", "--dry-run", route.source("tree"), route.target(""))
                .expectExit(0);
        assertThat(plain.transcript())
                .contains("would copy tree/new.dat", "would replace tree/one.dat")
                .contains("dry run: would copy 1 file, replace 1, delete 0 and skip 3;");
    }

    @EachWay
    void dryRunToAMissingTargetDoesNotMakeIt(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.small(route.sourcePath("tree"), 1);
        at.copy("--dry-run", route.source("tree"), route.target("not/there/")).expectExit(0);
        assertThat(route.targetPath("not")).doesNotExist();
    }

    @EachWay
    void replacedFileStandsUntilItsReplacementIsComplete(Direction direction) throws Exception {
        Route direct = Route.of(at, direction);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 30 << 20, 1);
        Path standing = Trees.file(route.targetPath("f"), 3000, 2);
        byte[] before = Files.readAllBytes(standing);
        proxy.throttle(8 << 20);
        // It must not end before it is killed.
        CountDownLatch half = proxy.slowDownAfter(15 << 20, 1 << 16);
        FdtProcess client = at.startCopy("--timeout", "60s", route.source("f"), route.target(""));
        Await.until("half of it is under way", half);
        assertThat(standing).hasBinaryContent(before);
        client.killHard();
        assertThat(standing).hasBinaryContent(before);
        proxy.throttle(0);
        at.copy(direct.source("f"), direct.target("")).expectExit(0);
        Trees.assertSameFile(route.sourcePath("f"), standing);
    }
}
