package io.fdt.core.storage;

import java.util.BitSet;

/**
 * Where a partial has holes that may stay: what was written since it was empty, in granules, outside of which it reads as zeros. So
 * zeros need not be written there, but must be where something stands. Thread-safe.
 */
final class Holes {
    static final int GRANULE_BYTES = 128 * 1024;
    /** So that what is remembered of a file stays below 16 MiB. */
    static final long UP_TO_BYTES = 1L << 44;

    private static final int PAGE_BYTES = 4096;

    private final BitSet touched = new BitSet();

    /** Writes a part of a block. */
    interface Writing {
        /** @param at where the part begins in the block */
        void write(int at, int lengthBytes);
    }

    /** Marks what a write is about to touch; true when some of it was before: then zeros must be written over what stands there. */
    synchronized boolean touch(long offset, long lengthBytes) {
        if (lengthBytes == 0) {
            return true;
        }
        int first = granule(offset);
        int end = granule(offset + lengthBytes - 1) + 1;
        int known = touched.nextSetBit(first);
        touched.set(first, end);
        return known >= 0 && known < end;
    }

    /** Whether there are zeros already. */
    synchronized boolean isUntouched(long offset, long lengthBytes) {
        int known = touched.nextSetBit(granule(offset));
        return known < 0 || known > granule(offset + lengthBytes - 1);
    }

    private static int granule(long offset) {
        return (int) (offset / GRANULE_BYTES);
    }

    /**
     * Has written of a block what is not zero, in runs of whole pages of the file.
     *
     * @param address of the block
     * @param offset of the block in the file
     */
    static void writeNonZeroPages(long address, int lengthBytes, long offset, Writing writing) {
        int runStart = 0;
        int at = 0;
        while (at < lengthBytes) {
            int length = (int) Math.min(PAGE_BYTES - (offset + at) % PAGE_BYTES, lengthBytes - at);
            if (Posix.isZero(address + at, length)) {
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
