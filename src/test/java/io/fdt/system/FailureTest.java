package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.core.FreePort;
import io.fdt.core.plan.RawPath;
import io.fdt.core.storage.partial.PartialNames;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of failure has its exit code and one clear line, and all unaffected files are copied. */
@Order(5)
final class FailureTest {
    private static final int MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** {@code CommandLineTest} covers many more cases, in one process. */
    @TestFactory
    Stream<DynamicTest> badUsageIsOneLineAndExitTwo() {
        String[] commands = {
            "client",
            "client --no-such-option /tmp/a fdt://127.0.0.1/b",
            "client --files-from /nonexistent/list /tmp/a fdt://127.0.0.1/b",
            "client --bind nonsense:: /tmp/a fdt://127.0.0.1/b",
            "verify --manifest md5=/nonexistent/m /tmp",
            "server --listen nonsense",
            "server --listen 127.0.0.1:99999",
            "server --root /nonexistent/root",
            "no-such-command"
        };
        return Arrays.stream(commands)
                .map(command -> DynamicTest.dynamicTest(command, () -> {
                    Outcome outcome = at.fdt((Object[]) command.split(" ", -1));
                    outcome.expectExit(2);
                    assertThat(outcome.out()).isEmpty();
                    assertThat(outcome.err()).as("one line").hasSize(1);
                }));
    }

    @Test
    void zerosWithoutAnEndAreRefused() {
        FdtServer server = at.server();
        at.copy("/dev/zero", server.url("/dev/null")).expectExit(2);
    }

    @EachWay
    void missingSourceIsFour(Direction direction) {
        Route route = Route.of(at, direction);
        Outcome outcome =
                at.copy(route.source("no-such-thing"), route.target("t")).expectExit(4);
        assertThat(outcome.errText() + outcome.jsonOfType("error")).contains("no-such-thing");
        assertThat(outcome.summary()).containsEntry("outcome", "failed");
        assertThat(route.targetPath("t")).doesNotExist();
    }

    @EachWay
    void unreadableFileFailsAloneAndIsNamed(Direction direction) throws Exception {
        Route route = unprivileged(direction);
        Path tree = Trees.small(route.sourcePath("tree"), 1);
        Shell.ok("chmod", "000", tree.resolve("one.dat"));
        Outcome outcome =
                unprivilegedCopy(route.source("tree"), route.target("")).expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(outcome.transcript()).contains("one.dat");
        Files.delete(tree.resolve("one.dat"));
        assertThat(Trees.differences(tree, route.targetPath("tree"), "--omit-dir-times"))
                .isEmpty();
    }

    @EachWay
    void unreadableDirectoryFailsAndTheRestArrives(Direction direction) throws Exception {
        Route route = unprivileged(direction);
        Path tree = Trees.small(route.sourcePath("tree"), 1);
        Trees.file(tree.resolve("closed/x"), 10, 1);
        Shell.ok("chmod", "000", tree.resolve("closed"));
        Outcome outcome =
                unprivilegedCopy(route.source("tree"), route.target("")).expectExit(3);
        assertThat(outcome.transcript()).contains("closed");
        Trees.assertSameFile(tree.resolve("sub/deeper/three.dat"), route.targetPath("tree/sub/deeper/three.dat"));
    }

    @EachWay
    void unreadableOnlySourceIsFour(Direction direction) {
        Route route = unprivileged(direction);
        Path file = Trees.file(route.sourcePath("f"), 100, 1);
        Shell.ok("chmod", "000", file);
        unprivilegedCopy(route.source("f"), route.target("")).expectExit(4);
    }

    @EachWay
    void unwritableTargetIsFive(Direction direction) throws Exception {
        Route route = unprivileged(direction);
        Trees.small(route.sourcePath("tree"), 1);
        Files.createDirectories(route.targetPath("closed"));
        Shell.ok("chmod", "555", route.targetPath("closed"));
        Outcome outcome =
                unprivilegedCopy(route.source("tree"), route.target("closed/")).expectExit(5);
        assertThat(outcome.transcript()).contains("closed");
        assertThat(Trees.listing(route.targetPath("closed"))).isEmpty();
    }

