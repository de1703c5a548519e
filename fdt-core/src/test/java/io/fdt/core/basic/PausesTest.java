package io.fdt.core.basic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PausesTest {
    @Test
    void doubleUpToTheLongest() {
        Pauses pauses = new Pauses(3, 20);
        assertThat(IntStream.range(0, 7).mapToLong(pauses::after)).containsExactly(0L, 3L, 6L, 12L, 20L, 20L, 20L);
        assertThat(pauses.after(Integer.MAX_VALUE)).isEqualTo(20);
        assertThat(new Pauses(5, 4).after(1)).isEqualTo(4);
    }
}
