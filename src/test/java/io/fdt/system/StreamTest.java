package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sources and targets that are not files: zeros, the null device, standard input and output. */
final class StreamTest {
    private static final long MIB = 1 << 20;

    private static final List<Integer> SIZES = List.of(0, 1, 131_072, 30_000_001);

    @RegisterExtension
    final Workplace at = new Workplace();

    /** Starts a server without a root, which serves only such sources and targets. */
    private FdtServer rootless() {
        return at.rootlessServer("127.0.0.1:0", at.directory(), new Object[0]);
    }

    @EachWay
    void zerosOfAGivenSizeGoNowhere(Direction direction) {
        FdtServer server = rootless();
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        for (int lanes : new int[] {1, 4}) {
            Outcome outcome =
                    at.copy("-P", lanes, "--size", "1GiB", source, target).expectExit(0);
            assertThat(outcome.number("bytes")).isEqualTo(1024 * MIB);
            assertThat(outcome.number("bytes_sent")).isEqualTo(1024 * MIB);
            assertThat(outcome.number("lanes")).isEqualTo(lanes);
        }
    }

    @EachWay
    void zerosFlowForAGivenTime(Direction direction) {
        FdtServer server = rootless();
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy("-P", 2, "--duration", "2s", source, target).expectExit(0);
        assertThat(outcome.number("bytes_sent")).isPositive();
        assertThat(outcome.decimal("seconds")).isBetween(1.8, 300.0);
    }

    @EachWay
    void zerosFillAFileOfTheExactSize(Direction direction) {
        Route route = Route.of(at, direction);
        String source =
                direction == Direction.PUSH ? "/dev/zero" : route.server().url("/dev/zero");
        at.copy("-P", 3, "--size", 20 * MIB + 77, source, route.target("zeros")).expectExit(0);
        Path expected = at.path("expected");
        Shell.ok("truncate", "-s", 20 * MIB + 77, expected);
        Trees.assertSameFile(expected, route.targetPath("zeros"));
    }

    /** Over what an earlier range left, of the same length or not. */
    @EachWay
    void aRangeOfAFileIsCopiedAnew(Direction direction) throws IOException {
        Route route = Route.of(at, direction);
        Path source = Trees.file(route.sourcePath("f"), 20 * MIB + 77, 1);
        byte[] bytes = Files.readAllBytes(source);
        for (int offset : new int[] {1, 3 * (int) MIB + 5, 0}) {
            at.copy("-P", 3, "--range", offset + ":16MiB", route.source("f"), route.target("part"))
                    .expectExit(0);
            assertThat(Files.readAllBytes(route.targetPath("part")))
                    .isEqualTo(Arrays.copyOfRange(bytes, offset, offset + 16 * (int) MIB));
        }
        at.copy("--range", 20 * MIB + ":", route.source("f"), route.target("part"))
                .expectExit(0);
        assertThat(Files.readAllBytes(route.targetPath("part")))
                .isEqualTo(Arrays.copyOfRange(bytes, 20 * (int) MIB, bytes.length));
        at.copy("--range", "1G:1", route.source("f"), route.target("part")).expectExit(0);
        assertThat(route.targetPath("part")).isEmptyFile();
        at.copy("--range", "0:1", route.source(""), route.target("tree")).expectExit(2);
        at.copy("--range", "0:1", "--remove-source", route.source("f"), route.target("part"))
                .expectExit(2);
        assertThat(source).exists();
    }

