package io.fdt.cli.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.cli.value.BadValueException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Experiments and activities have names and numbers. */
final class SciTagTest {
    @ParameterizedTest
    @CsvSource({
        "2.3, 2, 3",
        "atlas.data-brokering, 2, 3",
        "ATLAS.Data Brokering, 2, 3",
        "atlas.3, 2, 3",
        "2.Data Brokering, 2, 3",
        "cms.Upload/Download (Job), 3, 19",
        "511.63, 511, 63"
    })
    void namesAreThoseOfTheRegistry(String text, int experiment, int activity) throws BadValueException {
        assertThat(SciTag.parse(text)).isEqualTo(new SciTag(experiment, activity));
    }

    /** The bits of the service's own back-end, {@code bitpattern} in {@code scitags.backends.ebpf}, for 16.9. */
    @Test
    void theFlowLabelHasTheBitsOfTheConvention() {
        SciTag tag = new SciTag(16, 9);
        Set<Integer> labels = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int label = tag.flowLabel();
            labels.add(label);
            assertThat(label & ~0b0_1_000000000_1_000000_11).as("%x", label).isEqualTo(0b00_000010000_0_001001_00);
        }
        assertThat(labels).hasSize(16);
        assertThat(new SciTag(511, 63).flowLabel() & ~0b0_1_000000000_1_000000_11)
                .isEqualTo(0b00_111111111_0_111111_00);
        assertThat(new SciTag(1, 1).flowLabel() & ~0b0_1_000000000_1_000000_11).isEqualTo(0b00_100000000_0_000001_00);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "2", "atlas", "2.", ".3", "0.1", "1.0", "512.1", "1.64", "999999999.1"})
    void anythingElseIsRefused(String text) {
        assertThatThrownBy(() -> SciTag.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining("write for example 2.3 or atlas.data-brokering");
    }

    @Test
    void anUnknownNameIsRefusedWithTheNearestOne() {
        assertThatThrownBy(() -> SciTag.parse("atlsa.debug"))
                .hasMessageStartingWith("the experiment is not one of default, atlas, cms, ")
                .hasMessageEndingWith("; did you mean 'atlas'?");
        assertThatThrownBy(() -> SciTag.parse("lhcb.data-chalenge"))
                .hasMessage("the activity is not one of default, perfsonar, cache, data-challenge; did you mean"
                        + " 'data-challenge'?");
        assertThatThrownBy(() -> SciTag.parse("300.debug"))
                .hasMessage("this fdt knows no activities of experiment 300; write the number of the activity");
    }
}
