package io.fdt.core.budget;

/**
 * The many small pieces of heap that one part of a session holds. The budget, which all sessions share, is charged in
 * steps: to ask it for each file would cost as much as other work for the file. Not thread-safe.
 */
public final class HeapPieces implements AutoCloseable {
    static final long STEP_BYTES = 16 << 10;

    private final Budget budget;
    private long usedBytes;
    private long chargedBytes;

    public HeapPieces(Budget budget) {
        this.budget = budget;
    }

    /** @throws io.fdt.core.failure.TransferException if the session's share is used up */
    public void take(long bytes) {
        long missing = usedBytes + bytes - chargedBytes;
        if (missing > 0) {
            long step = Math.max(missing, STEP_BYTES);
            if (!budget.tryTake(Resource.HEAP, step)) {
                step = missing;
                budget.take(Resource.HEAP, step);
            }
            chargedBytes += step;
        }
        usedBytes += bytes;
    }

    public void give(long bytes) {
        usedBytes -= bytes;
        if (chargedBytes - usedBytes > 2 * STEP_BYTES) {
            giveBack(chargedBytes - usedBytes - STEP_BYTES);
        }
    }

    private void giveBack(long bytes) {
        chargedBytes -= bytes;
        budget.give(Resource.HEAP, bytes);
    }

    /** Gives back everything. */
    @Override
    public void close() {
        usedBytes = 0;
        giveBack(chargedBytes);
    }
}
