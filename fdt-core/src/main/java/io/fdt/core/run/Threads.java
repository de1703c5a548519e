package io.fdt.core.run;

import io.fdt.core.failure.TransferException;
import java.util.function.Consumer;

/** Creates daemon threads with names for thread dumps. */
public final class Threads {
    private Threads() {}

    /** The work of a thread. An interruption ends it. */
    public interface Work {
        void run() throws InterruptedException;
    }

    /** Creates a thread without starting it. */
    public static Thread daemon(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (InterruptedException atTheEnd) {
                        Thread.currentThread().interrupt();
                    }
                },
                name);
        thread.setDaemon(true);
        return thread;
    }

    /** @throws TransferException HOST_LIMIT, if the host or this process has no room for another thread */
    public static Thread start(String name, Work work) {
        Thread thread = daemon(name, work);
        start(thread);
        return thread;
    }

    /** @throws TransferException HOST_LIMIT, if the host or this process has no room for another thread */
    public static void start(Thread thread) {
        try {
            thread.start();
        } catch (OutOfMemoryError noRoom) {
            throw TransferException.of(noRoom);
        }
    }

    /**
     * Starts the work if there is room for another thread.
     *
     * @param ifNone gets the failure otherwise, on the calling thread
     */
    public static void start(String name, Work work, Consumer<TransferException> ifNone) {
        start(daemon(name, work), ifNone);
    }

    /** Likewise. */
    public static void start(Thread thread, Consumer<TransferException> ifNone) {
        try {
            start(thread);
        } catch (TransferException noRoom) {
            ifNone.accept(noRoom);
        }
    }

    /** Waits up to this long for its end. An interruption ends the waiting and is passed on. */
    public static void join(Thread thread, long timeoutMs) {
        try {
            thread.join(timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
