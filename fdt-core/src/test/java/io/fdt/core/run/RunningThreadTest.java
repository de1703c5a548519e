package io.fdt.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunningThreadTest {
    private final List<Long> closedWithin = new ArrayList<>();

    /** A thread that runs the work of a test and reports its failure. */
    private class Run extends RunningThread<String> {
        private final Work work;

        final CountDownLatch summing = new CountDownLatch(1);
        final AtomicBoolean asked = new AtomicBoolean();
        volatile boolean sumsUpUntilAsked;

        Run(Work work) {
            super("fdt-test", closedWithin::add);
            this.work = work;
            begin();
        }

        void stop(Consumer<TransferException> how) {
            stoppedBy(how);
        }

        void step() {
            throwIfInterrupted();
        }

        @Override
        protected void work() throws InterruptedException {
            work.run(this);
        }

        @Override
        protected String sumUp(@Nullable TransferException failure) {
            summing.countDown();
            if (sumsUpUntilAsked) {
                Await.until("it is asked to stop", asked::get);
            }
            String end = failure == null ? "fine" : failure.kind() + ": " + failure.getMessage();
            return Thread.currentThread().isInterrupted() ? end + ", still interrupted" : end;
        }
    }

    private interface Work {
        void run(Run run) throws InterruptedException;
    }

    @Test
    void returnsResultRepeatedly() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Run run = new Run(self -> go.await());
        assertThat(run.await(Duration.ofMillis(1))).isFalse();
        go.countDown();
        assertThat(run.await()).isEqualTo("fine");
        assertThat(run.await()).isEqualTo("fine");
        assertThat(run.await(Duration.ZERO)).isTrue();
    }

    @Test
    void interruptsThreadWithoutStopAction() throws InterruptedException {
        Run run = new Run(self -> new CountDownLatch(1).await());
        run.interrupt(Failure.of(Cause.TERMINATED, "enough"));
        assertThat(run.await()).isEqualTo("TERMINATED: enough");
    }

    @Test
    void stopsByItsOwnActionWithReason() throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Run run = new Run(self -> {
            self.stop(why -> stopped.countDown());
            ready.countDown();
            stopped.await();
            throw Cause.CONNECTION_LOST.failure("gone");
        });
        ready.await();
        run.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
        assertThat(run.await()).isEqualTo("INTERRUPTED: enough");
    }

    @Test
    void earlyStopTakesEffectAtNextStep() throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        Run run = new Run(self -> {
            try {
                asked.await();
            } catch (InterruptedException early) {
                // The next step detects the interruption too.
            }
            self.stop(why -> {});
            self.step();
        });
        run.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
        asked.countDown();
        assertThat(run.await()).isEqualTo("INTERRUPTED: enough");
    }

    @Test
    void clearsInterruptBeforeSummary() throws InterruptedException {
        Run run = new Run(self -> {
            Thread.currentThread().interrupt();
            throw Cause.SOURCE.failure("unreadable");
        });
        assertThat(run.await()).isEqualTo("SOURCE: unreadable");
    }

    @Test
    void errorIsReportedAsFailure() throws InterruptedException {
        AtomicReference<Throwable> told = new AtomicReference<>();
        Run run = new Run(self -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> told.set(error));
            throw new AssertionError("oops");
        });
        assertThat(run.await()).startsWith("INTERNAL: ").contains("oops");
        Await.until("the thread's handler is told", () -> told.get() instanceof AssertionError);
    }

    @Test
    void failedSummaryReleasesWaiters() {
        Run run = new Run(self -> Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {})) {
            @Override
            protected String sumUp(@Nullable TransferException failure) {
                throw new IllegalStateException("nothing to say");
            }
        };
        assertThatIllegalStateException().isThrownBy(run::await).withMessage("fdt-test ended without a result");
    }

    @Test
    void closeStopsJobAndReleasesResources() throws InterruptedException {
        Run run = new Run(self -> new CountDownLatch(1).await());
        run.close(300);
        assertThat(run.await(Duration.ZERO)).isTrue();
        assertThat(run.await()).isEqualTo("INTERRUPTED: closed before its end");
        run.close();
        assertThat(closedWithin).containsExactly(300L, 10_000L);
    }

    /** Or the files that tell what was done could not be written. */
    @Test
    void noInterruptDuringSummary() throws InterruptedException {
        Run run = new Run(self -> self.sumsUpUntilAsked = true);
        run.summing.await();
        run.interrupt(Failure.of(Cause.INTERRUPTED, "enough"));
        run.asked.set(true);
        assertThat(run.await()).isEqualTo("fine");
    }
}
