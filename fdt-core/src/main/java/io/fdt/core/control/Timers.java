package io.fdt.core.control;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** Threads that watch: heartbeats and deadlines, and what may have to wait for a file system. */
final class Timers {
    private Timers() {}

    static ScheduledThreadPoolExecutor newTimer() {
        return newTimer("fdt-heartbeat");
    }

    static ScheduledThreadPoolExecutor newTimer(String threadName) {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, threadName);
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
