package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;

/**
 * Which files of a job are split into ranges, and how long these are. No range exceeds a twentieth of the mean shard,
 * so that shards of ranges only are balanced like small files; and none is shorter than a fortieth without need, so
 * that there are at most some forty for each shard. A pure function.
 */
record RangeCut(long aboveBytes, long rangeBytes) {
    /** The maximum length of a range, as a fraction of a shard's mean. */
    private static final int PARTS = 20;

    /** Smaller files are split only on request: what takes a second does not delay a shard. */
    private static final long DEFAULT_MIN_BYTES = 1L << 30;

    private static final RangeCut NOTHING = new RangeCut(Long.MAX_VALUE, FileRange.MIN_BYTES);

    /** @param meanBytes the mean cost of a shard */
    static RangeCut of(SplitAbove split, long meanBytes) {
        if (split.isNever()) {
            return NOTHING;
        }
        long part = Math.max(FileRange.MIN_BYTES, Long.highestOneBit(Math.max(1, meanBytes / PARTS)));
        if (split.isDefault()) {
            return new RangeCut(Math.max(part, DEFAULT_MIN_BYTES), part);
        }
        return new RangeCut(split.bytes(), Math.min(part, Long.highestOneBit(split.bytes())));
    }

    /** The number of ranges of this file, 1 if it is not split. */
    int count(FileEntry entry) {
        return isCut(entry) ? first(entry).count() : 1;
    }

    boolean isCut(FileEntry entry) {
        return entry.kind() == Kind.FILE
                && entry.range() == null
                && entry.sizeBytes() > aboveBytes
                && entry.sizeBytes() > lengthFor(entry.sizeBytes());
    }

    /** The entry itself if it is not split. */
    FileEntry part(FileEntry entry, int index) {
        return isCut(entry) ? entry.ranged(first(entry).at(index)) : entry;
    }

    private FileRange first(FileEntry entry) {
        return new FileRange(0, entry.sizeBytes(), lengthFor(entry.sizeBytes()));
    }

    /** Longer than usual if there would be too many. */
    private long lengthFor(long sizeBytes) {
        long length = rangeBytes;
        while ((sizeBytes - 1) / length >= FileRange.MAX_COUNT) {
            length *= 2;
        }
        return length;
    }
}
