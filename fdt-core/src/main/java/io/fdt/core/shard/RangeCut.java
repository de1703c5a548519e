package io.fdt.core.shard;

import io.fdt.core.plan.FileEntry;
import io.fdt.core.plan.FileEntry.Kind;
import io.fdt.core.plan.FileRange;

/**
 * Which files of a job are cut into ranges, and how long these are. No range is above a twentieth of the mean shard, so
 * that shards of nothing but ranges balance as small files do; nor is one below a fortieth without need, so that there
 * are at most some forty a shard. Pure.
 */
record RangeCut(long aboveBytes, long rangeBytes) {
    /** Of a shard's mean, what a range is no larger than. */
    private static final int PARTS = 20;

    /** Smaller files are cut only where that was asked for: what takes a second holds no shard up. */
    private static final long USUAL_MIN_BYTES = 1L << 30;

    private static final RangeCut NOTHING = new RangeCut(Long.MAX_VALUE, FileRange.MIN_BYTES);

    /** @param meanBytes what a shard weighs */
    static RangeCut of(SplitAbove split, long meanBytes) {
        if (split.isNever()) {
            return NOTHING;
        }
        long part = Math.max(FileRange.MIN_BYTES, Long.highestOneBit(Math.max(1, meanBytes / PARTS)));
        if (split.isUsual()) {
            return new RangeCut(Math.max(part, USUAL_MIN_BYTES), part);
        }
        return new RangeCut(split.bytes(), Math.min(part, Long.highestOneBit(split.bytes())));
    }

    /** How many entries this one becomes. */
    int count(FileEntry entry) {
        return isCut(entry) ? first(entry).count() : 1;
    }

    boolean isCut(FileEntry entry) {
        return entry.kind() == Kind.FILE
                && entry.range() == null
                && entry.sizeBytes() > aboveBytes
                && entry.sizeBytes() > lengthFor(entry.sizeBytes());
    }

    /** The entry itself where it stays whole. */
    FileEntry part(FileEntry entry, int index) {
        return isCut(entry) ? entry.ranged(first(entry).at(index)) : entry;
    }

    private FileRange first(FileEntry entry) {
        return new FileRange(0, entry.sizeBytes(), lengthFor(entry.sizeBytes()));
    }

    /** Longer than usual where there would be too many. */
    private long lengthFor(long sizeBytes) {
        long length = rangeBytes;
        while ((sizeBytes - 1) / length >= FileRange.MAX_COUNT) {
            length *= 2;
        }
        return length;
    }
}