    @EachWay
    void aShortRangeTakesOneLane(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("f"), 20 * MIB, 1);
        Outcome outcome = at.copy("-P", "auto", "--range", "5:2", route.source("f"), route.target("part"))
                .expectExit(0);
        assertThat(outcome.number("lanes")).isEqualTo(1);
        assertThat(route.targetPath("part")).hasSize(2);
    }

    @Test
    void aRangeRefusesToResume() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.file(route.sourcePath("f"), 9, 1);
        String[] words = {"--range", "0:5", route.source("f"), route.target("part")};
        assertThat(at.copy("--resume", words[0], words[1], words[2], words[3])
                        .expectExit(2)
                        .errText())
                .contains("--resume does not apply to --range");
        at.copy("--no-resume", words[0], words[1], words[2], words[3]).expectExit(0);
    }

    @EachWay
    void fileGoesNowhere(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("f"), 20 * MIB, 1);
        String target = direction == Direction.PUSH ? route.server().url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy(route.source("f"), target).expectExit(0);
        assertThat(outcome.number("bytes_sent")).isEqualTo(20 * MIB);
    }

    @TestFactory
    Stream<DynamicTest> standardInputBecomesAFile() {
        Route route = Route.of(at, Direction.PUSH);
        return DynamicTest.stream(
                SIZES.stream(), String::valueOf, sizeBytes -> standardInputBecomesAFile(route, sizeBytes));
    }

    private void standardInputBecomesAFile(Route route, int sizeBytes) {
        Path source = Trees.file(at.path("in"), sizeBytes, 1);
        FdtProcess client = at.track(FdtProcess.start(
                at.setupThroughBash(
                        "client", "cat in | \"$@\"", "client", "--json", "-", route.target("f" + sizeBytes)),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(source, route.targetPath("f" + sizeBytes));
        assertThat(outcome.number("bytes")).isEqualTo(sizeBytes);
    }

    @TestFactory
    Stream<DynamicTest> fileBecomesStandardOutput() {
        Route route = Route.of(at, Direction.PULL);
        return DynamicTest.stream(
                SIZES.stream(), String::valueOf, sizeBytes -> fileBecomesStandardOutput(route, sizeBytes));
    }

    private void fileBecomesStandardOutput(Route route, int sizeBytes) {
        Trees.file(route.sourcePath("f"), sizeBytes, 1);
        Path out = at.path("out");
        FdtProcess client = at.track(FdtProcess.start(
                at.setup("client", "client", "-P", 4, route.source("f"), "-"),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.to(out.toFile())));
        client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(route.sourcePath("f"), out);
    }

    /** Of the names of descriptors, those whose directory nobody can write to, whatever a copy does. */
    @Test
    void fileGoesToADescriptorOfTheProcess() {
        Route route = Route.of(at, Direction.PULL);
        Trees.file(route.sourcePath("f"), 3 * MIB + 1, 1);
        for (int descriptor : new int[] {1, 3}) {
            FdtProcess.Setup setup = at.setupThroughBash(
                    "client", "\"$@\" " + descriptor + ">out", "client", route.source("f"), "/dev/fd/" + descriptor);
            at.track(FdtProcess.start(setup)).await(Workplace.LIMIT).expectExit(0);
            Trees.assertSameFile(route.sourcePath("f"), at.path("out"));
        }
    }

    /** Java would take its own files for these, and fdt its own sockets. */
    @Test
    void closedDescriptorsAreNeitherReadNorWritten() {
        Route route = Route.of(at, Direction.PULL);
        Trees.file(route.sourcePath("f"), 5, 1);
        for (int descriptor : new int[] {3, 5, 12, 13}) {
            Outcome outcome =
                    at.fdt("client", route.source("f"), "/dev/fd/" + descriptor).expectExit(5);
            assertThat(outcome.err().get(0)).contains("/dev/fd/" + descriptor + ": is not open for writing");
        }
        FdtProcess.Setup closed = at.setupThroughBash(
                "client", "\"$@\" <&-", "client", "-", route.server().url("/g"));
        Outcome outcome =
                at.track(FdtProcess.start(closed)).await(Workplace.LIMIT).expectExit(4);
        assertThat(outcome.err().get(0)).contains("standard input: is closed");
    }

    @Test
    void copyEndsWhenTheReaderOfStandardOutputExits() {
        Route route = Route.of(at, Direction.PULL);
        Trees.file(route.sourcePath("f"), 50 * MIB, 1);
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "set -o pipefail; \"$@\" | head -c 1000 >first; exit ${PIPESTATUS[0]}",
                "client",
                route.source("f"),
                "-");
        Outcome outcome = at.track(FdtProcess.start(setup)).await(Workplace.LIMIT);
        assertThat(outcome.exitCode()).as(outcome.transcript()).isEqualTo(5);
        assertThat(at.path("first")).hasSize(1000);
    }
}
