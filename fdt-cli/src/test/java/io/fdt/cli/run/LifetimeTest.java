package io.fdt.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.failure.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The effect of a signal on a command, at any time. */
class LifetimeTest {
    private final CommandRun around = new CommandRun();
    private final List<Cause> stops = new ArrayList<>();
    private final CountDownLatch stopped = new CountDownLatch(1);

    private void stop(Cause why) {
        stops.add(why);
        stopped.countDown();
    }

    private String untilStopped() throws InterruptedException {
        stopped.await();
        return "ended";
    }

    @ParameterizedTest
    @CsvSource({"TERM, TERMINATED, 0", "HUP, TERMINATED, 0", "INT, INTERRUPTED, 130"})
    void stopsWhatComesAfterTheSignalAndWaitsForIt(String signal, Cause why, int exitCode) {
        Lifetime life = Lifetime.untilSignal(around.context(), "stopping", 600_000, () -> {});
        around.signals.raise(signal);
        life.stoppedBy(this::stop);
        assertThat(stops).containsExactly(why);

        assertThat(life.await(this::untilStopped)).isEqualTo("ended");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        life.ended();
        assertThat(life.signal()).isEqualTo(why);
        assertThat(life.exitCodeOr(7)).isEqualTo(exitCode);
        assertThat(around.err()).isEqualTo("stopping\n");
        assertThat(around.halts).isEmpty();
    }

    @Test
    void hasAnExitCodeOfItsOwnWhereNoSignalCame() {
        Lifetime life = Lifetime.untilSignal(around.context(), "stopping", 600_000, () -> {});
        life.stoppedBy(this::stop);
        assertThat(life.await(() -> "ended")).isEqualTo("ended");
        life.ended();
        assertThat(stops).isEmpty();
        assertThat(life.signal()).isNull();
        assertThat(life.exitCodeOr(7)).isEqualTo(7);
    }

    /** The second signal ends the process even if the running job cannot be stopped. */
    @Test
    void secondSignalHaltsAfterTheLastAction() {
        List<String> done = new ArrayList<>();
        Lifetime life = Lifetime.untilSignal(around.context(), "stopping", 600_000, () -> done.add("at last"));
        life.stoppedBy(why -> {});
        around.signals.raise("TERM");
        assertThat(around.halts).isEmpty();
        around.signals.raise("TERM");
        assertThat(around.halts).containsExactly(0);
        assertThat(done).containsExactly("at last");
        life.ended();
    }
}
