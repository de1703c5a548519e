package io.fdt.core;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Where background work reports a mistake of ours that must not end it. The first one goes to the thread's handler of
 * uncaught exceptions, as if it had ended the thread; those after it would say the same. Any thread.
 */
public final class SurvivedFailures {
    private final AtomicBoolean reported = new AtomicBoolean();

    public void report(Throwable failure) {
        if (reported.compareAndSet(false, true)) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        }
    }

    /** The same work, which reports what it throws and returns. */
    public static Runnable survived(Runnable work) {
        SurvivedFailures failures = new SurvivedFailures();
        return () -> {
            try {
                work.run();
            } catch (RuntimeException | Error failure) {
                failures.report(failure);
            }
        };
    }
}
