package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills the client, the server or both with SIGKILL at random points, repeatedly. No wrong data ever appears under a
 * final name, and the next run completes. {@code scripts/soak} has hundreds of kills, {@code -Dfdt.seed=…} replays a
 * run.
 */
@Tag("fault")
@Order(4)
@Tag("disk")
final class KillTest {
    private static final int KILLS = Integer.getInteger("fdt.kills", 3);
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int MIB = 1 << 20;
    private static final long BYTES_PER_SECOND = 60L * MIB;
    private static final int LANES = 3;

    @RegisterExtension
    final Workplace at = new Workplace();

    private enum Victim {
        CLIENT,
        SERVER,
        BOTH
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(value = 4, unit = TimeUnit.HOURS)
    void killsAtRandomPointsLoseNothing(Direction direction) {
        System.err.println("processes are killed with -Dfdt.seed=" + SEED);
        Random random = new Random(SEED);
        Route route = Route.of(at, direction, "--clear-lanes", "allow");
        Trees.file(route.sourcePath("tree/big"), 40 * MIB + 1234, 1);
        Trees.file(route.sourcePath("tree/middle"), 9 * MIB, 2);
        Trees.manyFiles(route.sourcePath("tree/many"), 300, 8000);
        for (int kill = 0; kill < KILLS; kill++) {
            route = killOnce(route, kill, Victim.values()[random.nextInt(3)], random);
        }
    }

    private static long acknowledgedBytes(Outcome killed) {
        return killed.jsonOfType("progress").stream()
                .mapToLong(progress -> (Long) progress.getOrDefault("bytes", 0L))
                .max()
                .orElse(0);
    }

    /** Kills one copy and runs it again. Returns a route to a server that is alive. */
    private Route killOnce(Route route, int kill, Victim victim, Random random) {
        Shell.removeTree(route.targetPath("tree"));
        boolean byBytes = random.nextBoolean();
        // The copy has 51.7 MB in total. The time limit extends past the last byte, to when names and journals are
        // finished.
        long bytes = (long) (random.nextDouble() * 52e6);
        Duration time = Duration.ofMillis(random.nextInt(1600));
        FdtProcess server = route.server().process();
        Outcome killed;
        try (FaultProxy proxy = FaultProxy.before(route.server().port())) {
            Route slow = route.through(proxy.throttle(BYTES_PER_SECOND));
            List<Object> words = new ArrayList<>(List.of("-P", LANES, "--timeout", "15s", "--direct-io"));
            words.add(random.nextBoolean() ? "always" : "auto");
            if (random.nextBoolean()) {
                words.add("--clear-lanes");
            }
            words.addAll(List.of(slow.source("tree"), slow.target("")));
            FdtProcess client = at.startCopy(words.toArray());
            if (byBytes) {
                Await.until(
                        "the byte is reached", Workplace.LIMIT, () -> proxy.totalBytes() >= bytes || !client.isAlive());
            } else {
                Await.until(
                        "it has begun",
                        Workplace.LIMIT,
                        () -> proxy.connections().size() > 1 || !client.isAlive());
                Await.pass(time);
            }
            if (victim != Victim.SERVER) {
                client.close();
            }
            if (victim != Victim.CLIENT) {
                server.killHard();
            }
            killed = client.await(Workplace.LIMIT);
        }
        assertThat(killed.exitCode()).as(killed.transcript()).isIn(0, 9, 137);
        if (killed.exitCode() == 0) {
            Trees.assertSame(route.sourcePath("tree"), route.targetPath("tree"));
        } else {
            Trees.assertNothingWrongUnderFinalNames(route.sourcePath("tree"), route.targetPath("tree"));
        }
        Route next = victim == Victim.CLIENT ? route : route.to(at.server("--clear-lanes", "allow"));
        Outcome rerun =
                at.copy("-P", LANES, next.source("tree"), next.target("")).expectExit(0);
        System.err.printf(
                "kill %d of %s %s: %s, then %d bytes resumed, %d sent, %d files skipped%n",
                kill,
                victim,
                route.direction(),
                byBytes ? "at byte " + bytes : "after " + time.toMillis() + " ms",
                rerun.number("bytes_resumed"),
                rerun.number("bytes_sent"),
                rerun.number("files_skipped"));
        Trees.assertSame(next.sourcePath("tree"), next.targetPath("tree"));
        // Data that the killed client saw acknowledged is not moved again.
        assertThat(rerun.number("bytes_sent"))
                .as(killed.transcript() + rerun.transcript())
                .isLessThanOrEqualTo(rerun.number("bytes") - acknowledgedBytes(killed));
        return next;
    }
}
