package io.fdt.core.transport;

import io.fdt.core.basic.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The threads of an in-memory network: real threads, or none at all. */
abstract class MemoryWorkers {
    /** A worker that runs a lane's tasks one after the other. */
    interface Worker {
        void execute(Runnable task);

        void schedule(Runnable task, long delay, TimeUnit unit);

        /** Runs the queued tasks and ends. */
        void end();

        /** Waits for the worker to end, unless the caller runs on it. */
        void awaitEnd();
    }

    abstract Worker newWorker(String name);

    /** One thread for each worker, as on a real network. */
    static final class Threads extends MemoryWorkers {
        @Override
        Worker newWorker(String name) {
            Thread[] own = new Thread[1];
            ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, task -> {
                Thread thread = new Thread(task, name);
                thread.setDaemon(true);
                own[0] = thread;
                return thread;
            });
            // Tasks that are due after the end are dropped with the lane, and nothing waits for them.
            executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
            return new Worker() {
                @Override
                public void execute(Runnable task) {
                    try {
                        executor.execute(task);
                    } catch (RejectedExecutionException e) {
                        // The worker has ended: later tasks are dropped.
                        return;
                    }
                }

                @Override
                public void schedule(Runnable task, long delay, TimeUnit unit) {
                    try {
                        var unused = executor.schedule(task, delay, unit);
                    } catch (RejectedExecutionException e) {
                        // The worker has ended: later tasks are dropped.
                        return;
                    }
                }

                @Override
                public void end() {
                    executor.shutdown();
                }

                @Override
                public void awaitEnd() {
                    if (Thread.currentThread() != own[0]) {
                        Await.until("thread " + name + " ended", executor::isTerminated);
                    }
                }
            };
        }
    }

    /**
     * No threads: the test's own thread runs everything, one task at a time, in an order that a seed determines. Time
     * advances only as the test lets it pass, or to the next scheduled task when there is nothing else to do. The same
     * seed gives the same run.
     */
    static final class Steps extends MemoryWorkers implements Clock {
        private record Later(long dueNs, long order, Queue<Runnable> queue, Runnable task) {}

        private final SplittableRandom random;
        private final List<Queue<Runnable>> queues = new ArrayList<>();
        private final PriorityQueue<Later> later = new PriorityQueue<>((left, right) -> left.dueNs() == right.dueNs()
                ? Long.compare(left.order(), right.order())
                : Long.compare(left.dueNs(), right.dueNs()));
        private long nowNs;
        private long order;

        Steps(long seed) {
            this.random = new SplittableRandom(seed);
        }

        @Override
        public long nanoTime() {
            return nowNs;
        }

        @Override
        Worker newWorker(String name) {
            Queue<Runnable> queue = new ArrayDeque<>();
            queues.add(queue);
            return new Worker() {
                @Override
                public void execute(Runnable task) {
                    queue.add(task);
                }

                @Override
                public void schedule(Runnable task, long delay, TimeUnit unit) {
                    later.add(new Later(nowNs + unit.toNanos(delay), order++, queue, task));
                }

                @Override
                public void end() {}

                @Override
                public void awaitEnd() {}
            };
        }

        /** Runs one task of any worker; returns false when there is nothing left to do. */
        boolean step() {
            List<Queue<Runnable>> ready =
                    queues.stream().filter(queue -> !queue.isEmpty()).toList();
            if (ready.isEmpty()) {
                Later next = later.poll();
                if (next == null) {
                    return false;
                }
                nowNs = Math.max(nowNs, next.dueNs());
                next.queue().add(next.task());
                return true;
            }
            ready.get(random.nextInt(ready.size())).remove().run();
            return true;
        }

        void runUntil(String what, BooleanSupplier condition) {
            while (!condition.getAsBoolean()) {
                if (!step()) {
                    throw new AssertionError("nothing left to do, but not yet: " + what);
                }
            }
        }
    }
}
