package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A killed copy leaves no incomplete file under its final name, and the next run resumes it. */
@Tag("full")
final class InterruptTest {
    private static final int MIB = 1 << 20;

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

    /** Each lane moves 160 kB a second, and a chunk of 8 MiB would take it most of a minute. */
    @EachWay
    void aSlowCopyThatIsStoppedAgainAndAgainGetsOn(Direction direction) {
        Route route = Route.of(at, direction);
        Trees.file(route.sourcePath("big"), 256 * MIB, 1);
        long kept = 0;
        for (int stop = 0; stop < 2; stop++) {
            FdtProcess client = startSlowly(route);
            client.signal("INT");
            Outcome stopped = client.await(Workplace.LIMIT).expectExit(130);
            assertThat(stopped.number("bytes_resumed")).isEqualTo(kept);
            assertThat(stopped.number("bytes_kept")).isGreaterThan(kept + 5 * MIB);
            kept = stopped.number("bytes_kept");
        }
        startSlowly(route).killHard();
        Outcome last = at.copy(route.source("big"), route.target("big")).expectExit(0);
        assertThat(last.number("bytes_resumed")).isGreaterThan(kept + 5 * MIB);
        assertThat(last.number("bytes_kept")).isZero();
        Trees.assertSameFile(route.sourcePath("big"), route.targetPath("big"));
    }

    private FdtProcess startSlowly(Route route) {
        FaultProxy proxy = at.closing(FaultProxy.before(route.server().port()));
        Route through = route.through(proxy);
        FdtProcess client =
                at.startCopy("-P", 32, "--rate-limit", "5MB/s", through.source("big"), through.target("big"));
        Await.until("16 MiB are under way", Workplace.LIMIT, () -> proxy.totalBytes() > 16 * MIB);
        return client;
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
