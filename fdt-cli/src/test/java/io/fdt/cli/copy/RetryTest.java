package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.FakeEngine;
import io.fdt.core.control.Retry;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.stats.Moved;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferObserver.FileOutcome;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryTest {
    private static final long SECOND = 1_000_000_000L;

    /** Returns a summary of a session that moved nothing. */
    private static Summary end(@Nullable Cause cause) {
        return new Summary(
                cause == null ? null : Failure.of(cause, "it failed"),
                new Summary.Files(0, 0, 0, 0, List.of()),
                Summary.Bytes.of(0, new Moved(0, 0, 0, 0, 0)),
                new Summary.Run("", 0, 0, 0, ""),
                null,
                null);
    }

    @Test
    void pausesGrowFromASecondToAMinute() {
        Retry retry = new Retry(Retry.FOREVER, () -> 0.5);
        List<Long> seconds = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            seconds.add(retry.pauseNanos(end(Cause.CANNOT_CONNECT), true, i) / SECOND);
        }
        assertThat(seconds).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    }

    @Test
    void pausesVaryByAQuarter() {
        assertThat(new Retry(Retry.FOREVER, () -> 0).pauseNanos(end(Cause.CONNECTION_LOST), true, 0))
                .isEqualTo(750_000_000L);
        assertThat(new Retry(Retry.FOREVER, () -> 1).pauseNanos(end(Cause.CONNECTION_LOST), true, 0))
                .isEqualTo(1_250_000_000L);
    }

    @Test
    void beginsWithAShortPauseAgainAfterDataMoved() {
        Retry retry = new Retry(Retry.FOREVER, () -> 0.5);
        for (int i = 0; i < 5; i++) {
            retry.pauseNanos(end(Cause.CANNOT_CONNECT), true, 0);
        }
        assertThat(retry.pauseNanos(FakeEngine.summary(Cause.CONNECTION_LOST, "lost"), true, 0))
                .isEqualTo(SECOND);
    }

    @Test
    void lastAttemptIsAtTheTimeLimit() {
        Retry retry = new Retry(10 * SECOND, () -> 0.5);
        assertThat(retry.pauseNanos(end(Cause.CANNOT_CONNECT), true, 9 * SECOND + 1))
                .isEqualTo(SECOND - 1);
        assertThat(retry.pauseNanos(end(Cause.CANNOT_CONNECT), true, 10 * SECOND))
                .isNegative();
    }

    /** By the exit code, but for what needs another command. */
    @ParameterizedTest
    @EnumSource(Cause.class)
    void retriesOnlyTemporaryFailures(Cause cause) {
        boolean temporary = switch (cause.kind()) {
            case CANNOT_CONNECT -> cause != Cause.NO_RDMA;
            case CONNECTION_LOST, BUSY -> true;
            default -> cause == Cause.TOKEN_EXPIRED;
        };
        boolean changed = cause == Cause.CHANGED || cause == Cause.SOME_FILES_FAILED;
        assertThat(isRepeated(cause, false)).isEqualTo(temporary);
        assertThat(isRepeated(cause, true)).isEqualTo(temporary || changed);
        assertThat(new Retry(Retry.FOREVER, () -> 0).pauseNanos(end(null), true, 0))
                .isNegative();
    }

    /** Whoever runs the job brings a new token; a revoked key does not come back. */
    @ParameterizedTest
    @EnumSource(Cause.class)
    void aWatchGoesOnAfterARefusalOnlyWithAnExpiredToken(Cause cause) {
        assertThat(cause.kind() == FailureKind.REFUSED && !WatchRun.isFinal(Failure.of(cause, "refused")))
                .isEqualTo(cause == Cause.TOKEN_EXPIRED);
    }

    private static boolean isRepeated(Cause cause, boolean changing) {
        return new Retry(Retry.FOREVER, () -> 0).pauseNanos(end(cause), changing, 0) >= 0;
    }

    private static CommandRun failingOnce(Summary first) {
        CommandRun run = new CommandRun();
        AtomicInteger attempts = new AtomicInteger();
        run.engine.session = observer -> run.engine.end = attempts.getAndIncrement() == 0 ? first : FakeEngine.OK;
        return run;
    }

    @Test
    void reportsEachAttemptAndEndsWithTheLast() {
        CommandRun run = failingOnce(end(Cause.CANNOT_CONNECT));
        assertThat(run.run("client", "--json", "--retry", "1m", "a", "fdt://h/b"))
                .isZero();
        assertThat(run.json()).extracting(line -> line.get("type")).containsExactly("retry", "summary");
        assertThat(run.json().get(0))
                .containsEntry("attempt", 1L)
                .containsEntry("exit_code", 8L)
                .containsEntry("cause", "cannot-connect")
                .containsEntry("message", "it failed")
                .containsKey("pause_seconds");
        assertThat(run.lastJson()).containsEntry("exit_code", 0L).containsEntry("attempts", 2L);
        assertThat(run.errLines()).singleElement().asString().startsWith("fdt: attempt 1 failed: it failed; trying");
    }

    @Test
    void repeatsACopyWhoseSourcesChanged() {
        CommandRun run = failingOnce(end(Cause.SOME_FILES_FAILED));
        assertThat(run.run("client", "-q", "--retry", "forever", "a", "fdt://h/b"))
                .isZero();
        assertThat(run.err()).isEmpty();
        CommandRun denied = failingOnce(end(Cause.SOME_FILES_FAILED));
        var attempt = denied.engine.session;
        denied.engine.session = observer -> {
            observer.onFile("a", FileOutcome.FAILED, 1, Failure.of(Cause.CHANGED, "changed"));
            observer.onFile("b", FileOutcome.FAILED, 1, Failure.of(Cause.SOURCE, "permission denied"));
            attempt.accept(observer);
        };
        assertThat(denied.run("client", "--json", "--retry", "forever", "a", "fdt://h/b"))
                .isEqualTo(3);
        assertThat(denied.lastJson()).containsEntry("attempts", 1L);
    }

    @Test
    void interruptEndsThePauseAtOnce() throws Exception {
        CommandRun run = new CommandRun();
        run.engine.end = end(Cause.CANNOT_CONNECT);
        var command = InBackground.start(() -> run.run("client", "--json", "--retry", "forever", "a", "fdt://h/b"));
        // The third pause is the first that is long enough to interrupt reliably.
        Await.until("the third pause", () -> run.err().contains("attempt 3 failed"));
        run.signals.raise("INT");
        assertThat(command.result()).isEqualTo(130);
        // On a busy machine, it may be in a later pause by now.
        long pauses = run.errLines().stream()
                .filter(line -> line.startsWith("fdt: attempt "))
                .count();
        assertThat(run.lastJson()).containsEntry("outcome", "interrupted").containsEntry("attempts", pauses + 1);
        assertThat(run.halts).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "soon", "-1s", ""})
    void refusesInvalidTime(String text) {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "--retry", text, "a", "fdt://h/b")).isEqualTo(2);
        assertThat(run.err()).contains("--retry").contains("forever");
    }

    @Test
    void refusesRetryWithExistingFail() {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "--retry", "1m", "--existing", "fail", "a", "fdt://h/b"))
                .isEqualTo(2);
        assertThat(run.err()).contains("--retry does not apply to --existing fail");
        assertThat(new CommandRun()
                        .environment("FDT_RETRY", "1m")
                        .run("client", "--existing", "fail", "a", "fdt://h/b"))
                .isZero();
    }

    @Test
    void refusesRetryOfAStreamOnTheCommandLine() {
        for (String[] operands : new String[][] {{"-", "fdt://h/b"}, {"fdt://h/b", "-"}}) {
            CommandRun run = new CommandRun();
            assertThat(run.run("client", "--retry", "1m", operands[0], operands[1]))
                    .isEqualTo(2);
            assertThat(run.err()).contains("--retry does not apply to -");
            assertThat(new CommandRun().environment("FDT_RETRY", "1m").run("client", operands[0], operands[1]))
                    .isZero();
        }
    }
}
