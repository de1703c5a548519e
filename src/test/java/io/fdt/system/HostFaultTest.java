package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import io.fdt.system.Route.Direction;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies when hosts misbehave: restarted servers, two writers, slow disks, few descriptors. */
@Tag("fault")
@Tag("full")
final class HostFaultTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 4;

    @RegisterExtension
    final Workplace at = new Workplace();

    private FaultProxy slowPath(Route direct, long bytesPerSecond) {
        return at.closing(FaultProxy.before(direct.server().port())).throttle(bytesPerSecond);
    }

    private void assertRerunCompletes(Route direct, String name) {
        Outcome rerun = at.copy(direct.source(name), direct.target("")).expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isPositive();
        Trees.assertSameFile(direct.sourcePath(name), direct.targetPath(name));
    }

    /**
     * The new server has neither the session nor its lanes, and the session numbers of the old server mean nothing to
     * it.
     */
    @EachWay
    void restartedServerRefusesTheOldSessionAndTheRerunResumes(Direction direction) {
        Route direct = Route.of(at, direction);
        Trees.file(direct.sourcePath("big"), 80L * MIB, 1);
        FaultProxy proxy = slowPath(direct, 25 * MIB);
        Route route = direct.through(proxy);
        FdtProcess client = at.startCopy("-P", LANES, "--timeout", "20s", route.source("big"), route.target(""));
        Await.until("40 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 40 * MIB);
        client.awaitAcknowledged(Workplace.LIMIT, 1);
        direct.server().process().killHard();
        FdtServer again = at.rootlessServer(
                "127.0.0.1:" + direct.server().port(),
                direct.server().root(),
                "--root",
                direct.server().root());
        // Long before the timeout: the new server reports at once that it does not have the session.
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(9);
        assertThat(outcome.jsonOfType("error").toString()).contains("session");
        assertThat(direct.targetPath("big")).doesNotExist();
        assertRerunCompletes(direct.to(again), "big");
    }

    /** Longer than the timeout of a connection: the server keeps the session, and the client reconnects. */
    @Test
    @Tag("full")
    void aClientThatWasStoppedFor40SecondsCompletesItsCopy() {
        FdtServer server = at.server();
        Path big = Trees.file(at.path("local/big"), 60L << 20, 1);
        FdtProcess client = at.startCopy("--rate-limit", "5MiB", big, server.url("/"));
        client.awaitAcknowledged(Workplace.LIMIT, 8L << 20);
        client.signal("STOP");
        long stopped = System.nanoTime();
        Await.until(
                "it was stopped for 40 s", Duration.ofMinutes(2), () -> System.nanoTime() - stopped > 40_000_000_000L);
        client.signal("CONT");
        client.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(big, at.path("remote/big"));
    }

    @Test
    void secondWriterOfATargetIsRefusedAndHurtsNothing() {
        Route direct = Route.of(at, Direction.PUSH);
        Trees.file(direct.sourcePath("big"), 60L * MIB, 1);
        FaultProxy proxy = slowPath(direct, 20 * MIB);
        Route route = direct.through(proxy);
        FdtProcess first = at.startCopy("-P", LANES, route.source("big"), route.target(""));
        Await.until("20 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 20 * MIB);
        // The first copy must still be running however long the second takes to start.
        proxy.throttle(MIB / 2);
        Outcome second = at.copy(direct.source("big"), direct.target(""));
        proxy.throttle(200L * MIB);
        assertThat(second.exitCode()).as(second.transcript()).isEqualTo(11);
        assertThat(second.transcript()).contains("another copy is writing this target");
        first.await(Workplace.LIMIT).expectExit(0);
        Trees.assertSameFile(direct.sourcePath("big"), direct.targetPath("big"));
    }

    /** A lane that waits for a disk is not a stalled lane. The test uses the reader of a pipe instead of a disk. */
    @Test
    void slowTargetIsNotTreatedAsAStalledLane() {
        Route route = Route.of(at, Direction.PULL);
        Path source = Trees.file(route.sourcePath("f"), 20 * MIB, 1);
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "set -o pipefail; \"$@\" | (sleep 7; cat) >all; exit ${PIPESTATUS[0]}",
                "client",
                "--timeout",
                "2s",
                route.source("f"),
                "-");
        Outcome outcome = at.track(FdtProcess.start(setup)).await(Workplace.LIMIT);
        assertThat(outcome.exitCode()).as(outcome.transcript()).isZero();
        Trees.assertSameFile(source, at.path("all"));
    }

    @Test
    void copyToASlowTargetStopsAtOnceWhenAsked() {
        Route route = Route.of(at, Direction.PULL);
        Trees.file(route.sourcePath("f"), 20 * MIB, 1);
        Shell.ok("mkfifo", at.path("pipe"));
        FdtProcess.Setup setup = at.setupThroughBash(
                "client", "exec 8<>pipe; exec \"$@\" >&8", "client", "--progress", "plain", route.source("f"), "-");
        FdtProcess client = at.track(FdtProcess.start(setup));
        client.awaitErrorLine(Workplace.LIMIT, line -> line.contains("of 20.0 MiB"));
        long startNanos = System.nanoTime();
        client.signal("INT");
        client.await(Workplace.LIMIT).expectExit(130);
        assertThat((System.nanoTime() - startNanos) / 1e9).isLessThan(3.0);
    }

    @EachWay
    void fewDescriptorsAreEnoughForManyFiles(Direction direction) {
        Route direct = Route.of(at, direction);
        Trees.manyFiles(direct.sourcePath("many"), 500, 3000);
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "ulimit -n 128; exec \"$@\"",
                "client",
                "--json",
                "-P",
                LANES,
                direct.source("many"),
                direct.target(""));
        Outcome outcome = at.track(FdtProcess.start(setup)).await(Workplace.LIMIT);
        assertThat(outcome.exitCode()).as(outcome.transcript()).isZero();
        Trees.assertSame(direct.sourcePath("many"), direct.targetPath("many"));
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 30})
    void tooFewDescriptorsAreTenAndSaySo(int descriptors) {
        Route direct = Route.of(at, Direction.PUSH);
        Trees.manyFiles(direct.sourcePath("many"), 50, 3000);
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "ulimit -n " + descriptors + "; exec \"$@\"",
                "client",
                "-P",
                LANES,
                direct.source("many"),
                direct.target(""));
        Outcome outcome =
                at.track(FdtProcess.start(setup)).await(Workplace.LIMIT).expectExit(10);
        assertThat(outcome.errText())
                .containsIgnoringCase("open files")
                .contains("ulimit -n")
                .doesNotContain("unexpected", "please report");
    }

    @Test
    void copiesWithManyInheritedDescriptors() {
        Route direct = Route.of(at, Direction.PUSH);
        Trees.small(direct.sourcePath("tree"), 1);
        FdtProcess.Setup setup = at.setupThroughBash(
                "client",
                "ulimit -n 4096; for ((n = 10; n < 1500; n++)); do eval \"exec $n</dev/null\"; done; exec \"$@\"",
                "client",
                "--json",
                direct.source("tree"),
                direct.target(""));
        Outcome outcome = at.track(FdtProcess.start(setup)).await(Workplace.LIMIT);
        assertThat(outcome.exitCode()).as(outcome.transcript()).isZero();
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    /** Bytes of a lane that was declared dead arrive after other lanes have sent its chunks. */
    @Test
    void lateBytesOfALostLaneAreIgnored() {
        Route direct = Route.of(at, Direction.PUSH);
        Trees.file(direct.sourcePath("big"), 80L * MIB, 1);
        FaultProxy proxy = slowPath(direct, 12 * MIB);
        Route route = direct.through(proxy);
        proxy.script(new Fault.Stall(2, Way.TO_SERVER, 5 * MIB + 100));
        FdtProcess client = at.startCopy("-P", LANES, "--timeout", "5s", route.source("big"), route.target(""));
        Await.until(
                "the lane is replaced",
                Workplace.LIMIT,
                () -> proxy.connections().size() > LANES + 1);
        long before = proxy.connections().get(2).bytes(Way.TO_SERVER);
        proxy.connections().get(2).resume();
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        assertThat(proxy.connections().get(2).bytes(Way.TO_SERVER)).isGreaterThan(before);
        assertThat(outcome.number("bytes_resent")).isLessThanOrEqualTo(3 * 8L * MIB);
        Trees.assertSameFile(direct.sourcePath("big"), direct.targetPath("big"));
        proxy.cutAll(Ending.RESET);
    }
}
