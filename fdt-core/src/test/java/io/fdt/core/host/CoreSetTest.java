package io.fdt.core.host;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CoreSetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0|1", "0-5,12-17|3f03f", "31|80000000", "32|1,00000000", "0,63-64|1,80000000,00000001"})
    void listsAndMasksAreTheSameSets(String list, String mask) {
        CoreSet cores = CoreSet.ofList(list);

        assertThat(cores).isEqualTo(CoreSet.ofMask(mask));
        assertThat(cores).hasToString(list);
        assertThat(cores.mask()).isEqualTo(mask);
    }

    @Test
    void masksOfTheKernelMayBeWiderThanTheirCores() {
        assertThat(CoreSet.ofMask("00000000,00000fff\n")).isEqualTo(CoreSet.ofList("0-11"));
        assertThat(CoreSet.ofMask("000000")).isEqualTo(CoreSet.NONE);
        assertThat(CoreSet.NONE.mask()).isEqualTo("0");
        assertThat(CoreSet.ofList("\n")).isEqualTo(CoreSet.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "3-1", "1,,2", "99999", "0-", "-1", "0-70000"})
    void refusesInvalidList(String text) {
        assertThat(CoreSet.ofList(text)).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "g", "123456789", "1,,2", "-1"})
    void refusesInvalidMask(String text) {
        assertThat(CoreSet.ofMask(text)).isNull();
    }
}
