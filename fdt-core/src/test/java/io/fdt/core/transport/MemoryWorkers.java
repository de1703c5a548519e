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
import org.jspecify.annotations.Nullable;

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
     * seed gives the same run. A thread of the code under test that sleeps by this clock runs only within a step, from
     * one sleep to the next.
     */
    static final class Steps extends MemoryWorkers implements Clock {
        private record Later(long dueNs, long order, Queue<Runnable> queue, Runnable task) {}

        private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);

        private final SplittableRandom random;
        private final List<Queue<Runnable>> queues = new ArrayList<>();
        private final PriorityQueue<Later> later = new PriorityQueue<>((left, right) -> left.dueNs() == right.dueNs()
                ? Long.compare(left.order(), right.order())
                : Long.compare(left.dueNs(), right.dueNs()));
        private final List<Sleeper> sleepers = new ArrayList<>();
        private long nowNs;
        private long order;
        private boolean free;

        /** A thread that sleeps by this clock. Guarded by the clock. */
        private static final class Sleeper {
            private final Thread thread = Thread.currentThread();
            private boolean asleep;
            private boolean called;
            private long dueNs;
        }

        Steps(long seed) {
            this.random = new SplittableRandom(seed);
        }

        @Override
        public long nanoTime() {
            return nowNs;
        }

        @Override
        public synchronized void sleep(long nanos) {
            if (free) {
                return;
            }
            Sleeper own = sleeperOf(Thread.currentThread());
            if (own == null) {
                own = new Sleeper();
                sleepers.add(own);
            }
            own.dueNs = nowNs + nanos;
            own.asleep = !own.called;
            notifyAll();
            while (own.asleep && !free) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    own.asleep = false;
                }
            }
            own.called = false;
        }

        @Override
        public synchronized void wake(Thread thread) {
            Sleeper sleeper = sleeperOf(thread);
            if (sleeper != null) {
                sleeper.called = true;
            }
        }

        private @Nullable Sleeper sleeperOf(Thread thread) {
            return sleepers.stream()
                    .filter(each -> each.thread == thread)
                    .findFirst()
                    .orElse(null);
        }

        /** Waits until so many threads sleep, after they were started. */
        synchronized void awaitSleepers(int count) {
            while (sleepers.size() < count) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    throw new AssertionError("nobody interrupts the test's thread", e);
                }
            }
        }

        /** From now on, threads that sleep run as they like, to end while the test waits for them. */
        synchronized void letGo() {
            free = true;
            notifyAll();
        }

        /** Runs the thread until it sleeps again or ends. */
        private synchronized void resume(Sleeper sleeper) {
            sleeper.called = false;
            sleeper.asleep = false;
            notifyAll();
            while (!sleeper.asleep && sleeper.thread.isAlive()) {
                try {
                    wait(1);
                } catch (InterruptedException e) {
                    throw new AssertionError("nobody interrupts the test's thread", e);
                }
            }
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
            List<Runnable> ready = new ArrayList<>();
            queues.stream()
                    .filter(queue -> !queue.isEmpty())
                    .forEach(queue -> ready.add(() -> queue.remove().run()));
            sleepers.removeIf(each -> !each.thread.isAlive());
            sleepers.stream()
                    .filter(each -> each.called || each.dueNs <= nowNs)
                    .forEach(each -> ready.add(() -> resume(each)));
            if (ready.isEmpty()) {
                return passTime();
            }
            ready.get(random.nextInt(ready.size())).run();
            return true;
        }

        void pass(long nanos) {
            nowNs += nanos;
        }

        private boolean passTime() {
            Later next = later.peek();
            long dueNs = next == null ? Long.MAX_VALUE : next.dueNs();
            for (Sleeper each : sleepers) {
                // A thread that sleeps for long has nothing to do.
                dueNs = each.dueNs - nowNs < LONG_NS ? Math.min(dueNs, each.dueNs) : dueNs;
            }
            if (dueNs == Long.MAX_VALUE) {
                return false;
            }
            nowNs = Math.max(nowNs, dueNs);
            if (next != null && next.dueNs() == dueNs) {
                later.remove();
                next.queue().add(next.task());
            }
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
