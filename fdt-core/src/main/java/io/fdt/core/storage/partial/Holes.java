package io.fdt.core.storage.partial;

import io.fdt.core.storage.posix.FileData;
import java.util.Arrays;

/**
 * The holes of a partial that may stay: keeps the ranges that were written since the partial was empty, in granules;
 * outside of them it reads as zeros. There, zeros need not be written; elsewhere, they must overwrite the existing
 * data. Thread-safe.
 *
 * <p>Uses at most 4 KiB of the heap for a file: if there are too many ranges, the gap between the lowest two counts as
 * written. Chunks arrive nearly in order, so few later writes affect that gap; those that do include their zeros.
 */
final class Holes {
    static final int GRANULE_BYTES = 128 * 1024;
    static final int MAX_RANGES = 256;

    private static final int PAGE_BYTES = 4096;

    /** The first granule of each range and the one after its last, in order; ranges neither touch nor overlap. */
    private long[] bounds = new long[8];

    private int ranges;

    interface Writing {
        /** @param at the start of the part in the block */
        void write(int at, int lengthBytes);
    }

    /**
     * Marks the range of an upcoming write. Returns true if a part of it was written before: then its zeros must be
     * written, too.
     */
    synchronized boolean touch(long offset, long lengthBytes) {
        if (lengthBytes == 0) {
            return true;
        }
        long first = offset / GRANULE_BYTES;
        long end = (offset + lengthBytes - 1) / GRANULE_BYTES + 1;
        int from = firstEndingAtOrAfter(first);
        int to = from;
        boolean known = false;
        while (to < ranges && bounds[2 * to] <= end) {
            known |= bounds[2 * to] < end && bounds[2 * to + 1] > first;
            to++;
        }
        if (from == to) {
            insert(from, first, end);
        } else {
            merge(from, to, first, end);
        }
        return known;
    }

    /** Whether the range still contains only zeros. */
    synchronized boolean isUntouched(long offset, long lengthBytes) {
        int next = firstEndingAtOrAfter(offset / GRANULE_BYTES + 1);
        return next == ranges || bounds[2 * next] > (offset + lengthBytes - 1) / GRANULE_BYTES;
    }

    /** Whether a part of a file of this length was never written. */
    synchronized boolean isLeftIn(long sizeBytes) {
        return ranges != 1 || bounds[0] > 0 || bounds[1] * GRANULE_BYTES < sizeBytes;
    }

    private int firstEndingAtOrAfter(long granule) {
        int low = 0;
        int high = ranges;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (bounds[2 * middle + 1] < granule) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void insert(int at, long first, long end) {
        if (2 * ranges == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * bounds.length);
        }
        System.arraycopy(bounds, 2 * at, bounds, 2 * at + 2, 2 * (ranges - at));
        bounds[2 * at] = first;
        bounds[2 * at + 1] = end;
        ranges++;
        if (ranges == MAX_RANGES) {
            merge(0, 2, bounds[0], bounds[1]);
        }
    }

    /** Merges these ranges and the new one. */
    private void merge(int from, int to, long first, long end) {
        bounds[2 * from] = Math.min(first, bounds[2 * from]);
        bounds[2 * from + 1] = Math.max(end, bounds[2 * to - 1]);
        System.arraycopy(bounds, 2 * to, bounds, 2 * from + 2, 2 * (ranges - to));
        ranges -= to - from - 1;
    }

    /**
     * Writes the non-zero parts of a block, in runs of whole pages of the file.
     *
     * @param offset of the block in the file
     */
    static void writeNonZeroPages(long address, int lengthBytes, long offset, Writing writing) {
        int runStart = 0;
        int at = 0;
        while (at < lengthBytes) {
            int length = (int) Math.min(PAGE_BYTES - (offset + at) % PAGE_BYTES, lengthBytes - at);
            if (FileData.isZero(address + at, length)) {
                if (at > runStart) {
                    writing.write(runStart, at - runStart);
                }
                runStart = at + length;
            }
            at += length;
        }
        if (at > runStart) {
            writing.write(runStart, at - runStart);
        }
    }
}
