package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Fault.Ending;
import io.fdt.system.Fault.Way;
import io.fdt.system.Route.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Lanes may die, stall and corrupt data. The copy completes as long as one lane works, and the copied data is correct.
 * A copy that cannot continue ends by its deadline and can be resumed. What does not need processes and sockets is in
 * {@code LaneFaultsTest} of fdt-core.
 */
@Tag("fault")
@Order(1)
final class LaneFaultTest {
    private static final int MIB = 1 << 20;
    private static final int LANES = 4;
    private static final long BIG_BYTES = 96L * MIB;
    private static final long SEED = Long.getLong("fdt.seed", 1);

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    /** The route that bypasses the proxy. {@link #prepare} sets it together with the proxy. */
    @SuppressWarnings("NullAway.Init")
    private Route direct;

    @SuppressWarnings("NullAway.Init")
    private FaultProxy proxy;

    private Route prepare(Direction direction, Object... serverOptions) {
        return prepare(Route.of(at, direction, serverOptions));
    }

    private Route prepare(Route way) {
        direct = way;
        proxy = at.closing(FaultProxy.before(direct.server().port()));
        Trees.small(direct.sourcePath("tree"), 1);
        Trees.file(direct.sourcePath("tree/big"), BIG_BYTES, 2);
        Trees.manyFiles(direct.sourcePath("tree/many"), 300, 5000);
        return direct.through(proxy);
    }

    private static Way dataWay(Direction direction) {
        return direction == Direction.PUSH ? Way.TO_SERVER : Way.TO_CLIENT;
    }

    private FdtProcess start(Route route, Object... options) {
        return startWithin("15s", route, options);
    }

    /** A copy that is to complete has much more time than on a quiet machine. */
    private FdtProcess startWithin(String timeout, Route route, Object... options) {
        List<Object> words = new ArrayList<>(List.of(options));
        words.addAll(List.of("-P", LANES, "--timeout", timeout, route.source("tree"), route.target("")));
        return at.startCopy(words.toArray());
    }

    private Outcome assertCompletes(Route route, Object... options) {
        return assertCompletes(startWithin("60s", route, options), route);
    }

    private Outcome assertCompletes(FdtProcess client, Route route) {
        Outcome outcome = client.await(Workplace.LIMIT);
        assertThat(outcome.exitCode())
                .as(() -> proxy.describe() + "\n" + outcome.transcript())
                .isZero();
        Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
        return outcome;
    }

