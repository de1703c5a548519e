package io.fdt.core.transport;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a lane's thread besides moving bytes: immediate and delayed ones. Any thread adds tasks; the lane's
 * thread runs them.
 */
public final class LaneTasks {
    private record Later(long atNanos, long order, Runnable task) implements Comparable<Later> {
        @Override
        public int compareTo(Later other) {
            long difference = atNanos - other.atNanos;
            return difference != 0 ? Long.signum(difference) : Long.compare(order, other.order);
        }
    }

    private final Runnable wakeUp;

    // Guarded by this.
    private final Queue<Runnable> now = new ArrayDeque<>();
    private final PriorityQueue<Later> later = new PriorityQueue<>();
    private long count;
    private boolean ended;

    /** @param wakeUp wakes the lane's thread; called under this object's lock */
    public LaneTasks(Runnable wakeUp) {
        this.wakeUp = wakeUp;
    }

    public synchronized void add(Runnable task) {
        if (!ended) {
            now.add(task);
            wakeUp.run();
        }
    }

    public synchronized void add(Runnable task, long delay, TimeUnit unit) {
        if (!ended) {
            later.add(new Later(System.nanoTime() + unit.toNanos(delay), count++, task));
            wakeUp.run();
        }
    }

    /** The next task that is due, or null. */
    public synchronized @Nullable Runnable next() {
        Later first = later.peek();
        if (first != null && first.atNanos - System.nanoTime() <= 0) {
            later.poll();
            return first.task;
        }
        return now.poll();
    }

    public synchronized int dueCount() {
        return now.size();
    }

    /** The time until the next task is due; at most this long. */
    public synchronized long idleNanos(long mostNanos) {
        if (!now.isEmpty()) {
            return 0;
        }
        Later first = later.peek();
        if (first == null) {
            return mostNanos;
        }
        return Math.max(0, Math.min(mostNanos, first.atNanos - System.nanoTime()));
    }

    /** Drops all tasks, including later ones. */
    public synchronized void end() {
        ended = true;
        now.clear();
        later.clear();
    }
}
