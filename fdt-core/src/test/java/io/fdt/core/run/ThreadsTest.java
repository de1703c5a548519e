package io.fdt.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.KernelError;
import io.fdt.core.failure.TransferException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Work for which there is no thread, and work that fails in one. */
class ThreadsTest {
    /** More than there are addresses. */
    private static final long STACK_BYTES = 1L << 48;

    private final List<Throwable> reported = new ArrayList<>();

    private static Thread impossible() {
        return new Thread(null, () -> {}, "no room", STACK_BYTES);
    }

    @Test
    void aThreadThatCannotBeStartedIsALimitOfTheHost() {
        assertThatThrownBy(() -> Threads.start(impossible()))
                .isInstanceOfSatisfying(
                        TransferException.class,
                        failure -> assertThat(failure.failure().cause()).isEqualTo(Cause.HOST_LIMIT))
                .hasMessageContaining("the limit of threads is reached");
        Threads.start(impossible(), reported::add);
        assertThat(reported).hasSize(1);
    }

    @Test
    void onlyAFullHeapIsTheEndOfAProcess() {
        assertThat(KernelError.isOfHeap(new OutOfMemoryError("Java heap space")))
                .isTrue();
        assertThat(KernelError.isOfHeap(new OutOfMemoryError("unable to create native thread: x")))
                .isFalse();
        assertThat(KernelError.isOfHeap(new OutOfMemoryError("Cannot reserve 8 bytes of direct buffer memory")))
                .isFalse();
    }

    /** An error ends no work that must continue, and only the first one is reported. */
    @Test
    void workThatMustContinueSurvivesErrors() {
        SurvivedFailures failures = new SurvivedFailures(reported::add);
        Error error = new OutOfMemoryError("unable to create native thread: x");
        assertThat(failures.survives(() -> {
                    throw error;
                }))
                .isFalse();
        assertThat(failures.survives(() -> {
                    throw new IllegalStateException();
                }))
                .isFalse();
        assertThat(failures.survives(() -> {})).isTrue();
        assertThat(reported).containsExactly(error);
    }

    @Test
    void aFullHeapAlwaysReachesTheHandlerOfTheProcess() {
        SurvivedFailures failures = new SurvivedFailures(failure -> {});
        Error full = new OutOfMemoryError("Java heap space");
        failures.report(new IllegalStateException());
        Thread thread = new Thread(() -> failures.report(full));
        thread.setUncaughtExceptionHandler((where, failure) -> reported.add(failure));
        Threads.start(thread);
        Threads.join(thread, 10_000);
        assertThat(reported).containsExactly(full);
    }
}
