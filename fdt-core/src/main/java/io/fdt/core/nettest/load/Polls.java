package io.fdt.core.nettest.load;

import io.fdt.core.basic.JsonObject;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Counts the receive calls of one side since it was reset, without those that found nothing. In the answer to a turn
 * the numbers follow each other, 8 bytes each, in the order of their constants. For one thread.
 */
final class Polls {
    static final int MESSAGES = 0;
    static final int POLLS = 1;
    /** Calls that filled all buffers, so that there may have been more. */
    static final int FULL = 2;
    /** Messages of one call. */
    static final int MOST = 3;
    /** Calls whose answers exceeded the send buffers. */
    static final int SPLITS = 4;
    /** The busy time of the lane's thread, which is everything except waiting. */
    static final int BUSY_NANOS = 5;

    static final int ELAPSED_NANOS = 6;
    private static final int COUNTS = 7;

    private final long[] counts = new long[COUNTS];

    /** A call has completed this many messages, at least one. */
    void onPoll(int completed, boolean full) {
        counts[MESSAGES] += completed;
        counts[POLLS]++;
        counts[FULL] += full ? 1 : 0;
        counts[MOST] = Math.max(counts[MOST], completed);
    }

    void add(int which, long amount) {
        counts[which] += amount;
    }

    long get(int which) {
        return counts[which];
    }

    /** The share of the calls of this kind. */
    double share(int which) {
        return counts[POLLS] == 0 ? 0 : (double) counts[which] / counts[POLLS];
    }

    void reset() {
        Arrays.fill(counts, 0);
    }

    /** @param before the prefix of each name */
    JsonObject figures(String before) {
        return new JsonObject()
                .with(before + "completions_per_poll", share(MESSAGES), 3)
                .with(before + "most_completions", counts[MOST])
                .with(before + "full_polls", share(FULL), 4);
    }

    void putInto(ByteBuffer memory, int index) {
        for (int each = 0; each < COUNTS; each++) {
            memory.putLong(index + each * Long.BYTES, counts[each]);
        }
    }

    static Polls of(ByteBuffer memory, int index) {
        Polls polls = new Polls();
        for (int each = 0; each < COUNTS; each++) {
            polls.counts[each] = memory.getLong(index + each * Long.BYTES);
        }
        return polls;
    }
}
