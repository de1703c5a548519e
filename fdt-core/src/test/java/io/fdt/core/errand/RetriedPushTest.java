package io.fdt.core.errand;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.FailureKind;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import io.fdt.core.transport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A push of a detached copy is begun again after a lost connection, and not after its end or another failure. */
class RetriedPushTest {
    private static final long AN_HOUR_MS = 3_600_000;

    private final List<Attempt> attempts = new ArrayList<>();

    /** Ends as the test specifies. */
    private static final class Attempt implements TransferJob {
        final CompletableFuture<Summary> end = new CompletableFuture<>();

        void end(@Nullable FailureKind failure) {
            end.complete(Summary.of(failure == null ? null : failure.failure("it failed"), 1, 2, 3, 4, 5, "session"));
        }

        @Override
        public Progress progress() {
            return Progress.NONE;
        }

        @Override
        public void interrupt(FailureKind why, String message) {
            end.complete(Summary.of(why.failure(message), 1, 2, 3, 4, 5, "session"));
        }

        @Override
        public Summary await() {
            return end.join();
        }

        @Override
        public boolean await(Duration limit) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            interrupt(FailureKind.INTERRUPTED, "closed");
        }

        @Override
        public void close(long timeoutMs) {
            close();
        }
    }

    private RetriedPush begin() {
        return new RetriedPush(this::next, AN_HOUR_MS);
    }

    private synchronized TransferJob next() {
        Attempt attempt = new Attempt();
        attempts.add(attempt);
        return attempt;
    }

    private synchronized @Nullable Attempt attempt(int number) {
        return attempts.size() > number ? attempts.get(number) : null;
    }

    private Attempt awaited(int number) {
        Await.until("attempt " + number, () -> attempt(number) != null);
        return Objects.requireNonNull(attempt(number));
    }

    @Test
    void beginsAgainUntilItSucceeds() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(FailureKind.CONNECTION_LOST);
            awaited(1).end(null);
            assertThat(push.await().failure()).isNull();
        }
        assertThat(attempt(2)).isNull();
    }

    @Test
    void endsWithFailureThatStays() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(FailureKind.TARGET);
            assertThat(push.await().failure()).isEqualTo(FailureKind.TARGET);
        }
        assertThat(attempt(1)).isNull();
    }

    /** The one-time key is in the memory of the target's server only; the user's key is as good as before. */
    @Test
    void aTargetThatForgotTheCopyIsALostConnection() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(FailureKind.CONNECTION_LOST);
            awaited(1).end(FailureKind.REFUSED);
            assertThat(push.await().failure()).isEqualTo(FailureKind.CONNECTION_LOST);
            assertThat(push.await().message()).contains("it was restarted");
        }
        assertThat(attempt(2)).isNull();
    }

    @Test
    void interruptEndsTheAttempt() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0);
            push.interrupt(FailureKind.INTERRUPTED, "cancelled");
            assertThat(push.await().failure()).isEqualTo(FailureKind.INTERRUPTED);
        }
        assertThat(attempt(1)).isNull();
    }
}
