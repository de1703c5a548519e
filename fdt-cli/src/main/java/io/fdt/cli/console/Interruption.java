package io.fdt.cli.console;

import io.fdt.core.FailureKind;
import io.fdt.core.Threads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a signal does to a running command: the first asks it to stop in a state that can be resumed, the second ends
 * the process at once, and so does the end of the patience with the first. Thread-safe.
 */
public final class Interruption {
    private static final long LAST_WORDS_MS = 300;

    private final Console console;
    private final IntConsumer halt;
    private final Policy policy;
    private final Thread commandThread;
    private final CountDownLatch ended = new CountDownLatch(1);

    private @Nullable FailureKind received;
    private @Nullable Consumer<FailureKind> running;

    /** What is special to a command. */
    public interface Policy {
        /** For the operator, after the first signal. */
        String announcement();

        /** How long the command may take to stop. */
        long patienceMs();

        int exitCode(FailureKind why);

        /** Told just before the process is ended without the command's consent. */
        void lastWords(FailureKind why);
    }

    /** The thread that creates this is the one that is interrupted while nothing can be stopped otherwise. */
    public Interruption(Console console, IntConsumer halt, Policy policy) {
        this.console = console;
        this.halt = halt;
        this.policy = policy;
        this.commandThread = Thread.currentThread();
    }

    public void listen(Signals signals) {
        signals.onSignal("INT", () -> onSignal(FailureKind.INTERRUPTED));
        signals.onSignal("TERM", () -> onSignal(FailureKind.TERMINATED));
        signals.onSignal("HUP", () -> onSignal(FailureKind.TERMINATED));
    }

    /** From now on a signal calls this, which returns at once; if there was a signal, it is called now. */
    public void attach(Consumer<FailureKind> stop) {
        FailureKind why;
        synchronized (this) {
            running = stop;
            why = received;
        }
        if (why != null) {
            stop.accept(why);
        }
    }

    /** Until the next {@link #attach} a signal interrupts the command's thread again; returns one that came before. */
    public synchronized @Nullable FailureKind detach() {
        running = null;
        return received;
    }

    /** The signal that came first, or null. */
    public synchronized @Nullable FailureKind received() {
        return received;
    }

    /** The command has ended by itself; nothing is halted any more. */
    public void ended() {
        ended.countDown();
    }

    void onSignal(FailureKind why) {
        boolean first;
        Consumer<FailureKind> stop;
        synchronized (this) {
            first = received == null;
            stop = running;
            if (first) {
                received = why;
            }
        }
        if (!first) {
            endAtOnce(why);
            return;
        }
        startWatchdog(why);
        console.message(policy.announcement());
        if (stop != null) {
            stop.accept(why);
        } else {
            commandThread.interrupt();
        }
    }

    private void startWatchdog(FailureKind why) {
        Threads.start("fdt-interrupt", () -> {
            if (!ended.await(policy.patienceMs(), TimeUnit.MILLISECONDS)) {
                endAtOnce(why);
            }
        });
    }

    /** Even if whoever reads our output has stopped reading. */
    private void endAtOnce(FailureKind why) {
        CountDownLatch said = new CountDownLatch(1);
        Threads.start("fdt-last-words", () -> {
            policy.lastWords(why);
            said.countDown();
        });
        try {
            said.await(LAST_WORDS_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        halt.accept(policy.exitCode(why));
    }
}
