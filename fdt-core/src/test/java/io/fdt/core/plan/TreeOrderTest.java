package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TreeOrderTest {
    @Test
    void putsADirectoryBeforeItsContentsAndThoseBeforeItsNeighbours() {
        List<RawPath> inOrder = Stream.of("", "a", "a/b", "a/b/c", "a/b.c", "a\u0001", "a.x", "a0", "b", "\uDCFF")
                .map(RawPath::ofText)
                .toList();
        for (int i = 0; i < inOrder.size(); i++) {
            for (int j = 0; j < inOrder.size(); j++) {
                assertThat(Integer.signum(TreeOrder.compare(inOrder.get(i), inOrder.get(j))))
                        .as("%s and %s", inOrder.get(i), inOrder.get(j))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @Test
    void coversItselfAndEverythingBelow() {
        RawPath directory = RawPath.ofText("a/b");
        assertThat(TreeOrder.covers(directory, directory)).isTrue();
        assertThat(TreeOrder.covers(directory, RawPath.ofText("a/b/c"))).isTrue();
        assertThat(TreeOrder.covers(RawPath.EMPTY, directory)).isTrue();
        assertThat(TreeOrder.covers(directory, RawPath.ofText("a/bc"))).isFalse();
        assertThat(TreeOrder.covers(directory, RawPath.ofText("a"))).isFalse();
        assertThat(TreeOrder.covers(directory, RawPath.ofText("x/b/c"))).isFalse();
    }

    /** Goal: the sort agrees with the JDK's and is stable. Method: random numbers with many equal ranks. */
    @Test
    void sortsIndexesStablyByRank() {
        long seed = Long.getLong("fdt.seed", 1);
        Random random = new Random(seed);
        for (int length = 0; length < 300; length++) {
            int[] ranks = random.ints(length, 0, 20).toArray();
            int[] numbers = new int[length];
            Arrays.setAll(numbers, i -> i);
            List<Integer> expected =
                    new ArrayList<>(Arrays.stream(numbers).boxed().toList());
            expected.sort((left, right) -> Integer.compare(ranks[left], ranks[right]));

            IndexSort.sort(numbers, (left, right) -> Integer.compare(ranks[left], ranks[right]));

            assertThat(Arrays.stream(numbers).boxed().toList())
                    .as("seed %s", seed)
                    .isEqualTo(expected);
        }
    }
}