    @EachWay
    void aPartialOfAnotherUserIsReportedWithItsOwner(Direction direction) throws Exception {
        Route route = unprivileged(direction);
        Trees.file(route.sourcePath("f"), 100, 1);
        Path planted = route.targetPath(
                "t/" + PartialNames.of(RawPath.ofText("f")).partial().text());
        Files.createDirectories(planted.getParent());
        Files.writeString(planted, "x");
        Shell.ok("chmod", "600", planted);
        Shell.ok("chown", "1234", planted);
        Outcome outcome =
                unprivilegedCopy(route.source("f"), route.target("t/")).expectExit(0);
        assertThat(outcome.transcript()).contains(planted.getFileName() + ", which belongs to the user 1234");
        assertThat(route.targetPath("t/f")).hasSameBinaryContentAs(route.sourcePath("f"));
        assertThat(planted).hasContent("x");
    }

    private Route unprivileged(Direction direction) {
        Path root = at.directory("remote");
        FdtProcess.Setup setup = at.setup("server", "server", "--json", "--listen", "127.0.0.1:0", "--root", root);
        FdtServer server = FdtServer.whenReady(at.startWithout(Workplace.PRIVILEGES, setup), root);
        return new Route(direction, server, server.port(), at.directory("local"));
    }

    private Outcome unprivilegedCopy(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return at.startWithout(Workplace.PRIVILEGES, at.setup("client", words.toArray()))
                .await(Workplace.LIMIT);
    }

    @EachWay
    void fullDiskIsFiveAndTheRerunAfterFreeingCompletes(Direction direction) {
        Path small = mountTmpfs(direction == Direction.PUSH ? "remote" : "local", "24m");
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("tree/big"), 40L * MIB, 1);
        Trees.file(route.sourcePath("tree/little"), 1000, 2);
        Outcome full = at.copy(route.source("tree"), route.target("")).expectExit(5);
        assertThat(full.errText() + full.jsonOfType("error")).containsIgnoringCase("space");
        assertThat(full.errText()).contains("free at least");
        assertThat(full.number("bytes_sent")).as("what cannot fit is not sent").isLessThan(24L * MIB);
        assertThat(route.targetPath("tree/big")).doesNotExist();
        Trees.assertNothingWrongUnderFinalNames(route.sourcePath("tree"), route.targetPath("tree"));

