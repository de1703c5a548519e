package io.fdt.core.objects;

import java.nio.ByteBuffer;

/**
 * Maps the hash of a key to the slot of its object: a table with open addressing outside the heap, for the objects of
 * one shard. An entry contains half of the hash, so that almost only the right slot is examined. Objects are never
 * removed, so probing ends at the first empty entry. For the holder of the shard's lock.
 *
 * <pre>
 * entry: 1 bit that is set, 31 bits of the hash, 5 bits slab, 27 bits slot; an empty one is zero
 * </pre>
 */
final class ObjectIndex {
    static final int SLOT_BITS = 27;
    static final int MAX_SLABS = 1 << (Integer.SIZE - SLOT_BITS);

    /** So that the table is one buffer. */
    static final int MAX_EXPECTED = 1 << 25;

    /** No such object. */
    static final long NONE = 0;

    private static final int ENTRY_BYTES = 8;
    private static final long TAKEN = 1L << 63;
    private static final long REFERENCE = 0xFFFFFFFFL;
    private static final int SLOT = (1 << SLOT_BITS) - 1;

    private final ByteBuffer entries;
    private final int mask;
    private final int most;
    private int held;

    /**
     * For about this many objects. Hashes are distributed so evenly that a shard never gets much more than twice as
     * many.
     */
    ObjectIndex(int expectedObjects) {
        int length = entries(expectedObjects);
        this.entries = ByteBuffer.allocateDirect(length * ENTRY_BYTES);
        this.mask = length - 1;
        this.most = length - length / 8;
    }

    static long memoryBytes(int expectedObjects) {
        return (long) entries(expectedObjects) * ENTRY_BYTES;
    }

    private static int entries(int expectedObjects) {
        return Integer.highestOneBit(2 * expectedObjects + 63) << 1;
    }

    /** The position in the table to begin with, for {@link #next}. */
    int first(long hash) {
        return (int) (hash >>> 8) & mask;
    }

    int next(int position) {
        return (position + 1) & mask;
    }

    /** The entry at a position; {@link #NONE} if it is empty. */
    long entry(int position) {
        return entries.getLong(position * ENTRY_BYTES);
    }

    static boolean mayBe(long entry, long hash) {
        return (entry & ~REFERENCE) == ((hash & ~REFERENCE) | TAKEN);
    }

    boolean isFull() {
        return held == most;
    }

    void put(int position, long hash, int slab, int slot) {
        if (entry(position) == NONE) {
            held++;
        }
        long reference = (((long) slab << SLOT_BITS) | slot) & REFERENCE;
        entries.putLong(position * ENTRY_BYTES, (hash & ~REFERENCE) | TAKEN | reference);
    }

    static int slab(long entry) {
        return (int) (entry & REFERENCE) >>> SLOT_BITS;
    }

    static int slot(long entry) {
        return (int) entry & SLOT;
    }
}
