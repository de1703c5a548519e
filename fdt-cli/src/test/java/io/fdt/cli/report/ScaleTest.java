package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.fdt.cli.report.Scale.Tick;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScaleTest {
    @Test
    void putsRoundNumbersOnALinearAxis() {
        assertThat(labels(Scale.of(Axis.linear("", Unit.NUMBER), 3, 73.1)))
                .containsExactly("0", "20", "40", "60", "80");
        assertThat(labels(Scale.of(Axis.linear("", Unit.PERCENT), 0, 100)))
                .containsExactly("0 %", "20 %", "40 %", "60 %", "80 %", "100 %");
    }

    @Test
    void putsDecadesOnALogarithmicAxisAndPowersOfTwoOnSizes() {
        assertThat(labels(Scale.of(Axis.log("", Unit.NUMBER), 3, 4_500))).containsExactly("10", "100", "1000");
        assertThat(labels(Scale.of(Axis.log("", Unit.NUMBER), 21, 90))).containsExactly("20", "50", "100");
        assertThat(labels(Scale.of(new Axis("", Unit.BYTES, 2, List.of()), 512, 4096)))
                .containsExactly("512 B", "1 KiB", "2 KiB", "4 KiB");
    }

    @Test
    void namesNinesOnAnAxisOfPercentiles() {
        assertThat(labels(Scale.of(Axis.log("", Unit.PERCENTILE), 2, 10_000)))
                .containsExactly("50 %", "90 %", "99 %", "99.9 %", "99.99 %");
    }

    @Test
    void keepsProportionsOnALogarithmicAxis() {
        Scale scale = Scale.of(Axis.log("", Unit.NUMBER), 1, 10_000);
        assertThat(scale.at(1)).isZero();
        assertThat(scale.at(100)).isCloseTo(0.5, offset(1e-6));
        assertThat(scale.at(10_000)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 10})
    void holdsEveryValueBetweenItsEndsWhateverTheRange(int base) {
        Random random = new Random(42);
        for (int i = 0; i < 2_000; i++) {
            double one = Math.exp(random.nextDouble() * 80 - 40);
            double other = one * Math.exp(random.nextDouble() * 20);
            Scale scale = Scale.of(new Axis("", Unit.NUMBER, base, List.of()), one, other);
            assertThat(scale.min()).as("%d: %s to %s", i, one, other).isLessThanOrEqualTo(one * (1 + 1e-6));
            assertThat(scale.max()).as("%d: %s to %s", i, one, other).isGreaterThanOrEqualTo(other * (1 - 1e-6));
            assertThat(scale.ticks()).hasSizeBetween(2, 100);
            assertThat(labels(scale)).as("%d: %s to %s", i, one, other).hasSizeBetween(1, 16);
        }
    }

    private static List<String> labels(Scale scale) {
        return scale.ticks().stream()
                .map(Tick::label)
                .filter(label -> !label.isEmpty())
                .toList();
    }
}
