package io.fdt.core.shard;

import io.fdt.core.plan.FileRange;

/**
 * The size above which files are split into ranges.
 *
 * @param bytes 0 to derive it from the mean of the shards, {@code Long.MAX_VALUE} for never
 */
public record SplitAbove(long bytes) {
    /** Files above a twentieth of the mean shard, and none below 1 GiB. */
    public static final SplitAbove DEFAULT = new SplitAbove(0);

    public static final SplitAbove NEVER = new SplitAbove(Long.MAX_VALUE);
    public static final long MIN_BYTES = FileRange.MIN_BYTES;

    public SplitAbove {
        if (bytes != 0 && bytes < MIN_BYTES) {
            throw new IllegalArgumentException("a file of " + bytes + " bytes is not cut");
        }
    }

    boolean isDefault() {
        return bytes == 0;
    }

    boolean isNever() {
        return bytes == Long.MAX_VALUE;
    }
}
