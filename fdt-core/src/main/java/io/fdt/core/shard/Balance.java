package io.fdt.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Spreads the sequence of a job's entries over shards of the same cost. Large entries are dealt out first, the largest
 * to the shard that has least; then everything else fills the shards up to one level, in stretches of the sequence, so
 * that what is near in the tree stays together. A small entry goes where its middle lies. The same sequence is always
 * dealt out in the same way.
 *
 * <p>No shard is above the mean by more than the largest entry, nor above the best possible by more than a third; where
 * no entry is above a twentieth of the mean, all are within 5 percent of it. Pure; one use, one thread.
 */
final class Balance {
    /** Of a shard's mean, what is large: two halves of it, one an end of a stretch, stay well below 5 percent. */
    private static final int PARTS = 32;

    private final int[] largeShards;
    /** Where the stretches of the shards end among the costs of small entries. */
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
        // The sort is stable: of equal ones the first comes first.
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

    /** Fills shards up to one level, as far as there is something to fill them with. */
    private static long[] fill(long[] loads, long smallCost) {
        long[] sorted = loads.clone();
        Arrays.sort(sorted);
        // The level is reached by the shards below it: as many as it takes until the next one stands above.
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

    /** Where a large entry goes, by its place among them. */
    int shardOfLarge(int index) {
        return largeShards[index];
    }

    /** Where the next small entry goes; never before the one before it. */
    int place(long cost) {
        long middle = at + cost / 2;
        at += cost;
        while (middle >= ends[current] && current < ends.length - 1) {
            current++;
        }
        return current;
    }
}
