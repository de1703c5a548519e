package io.fdt.core.run;

import static io.fdt.core.transport.Schedules.require;
import static io.fdt.core.transport.Schedules.together;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.transport.Schedules;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A job that is stopped at any moment of its life ends, and says why. */
final class RunningThreadSchedulesTest {
    private static final class Job extends RunningThread<String> {
        private final CountDownLatch stopped = new CountDownLatch(1);

        Job() {
            super("job", Resources.LENT);
            begin();
        }

        @Override
        protected void work() throws InterruptedException {
            stoppedBy(why -> stopped.countDown());
            throwIfInterrupted();
            stopped.await();
            throwIfInterrupted();
        }

        @Override
        protected String sumUp(@Nullable TransferException failure) {
            require(!Thread.currentThread().isInterrupted(), "its thread can write files");
            return failure == null ? "no reason" : String.valueOf(failure.getMessage());
        }
    }

    @Test
    void aJobThatIsStoppedAtAnyMomentEndsWithTheReason() {
        Schedules.explore(80, () -> {
            Job job = new Job();
            together(() -> job.interrupt(Failure.of(Cause.INTERRUPTED, "stop")));
            require(job.await().equals("stop"), "it ends with " + job.await());
        });
    }
}
