package io.fdt.core.plan;

import java.util.function.IntBinaryOperator;

/**
 * Sorts indexes by the values that they refer to, without an object for each: for millions of packed values. Stable.
 */
public final class IndexSort {
    private IndexSort() {}

    /** Merges runs of one, two, four … indexes. */
    public static void sort(int[] numbers, IntBinaryOperator order) {
        int[] from = numbers;
        int[] to = new int[numbers.length];
        for (long run = 1; run < numbers.length; run *= 2) {
            for (long start = 0; start < numbers.length; start += 2 * run) {
                int middle = (int) Math.min(start + run, numbers.length);
                int end = (int) Math.min(start + 2 * run, numbers.length);
                merge(from, to, (int) start, middle, end, order);
            }
            int[] merged = to;
            to = from;
            from = merged;
        }
        if (from != numbers) {
            System.arraycopy(from, 0, numbers, 0, numbers.length);
        }
    }

    private static void merge(int[] from, int[] to, int start, int middle, int end, IntBinaryOperator order) {
        if (middle == end || order.applyAsInt(from[middle - 1], from[middle]) <= 0) {
            System.arraycopy(from, start, to, start, end - start);
            return;
        }
        int left = start;
        int right = middle;
        for (int i = start; i < end; i++) {
            boolean takeLeft = right == end || (left < middle && order.applyAsInt(from[left], from[right]) <= 0);
            to[i] = takeLeft ? from[left++] : from[right++];
        }
    }
}
