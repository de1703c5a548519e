package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A failure in one task is reported, and stops neither its repetitions nor other tasks. */
final class TimersTest {
    private final ScheduledThreadPoolExecutor timer = Timers.newTimer("fdt-tested");
    private final LinkedBlockingQueue<Throwable> reported = new LinkedBlockingQueue<>();
    private final CountDownLatch runs = new CountDownLatch(3);

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    private void fail() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure));
        runs.countDown();
        throw new IllegalStateException("run " + runs.getCount());
    }

    @Test
    void repeatedTaskContinuesAfterFailuresAndReportsTheFirst() throws InterruptedException {
        var delayed = timer.scheduleWithFixedDelay(this::fail, 0, 1, TimeUnit.MILLISECONDS);
        assertThat(runs.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reported.take()).hasMessage("run 2");
        assertThat(delayed.cancel(false)).isTrue();
        CountDownLatch idle = new CountDownLatch(1);
        timer.execute(idle::countDown);
        idle.await();
        assertThat(reported).isEmpty();
    }

    @Test
    void fixedRateTaskContinuesAfterFailures() throws InterruptedException {
        var repeated = timer.scheduleAtFixedRate(this::fail, 0, 1, TimeUnit.MILLISECONDS);
        assertThat(runs.await(Await.LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(repeated.isDone()).isFalse();
    }

    @Test
    void aFailureOfASingleTaskIsReported() throws InterruptedException {
        var once = timer.schedule(this::fail, 0, TimeUnit.MILLISECONDS);
        assertThat(reported.take()).hasMessage("run 2");
        assertThat(once.isCancelled()).isFalse();
    }

    /** A deadline of a day, of each of many sessions. */
    @Test
    void aCancelledTaskIsForgotten() {
        var deadline = timer.schedule(() -> {}, 1, TimeUnit.DAYS);
        assertThat(timer.getQueue()).hasSize(1);
        assertThat(deadline.cancel(false)).isTrue();
        assertThat(timer.getQueue()).isEmpty();
    }
}
