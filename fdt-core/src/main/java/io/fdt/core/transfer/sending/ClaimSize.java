package io.fdt.core.transfer.sending;

import io.fdt.core.digest.TreeDigest;
import java.util.concurrent.TimeUnit;

/**
 * How much a lane claims at a time: as much as it moves in two seconds, because only whole chunks are kept when the
 * copy is stopped. What counts is what the receiver has acknowledged: a lane can pass several mebibytes to its kernel
 * at once, however slow the path is. Not thread-safe; time is passed in.
 */
final class ClaimSize {
    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** The rate is that of the last one to two periods. */
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** In less time, what was moved says more than its rate. */
    private static final long MEASURED_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The most before anything is acknowledged. */
    private static final int UNPROVEN_BYTES = 1 << 20;

    private final int chunkBytes;
    private long fromNanos;
    private long fromBytes;
    private long laterNanos;
    private long laterBytes;

    ClaimSize(int chunkBytes, long nowNanos) {
        this.chunkBytes = chunkBytes;
        this.fromNanos = nowNanos;
        this.laterNanos = nowNanos;
    }

    /**
     * Returns the length of the next chunk, a power of two of leaves.
     *
     * @param sentBytes by this lane since its start
     * @param movedBytes acknowledged of that
     */
    int next(long nowNanos, long sentBytes, long movedBytes) {
        if (nowNanos - laterNanos >= PERIOD_NANOS) {
            fromNanos = laterNanos;
            fromBytes = laterBytes;
            laterNanos = nowNanos;
            laterBytes = movedBytes;
        }
        boolean proven = movedBytes > 0;
        double moved = proven ? movedBytes - fromBytes : sentBytes;
        double kept = moved * KEPT_NANOS / Math.max(MEASURED_NANOS, nowNanos - fromNanos);
        double most = proven ? chunkBytes : Math.min(UNPROVEN_BYTES, chunkBytes);
        return Integer.highestOneBit((int) Math.max(TreeDigest.LEAF_BYTES, Math.min(most, kept)));
    }

    /** Without work, a lane is not slow. */
    void onIdle(long nanos) {
        fromNanos += nanos;
        laterNanos += nanos;
    }
}
