package io.fdt.cli.run;

import io.fdt.cli.command.Context;
import io.fdt.cli.display.FailureReport;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.Failure;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nativecode.NativeCode;
import io.fdt.core.run.JobEnd;
import io.fdt.core.run.Running;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The life cycle of a command that starts one job of the engine, waits for its end, closes it and shows the result:
 * signals, progress, last messages and the exit code. {@link CommandJob} contains what depends on the kind of job.
 */
public final class JobRun {
    /** A user who interrupts a job does not want to wait for a slow disk. */
    private static final long QUICK_CLOSE_MS = 300;

    private JobRun() {}

    /** What differs between commands. */
    public interface CommandJob<J extends Running<S>, S extends JobEnd> {
        /** Starts the job; may block until it is established. */
        J start();

        /**
         * Does the remaining work after the job has ended by itself, before the result is shown. Returns the result to
         * show.
         */
        default S conclude(S end) {
            return end;
        }

        /**
         * Returns the pause before the job is started again after this result, in nanoseconds; negative for no further
         * attempt.
         */
        default long pauseNanos(S end) {
            return -1;
        }

        /** Starts to show progress; returns an action that ends it. */
        default Runnable watch(J job) {
            return () -> {};
        }

        /** Prints the progress after SIGUSR1; the job is null if there is none. Called on the signal's thread. */
        default void status(@Nullable J job) {}

        /** Returns the result if no job could be started. */
        S withoutJob(TransferException failure);

        /** Returns the result if the process halts while the job, if there is one, has not ended. */
        default S abandoned(@Nullable J job, TransferException failure) {
            return withoutJob(failure);
        }

        /** Shows the result; only the first call counts. */
        void show(S end);

        /** Ends everything that ran beside the job. Called after the result was shown, even if there was no job. */
        default void close() {}
    }

    /**
     * Runs the job, and returns the exit code.
     *
     * @param verbose print a stack trace for an unexpected failure
     * @param announcement for the operator, after the first signal
     * @param patienceMs how long the job may then take to stop
     */
    public static <J extends Running<S>, S extends JobEnd> int run(
            Context context, CommandJob<J, S> part, boolean verbose, String announcement, long patienceMs) {
        AtomicReference<@Nullable J> running = new AtomicReference<>();
        Lifetime life = Lifetime.begin(
                context,
                announcement,
                patienceMs,
                why -> part.show(part.abandoned(running.get(), failure(why).exception())));
        // Handle the signal from the start, because it would end the process without a handler.
        context.signals().onSignal("USR1", () -> part.status(running.get()));
        S end;
        Throwable cause;
        long pauseNanos = 0;
        do {
            cause = null;
            try {
                if (pauseNanos > 0) {
                    life.pause(pauseNanos);
                }
                end = runOnce(part, running, life);
            } catch (RuntimeException | Error e) {
                Cause why = life.signal();
                end = part.withoutJob(
                        why == null ? TransferException.of(e) : failure(why).exception());
                cause = why == null ? e : null;
            }
            pauseNanos = life.signal() == null ? part.pauseNanos(end) : -1;
        } while (pauseNanos >= 0);
        life.ended();
        try {
            S result = end;
            life.speak(() -> part.show(result));
            FailureKind kind = end.kind();
            if (cause != null && kind != null) {
                new FailureReport(context.console(), false, verbose).printTrace(cause, kind);
            }
        } finally {
            part.close();
        }
        return end.exitCode();
    }

    private static <J extends Running<S>, S extends JobEnd> S runOnce(
            CommandJob<J, S> part, AtomicReference<@Nullable J> running, Lifetime life) {
        NativeCode.require();
        J job = part.start();
        running.set(job);
        life.stoppedBy(why -> job.interrupt(failure(why)));
        Runnable unwatch = part.watch(job);
        try {
            S last = life.await(job::await);
            close(job, life);
            return part.conclude(last);
        } finally {
            unwatch.run();
        }
    }

    private static void close(Running<?> job, Lifetime life) {
        if (life.signal() == null) {
            job.close();
        } else {
            job.close(QUICK_CLOSE_MS);
        }
    }

    private static Failure failure(Cause why) {
        return Failure.of(why, why == Cause.TERMINATED ? "stopped by a signal" : "stopped by Ctrl-C");
    }
}
