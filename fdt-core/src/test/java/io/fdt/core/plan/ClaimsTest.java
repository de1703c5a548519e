package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ClaimsTest {
    private static final int LEAF = 128 * 1024;

    /**
     * Goal: the table behaves like a map, whichever entries are adjacent. Method: random changes from a printed seed,
     * compared with a map.
     */
    @Test
    void isAMapWhateverIsAddedAndRemoved() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Claims claims = new Claims();
        Map<Chunk, Integer> model = new HashMap<>();
        Set<Long> numbers = new HashSet<>();
        for (int step = 0; step < 200_000; step++) {
            int fileId = random.nextInt(40);
            long offset = (long) random.nextInt(40) * LEAF;
            Chunk key = new Chunk(fileId, offset, 0);
            int lane = random.nextInt(8);
            int what = random.nextInt(1000);
            if (what == 0) {
                List<Chunk> seen = new ArrayList<>();
                claims.removeIf(claim -> claim.lane() == lane, claim -> seen.add(claim.chunk()));
                assertThat(seen).as("seed %d", seed).doesNotHaveDuplicates();
                List<Chunk> gone = model.entrySet().stream()
                        .filter(each -> each.getValue() == lane)
                        .map(Map.Entry::getKey)
                        .toList();
                assertThat(seen.stream().map(ClaimsTest::key).toList())
                        .as("seed %d", seed)
                        .containsExactlyInAnyOrderElementsOf(gone);
                model.values().removeIf(each -> each == lane);
            } else if (what < 500) {
                assertThat(numbers.add(claims.put(fileId, offset, LEAF, 3, 2, 1, lane)))
                        .isTrue();
                model.put(key, lane);
            } else {
                Claims.Claim claim = claims.get(fileId, offset);
                assertThat(claim != null).as("seed %d", seed).isEqualTo(model.containsKey(key));
                if (claim != null) {
                    assertThat(claim.chunk()).isEqualTo(new Chunk(fileId, offset, LEAF, 3, 2, 1));
                    assertThat(claim.lane()).isEqualTo(model.remove(key));
                    claims.remove(claim);
                }
            }
            assertThat(claims.count()).as("seed %d", seed).isEqualTo(model.size());
        }
        for (int lane = 0; lane < 8; lane++) {
            int each = lane;
            assertThat(claims.any(claim -> claim.lane() == each)).isEqualTo(model.containsValue(each));
        }
    }

    private static Chunk key(Chunk chunk) {
        return new Chunk(chunk.fileId(), chunk.offset(), 0);
    }
}
