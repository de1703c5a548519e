package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Word;
import io.fdt.core.stats.SessionActivity.LaneReason;
import io.fdt.monitor.figure.Meter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Names follow the rules of Prometheus, and the table in the documentation matches the enum. */
final class MeterTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "metrics.md");

    @Test
    void namesAreUniqueAndOfTheirKind() {
        assertThat(Arrays.stream(Meter.values()).map(Meter::exportedName)).doesNotHaveDuplicates();
        for (Meter meter : Meter.values()) {
            assertThat(meter.exportedName()).matches("(fdt|process|jvm)_[a-z_]+");
            assertThat(meter.exportedName().endsWith("_total")).isEqualTo(meter.kind() == Meter.MeterKind.COUNTER);
            assertThat(meter.exportedName().endsWith("_info")).isEqualTo(meter.kind() == Meter.MeterKind.INFO);
            assertThat(meter.help())
                    .as("a sentence")
                    .matches("[A-Z].*[A-Za-z0-9)]\\.")
                    .doesNotContain("  ");
            assertThat(meter.labels()).doesNotHaveDuplicates();
        }
    }

    @Test
    void everyReasonToChangeTheLanesIsExplained() {
        for (LaneReason reason : LaneReason.values()) {
            assertThat(Meter.SESSION_LANE_CHANGES.help()).contains("(" + Word.of(reason) + ")");
        }
    }

    @Test
    void documentIsTheTableOfTheEnum() throws IOException {
        String document = document();
        if (Boolean.getBoolean("fdt.write")) {
            Files.writeString(DOCUMENT, document);
        }
        assertThat(Files.readString(DOCUMENT, StandardCharsets.UTF_8))
                .as("docs/metrics.md is stale; write it anew with -Dfdt.write=true")
                .isEqualTo(document);
    }

    private static String document() {
        StringBuilder out = new StringBuilder("""
                # Metrics

                All metrics of fdt in `/metrics` and `--push`, generated from `Meter.java`; a test fails if this page is
                out of date. A metric whose source is missing on a host is absent, never zero. In `/metrics` and OTLP
                every metric also has the label `host`: several fdt processes of one host export the same figures of
                that host, so take the largest, not the sum. See [monitoring.md](monitoring.md).

                | metric | kind | labels | meaning |
                | --- | --- | --- | --- |
                """);
        for (Meter meter : Meter.values()) {
            out.append("| `")
                    .append(meter.exportedName())
                    .append("` | ")
                    .append(Word.of(meter.kind()))
                    .append(meter.unit().isEmpty() ? "" : ", " + meter.unit())
                    .append(" | ")
                    .append(String.join(", ", meter.labels()))
                    .append(" | ")
                    .append(meter.help())
                    .append(" |\n");
        }
        return out.toString();
    }
}
