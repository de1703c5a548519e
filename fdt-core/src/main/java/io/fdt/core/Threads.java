package io.fdt.core;

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

    public static Thread start(String name, Work work) {
        Thread thread = daemon(name, work);
        thread.start();
        return thread;
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
