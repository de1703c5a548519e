package io.fdt.cli.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NearestTest {
    private static final List<String> NAMES = List.of("--lanes", "--rate-limit", "--resume", "--no-resume", "--size");

    @ParameterizedTest
    @CsvSource({
        "--lane, --lanes",
        "--lnaes, --lanes",
        "--rate, --rate-limit",
        "--ratelimit, --rate-limit",
        "--no-resum, --no-resume",
        "--sise, --size",
    })
    void namesWhatWasMeant(String text, String meant) {
        assertThat(Nearest.to(text, NAMES)).isEqualTo(meant);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--verify", "--x", "-P", "", "--frobnicate"})
    void suggestsNothingIfNothingIsSimilar(String text) {
        assertThat(Nearest.to(text, NAMES)).isNull();
    }
}
