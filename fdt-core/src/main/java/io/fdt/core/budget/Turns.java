package io.fdt.core.budget;

import io.fdt.core.failure.Cause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The turns in which threads hash, walk and look at files for clients. As many run at once as there are cores, of those
 * keys that have the fewest; a key without one gets one at once, so no key ever waits for another. Within a key, the
 * threads take turns in the order in which they asked. The processes of one server divide the cores by the numbers of
 * keys that work in each. Thread-safe.
 */
final class Turns {
    /** A turn that lasts longer waits for a disk and not for a core. */
    private static final long WORKING_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How often a waiting thread looks whether its session has ended. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** A turn that others wait for ends after this many steps. */
    private static final int STEPS_MAX = 256;

    /** The turn of a thread, which works for one process's budgets only. */
    private static final ThreadLocal<@Nullable Running> OWN = new ThreadLocal<>();

    private final int cores;
    private final LongSupplier nanoTime;
    private final ServerTotals all;
    private final ReentrantLock lock = new ReentrantLock();
    /** Keys with turns or waiting threads; the one that was served last is at the end. */
    private final Map<String, OfKey> keys = new LinkedHashMap<>();

    private final AtomicInteger waiting = new AtomicInteger();

    private static final class OfKey {
        final List<Running> running = new ArrayList<>();
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

        int working(long nowNanos) {
            int count = 0;
            for (Running each : running) {
                count += nowNanos - each.sinceNanos <= WORKING_NANOS ? 1 : 0;
            }
            return count;
        }
    }

    /** A thread that waits for its turn. */
    private static final class Waiting {
        final Budget budget;
        final Condition served;

        @Nullable Running turn;

        Waiting(Budget budget, Condition served) {
            this.budget = budget;
            this.served = served;
        }
    }

    /** A turn that runs. */
    private static final class Running {
        final Budget budget;
        volatile long sinceNanos;
        /** Of its thread. */
        int steps;

        Running(Budget budget, long sinceNanos) {
            this.budget = budget;
            this.sinceNanos = sinceNanos;
        }
    }

    /** @param all shares the cores with the keys of other processes */
    Turns(int cores, LongSupplier nanoTime, ServerTotals all) {
        this.cores = cores;
        this.nanoTime = nanoTime;
        this.all = all;
    }

    /** How many turns run at once here, beyond the first one of each key. */
    int share() {
        int own = Math.max(1, keys.size());
        return Math.max(1, cores * own / (own + all.keysAtWorkOfOthers()));
    }

    /** Whether the calling thread has one. */
    boolean isMine() {
        return OWN.get() != null;
    }

    /** Waits for a turn of the calling thread, which has none. Throws what ends the session. */
    void take(Budget budget) {
        OWN.set(await(budget));
    }

    /** Ends the turn of the calling thread. */
    void give() {
        Running turn = OWN.get();
        OWN.remove();
        lock.lock();
        try {
            if (turn != null) {
                end(turn);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Called between two steps of a thread. If it has a turn, it has one again when this returns. */
    void pass() {
        Running turn = OWN.get();
        if (turn == null || ++turn.steps < STEPS_MAX) {
            return;
        }
        turn.steps = 0;
        turn.sinceNanos = nanoTime.getAsLong();
        if (waiting.get() > 0) {
            give();
            take(turn.budget);
        }
    }

    private Running await(Budget budget) {
        lock.lock();
        OfKey key = keys.computeIfAbsent(budget.key(), each -> new OfKey());
        all.keysAtWork(keys.size());
        Waiting self = new Waiting(budget, lock.newCondition());
        key.waiting.add(self);
        waiting.incrementAndGet();
        try {
            serve();
            while (self.turn == null) {
                budget.requireNotEnded();
                var unused = self.served.awaitNanos(LOOK_NANOS);
                serve();
            }
            Running turn = self.turn;
            self.turn = null;
            return turn;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Cause.INTERRUPTED.failure("interrupted");
        } finally {
            if (self.turn != null) {
                end(self.turn);
            } else if (key.waiting.remove(self)) {
                waiting.decrementAndGet();
                forgetIfIdle(budget.key(), key);
            }
            lock.unlock();
        }
    }

    private void end(Running turn) {
        String name = turn.budget.key();
        OfKey key = keys.get(name);
        if (key != null) {
            key.running.remove(turn);
            forgetIfIdle(name, key);
        }
        serve();
    }

    private void forgetIfIdle(String name, OfKey key) {
        if (key.running.isEmpty() && key.waiting.isEmpty()) {
            keys.remove(name);
            all.keysAtWork(keys.size());
        }
    }

    private void serve() {
        int share = share();
        while (waiting.get() > 0) {
            long now = nanoTime.getAsLong();
            int working = 0;
            int fewest = Integer.MAX_VALUE;
            OfKey next = null;
            for (OfKey each : keys.values()) {
                int own = each.working(now);
                working += own;
                if (!each.waiting.isEmpty() && own < fewest) {
                    fewest = own;
                    next = each;
                }
            }
            if (next == null || (fewest > 0 && working >= share)) {
                return;
            }
            begin(next, next.waiting.remove());
        }
    }

    private void begin(OfKey key, Waiting first) {
        waiting.decrementAndGet();
        Running turn = new Running(first.budget, nanoTime.getAsLong());
        key.running.add(turn);
        first.turn = turn;
        first.served.signal();
        // Of keys with as few turns, the one that was served last is the last to be served again.
        keys.remove(first.budget.key());
        keys.put(first.budget.key(), key);
    }
}
