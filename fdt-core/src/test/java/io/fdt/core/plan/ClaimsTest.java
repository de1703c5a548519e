package io.fdt.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClaimsTest {
    private static final int LENGTH = 1 << 20;

    private final Claims claims = new Claims();

    /** What one file costs does not grow with the number of files. */
    @Test
    void looksOnlyAtTheClaimsOfOneFile() {
        for (int file = 0; file < 10_000; file++) {
            claims.put(new Chunk(file, 0, LENGTH), 0);
        }
        claims.put(new Chunk(77, LENGTH, LENGTH), 1);

        List<Claims.Claim> seen = new ArrayList<>();
        claims.removeOfFile(77, claim -> !seen.add(claim));

        assertThat(seen).extracting(claim -> claim.chunk.fileId()).containsExactly(77, 77);
    }

    @Test
    void keepsTheRestOfAFileWhichEverIsRemoved() {
        for (int removed = 0; removed < 3; removed++) {
            for (int i = 0; i < 3; i++) {
                claims.put(new Chunk(5, (long) i * LENGTH, LENGTH), i);
            }
            claims.remove(5, (long) removed * LENGTH);
            assertThat(claims.get(5, (long) removed * LENGTH)).isNull();
            assertThat(claims.removeOfFile(5, claim -> true)).hasSize(2);
            assertThat(claims.isEmpty()).isTrue();
        }
    }

    @Test
    void replacesAClaimOfTheSamePlace() {
        claims.put(new Chunk(5, 0, LENGTH), 1);
        claims.put(new Chunk(5, 0, LENGTH), 2);

        assertThat(claims.haveLane(1)).isFalse();
        assertThat(claims.removeOfLane(2)).hasSize(1);
        assertThat(claims.removeOfFile(5, claim -> true)).isEmpty();
    }
}
