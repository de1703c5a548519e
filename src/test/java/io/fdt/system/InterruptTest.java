package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Who stops a copy, politely or not, finds nothing half done under a final name and goes on where it stopped. */
@Isolated("it measures time")
@Tag("full")
final class InterruptTest {
    private static final int MIB = 1 << 20;
    private static final long BIG_BYTES = 100L * MIB;

    @RegisterExtension
    final Workplace at = new Workplace();

    /** A tree with one big file, copied at 25 MiB/s and stopped by the test after 60 MiB. */
    private Route treeOnASlowPath(Direction direction) {
        Route direct = Route.of(at, direction);
        Trees.small(direct.sourcePath("tree"), 1);
        Trees.file(direct.sourcePath("tree/big"), BIG_BYTES, 2);
        return direct;
    }

    private FaultProxy slowPath(Route direct) {
        return at.closing(FaultProxy.before(direct.server().port())).throttle(25 * MIB);
    }

    private static void awaitMiddle(FaultProxy proxy, FdtProcess client) {
        Await.until("60 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 60 * MIB);
        client.awaitAcknowledged(Workplace.LIMIT, 28 * MIB);
    }

    private void assertRerunResumes(Route route) {
        Path source = route.sourcePath("tree");
        Path target = route.targetPath("tree");
        Trees.assertNothingWrongUnderFinalNames(source, target);
        assertThat(target.resolve("big")).doesNotExist();
        Outcome rerun = at.copy(route.source("tree"), route.target("")).expectExit(0);
        // Of what was acknowledged the small tree took 17 MiB.
        assertThat(rerun.number("bytes_resumed")).isGreaterThanOrEqualTo(8 * MIB);
        assertThat(rerun.number("bytes_sent") + rerun.number("bytes_resumed"))
                .isLessThanOrEqualTo(BIG_BYTES + 20 * MIB);
        Trees.assertSame(source, target);
    }

    @ParameterizedTest
    @CsvSource({"PUSH,INT,130", "PULL,INT,130", "PUSH,TERM,143", "PULL,TERM,143"})
    void signalledClientStopsWithinASecondAndSaysHowToGoOn(Direction direction, String signal, int exitCode) {
        Route direct = treeOnASlowPath(direction);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 4, route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        long startNanos = System.nanoTime();
        client.signal(signal);
        Outcome outcome = client.await(Duration.ofSeconds(10)).expectExit(exitCode);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        // A second, and as much again for a machine that does other things.
        assertThat(seconds).isLessThan(3.0);
        assertThat(outcome.summary()).containsEntry("exit_code", (long) exitCode);
        assertThat(outcome.errText() + outcome.jsonOfType("error"))
                .contains("again")
                .contains("resume");
        assertRerunResumes(direct);
    }

    @Test
    void interruptWhileTheTreeIsWalkedOrConnectingStopsToo() {
        Route direct = treeOnASlowPath(Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        proxy.script(new Fault.Stall(0, Fault.Way.TO_SERVER, 0));
        FdtProcess client = at.startCopy("-P", 4, route.source("tree"), route.target(""));
        Await.until("it connects", Workplace.LIMIT, () -> !proxy.connections().isEmpty());
        long startNanos = System.nanoTime();
        client.signal("INT");
        client.await(Duration.ofSeconds(10)).expectExit(130);
        assertThat((System.nanoTime() - startNanos) / 1e9).isLessThan(3.0);
    }

    @ParameterizedTest
    @EnumSource
    void killedClientIsResumedByTheNextRun(Direction direction) {
        Route direct = treeOnASlowPath(direction);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 4, route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        client.killHard();
        assertRerunResumes(direct);
    }

    @ParameterizedTest
    @EnumSource
    void killedServerIsNoticedAndTheNextRunResumes(Direction direction) {
        Route direct = treeOnASlowPath(direction);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 4, "--timeout", "5s", route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        direct.server().process().killHard();
        Outcome outcome = client.await(Duration.ofSeconds(20)).expectExit(9);
        assertThat(outcome.errText() + outcome.jsonOfType("error")).contains("again");
        assertRerunResumes(direct.to(at.server()));
    }

    @Test
    void noResumeStartsOverAndStillCompletes() {
        Route direct = treeOnASlowPath(Direction.PUSH);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 4, route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        client.killHard();
        Outcome rerun =
                at.copy("--no-resume", route.source("tree"), route.target("")).expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isZero();
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    @Test
    void changedSourceIsNotMixedWithWhatAnEarlierRunLeft() {
        Route direct = treeOnASlowPath(Direction.PUSH);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 4, route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        client.killHard();
        Trees.file(direct.sourcePath("tree/big"), BIG_BYTES, 3);
        at.copy(direct.source("tree"), direct.target("")).expectExit(0);
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    @ParameterizedTest
    @CsvSource({"PUSH,8MiB,1MiB", "PULL,8MiB,1MiB", "PUSH,1MiB,8MiB", "PULL,512KiB,4MiB"})
    void otherLanesAndChunkSizesResumeToo(Direction direction, String before, String after) {
        Route direct = treeOnASlowPath(direction);
        FaultProxy proxy = slowPath(direct);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", 7, "--chunk-size", before, route.source("tree"), route.target(""));
        awaitMiddle(proxy, client);
        client.killHard();
        Outcome rerun = at.copy("-P", 1, "--chunk-size", after, direct.source("tree"), direct.target(""))
                .expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isPositive();
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }
}
