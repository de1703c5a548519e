package io.fdt.cli.run;

import io.fdt.cli.command.Context;
import io.fdt.cli.console.Interruption;
import io.fdt.core.FailureKind;
import io.fdt.core.TransferException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a command lives and ends that starts something and waits for it: what signals do from its first moment on, the
 * wait, and the signal that it has ended by. For the command's own thread.
 */
public final class Lifetime {
    private final Interruption interruption;
    private final Interruption.Policy policy;
    private Consumer<FailureKind> stop = why -> {};

    /** Waits for what has been started, until it has ended by itself or was stopped. */
    public interface Ending<E> {
        E await() throws InterruptedException;
    }

    private Lifetime(Interruption interruption, Interruption.Policy policy) {
        this.interruption = interruption;
        this.policy = policy;
    }

    /** Begins: a signal interrupts this thread until there is something that it stops. */
    public static Lifetime begin(Context context, Interruption.Policy policy) {
        Interruption interruption = new Interruption(context.console(), context.halt(), policy);
        interruption.listen(context.signals());
        return new Lifetime(interruption, policy);
    }

    /** From now on this is what a signal stops; at once if there was one. */
    public void stoppedBy(Consumer<FailureKind> how) {
        stop = how;
        interruption.attach(how);
    }

    /** Pauses while there is nothing to stop; a signal ends that, also one that came before. */
    public void pause(long nanos) {
        FailureKind why = interruption.detach();
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
                FailureKind why = interruption.received();
                stop.accept(why == null ? FailureKind.INTERRUPTED : why);
            }
        }
    }

    /** The signal that came first; null for none. */
    public @Nullable FailureKind signal() {
        return interruption.received();
    }

    /** What there was to stop has ended; the process is not halted any more. */
    public void ended() {
        interruption.ended();
    }

    /** That of the signal, or this one where none came. */
    public int exitCodeOr(int ofItsOwn) {
        FailureKind why = interruption.received();
        return why == null ? ofItsOwn : policy.exitCode(why);
    }
}
