package io.fdt.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.cli.FakeEngine;
import io.fdt.core.basic.Clock;
import io.fdt.core.failure.Failure;
import io.fdt.core.stats.Progress;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.TransferJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The answers of one copy of a batch. */
final class CopyAnswerTest {
    private final CommandRun run = new CommandRun();
    private final List<Thread> askedForProgress = new ArrayList<>();

    @Test
    void progressNeedsNoThread() throws InterruptedException {
        BatchAnswer answer = new BatchAnswer(run.context().console(), 7, exitCode -> {});
        new CopyAnswer(answer, false, Clock.SYSTEM).follow(new Job(2));
        assertThat(run.json()).extracting(line -> line.get("type")).containsExactly("progress", "progress", "done");
        assertThat(askedForProgress).hasSize(2).containsOnly(Thread.currentThread());
    }

    /** Ends after this many waits. */
    private final class Job implements TransferJob {
        private int waits;

        Job(int waits) {
            this.waits = waits;
        }

        @Override
        public Progress progress() {
            askedForProgress.add(Thread.currentThread());
            return new FakeEngine().progress;
        }

        @Override
        public Summary await() {
            return FakeEngine.OK;
        }

        @Override
        public boolean await(Duration limit) {
            return waits-- == 0;
        }

        @Override
        public void interrupt(Failure why) {
            throw new AssertionError("nobody stops it");
        }

        @Override
        public void close() {}

        @Override
        public void close(long timeoutMs) {}
    }
}
