package io.fdt.cli.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Figures;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "4096, 4096",
        "10B, 10",
        "1K, 1024",
        "1k, 1024",
        "10G, 10737418240",
        "1GiB, 1073741824",
        "1Gi, 1073741824",
        "500MB, 500000000",
        "500mb, 500000000",
        "1.5K, 1536",
        "0.5MB, 500000",
        "2T, 2199023255552",
        "1PB, 1000000000000000",
        "8191P, 9222246136947933184",
    })
    void readsSizes(String text, long bytes) throws BadValueException {
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "G", "10X", "-1", "+1", "1 G", "1e9", "10GiBs", "10Gbit", ".5G", "5.G", "1..5G", "0x10", "１"
            })
    void refusesInvalidSize(String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining("not a size")
                .hasMessageContaining("10G, 1GiB");
    }

    @Test
    void saysBoundsAsSizesAreWritten() throws BadValueException {
        assertThat(Sizes.atLeast(8 << 20).parse("8MiB")).isEqualTo(8 << 20);
        assertThat(Sizes.atLeast(8 << 20).parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
        assertThatThrownBy(() -> Sizes.atLeast(8 << 20).parse("8191KiB")).hasMessage("too small; at least 8MiB");
        assertThatThrownBy(() -> Sizes.between(4096, 1 << 30).parse("4095"))
                .hasMessage("out of range; from 4KiB to 1GiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"8192P", "9223372036854775808", "99999999999999999999999999999999999999999"})
    void refusesSizesThatDoNotFit(String text) {
        assertThatThrownBy(() -> Sizes.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining("too large");
    }

    @ParameterizedTest
    @CsvSource({
        "none, 0",
        "1000, 8000",
        "25Gbit, 25000000000",
        "25Gbit/s, 25000000000",
        "25Gbps, 25000000000",
        "100Mbit, 100000000",
        "9.5Kbit, 9500",
        "8bit, 8",
        "1Gibit, 1073741824",
        "200MB/s, 1600000000",
        "200MB, 1600000000",
        "1GiB/s, 8589934592",
        "10M, 83886080",
        "1.5M, 12582912",
    })
    void readsRates(String text, long bitsPerSecond) throws BadValueException {
        assertThat(Rates.parse(text)).isEqualTo(bitsPerSecond);
    }

    @ParameterizedTest
    @CsvSource({
        "10Gb, bits or bytes",
        "10Gb/s, bits or bytes",
        "1000, ''",
        "'10', 10 bytes per second; write the unit",
        "0, less than one byte",
        "1bit, less than one byte",
        "fast, not a rate",
        "10Xbit, not a rate",
        "10G/m, not a rate",
        "'', not a rate",
        "9999999P, too high",
    })
    void refusesInvalidRate(String text, String why) throws BadValueException {
        if (why.isEmpty()) {
            assertThat(Rates.parse(text)).isPositive();
            return;
        }
        assertThatThrownBy(() -> Rates.parse(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({
        "30s, 30000000000",
        "5m, 300000000000",
        "1h30m, 5400000000000",
        "500ms, 500000000",
        "1m500ms, 60500000000",
        "2d, 172800000000000",
        "1.5s, 1500000000",
        "10, 10000000000",
        "0s, 0",
    })
    void readsTimes(String text, long nanos) throws BadValueException {
        assertThat(Times.parseNanos(text)).isEqualTo(nanos);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "30x", "30s5m", "1m1m", "-5s", "5 s", "1h30", "5M"})
    void refusesInvalidTime(String text) {
        assertThatThrownBy(() -> Times.parseNanos(text))
                .isInstanceOf(BadValueException.class)
                .hasMessageContaining("30s, 5m, 1h30m or 500ms");
    }

    @ParameterizedTest
    @ValueSource(strings = {"106752d", "99999999999999999999s", "106751d99999999999s"})
    void refusesTimesThatDoNotFit(String text) {
        assertThatThrownBy(() -> Times.parseNanos(text)).isInstanceOf(BadValueException.class);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1024, 1KiB", "131072, 128KiB", "8388608, 8MiB", "1073741824, 1GiB", "1500, 1500"})
    void writesSizesThatItReadsBack(long bytes, String text) throws BadValueException {
        assertThat(Figures.exactBytes(bytes)).isEqualTo(text);
        assertThat(Sizes.parse(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"0, 0s", "1000, 1s", "3600000, 1h", "500, 500ms", "86400000, 1d", "90000, 90s"})
    void writesTimesThatItReadsBack(long ms, String text) throws BadValueException {
        assertThat(Figures.exactTimeMs(ms)).isEqualTo(text);
        assertThat(Times.parseNanos(text)).isEqualTo(ms * 1_000_000);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0 B",
        "1, 1 B",
        "999, 999 B",
        "1000, 0.98 KiB",
        "1024, 1.00 KiB",
        "10240, 10.0 KiB",
        "1048575, 1.00 MiB",
        "1610612736, 1.50 GiB",
        "9223372036854775807, 8.00 EiB",
        "-5, 0 B",
    })
    void showsBytesWithThreeDigits(long bytes, String text) {
        assertThat(Figures.bytes(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0:00", "42, 0:42", "725, 12:05", "11220, 3:07:00", "176400, 2d 01:00", "-3, 0:00"})
    void showsSecondsAsAClock(long seconds, String text) {
        assertThat(Figures.clock(seconds)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "9410000000, 9.41 Gbit/s (1.10 GiB/s)",
        "123456789012, 123 Gbit/s (14.4 GiB/s)",
        "98100000, 98.1 Mbit/s (11.7 MiB/s)",
        "999600000, 1.00 Gbit/s (119 MiB/s)",
        "8000, 8.00 kbit/s (0.98 KiB/s)",
        "100000, 100 kbit/s (12.2 KiB/s)",
        "0, 0 bit/s (0 B/s)",
        "NaN, 0 bit/s (0 B/s)",
        "Infinity, 0 bit/s (0 B/s)",
        "-1, 0 bit/s (0 B/s)",
    })
    void showsRatesBothWays(double bitsPerSecond, String text) {
        assertThat(Figures.rate(bitsPerSecond)).isEqualTo(text);
    }
}
