package io.fdt.cli.run;

import io.fdt.cli.command.Context;
import io.fdt.core.failure.Cause;
import io.fdt.core.run.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The lifetime of a command that starts work and waits for it: handles signals from the start, waits, and provides the
 * signal that ended the command. The first signal requests a stop in a resumable state. A second signal ends the
 * process at once, as does a stop that takes too long. Methods are for the command's own thread; signals arrive on
 * theirs.
 */
public final class Lifetime {
    /** A busy host may need seconds for them, and a reader that has stopped reading takes them never. */
    private static final long CLOSING_MESSAGES_MS = 5_000;

    private final Context context;
    private final String announcement;
    private final long patienceMs;
    private final ToIntFunction<Cause> exitCodes;
    private final Consumer<Cause> lastWords;
    private final Thread commandThread = Thread.currentThread();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Object speaking = new Object();

    // Guarded by this.
    private @Nullable Cause received;
    private @Nullable Consumer<Cause> stop;

    /** Waits until the work has ended by itself or was stopped. */
    public interface Ending<E> {
        E await() throws InterruptedException;
    }

    private Lifetime(
            Context context,
            String announcement,
            long patienceMs,
            ToIntFunction<Cause> exitCodes,
            Consumer<Cause> lastWords) {
        this.context = context;
        this.announcement = announcement;
        this.patienceMs = patienceMs;
        this.exitCodes = exitCodes;
        this.lastWords = lastWords;
    }

    /**
     * Starts to handle signals: until there is a stop action, a signal interrupts this thread.
     *
     * @param announcement for the operator, after the first signal
     * @param patienceMs how long the command may take to stop
     * @param lastWords called just before the process is halted
     */
    public static Lifetime begin(Context context, String announcement, long patienceMs, Consumer<Cause> lastWords) {
        return new Lifetime(context, announcement, patienceMs, Cause::exitCode, lastWords).listening();
    }

    /**
     * Like {@link #begin}, but for a command that runs until a signal: SIGTERM is expected, so it is not a failure.
     *
     * @param atLast called just before the process is halted
     */
    public static Lifetime untilSignal(Context context, String announcement, long patienceMs, Runnable atLast) {
        return new Lifetime(
                        context,
                        announcement,
                        patienceMs,
                        why -> why == Cause.TERMINATED ? 0 : why.exitCode(),
                        why -> atLast.run())
                .listening();
    }

    private Lifetime listening() {
        context.signals().onSignal("INT", () -> onSignal(Cause.INTERRUPTED));
        context.signals().onSignal("TERM", () -> onSignal(Cause.TERMINATED));
        context.signals().onSignal("HUP", () -> onSignal(Cause.TERMINATED));
        return this;
    }

    /**
     * Sets the action that a signal calls from now on. The action must return at once. It is called immediately if
     * there was already a signal.
     */
    public void stoppedBy(Consumer<Cause> how) {
        Cause why = replaceStop(how);
        if (why != null) {
            how.accept(why);
        }
    }

    private synchronized @Nullable Cause replaceStop(@Nullable Consumer<Cause> how) {
        stop = how;
        return received;
    }

    /** Pauses while there is nothing to stop. Throws at a signal, even one from before. */
    public void pause(long nanos) {
        Cause why = replaceStop(null);
        try {
            if (why == null) {
                TimeUnit.NANOSECONDS.sleep(nanos);
                return;
            }
        } catch (InterruptedException e) {
            why = Cause.INTERRUPTED;
        }
        throw why.failure("stopped between two attempts");
    }

    /**
     * Waits for the end. An interrupt does not end the wait, because it may be a late one from before there was a stop
     * action; the stop action is called instead.
     */
    public <E> E await(Ending<E> running) {
        while (true) {
            try {
                return running.await();
            } catch (InterruptedException e) {
                Cause why;
                Consumer<Cause> how;
                synchronized (this) {
                    why = received;
                    how = stop;
                }
                if (how != null) {
                    how.accept(why == null ? Cause.INTERRUPTED : why);
                }
            }
        }
    }

    /** Returns the first signal; null if there was none. */
    public synchronized @Nullable Cause signal() {
        return received;
    }

    /** Notes that the work has ended: the process is no longer halted for taking too long. */
    public void ended() {
        ended.countDown();
    }

    /** Shows the result: the process is not halted in the middle of it, unless it takes longer than last words may. */
    public void speak(Runnable result) {
        synchronized (speaking) {
            result.run();
        }
    }

    /** Returns the exit code of the signal, or this one if there was none. */
    public int exitCodeOr(int ofItsOwn) {
        Cause why = signal();
        return why == null ? ofItsOwn : exitCodes.applyAsInt(why);
    }

    private void onSignal(Cause why) {
        boolean first;
        Consumer<Cause> how;
        synchronized (this) {
            first = received == null;
            how = stop;
            if (first) {
                received = why;
            }
        }
        if (!first) {
            endAtOnce(why);
            return;
        }
        Threads.start(
                "fdt-interrupt",
                () -> {
                    if (!ended.await(patienceMs, TimeUnit.MILLISECONDS)) {
                        endAtOnce(why);
                    }
                },
                // A second signal ends it at once.
                noThread -> {});
        context.console().message(announcement);
        if (how != null) {
            how.accept(why);
        } else {
            commandThread.interrupt();
        }
    }

    /** Ends the process even if the reader of its output has stopped reading. */
    private void endAtOnce(Cause why) {
        Thread last = Threads.daemon("fdt-last-words", () -> speak(() -> lastWords.accept(why)));
        Threads.start(last, noThread -> {});
        Threads.join(last, CLOSING_MESSAGES_MS);
        context.signals().halt(exitCodes.applyAsInt(why));
    }
}
