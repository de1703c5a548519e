package io.fdt.core.control;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The one thread of a process that watches heartbeats and deadlines. */
final class Timers {
    private Timers() {}

    static ScheduledThreadPoolExecutor newTimer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "fdt-heartbeat");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }
}
