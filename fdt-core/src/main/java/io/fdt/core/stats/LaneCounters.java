package io.fdt.core.stats;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The counters of one lane. Written only by the lane's thread, read by any thread at any time; a reader may see one
 * counter newer than another.
 */
public final class LaneCounters {
    private final AtomicLongArray values = new AtomicLongArray(Counter.values().length);

    /** Payload bytes, chunks, and the nanoseconds that the lane's thread spent on each activity. */
    public enum Counter {
        SENT_BYTES,
        RESENT_BYTES,
        RECEIVED_BYTES,
        /** In chunks that were written and have the right digest, with holes. */
        VERIFIED_BYTES,
        CHUNKS,
        /** Chunks that were sent before and were sent again. */
        RESENT_CHUNKS,
        DAMAGED_CHUNKS,
        READ_NANOS,
        HASH_NANOS,
        SEND_NANOS,
        WRITE_NANOS,
        /** Waiting for a free block: the network or the receiver does not accept more. */
        BLOCKED_NANOS,
        /** Waiting for work: nothing to send, or nothing received. */
        IDLE_NANOS,
        /** Waiting because of the rate limit. */
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
