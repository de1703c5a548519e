package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.system.Route.Direction;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ends that are no files: zeros, the void, standard input and output. */
final class StreamTest {
    private static final long MIB = 1 << 20;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** A server without a root serves these ends alone. */
    private FdtServer rootless() {
        return at.rootlessServer("127.0.0.1:0", at.directory(), new Object[0]);
    }

    @ParameterizedTest
    @CsvSource({"PUSH,1", "PUSH,4", "PULL,4"})
    void zerosOfAGivenSizeGoNowhere(Direction direction, int lanes) {
        FdtServer server = rootless();
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy("-P", lanes, "--size", "1GiB", source, target).expectExit(0);
        assertThat(outcome.number("bytes")).isEqualTo(1024 * MIB);
        assertThat(outcome.number("bytes_sent")).isEqualTo(1024 * MIB);
        assertThat(outcome.number("lanes")).isEqualTo(lanes);
    }

    @EachWay
    void zerosFlowForAGivenTime(Direction direction) {
        FdtServer server = rootless();
        String source = direction == Direction.PUSH ? "/dev/zero" : server.url("/dev/zero");
        String target = direction == Direction.PUSH ? server.url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy("-P", 2, "--duration", "2s", source, target).expectExit(0);
        assertThat(outcome.number("bytes_sent")).isGreaterThan(100 * MIB);
        assertThat(outcome.decimal("seconds")).isBetween(1.8, 30.0);
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

    @EachWay
    void fileGoesNowhere(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("f"), 20 * MIB, 1);
        String target = direction == Direction.PUSH ? route.server().url("/dev/null") : "/dev/null";
        Outcome outcome = at.copy(route.source("f"), target).expectExit(0);
        assertThat(outcome.number("bytes_sent")).isEqualTo(20 * MIB);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "131072", "30000001"})
    void standardInputBecomesAFile(int sizeBytes) {
        Route route = Route.of(at, Direction.PUSH);
        Path source = Trees.file(at.path("in"), sizeBytes, 1);
        FdtProcess client = at.track(FdtProcess.start(
                at.setupThroughBash("client", "cat in | \"$@\"", "client", "--json", "-", route.target("f")),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.PIPE));
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(source, route.targetPath("f"));
        assertThat(outcome.number("bytes")).isEqualTo(sizeBytes);
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "131072", "30000001"})
    void fileBecomesStandardOutput(int sizeBytes) {
        Route route = Route.of(at, Direction.PULL);
        Trees.file(route.sourcePath("f"), sizeBytes, 1);
        Path out = at.path("out");
        FdtProcess client = at.track(FdtProcess.start(
                at.setup("client", "client", "-P", 4, route.source("f"), "-"),
                ProcessBuilder.Redirect.PIPE,
                ProcessBuilder.Redirect.to(out.toFile())));
        client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(route.sourcePath("f"), out);
    }

    @Test
    void readerOfStandardOutputThatLeavesEndsTheCopy() {
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