        Shell.ok("mount", "-o", "remount,size=100m", small);
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
    }

    @EachWay
    void aDryRunReportsThatThereIsTooLittleRoom(Direction direction) {
        mountTmpfs(direction == Direction.PUSH ? "remote" : "local", "8m");
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("tree/big"), 20L * MIB, 1);
        Trees.file(route.sourcePath("tree/little"), 1000, 2);
        requireNoRoom(at.copy("--dry-run", route.source("tree"), route.target("new")));
        requireNoRoom(at.copy("--dry-run", route.source("tree"), route.targetPath("of/a/local/copy")));
        assertThat(route.targetPath("").toFile().list()).isEmpty();

        // What an earlier run has written needs no more room.
        String partial =
                ".fdt." + Shell.ok("bash", "-c", "printf big | sha256sum").substring(0, 16) + ".part";
        Trees.file(route.targetPath("tree/" + partial), 5L * MIB, 3);
        Trees.file(route.sourcePath("tree/big"), 7L * MIB, 1);
        at.copy("--dry-run", route.source("tree"), route.target("")).expectExit(0);
        assertThat(route.targetPath("tree/" + partial).toFile().delete()).isTrue();
        // Nor what is there.
        at.copy(route.source("tree"), route.target("")).expectExit(0);
        at.copy("--dry-run", route.source("tree"), route.target("")).expectExit(0);
        Trees.file(route.sourcePath("tree/more"), 2L * MIB, 1);
        requireNoRoom(at.copy("--dry-run", route.source("tree"), route.target("")));
    }

    private static void requireNoRoom(Outcome dryRun) {
        assertThat(dryRun.expectExit(5).errText()).contains("dry run: ", "no space left", "; free at least ");
    }

    @Test
    void aDryRunReportsWhatItCannotLookAt() {
        Path target = at.directory("target");
        Trees.file(target.resolve("closed/file"), 10, 1);
        Trees.file(at.path("source/closed/file"), 10, 2);
        Shell.ok("chmod", "-R", "a+rX", at.directory());
        Shell.ok("chmod", "0", target.resolve("closed"));
        Outcome failed = unprivilegedCopy("--dry-run", at.path("source") + "/", target);
        assertThat(failed.expectExit(5).errText()).contains("Permission denied");
    }

    @Test
    void fullDiskBySmallFilesIsFive() {
        Path small = mountTmpfs("remote", "4m");
        Route route = Route.of(at, Direction.PUSH);
        Trees.manyFiles(route.sourcePath("many"), 3000, 4096);
        at.copy(route.source("many"), route.target("")).expectExit(5);
        Trees.assertNothingWrongUnderFinalNames(route.sourcePath("many"), route.targetPath("many"));
        Shell.ok("mount", "-o", "remount,size=100m", small);
        at.copy(route.source("many"), route.target("")).expectExit(0);
        assertThat(Trees.differences(route.sourcePath("many"), route.targetPath("many")))
                .isEmpty();
    }

    private Path mountTmpfs(String name, String size) {
        Path directory = at.directory(name);
        assumeTrue(
                Shell.run("mount", "-t", "tmpfs", "-o", "size=" + size, "fdt-test", directory)
                                .exitCode()
                        == 0,
                "a small tmpfs cannot be mounted here (needs root)");
        at.closing(() -> Shell.ok("umount", "-l", directory));
        return directory;
    }

    /** With and without a known key of the server: an unreachable server is reported as such before its key matters. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nobodyListeningIsEight(boolean known) throws IOException {
        if (known) {
            at.server().process().close();
        }
        Path source = Trees.file(at.path("f"), 10, 1);
        try (Socket nobody = FreePort.withoutListener()) {
            String server = "127.0.0.1:" + nobody.getLocalPort();
            Outcome outcome = at.copy(source, "fdt://" + server + "/f").expectExit(8);
            assertThat(outcome.err()).singleElement().asString().contains(server);
            Outcome pulled = at.copy("fdt://" + server + "/f", at.path("g")).expectExit(8);
            assertThat(pulled.err()).hasSize(1);
        }
        assertThat(at.path("g")).doesNotExist();
    }

    @Test
    void unknownHostIsEight() {
        Path source = Trees.file(at.path("f"), 10, 1);
        Outcome outcome = at.copy(source, "fdt://no-such-host.invalid/f").expectExit(8);
        assertThat(outcome.err()).singleElement().asString().contains("no-such-host.invalid");
    }

    @Test
    void listenerThatNeverAnswersIsNoticedByDeadline() throws IOException {
        at.server().process().close();
        Path source = Trees.file(at.path("f"), 10, 1);
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Outcome outcome = at.copy("--timeout", "3s", source, "fdt://127.0.0.1:" + silent.getLocalPort() + "/f");
            outcome.expectExit(8);
            assertThat(outcome.err()).hasSize(1);
        }
    }

    @Test
    void localAddressThatIsNotOfThisMachineIsRefused() {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 10, 1);
        Outcome outcome = at.copy("--bind", "203.0.113.7", source, server.url("/f"));
        outcome.expectExit(2);
        assertThat(outcome.err()).singleElement().asString().contains("203.0.113.7");
    }

    @Test
    void refusesUnknownKey() {
        FdtServer server = at.server();
        Path source = Trees.file(at.path("f"), 10, 1);
        at.environment("FDT_HOME", at.directory("home/stranger").toString());
        at.copy(source, server.url("/f")).expectExit(7);
        assertThat(server.root().resolve("f")).doesNotExist();
        at.environment("FDT_HOME", at.home().toString());
        at.copy(source, server.url("/f")).expectExit(0);
    }

    @Test
    void readOnlyServerTakesNothing() {
        FdtServer server = at.server("--read-only");
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, server.url("/f")).expectExit(7);
        assertThat(Trees.listing(server.root())).isEmpty();
    }

    @Test
    void serverWithoutARootServesNoFiles() {
        Path directory = at.directory("elsewhere");
        FdtServer server = at.rootlessServer("127.0.0.1:0", directory);
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy(source, server.url("/f")).expectExit(7);
        at.copy(source, server.url(directory + "/f")).expectExit(7);
        at.copy(server.url("/etc/passwd"), at.path("stolen")).expectExit(7);
        assertThat(Trees.listing(directory)).isEmpty();
        assertThat(at.path("stolen")).doesNotExist();
    }

    @Test
    void clearLanesAreRefusedWhenTheServerDoesNotAllowThem() {
        FdtServer server = at.server("--clear-lanes", "refuse");
        Path source = Trees.file(at.path("f"), 10, 1);
        at.copy("--clear-lanes", source, server.url("/f")).expectExit(7);
    }

    @TestFactory
    Stream<DynamicTest> remotePathCannotLeaveTheRoot() throws Exception {
        FdtServer server = at.server();
        Path canary = Trees.file(at.path("canary"), 100, 1);
        byte[] before = Files.readAllBytes(canary);
        Files.createDirectories(server.root().resolve("sub"));
        Files.createSymbolicLink(server.root().resolve("out"), at.directory());
        Files.createSymbolicLink(server.root().resolve("out-file"), canary);
        Path source = Trees.file(at.path("f"), 10, 2);
        return Stream.of("/../canary", "/sub/../../canary", "/out/canary", "/out-file")
                .map(path -> DynamicTest.dynamicTest(path, () -> {
                    Outcome pushed = at.copy(source, server.url(path));
                    assertThat(canary).hasBinaryContent(before);
                    Outcome pulled = at.copy(server.url(path), at.path("stolen/"));
                    if (path.equals("/out-file")) {
                        // The link itself is inside the root: it may be replaced, and it may be copied as a link.
                        assertThat(Files.isRegularFile(at.path("stolen/out-file"), LinkOption.NOFOLLOW_LINKS))
                                .isFalse();
                    } else {
                        pushed.expectExit(7);
                        pulled.expectExit(7);
                        assertThat(at.path("stolen")).doesNotExist();
                    }
                    assertThat(canary).hasBinaryContent(before);
                }));
    }

    @TestFactory
    Stream<DynamicTest> fileThatChangesWhileItIsReadFailsAloneAndTheRestArrives() {
        Route direct = Route.of(at, Direction.PUSH);
        return DynamicTest.stream(
                Stream.of("grow", "shrink", "rewrite", "replace"),
                change -> change,
                change -> fileThatChangesFailsAlone(direct, change));
    }

    private void fileThatChangesFailsAlone(Route direct, String change) {
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Path tree = Trees.small(route.sourcePath(change + "/tree"), 1);
        Path big = Trees.file(tree.resolve("big"), 64 * MIB, 9);
        proxy.throttle(24 * MIB);
        proxy.when(30 * MIB, () -> change(change, big));
        Outcome outcome = at.copy("-P", 2, route.source(change + "/tree"), route.target(change + "/"));
        if (change.equals("replace") && outcome.exitCode() == 0) {
            // An open file stays readable after another file has taken its name. Copying the old version is correct.
            assertThat(route.targetPath(change + "/tree/big")).hasSize(64 * MIB);
            return;
        }
        outcome.expectExit(3);
        assertThat(outcome.number("files_failed")).isEqualTo(1);
        assertThat(outcome.transcript()).contains("big");
        assertThat(route.targetPath(change + "/tree/big")).doesNotExist();
        Trees.assertSameFile(
                tree.resolve("sub/deeper/three.dat"), route.targetPath(change + "/tree/sub/deeper/three.dat"));
        Trees.assertSameFile(tree.resolve("one.dat"), route.targetPath(change + "/tree/one.dat"));

        at.copy(direct.source(change + "/tree"), direct.target(change + "/")).expectExit(0);
        Trees.assertSame(tree, route.targetPath(change + "/tree"));
    }

    private static void change(String change, Path file) {
        switch (change) {
            case "grow" -> Shell.ok("bash", "-c", "echo more >>\"$1\"", "bash", file);
            case "shrink" -> Shell.ok("truncate", "-s", 40 * MIB, file);
            case "rewrite" ->
                Shell.ok("dd", "if=/dev/urandom", "of=" + file, "bs=1M", "count=64", "conv=notrunc", "status=none");
            default -> {
                Path other = Trees.file(file.resolveSibling("other"), 64 * MIB, 10);
                Shell.ok("mv", other, file);
            }
        }
    }

    @Test
    void filesThatVanishWhileTheTreeIsReadFailAloneAndTheRestArrives() {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Path tree = route.sourcePath("tree");
        Trees.manyFiles(tree.resolve("many"), 3000, 20_000);
        proxy.throttle(16 * MIB);
        proxy.when(20 * MIB, () -> Shell.ok("bash", "-c", "rm -- \"$1\"/many/d00[12]/*[05]", "bash", tree));
        Outcome outcome = at.copy("-P", 2, route.source("tree"), route.target(""));
        assertThat(outcome.exitCode()).as(outcome.transcript()).isIn(0, 3);
        // All files that still exist were copied. Each vanished file was either copied before or counted as failed.
        String missing = Shell.ok(
                "rsync",
                "-a",
                "-n",
                "--checksum",
                "--itemize-changes",
                "--omit-dir-times",
                tree + "/",
                route.targetPath("tree") + "/");
        assertThat(missing).isEmpty();
        long gone = 3000
                - Shell.ok("find", route.targetPath("tree"), "-type", "f")
                        .lines()
                        .count();
        assertThat(outcome.number("files_failed")).isEqualTo(gone);
    }
}