    /**
     * Waits until the copy is in the middle: the small files of the tree are less than half of the acknowledged data
     * then.
     */
    private void awaitMiddle(FdtProcess client) {
        Await.until("60 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 60 * MIB);
        client.awaitAcknowledged(Workplace.LIMIT, 28 * MIB);
    }

    private void assertRerunResumes(Route route) {
        Trees.assertNothingWrongUnderFinalNames(route.sourcePath("tree"), route.targetPath("tree"));
        Outcome rerun = at.copy(direct.source("tree"), direct.target("")).expectExit(0);
        assertThat(rerun.number("bytes_resumed")).isPositive();
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    @EachWay
    void copyCompletesAfterALaneIsReset(Direction direction) {
        completesAfterALaneIsCut(direction, Ending.RESET);
    }

    @EachWay
    @Tag("full")
    void copyCompletesAfterALaneIsClosed(Direction direction) {
        completesAfterALaneIsCut(direction, Ending.CLOSE);
    }

    private void completesAfterALaneIsCut(Direction direction, Ending ending) {
        Route route = prepare(direction);
        proxy.script(new Fault.Cut(2, dataWay(direction), 5 * MIB + 321, ending));
        for (int other : new int[] {1, 3, 4}) {
            // They must not move everything before this lane is cut.
            proxy.script(new Fault.Stall(other, dataWay(direction), 4 * MIB));
        }
        FdtProcess client = startWithin("60s", route);
        Await.until("the lane is cut", Workplace.LIMIT, () -> proxy.isCut(2) || !client.isAlive());
        proxy.resumeUntilEnd(client);
        assertCompletes(client, route);
        assertThat(proxy.connections().get(2).bytes(dataWay(direction))).isEqualTo(5 * MIB + 321);
    }

    @EachWay
    @Tag("full")
    void copyCompletesAfterEveryLaneWasCutOnce(Direction direction) {
        Route route = prepare(direction);
        for (int lane = 1; lane <= LANES; lane++) {
            proxy.script(new Fault.Cut(lane, dataWay(direction), lane * 2L * MIB, Ending.RESET));
        }
        assertCompletes(route);
    }

    /** A chunk is larger than 4 MiB, so no connection ever carries a whole chunk. */
    @EachWay
    @Tag("full")
    void copyCompletesWhenEveryConnectionIsCutAfter4MiB(Direction direction) {
        Route route = prepare(direction);
        proxy.script(new Fault.Cut(Fault.EVERY_CONNECTION, dataWay(direction), 4 * MIB, Ending.RESET));
        assertCompletes(route);
    }

    /** No connection carries a whole chunk, and the link loses messages on their way in both directions. */
    @ParameterizedTest
    @CsvSource({"300000, false", "140000, false", "140000, true"})
    void pullCompletesWhenEveryConnectionIsCutInBothDirections(long bytes, boolean clear) {
        Route route = Route.of(at, Direction.PULL, "--clear-lanes", "allow");
        Trees.file(route.sourcePath("tree/big"), 12L * MIB, 1);
        // The server's side of the link carries half a megabyte of names.
        Trees.manyFiles(route.sourcePath("tree/" + "n".repeat(250)), 2000, 1000);
        proxy = at.closing(FaultProxy.before(route.server().port()));
        for (Way way : Way.values()) {
            proxy.script(new Fault.Cut(Fault.EVERY_CONNECTION, way, bytes, Ending.RESET));
        }
        // A client that waits for a processor takes a whole leaf into its buffer before the reset discards it.
        String lanes = clear ? "--clear-lanes" : "--progress=none";
        Object[] words = {
            lanes,
            "--socket-buffer",
            "1MiB",
            "--timeout",
            "2m",
            route.through(proxy).source("tree"),
            route.target("")
        };
        assertCompletes(at.startCopy(words), route);
        assertThat(proxy.connections().get(0).bytes(Way.TO_CLIENT)).isEqualTo(bytes);
    }

    /** Every lane fails before it has carried one leaf. */
    @EachWay
    void damageOnEveryTlsLaneIsNineByDeadline(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("tree/big"), 24L * MIB, 2);
        proxy = at.closing(FaultProxy.before(route.server().port()));
        proxy.script(new Fault.FlipBit(Fault.EVERY_CONNECTION, dataWay(direction), 60_000, 4));
        Outcome outcome = start(route.through(proxy)).await(Workplace.LIMIT).expectExit(9);
        assertThat(outcome.errText() + outcome.jsonOfType("error")).contains("no data passed");
    }

    @EachWay
    @Tag("full")
    void copyCompletesWhenALaneNeverOpens(Direction direction) {
        Route route = prepare(direction);
        proxy.script(new Fault.Cut(3, Way.TO_SERVER, 0, Ending.RESET));
        assertCompletes(route);
    }

    @EachWay
    @Tag("full")
    void copyCompletesAfterALaneStalls(Direction direction) {
        Route route = prepare(direction);
        proxy.script(new Fault.Stall(2, dataWay(direction), 6 * MIB));
        assertCompletes(start(route), route);
    }

    @EachWay
    void copyCompletesAfterTheControlLinkIsCutAgainAndAgain(Direction direction) {
        Route route = prepare(direction);
        proxy.throttle(60 * MIB);
        FdtProcess client = startWithin("60s", route);
        for (int cut = 1; cut <= 3; cut++) {
            // It must not end before the client has the next link.
            CountDownLatch next = proxy.slowDownAfter(cut * 25L * MIB, MIB);
            // Cuts the link and then each link that replaces it. These are the only connections after the lanes.
            int index = cut == 1 ? 0 : LANES + cut - 1;
            int connections = Math.max(index, LANES) + 1;
            Await.until("the next part", next);
            Await.until("the link", Workplace.LIMIT, () -> proxy.connections().size() >= connections);
            proxy.connections().get(index).cut(cut == 2 ? Ending.CLOSE : Ending.RESET);
            proxy.throttle(60 * MIB);
        }
        Outcome outcome = assertCompletes(client, route);
        assertThat(outcome.number("bytes_resent")).isZero();
        assertThat(proxy.connections()).hasSize(1 + LANES + 3);
    }

    @EachWay
    @Tag("full")
    void copyCompletesThroughGlitchesOfTheWholePath(Direction direction) {
        Route route = prepare(direction);
        proxy.throttle(30 * MIB);
        for (int glitch = 1; glitch <= 4; glitch++) {
            proxy.when(glitch * 20L * MIB, () -> {
                proxy.stallAll();
                Await.pass(Duration.ofMillis(700));
                proxy.connections().forEach(FaultProxy.Connection::resume);
            });
        }
        assertCompletes(route);
    }

    @EachWay
    @Tag("full")
    void copyCompletesWhileRandomConnectionsAreCutAgainAndAgain(Direction direction) {
        Random random = new Random(SEED);
        System.err.println("connections are cut with -Dfdt.seed=" + SEED);
        Route route = prepare(direction);
        proxy.throttle(40 * MIB);
        for (long at = 8L * MIB; at < BIG_BYTES; at += 8L * MIB) {
            proxy.when(at, () -> {
                int connections = proxy.connections().size();
                proxy.connections().get(random.nextInt(connections)).cut(Ending.RESET);
            });
        }
        assertCompletes(route);
    }

    @EachWay
    @Tag("full")
    void flippedBitOnAClearLaneIsCaughtAndSentAgain(Direction direction) {
        Route route = prepare(direction, "--clear-lanes", "allow");
        proxy.script(new Fault.FlipBit(1, dataWay(direction), 3 * MIB + 77, 4));
        Outcome outcome = assertCompletes(route, "--clear-lanes");
        assertThat(outcome.number("bytes_resent")).isBetween(1L, 4L * 8 * MIB);
    }

    @EachWay
    @Tag("full")
    void flippedBitOnATlsLaneIsCaught(Direction direction) {
        Route route = prepare(direction);
        proxy.script(new Fault.FlipBit(1, dataWay(direction), 3 * MIB + 77, 4));
        assertCompletes(route);
    }

    @EachWay
    @Tag("full")
    void randomFaultsOnClearLanesNeverChangeWhatArrives(Direction direction) {
        Random random = new Random(SEED);
        System.err.println("lanes are hurt with -Dfdt.seed=" + SEED);
        Route route = prepare(direction, "--clear-lanes", "allow");
        for (int i = 0; i < 12; i++) {
            proxy.script(Fault.random(random, dataWay(direction), 2 * LANES, 10L * MIB));
        }
        Outcome outcome = start(route, "--clear-lanes").await(Workplace.LIMIT);
        Trees.assertNothingWrongUnderFinalNames(route.sourcePath("tree"), route.targetPath("tree"));
        // The faults may damage a chunk on every attempt.
        assertThat(outcome.exitCode())
                .as(() -> proxy.describe() + "\n" + outcome.transcript())
                .isIn(0, 6);
        if (outcome.exitCode() != 0) {
            at.copy(direct.source("tree"), direct.target("")).expectExit(0);
        }
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    @EachWay
    void lostPathIsNineAndTheRerunResumes(Direction direction) {
        Route route = prepare(direction);
        proxy.throttle(40 * MIB);
        // It must not end before the path is lost.
        CountDownLatch middle = proxy.slowDownAfter(60 * MIB, MIB);
        FdtProcess client = start(route);
        Await.until("60 MiB", middle);
        client.awaitAcknowledged(Workplace.LIMIT, 28 * MIB);
        proxy.refuseNew();
        proxy.cutAll(Ending.RESET);
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(9);
        assertThat(outcome.errText() + outcome.jsonOfType("error")).contains("again");
        assertRerunResumes(route);
    }

    @EachWay
    @Tag("full")
    @Tag("clock")
    void pulledCableIsNoticedByDeadline(Direction direction) {
        Route route = prepare(direction);
        proxy.throttle(40 * MIB);
        FdtProcess client = start(route);
        awaitMiddle(client);
        long startNanos = System.nanoTime();
        // New connections stall as well.
        proxy.script(new Fault.Stall(Fault.EVERY_CONNECTION, Way.TO_SERVER, 0));
        proxy.stallAll();
        client.await(Workplace.LIMIT).expectExit(9);
        assertThat((System.nanoTime() - startNanos) / 1e9).isBetween(13.0, 40.0);
        proxy.close();
        assertRerunResumes(route);
    }

    @EachWay
    @Tag("full")
    @Tag("clock")
    void stoppedServerIsNoticedByDeadline(Direction direction) {
        Route route = prepare(Route.alone(at, direction));
        proxy.throttle(40 * MIB);
        FdtProcess client = start(route);
        awaitMiddle(client);
        long startNanos = System.nanoTime();
        direct.server().process().signal("STOP");
        client.await(Workplace.LIMIT).expectExit(9);
        assertThat((System.nanoTime() - startNanos) / 1e9).isBetween(13.0, 40.0);
        direct.server().process().signal("CONT");
        assertRerunResumes(route);
    }

    @Test
    @Tag("full")
    void stoppedClientDoesNotHoldTheServerForEver() {
        Route route = prepare(Direction.PUSH);
        proxy.throttle(40 * MIB);
        FdtProcess client = start(route);
        awaitMiddle(client);
        client.signal("STOP");
        Await.until(
                "the server gives the session up",
                Workplace.LIMIT,
                () -> proxy.connections().stream().noneMatch(FaultProxy.Connection::isOpen));
        assertRerunResumes(route);
        client.signal("CONT");
        client.await(Workplace.LIMIT).expectExit(9);
        Trees.assertSame(direct.sourcePath("tree"), direct.targetPath("tree"));
    }

    /** The error text comes from the system and contains no names of classes or methods. */
    @EachWay
    @Tag("full")
    void clientOfAKilledServerSaysSoInPlainWords(Direction direction) {
        Route route = Route.alone(at, direction);
        Trees.file(route.sourcePath("big"), BIG_BYTES, 1);
        FdtProcess client = at.startCopy(
                "-P",
                LANES,
                "--timeout",
                "15s",
                "--rate-limit",
                "160Mbit",
                "--log-level",
                "debug",
                route.source("big"),
                route.target(""));
        client.awaitAcknowledged(Workplace.LIMIT, 8 * MIB);
        route.server().process().killHard();
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(9);
        assertThat(String.join("\n", outcome.out()) + "\n" + outcome.errText())
                .contains("lost the connection to")
                .doesNotContain("writev", "(..)", "io.netty", "Exception");
    }

    @EachWay
    @Tag("full")
    void longPathIsOnlySlow(Direction direction) {
        Route route = prepare(direction);
        proxy.delay(Duration.ofMillis(10));
        assertCompletes(route);
    }
}
