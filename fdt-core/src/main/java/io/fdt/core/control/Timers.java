package io.fdt.core.control;

import io.fdt.core.run.SurvivedFailures;
import io.fdt.core.run.Threads;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads for heartbeats and deadlines, and for what may have to wait for a file system. An exception of a task is
 * reported, and a periodic task continues: the executor itself would silently stop it.
 */
final class Timers {
    private Timers() {}

    static ScheduledThreadPoolExecutor newTimer() {
        return newTimer("fdt-heartbeat");
    }

    static ScheduledThreadPoolExecutor newTimer(String threadName) {
        ScheduledThreadPoolExecutor timer = new Timer(threadName);
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private static final class Timer extends ScheduledThreadPoolExecutor {
        Timer(String threadName) {
            super(1, task -> Threads.daemon(threadName, task::run));
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            return super.schedule(SurvivedFailures.survived(task), delay, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long first, long period, TimeUnit unit) {
            return super.scheduleAtFixedRate(SurvivedFailures.survived(task), first, period, unit);
        }

        @Override
        public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long first, long delay, TimeUnit unit) {
            return super.scheduleWithFixedDelay(SurvivedFailures.survived(task), first, delay, unit);
        }
    }
}
