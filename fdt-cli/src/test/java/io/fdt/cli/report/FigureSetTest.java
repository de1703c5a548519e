package io.fdt.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.service.Suites;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class FigureSetTest {
    static final List<String> NAMES = FigureSet.NAMES;

    @ParameterizedTest
    @FieldSource("NAMES")
    void everySetNamesWhatAReaderMustKnow(String name) {
        FigureSet figures = named(name);
        assertThat(figures.head())
                .containsKeys("suite", "title", "source", "hardware", "year", "conditions", "note", "licence");
        assertThat(Suites.ALL).extracting(Suite::name).contains(figures.suite());
        assertThat(figures.rows())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.text("curve")).isNotEmpty());
    }

    @ParameterizedTest
    @CsvSource({
        "fdt-40ge,3,3",
        "linux-receive,4,4",
        "vmi,17,391",
        "verbs-rtt,8,20",
        "verbs-rtt-histogram,2,55",
        "ramcloud-echo,9,45"
    })
    void holdsEveryCurveOfTheSource(String name, int curves, int rows) {
        assertThat(named(name).curves()).hasSize(curves);
        assertThat(named(name).rows()).hasSize(rows);
    }

    @Test
    void bucketsAddUpToTheRoundTripsOfTheSource() {
        FigureSet figures = named("verbs-rtt-histogram");
        for (String curve : figures.curves()) {
            double sum = named("verbs-rtt-histogram/" + curve).rows().stream()
                    .mapToDouble(row -> row.amount("count"))
                    .sum();
            // The source omits the few slowest round trips.
            assertThat(sum).as(curve).isBetween(999_990.0, 1_000_000.0);
        }
    }

    @Test
    void percentilesRise() {
        int compared = 0;
        for (String name : new String[] {"ramcloud-echo", "ramcloud-read", "ramcloud-write"}) {
            for (JsonObject row : named(name).rows()) {
                double before = row.amount("min_us");
                for (String field : new String[] {"p50_us", "p90_us", "p99_us", "p999_us"}) {
                    double value = row.amount(field);
                    if (Double.isFinite(value)) {
                        assertThat(value).as(name + " " + row.text("curve")).isGreaterThanOrEqualTo(before);
                        before = value;
                        compared++;
                    }
                }
            }
        }
        assertThat(compared).isGreaterThan(100);
    }

    @Test
    void namePrefixSelectsCurves() {
        assertThat(named("vmi/ia64/myrinet").curves())
                .containsExactly("ia64/myrinet/mpi-blocking", "ia64/myrinet/mpi-non-blocking", "ia64/myrinet/vmi");
        assertThat(FigureSet.named("vmi/ia6")).isNull();
        assertThat(FigureSet.named("vmx")).isNull();
    }

    private static FigureSet named(String name) {
        return Objects.requireNonNull(FigureSet.named(name), name);
    }
}
