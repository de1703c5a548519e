package io.fdt.core.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * What one lane counts. Written by the lane's thread alone, read by anyone at any time; a reader may see
 * one figure newer than another.
 */
public final class LaneCounters {
    private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);

    /** Payload bytes and nanoseconds by what the lane's thread spent them on. */
    public enum Counter {
        SENT_BYTES,
        RESENT_BYTES,
        RECEIVED_BYTES,
        CHUNKS,
        /** Moved before, and now again. */
        RESENT_CHUNKS,
        DAMAGED_CHUNKS,
        READ_NANOS,
        HASH_NANOS,
        SEND_NANOS,
        WRITE_NANOS,
        /** From being out of free blocks to having one: the network, or what is behind it, does not take more. */
        BLOCKED_NANOS,
        /** With nothing to send, or nothing received: waiting for work. */
        IDLE_NANOS,
        /** Held back by the rate limit. */
        LIMITED_NANOS
    }

    @SuppressWarnings("EnumOrdinal") // an index into memory, never stored or sent
    public void add(Counter counter, long amount) {
        int index = counter.ordinal();
        values.lazySet(index, values.getPlain(index) + amount);
    }

    @SuppressWarnings("EnumOrdinal") // as above
    public long get(Counter counter) {
        return values.get(counter.ordinal());
    }
}
