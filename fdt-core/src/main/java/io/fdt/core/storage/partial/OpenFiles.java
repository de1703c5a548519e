package io.fdt.core.storage.partial;

import io.fdt.core.storage.posix.DescriptorLimit;
import java.util.concurrent.TimeUnit;

/**
 * Counts the descriptors that a target's files have or may need, and limits them to what the process can have. All
 * sessions of the process share one {@link Pool}. A session may use at most as much of it as it leaves to the others,
 * so there is always room for another session. Complete files stay open until they are flushed and have their names, so
 * they accumulate on a slow disk, and a lane that is faster than the flusher has to wait for it. Thread-safe.
 */
public final class OpenFiles {
    private static final int COUNT_MAX = 16_384;
    /** Every session may have this many. */
    private static final int COUNT_MIN = 16;
    /** Longer than any flush should take; afterwards the lane opens the file anyway. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final Pool OF_PROCESS = new Pool(DescriptorLimit.share());

    private final Pool pool;
    private int count;

    /** The descriptors that sessions share. Its monitor guards it and their counts. */
    static final class Pool {
        private final int max;
        private int count;

        Pool(int max) {
            this.max = max;
        }
    }

    public OpenFiles() {
        this(OF_PROCESS);
    }

    OpenFiles(Pool pool) {
        this.pool = pool;
    }

    public int count() {
        synchronized (pool) {
            return count;
        }
    }

    private boolean fits(int descriptors) {
        int fair = Math.min(COUNT_MAX, pool.max - pool.count);
        return count + descriptors <= Math.max(COUNT_MIN, fair);
    }

    /**
     * Whether another file of an earlier session may be opened before its first write. Such files may use half of the
     * room: with all of it, they could wait for lanes that wait for room.
     */
    public boolean hasRoomToResume() {
        synchronized (pool) {
            return fits(Math.max(COUNT_MIN / 2, count));
        }
    }

    /** Waits for files to be closed if there are too many, then counts another file with this many descriptors. */
    void beginOpening(int descriptors) {
        long deadline = System.nanoTime() + WAIT_NANOS;
        boolean interrupted = false;
        synchronized (pool) {
            while (!fits(descriptors) && !interrupted) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(pool, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            opened(descriptors);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Counts another file without waiting: for files that are opened on a thread that others wait for. */
    void opened(int descriptors) {
        synchronized (pool) {
            count += descriptors;
            pool.count += descriptors;
        }
    }

    void closed(int descriptors) {
        synchronized (pool) {
            count -= descriptors;
            pool.count -= descriptors;
            pool.notifyAll();
        }
    }
}
