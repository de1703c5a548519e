package io.fdt.core.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
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

        void end(@Nullable Cause failure) {
            end.complete(Summary.of(failure == null ? null : failure.failure("it failed"), 1, 2, 3, 4, 5, "session"));
        }

        @Override
        public Progress progress() {
            return Progress.NONE;
        }

        @Override
        public void interrupt(Failure why) {
            end.complete(Summary.of(why.exception(), 1, 2, 3, 4, 5, "session"));
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
            interrupt(Failure.of(Cause.INTERRUPTED, "closed"));
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
            awaited(0).end(Cause.CONNECTION_LOST);
            awaited(1).end(null);
            assertThat(push.await().failure()).isNull();
        }
        assertThat(attempt(2)).isNull();
    }

    @Test
    void endsWithFailureThatStays() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(Cause.TARGET);
            assertThat(push.await().kind()).isEqualTo(FailureKind.TARGET);
        }
        assertThat(attempt(1)).isNull();
    }

    /** A client that is gone renews no token, so the copy does not wait for another one. */
    @Test
    void anExpiredTokenEndsItAtOnce() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(Cause.CONNECTION_LOST);
            awaited(1).end(Cause.TOKEN_EXPIRED);
            Failure failure = Objects.requireNonNull(push.await().failure());
            assertThat(failure.cause()).isEqualTo(Cause.TOKEN_EXPIRED);
        }
        assertThat(attempt(2)).isNull();
    }

    /** The one-time key is in the memory of the target's server only; the user's key is as good as before. */
    @Test
    void aTargetThatForgotTheCopyIsALostConnection() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0).end(Cause.CONNECTION_LOST);
            awaited(1).end(Cause.REFUSED);
            assertThat(push.await().kind()).isEqualTo(FailureKind.CONNECTION_LOST);
            assertThat(push.await().message()).contains("it was restarted");
        }
        assertThat(attempt(2)).isNull();
    }

    @Test
    void interruptEndsTheAttempt() throws Exception {
        try (RetriedPush push = begin()) {
            awaited(0);
            push.interrupt(Failure.of(Cause.INTERRUPTED, "cancelled"));
            assertThat(push.await().kind()).isEqualTo(FailureKind.INTERRUPTED);
        }
        assertThat(attempt(1)).isNull();
    }
}
