package io.fdt.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Distributes the sequence of a job's entries over shards of equal cost. Large entries are assigned first, the largest
 * to the shard that has least; then all others fill the shards up to one level, in contiguous parts of the sequence, so
 * that neighbours in the tree stay together. A small entry goes to the shard that contains its middle. The same
 * sequence is always distributed in the same way.
 *
 * <p>No shard exceeds the mean by more than the largest entry, or the best possible by more than a third; if no entry
 * exceeds a twentieth of the mean, all shards are within 5 percent of it. A pure function; for one use and one thread.
 */
final class Balance {
    /**
     * Entries above this fraction of a shard's mean are large: two halves of a smaller one, one at each end of a part,
     * stay well below 5 percent.
     */
    private static final int PARTS = 32;

    private final int[] largeShards;
    /** The ends of the shards' parts, in terms of the cost of small entries. */
    private final long[] ends;

    private long at;
    private int current;

    /** Large entries are in the order of the sequence; all others together have the small cost. */
    Balance(int shards, long smallCost, long[] largeCosts) {
        if (shards < 1 || smallCost < 0) {
            throw new IllegalArgumentException(shards + " shards of " + smallCost + " bytes");
        }
        long[] loads = new long[shards];
        this.largeShards = deal(largeCosts, loads);
        this.ends = fill(loads, smallCost);
    }

    static long largeAbove(long totalCost, int shards) {
        return Math.max(1, totalCost / shards / PARTS);
    }

    private record Load(long cost, int shard) {}

    private static int[] deal(long[] costs, long[] loads) {
        PriorityQueue<Load> least =
                new PriorityQueue<>(Comparator.comparingLong(Load::cost).thenComparingInt(Load::shard));
        for (int shard = 0; shard < loads.length; shard++) {
            least.add(new Load(0, shard));
        }
        List<Integer> order = new ArrayList<>(costs.length);
        for (int i = 0; i < costs.length; i++) {
            order.add(i);
        }
        // The sort is stable: of equal entries, the first one comes first.
        order.sort((left, right) -> Long.compare(costs[right], costs[left]));
        int[] shards = new int[costs.length];
        for (int index : order) {
            Load load = least.remove();
            shards[index] = load.shard;
            loads[load.shard] = load.cost + costs[index];
            least.add(new Load(loads[load.shard], load.shard));
        }
        return shards;
    }

    /** Fills shards up to one level, as far as the cost suffices. */
    private static long[] fill(long[] loads, long smallCost) {
        long[] sorted = loads.clone();
        Arrays.sort(sorted);
        // Enough shards below the level are filled, until the next one is above it.
        long left = smallCost;
        int below = 1;
        long level = sorted[0];
        while (below < sorted.length && (sorted[below] - level) <= left / below) {
            left -= (sorted[below] - level) * below;
            level = sorted[below++];
        }
        level += left / below;
        long rest = left % below;
        long[] ends = new long[loads.length];
        long end = 0;
        for (int shard = 0; shard < loads.length; shard++) {
            if (loads[shard] <= level) {
                end += level - loads[shard] + (rest > 0 ? 1 : 0);
                rest -= rest > 0 ? 1 : 0;
            }
            ends[shard] = end;
        }
        return ends;
    }

    /** The shard of a large entry, by its index among them. */
    int shardOfLarge(int index) {
        return largeShards[index];
    }

    /** The shard of the next small entry; never before that of the previous one. */
    int place(long cost) {
        long middle = at + cost / 2;
        at += cost;
        while (middle >= ends[current] && current < ends.length - 1) {
            current++;
        }
        return current;
    }
}
