package io.fdt.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.TransferException;
import io.fdt.core.run.JobEnd;
import io.fdt.core.run.Running;
import io.fdt.core.transport.Await;
import io.fdt.core.transport.InBackground;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The end of a command that runs a job. */
class JobRunTest {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final CommandRun around = new CommandRun();
    private final List<String> events = new ArrayList<>();
    private @Nullable InBackground<Void> secondSignal;

    private record End(@Nullable Failure failure) implements JobEnd {}

    /** Ends at the first signal. */
    private static final class Job implements Running<End> {
        private @Nullable Failure why;

        @Override
        public void interrupt(Failure why) {
            this.why = why;
        }

        @Override
        public End await() {
            return new End(why);
        }

        @Override
        public boolean await(Duration limit) {
            return true;
        }

        @Override
        public void close() {}

        @Override
        public void close(long timeoutMs) {}
    }

    private final class Part implements JobRun.CommandJob<Job, End> {
        @Override
        public Job start() {
            around.signals.raise("INT");
            // Until there is a job, a signal interrupts the command.
            Thread.interrupted();
            return new Job();
        }

        @Override
        public End withoutJob(TransferException failure) {
            return new End(failure.failure());
        }

        @Override
        public void show(End end) {
            note("begin");
            if (secondSignal == null) {
                secondSignal = InBackground.run(() -> around.signals.raise("INT"));
                Await.until("the process would be halted", LIMIT, () -> count() > 1 || isBlocked("fdt-last-words"));
            }
            note("end");
        }
    }

    private synchronized void note(String event) {
        events.add(event);
    }

    private synchronized int count() {
        return events.size();
    }

    private static boolean isBlocked(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(each -> each.getName().equals(name) && each.getState() == Thread.State.BLOCKED);
    }

    /** The summary of a copy that was interrupted twice was missing, or half of it. */
    @Test
    void aSecondSignalHaltsOnlyAfterTheResultWasShown() throws Exception {
        int exitCode = JobRun.run(around.context(), new Part(), false, "stopping", 600_000);
        assertThat(secondSignal).isNotNull();
        secondSignal.result();
        Await.until("both results were shown", LIMIT, () -> count() == 4);
        assertThat(exitCode).isEqualTo(130);
        assertThat(events).containsExactly("begin", "end", "begin", "end");
        assertThat(around.halts).containsExactly(130);
    }
}
