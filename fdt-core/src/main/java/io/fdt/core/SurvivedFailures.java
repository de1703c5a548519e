package io.fdt.core;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reports bugs in background work that must continue. The first one goes to the thread's handler of uncaught
 * exceptions, as if it had ended the thread; later ones are not reported. Thread-safe.
 */
public final class SurvivedFailures {
    private final AtomicBoolean reported = new AtomicBoolean();

    public void report(Throwable failure) {
        if (reported.compareAndSet(false, true)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
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
