package io.fdt.cli.run;

import io.fdt.cli.command.Context;
import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import io.fdt.core.TransferException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * How a command lives and ends that starts something and waits for it: what signals do from its first moment on, the
 * wait, and the signal that it has ended by. The first signal asks the command to stop in a state that can be resumed;
 * the second ends the process at once, and so does the end of the patience with the first. Methods are for the
 * command's own thread; signals come on theirs.
 */
public final class Lifetime {
    private static final long LAST_WORDS_MS = 300;

    private final Context context;
    private final String announcement;
    private final long patienceMs;
    private final ToIntFunction<FailureKind> exitCodes;
    private final Consumer<FailureKind> lastWords;
    private final Thread commandThread = Thread.currentThread();
    private final CountDownLatch ended = new CountDownLatch(1);

    // Guarded by this.
    private @Nullable FailureKind received;
    private @Nullable Consumer<FailureKind> stop;

    /** Waits for what has been started, until it has ended by itself or was stopped. */
    public interface Ending<E> {
        E await() throws InterruptedException;
    }

    private Lifetime(
            Context context,
            String announcement,
            long patienceMs,
            ToIntFunction<FailureKind> exitCodes,
            Consumer<FailureKind> lastWords) {
        this.context = context;
        this.announcement = announcement;
        this.patienceMs = patienceMs;
        this.exitCodes = exitCodes;
        this.lastWords = lastWords;
    }

    /**
     * Begins: a signal interrupts this thread until there is something that it stops.
     *
     * @param announcement for the operator, after the first signal
     * @param patienceMs how long the command may take to stop
     * @param lastWords called just before the process is ended without the command's consent
     */
    public static Lifetime begin(
            Context context, String announcement, long patienceMs, Consumer<FailureKind> lastWords) {
        return new Lifetime(context, announcement, patienceMs, FailureKind::exitCode, lastWords).listening();
    }

    /**
     * The same of a command that runs until a signal comes: it expects SIGTERM, so that is no failure.
     *
     * @param atLast what must be done even when the process is ended without the command's consent
     */
    public static Lifetime untilSignal(Context context, String announcement, long patienceMs, Runnable atLast) {
        return new Lifetime(
                        context,
                        announcement,
                        patienceMs,
                        why -> why == FailureKind.TERMINATED ? 0 : why.exitCode(),
                        why -> atLast.run())
                .listening();
    }

    private Lifetime listening() {
        context.signals().onSignal("INT", () -> onSignal(FailureKind.INTERRUPTED));
        context.signals().onSignal("TERM", () -> onSignal(FailureKind.TERMINATED));
        context.signals().onSignal("HUP", () -> onSignal(FailureKind.TERMINATED));
        return this;
    }

    /** From now on a signal calls this, which returns at once; if there was a signal, it is called now. */
    public void stoppedBy(Consumer<FailureKind> how) {
        FailureKind why = replaceStop(how);
        if (why != null) {
            how.accept(why);
        }
    }

    private synchronized @Nullable FailureKind replaceStop(@Nullable Consumer<FailureKind> how) {
        stop = how;
        return received;
    }

    /** Pauses while there is nothing to stop; a signal ends that, also one that came before. */
    public void pause(long nanos) {
        FailureKind why = replaceStop(null);
        try {
            if (why == null) {
                TimeUnit.NANOSECONDS.sleep(nanos);
                return;
            }
        } catch (InterruptedException e) {
            why = FailureKind.INTERRUPTED;
        }
        throw new TransferException(why, "stopped between two attempts");
    }

    /** An interrupt that was meant for the time before there was anything to stop, and came late, does not end this. */
    public <E> E await(Ending<E> running) {
        while (true) {
            try {
                return running.await();
            } catch (InterruptedException e) {
                FailureKind why;
                Consumer<FailureKind> how;
                synchronized (this) {
                    why = received;
                    how = stop;
                }
                if (how != null) {
                    how.accept(why == null ? FailureKind.INTERRUPTED : why);
                }
            }
        }
    }

    /** The signal that came first; null for none. */
    public synchronized @Nullable FailureKind signal() {
        return received;
    }

    /** What there was to stop has ended; the process is not halted any more. */
    public void ended() {
        ended.countDown();
    }

    /** That of the signal, or this one where none came. */
    public int exitCodeOr(int ofItsOwn) {
        FailureKind why = signal();
        return why == null ? ofItsOwn : exitCodes.applyAsInt(why);
    }

    private void onSignal(FailureKind why) {
        boolean first;
        Consumer<FailureKind> how;
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
        Threads.start("fdt-interrupt", () -> {
            if (!ended.await(patienceMs, TimeUnit.MILLISECONDS)) {
                endAtOnce(why);
            }
        });
        context.console().message(announcement);
        if (how != null) {
            how.accept(why);
        } else {
            commandThread.interrupt();
        }
    }

    /** Even if whoever reads our output has stopped reading. */
    private void endAtOnce(FailureKind why) {
        Thread speaking = Threads.start("fdt-last-words", () -> lastWords.accept(why));
        Threads.join(speaking, LAST_WORDS_MS);
        context.halt().accept(exitCodes.applyAsInt(why));
    }
}
