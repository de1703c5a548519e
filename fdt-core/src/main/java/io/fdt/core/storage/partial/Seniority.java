package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.failure.Cause;
import io.fdt.core.storage.posix.Descriptor;
import io.fdt.core.storage.posix.Errno;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Decides which of several sessions that write the same file continues, whatever processes and hosts they belong to:
 * the one that began first. It waits for a file that a younger one is writing; the younger one ends as soon as it meets
 * a file of the older one. As nobody waits for an older session, one of them always completes.
 *
 * <p>A session shows its number, which grows with time, only by the offsets of its locks, so nothing has to be stored
 * or removed, and what a killed process held is free at once: it locks a partial from that offset to the end, and
 * shares the lock of that offset in each directory that it has open. Without locks of the file system, nobody sees it.
 * Thread-safe.
 */
public final class Seniority {
    /** A younger session that is ended first finishes what it is flushing. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Tells sessions of one millisecond apart. The sum fits into an offset until the year 2248. */
    private static final int RANDOM_BITS = 20;

    private static final AtomicLong LATEST = new AtomicLong();

    private final Budget budget;
    private final long number;
    private volatile boolean ended;

    /** @param budget of the session, whose end ends all waits */
    public Seniority(Budget budget) {
        this.budget = budget;
        long now = System.currentTimeMillis() << RANDOM_BITS
                | ThreadLocalRandom.current().nextLong(1L << RANDOM_BITS);
        this.number = LATEST.updateAndGet(latest -> Math.max(latest + 1, now));
    }

    /** Locks a partial for this descriptor, without waiting; EAGAIN if another session holds it. */
    int lock(int partial) {
        return Descriptor.lockRange(partial, number, 0);
    }

    /** Whether the session that holds a partial is younger, or has just released it. */
    boolean precedesHolder(int partial) {
        long holder = Descriptor.lockedFrom(partial, 0, 0);
        return holder < 0 || holder > number;
    }

    /** Like {@link #lock}, but waits for a younger session to release it. */
    int lockWaiting(int partial) {
        long begun = System.nanoTime();
        int locked = lock(partial);
        while (locked == -Errno.EAGAIN && precedesHolder(partial) && System.nanoTime() - begun < WAIT_NANOS) {
            budget.requireOpen();
            if (ended || Thread.currentThread().isInterrupted()) {
                throw Cause.INTERRUPTED.failure("interrupted");
            }
            LockSupport.parkNanos(this, LOOK_NANOS);
            locked = lock(partial);
        }
        return locked;
    }

    /** Shows other sessions that this one writes files in the directory, until the descriptor is closed. */
    public void enter(int directory) {
        // Where the kernel does not support this, a file that two sessions copy only fails in one of them.
        var unused = Descriptor.lockRangeShared(directory, number, 1);
    }

    /** Whether there are other sessions in the directory, and all of them are older. */
    public boolean isYoungestOfSeveral(int directory) {
        return Descriptor.lockedFrom(directory, 0, number) >= 0 && Descriptor.lockedFrom(directory, number + 1, 0) < 0;
    }

    /** Whether no other session is in a directory that this one has entered; false if that is unknown. */
    public boolean isAloneIn(int directory) {
        long shown = Descriptor.lockedFrom(directory, 0, 0);
        // By another descriptor of this session; one more behind it would not be reported.
        boolean own = shown == number
                && Descriptor.lockedFrom(directory, 0, number) < 0
                && Descriptor.lockedFrom(directory, number + 1, 0) < 0;
        return own || shown == Descriptor.NOT_LOCKED;
    }

    /** Ends all waits: the session ends. */
    public void end() {
        ended = true;
    }
}
