package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A killed copy leaves no incomplete file under its final name, and the next run resumes it. */
@Tag("full")
final class InterruptTest {
    private static final int MIB = 1 << 20;
    private static final int STOPS = Integer.getInteger("fdt.stops", 4);
    private static final long SEED = Long.getLong("fdt.seed", 1);

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    @EachWay
    void killedClientIsResumedByTheNextRun(Direction direction) {
        StoppedCopy copy = StoppedCopy.of(at, direction);
        copy.startUntilTheMiddle("-P", 4).killHard();
        copy.assertRerunResumes();
    }

    @EachWay
    void killedServerIsNoticedAndTheNextRunResumes(Direction direction) {
        StoppedCopy copy = StoppedCopy.of(at, Route.alone(at, direction));
        FdtProcess client = copy.startUntilTheMiddle("-P", 4, "--timeout", "15s");
        copy.direct().server().process().killHard();
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(9);
        assertThat(outcome.errText() + outcome.jsonOfType("error")).contains("again");
        copy.assertRerunResumes(copy.direct().to(at.server()));
    }

    private enum Stop {
        ORDERLY,
        /** The second signal does not wait for the answer of the receiver. */
        IMPATIENT,
        CLIENT_KILLED,
        SERVER_KILLED
    }

    /** A lane moves 160 kB or 30 kB a second; a chunk of 8 MiB would take it most of a minute, or four. */
    private enum Pace {
        FIVE_MEGABYTES("5MB/s", 32, 12 * MIB),
        ONE_MEGABIT("1Mbit/s", 4, MIB / 2);

        private final String rate;
        private final int lanes;
        /** The most that a run moves between its first acknowledgement and its stop. */
        private final int moreBytes;

        Pace(String rate, int lanes, int moreBytes) {
            this.rate = rate;
            this.lanes = lanes;
            this.moreBytes = moreBytes;
        }
    }

    /** What stops cost: bytes that passed through the proxy and are not resumed, for each pace. */
    private static final class Costs {
        private final Map<Pace, List<Long>> all = new EnumMap<>(Pace.class);
        private @Nullable Pace pace;
        private long passedBytes;
        private long resumedBytes;

        /** Called for each run, in order. */
        void onRun(Pace next, long passed, Outcome outcome, boolean named) {
            OptionalLong resumed = outcome.jsonOfType("progress").stream()
                    .mapToLong(each ->
                            (Long) each.getOrDefault("bytes", 0L) - (Long) each.getOrDefault("bytes_durable", 0L))
                    .max();
            if (pace != null && resumed.isPresent()) {
                all.computeIfAbsent(pace, each -> new ArrayList<>())
                        .add(passedBytes - (resumed.getAsLong() - resumedBytes));
            }
            pace = named || resumed.isEmpty() ? null : next;
            passedBytes = passed;
            resumedBytes = resumed.orElse(0);
        }

        void print(Direction direction) {
            all.forEach((each, bytes) -> {
                bytes.sort(null);
                System.err.printf(
                        "%s, %s over %d lanes: of %d stops, at most %,d bytes are sent again, median %,d%n",
                        direction,
                        each.rate,
                        each.lanes,
                        bytes.size(),
                        bytes.get(bytes.size() - 1),
                        bytes.get(bytes.size() / 2));
            });
        }
    }

