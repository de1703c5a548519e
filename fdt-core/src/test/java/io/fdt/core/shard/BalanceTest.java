package io.fdt.core.shard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What must hold for every job, for tree shapes that occur in practice. {@code -Dfdt.seed=…} replays a run. */
final class BalanceTest {
    private static final long SEED = Long.getLong("fdt.seed", 1);
    private static final int ROUNDS = 100;
    private static final long KIB = 1L << 10;
    private static final long GIB = 1L << 30;

    /** Costs of entries as in trees of real data. */
    private enum Shape {
        MANY_SMALL {
            @Override
            long[] costs(Random random) {
                int count = 20_000 + random.nextInt(40_000);
                return draw(count, () -> 64 * KIB + (long) (-Math.log(1 - random.nextDouble()) * 24 * KIB));
            }
        },
        FEW_HUGE {
            @Override
            long[] costs(Random random) {
                return draw(1 + random.nextInt(40), () -> 30 * GIB + (long) (random.nextDouble() * 3000 * GIB));
            }
        },
        LONG_TAIL {
            @Override
            long[] costs(Random random) {
                int count = 5_000 + random.nextInt(10_000);
                // Pareto with a shape near 1: most are small, and a few contain most of the bytes.
                return draw(
                        count,
                        () -> 64 * KIB + (long) Math.min(2e13, 16 * KIB / Math.pow(1 - random.nextDouble(), 1 / 1.05)));
            }
        };

        abstract long[] costs(Random random);

        private static long[] draw(int count, LongSupplier cost) {
            return LongStream.generate(cost).limit(count).toArray();
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyShardIsCloseToOptimum(Shape shape) {
        Random random = new Random(SEED);
        System.err.println(shape + " of -Dfdt.seed=" + SEED);
        int within = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long[] costs = shape.costs(random);
            long largest = LongStream.of(costs).max().orElseThrow();
            long total = LongStream.of(costs).sum();
            int shards = 1 + random.nextInt(64);
            // In every second round there are so few shards that no entry is above a twentieth of the mean.
            if (round % 2 == 0) {
                shards = (int) Math.max(1, Math.min(shards, total / (20 * largest)));
            }
            long mean = total / shards;
            long[] loads = loads(costs, shards);
            long most = LongStream.of(loads).max().orElseThrow();
            assertThat(LongStream.of(loads).sum()).isEqualTo(total);
            String what = "round " + round + ": " + shards + " shards of " + costs.length + " entries";
            if (largest <= mean / 20) {
                within++;
                assertThat(most).as(what).isLessThanOrEqualTo(mean + mean / 20);
            }
            assertThat(most).as(what).isLessThanOrEqualTo(mean + largest + 1);
        }
        if (shape != Shape.FEW_HUGE) {
            assertThat(within).as("rounds in which 5 percent were asked for").isPositive();
        }
    }

    private static long[] loads(long[] costs, int shards) {
        long[] loads = new long[shards];
        int[] places = places(costs, shards);
        for (int i = 0; i < costs.length; i++) {
            loads[places[i]] += costs[i];
        }
        return loads;
    }

    private static int[] places(long[] costs, int shards) {
        long above = Balance.largeAbove(LongStream.of(costs).sum(), shards);
        long[] large = LongStream.of(costs).filter(cost -> cost > above).toArray();
        long small = LongStream.of(costs).filter(cost -> cost <= above).sum();
        Balance balance = new Balance(shards, small, large);
        int[] places = new int[costs.length];
        int largeIndex = 0;
        int last = 0;
        for (int i = 0; i < costs.length; i++) {
            if (costs[i] > above) {
                places[i] = balance.shardOfLarge(largeIndex++);
            } else {
                places[i] = balance.place(costs[i]);
                assertThat(places[i]).as("stretches of the sequence").isGreaterThanOrEqualTo(last);
                last = places[i];
            }
        }
        return places;
    }

    @Test
    void sameInputGivesSameShards() {
        long[] costs = Shape.LONG_TAIL.costs(new Random(7));
        assertThat(places(costs, 13)).isEqualTo(places(costs, 13));
    }

    @Test
    void smallFilesFillGapsOfLargeOnes() {
        long[] costs = LongStream.concat(
                        LongStream.of(1000), LongStream.generate(() -> 1).limit(1000))
                .toArray();
        assertThat(loads(costs, 3)).containsExactly(1000, 500, 500);
    }

    @Test
    void moreShardsThanEntriesLeaveSomeEmpty() {
        long[] loads = loads(new long[] {5, 5, 5}, 7);
        assertThat(loads)
                .hasSize(7)
                .satisfies(each -> assertThat(LongStream.of(each).filter(load -> load == 5))
                        .hasSize(3));
    }

    @Test
    void theLargestSumsDoNotOverflow() {
        long[] loads = loads(new long[] {1L << 60, 1L << 60, 1L << 60, 1, 1, 1}, 999);
        assertThat(LongStream.of(loads).max().orElseThrow()).isEqualTo(1L << 60);
    }
}
