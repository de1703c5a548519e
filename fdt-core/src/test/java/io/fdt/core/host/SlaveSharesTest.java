package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlaveSharesTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5, 8, 11})
    void spreadsAnyNumberOfLanesEvenlyOverAllSlaves(int slaves) {
        SlaveShares shares = new SlaveShares(slaves);
        int[] lanes = new int[slaves];
        for (int lane = 0; lane < 3 * slaves; lane++) {
            lanes[shares.take() % slaves]++;
            assertThat(spread(lanes)).isLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 6, 8})
    void staysEvenOverHoweverManySlavesAreLeft(int slaves) {
        SlaveShares shares = new SlaveShares(slaves);
        int[] classes = IntStream.range(0, 8).map(lane -> shares.take()).toArray();
        for (int left = 1; left <= slaves; left++) {
            int[] lanes = new int[left];
            for (int taken : classes) {
                lanes[taken % left]++;
            }
            assertThat(spread(lanes)).as("%s of %s slaves", left, slaves).isLessThanOrEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void fillsTheGapsThatLanesLeave(long seed) {
        Random random = new Random(seed);
        SlaveShares shares = new SlaveShares(2);
        Set<Integer> held = new HashSet<>();
        held.add(shares.take());
        held.add(shares.take());
        for (int step = 0; step < 100; step++) {
            int gone = random.nextInt(2);
            shares.release(gone);
            held.remove(gone);
            held.add(shares.take());
            assertThat(held).as("seed %s, step %s", seed, step).containsExactlyInAnyOrder(0, 1);
        }
    }

    private static int spread(int[] lanes) {
        return IntStream.of(lanes).max().orElseThrow()
                - IntStream.of(lanes).min().orElseThrow();
    }
}