    /** {@code scripts/soak} has hundreds of stops. */
    @EachWay
    @Timeout(value = 12, unit = TimeUnit.HOURS)
    void aSlowCopyGetsOnHoweverItIsStopped(Direction direction) throws IOException {
        Random random = new Random(SEED);
        Costs costs = new Costs();
        Route route = Route.alone(at, direction);
        Trees.file(route.sourcePath("big"), 256 * MIB, 1);
        long kept = 0;
        boolean exact = true;
        for (int stop = 0; stop < STOPS; stop++) {
            Stop how = stop < Stop.values().length ? Stop.values()[stop] : Stop.values()[random.nextInt(4)];
            Pace pace = stop < Stop.values().length ? Pace.FIVE_MEGABYTES : Pace.values()[random.nextInt(2)];
            String event = "stop %d of -Dfdt.seed=%d, %s at %s".formatted(stop, SEED, how, pace.rate);
            Outcome stopped;
            try (FaultProxy proxy = FaultProxy.before(route.server().port())) {
                FdtProcess client = startSlowly(route, proxy, pace);
                long before = kept;
                Await.until(
                        "more is acknowledged",
                        Workplace.LIMIT,
                        () -> !client.isAlive() || hasAcknowledged(client, before + 1));
                long more = proxy.totalBytes() + random.nextInt(pace.moreBytes);
                Await.until("more is under way", Workplace.LIMIT, () -> proxy.totalBytes() > more || !client.isAlive());
                switch (how) {
                    case ORDERLY -> interrupt(client);
                    case IMPATIENT -> {
                        interrupt(client);
                        interrupt(client);
                    }
                    case CLIENT_KILLED -> client.killHard();
                    case SERVER_KILLED -> {
                        route.server().process().killHard();
                        route = route.to(at.server());
                    }
                }
                stopped = client.await(Workplace.LIMIT);
                costs.onRun(pace, proxy.totalBytes(), stopped, Files.exists(route.targetPath("big")));
            }
            long acknowledged = stopped.jsonOfType("progress").stream()
                    .mapToLong(progress -> (Long) progress.getOrDefault("bytes", 0L))
                    .max()
                    .orElse(0);
            // A copy may also be stopped when the file already has its name.
            if (Files.exists(route.targetPath("big"))) {
                Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
                Files.delete(route.targetPath("big"));
                kept = 0;
                exact = true;
                continue;
            }
            assertThat(acknowledged).as(event).isGreaterThan(kept);
            boolean tells = how != Stop.CLIENT_KILLED;
            if (tells) {
                assertResumed(stopped, kept, exact, event);
            }
            exact = tells && Boolean.TRUE.equals(stopped.summary().get("kept_exact"));
            kept = tells ? stopped.number("bytes_kept") : acknowledged;
            assertThat(kept).as(event).isGreaterThanOrEqualTo(exact ? acknowledged : 0);
            kept = Math.max(kept, acknowledged);
        }
        Outcome last = at.copy(route.source("big"), route.target("big")).expectExit(0);
        assertResumed(last, kept, exact, "the last run");
        assertThat(last.number("bytes_kept")).isZero();
        Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
        costs.print(direction);
    }

    private static void assertResumed(Outcome outcome, long kept, boolean exact, String event) {
        long resumed = outcome.number("bytes_resumed");
        assertThat(resumed).as(event).isGreaterThanOrEqualTo(kept).isLessThanOrEqualTo(exact ? kept : Long.MAX_VALUE);
    }

    private static boolean hasAcknowledged(FdtProcess client, long bytes) {
        return client.transcript()
                .lines()
                .filter(line -> line.startsWith("out| ") && line.contains("\"progress\""))
                .anyMatch(line -> Json.object(line.substring(5)).get("bytes") instanceof Long done && done >= bytes);
    }

    /** It may have ended by itself. */
    private static void interrupt(FdtProcess client) {
        Shell.run("kill", "-s", "INT", client.pid());
    }

    private FdtProcess startSlowly(Route route, FaultProxy proxy, Pace pace) {
        Route through = route.through(proxy);
        return at.startCopy(
                "-P",
                pace.lanes,
                "--rate-limit",
                pace.rate,
                "--timeout",
                "5s",
                through.source("big"),
                through.target("big"));
    }

    @Test
    void noResumeStartsOverAndStillCompletes() {
        StoppedCopy copy = StoppedCopy.of(at, Direction.PUSH);
        copy.startUntilTheMiddle("-P", 4).killHard();
        assertThat(copy.again("--no-resume").number("bytes_resumed")).isZero();
    }

    @Test
    void changedSourceIsNotMixedWithWhatAnEarlierRunLeft() {
        StoppedCopy copy = StoppedCopy.of(at, Direction.PUSH);
        copy.startUntilTheMiddle("-P", 4).killHard();
        copy.changeSource();
        copy.again();
    }

    @ParameterizedTest
    @CsvSource({"PUSH,8MiB,1MiB", "PULL,8MiB,1MiB", "PUSH,1MiB,8MiB", "PULL,512KiB,4MiB"})
    void otherLanesAndChunkSizesResumeToo(Direction direction, String before, String after) {
        StoppedCopy copy = StoppedCopy.of(at, direction);
        copy.startUntilTheMiddle("-P", 7, "--chunk-size", before).killHard();
        Outcome rerun = copy.again("-P", 1, "--chunk-size", after);
        assertThat(rerun.number("bytes_resumed")).isPositive();
    }
}
