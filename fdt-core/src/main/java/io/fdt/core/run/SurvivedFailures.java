package io.fdt.core.run;

import io.fdt.core.failure.KernelError;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Reports failures of background work that must continue. Only the first one is reported; by default, to the thread's
 * handler of uncaught exceptions, as if it had ended the thread. That handler gets an error of a full heap in any case:
 * it ends a process of fdt. Thread-safe.
 */
public final class SurvivedFailures {
    private final AtomicBoolean reported = new AtomicBoolean();
    private final Consumer<Throwable> first;

    public SurvivedFailures() {
        this(SurvivedFailures::handle);
    }

    /** @param first gets the first failure */
    public SurvivedFailures(Consumer<Throwable> first) {
        this.first = first;
    }

    private static void handle(Throwable failure) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }

    public void report(Throwable failure) {
        if (KernelError.isOfHeap(failure)) {
            handle(failure);
        } else if (reported.compareAndSet(false, true)) {
            first.accept(failure);
        }
    }

    /** Returns the same work, which reports its exceptions and returns normally. */
    public static Runnable survived(Runnable work) {
        SurvivedFailures failures = new SurvivedFailures();
        return () -> failures.survives(work);
    }

    /** Runs the work; false if it failed. */
    public boolean survives(Runnable work) {
        try {
            work.run();
            return true;
        } catch (RuntimeException | Error failure) {
            report(failure);
            return false;
        }
    }
}
