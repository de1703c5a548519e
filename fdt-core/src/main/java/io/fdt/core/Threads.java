package io.fdt.core;

/** Threads that do not keep the process alive, each with the name that a thread dump shows. */
public final class Threads {
    private Threads() {}

    /** What a thread does. An interruption ends it. */
    public interface Work {
        void run() throws InterruptedException;
    }

    /** Has been made and not started. */
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

    /** Waits for its end, but no longer than this. An interruption ends the waiting and is passed on. */
    public static void join(Thread thread, long timeoutMs) {
        try {
            thread.join(timeoutMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
