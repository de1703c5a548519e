package io.fdt.core.thirdparty;

import io.fdt.core.control.Retry;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.Resources;
import io.fdt.core.run.RunningThread;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A push of a detached copy that is begun again after a failure that may pass. A changed source is not copied again:
 * the one-time key for the push ends with it.
 */
final class RetriedPush extends RunningThread<Summary> implements TransferJob {
    private final Supplier<TransferJob> attempt;
    private final Retry retry;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile @Nullable TransferJob running;
    private @Nullable Summary last;

    /** Starts at once. */
    RetriedPush(Supplier<TransferJob> attempt, long retryMs) {
        super("fdt-retry", Resources.LENT);
        this.attempt = attempt;
        this.retry = new Retry(
                TimeUnit.MILLISECONDS.toNanos(retryMs),
                () -> ThreadLocalRandom.current().nextDouble());
        begin();
    }

    @Override
    protected void work() throws InterruptedException {
        stoppedBy(this::stop);
        long pauseNanos;
        do {
            throwIfInterrupted();
            boolean first = last == null;
            Summary end = attempt();
            // It has ended the session that lent the key.
            boolean tokenOver = end.failure() != null && end.failure().is(Cause.TOKEN_EXPIRED);
            last = first || tokenOver || end.kind() != FailureKind.REFUSED
                    ? end
                    : end.failedWith(Failure.of(
                            Cause.CONNECTION_LOST,
                            "the target's server no longer admits this copy (" + end.message()
                                    + "): it was restarted, the key was revoked, or the servers had lost each other for"
                                    + " too long"));
            pauseNanos = tokenOver ? -1 : retry.pauseNanos(end, false, elapsedNanos());
        } while (pauseNanos >= 0 && !stopped.await(pauseNanos, TimeUnit.NANOSECONDS));
        if (pauseNanos >= 0) {
            throwIfInterrupted();
        }
    }

    private Summary attempt() throws InterruptedException {
        try (TransferJob push = attempt.get()) {
            running = push;
            throwIfInterrupted();
            return push.await();
        }
    }

    private void stop(TransferException why) {
        stopped.countDown();
        TransferJob push = running;
        if (push != null) {
            push.interrupt(why.failure());
        }
    }

    @Override
    protected Summary sumUp(@Nullable TransferException failure) {
        Summary end = last;
        if (end != null && failure == null) {
            return end;
        }
        return Summary.of(failure, progress(), List.of(), "none", "");
    }

    @Override
    public Progress progress() {
        TransferJob known = running;
        return known == null ? Progress.NONE.after(elapsedNanos()) : known.progress();
    }
}
