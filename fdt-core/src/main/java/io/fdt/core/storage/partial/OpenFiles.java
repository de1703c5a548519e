package io.fdt.core.storage.partial;

import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Resource;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import java.util.concurrent.TimeUnit;

/**
 * The descriptors that a target's files have or may need, charged to the budget of their session. Complete files stay
 * open until they are flushed and have their names, so they accumulate on a slow disk, and whoever is faster than the
 * flusher has to wait for it. Thread-safe.
 */
public final class OpenFiles {
    private static final int COUNT_MAX = 16_384;
    /** Every session may have this many. */
    private static final int COUNT_MIN = 16;
    /** Longer than any flush should take. */
    private static final long WAIT_MS = TimeUnit.SECONDS.toMillis(60);

    private final Budget budget;
    private final long waitMs;
    private int count;

    public OpenFiles(Budget budget) {
        this(budget, WAIT_MS);
    }

    OpenFiles(Budget budget, long waitMs) {
        this.budget = budget;
        this.waitMs = waitMs;
    }

    Budget budget() {
        return budget;
    }

    public synchronized int count() {
        return count;
    }

    /**
     * Whether another file of an earlier session may be opened before its first write. Such files may use half of the
     * room: with all of it, they could wait for lanes that wait for room.
     */
    public boolean hasRoomToResume() {
        int held = count();
        return held < COUNT_MAX / 2 && budget.hasRoom(Resource.FILES, Math.max(COUNT_MIN / 2, held));
    }

    /** How many more files could be opened now. */
    public long room() {
        return budget.room(Resource.FILES) / OpenPartial.SMALL_DESCRIPTORS;
    }

    /**
     * Waits for files to be closed if there are too many, then counts another file with this many descriptors.
     *
     * @throws TransferException LIMIT, if there is no room in time: the session cannot continue
     */
    void beginOpening(int descriptors) {
        if (!budget.awaitRoom(Resource.FILES, descriptors, waitMs)) {
            budget.requireOpen();
            throw Thread.currentThread().isInterrupted()
                    ? Cause.INTERRUPTED.failure("interrupted")
                    : Budget.usedUp(Resource.FILES);
        }
        add(descriptors);
    }

    void closed(int descriptors) {
        add(-descriptors);
        budget.giveBack(Resource.FILES, descriptors);
    }

    private synchronized void add(int descriptors) {
        count += descriptors;
    }
}
