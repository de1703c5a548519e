package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.core.nettest.Latencies;
import java.io.IOException;
import java.util.Locale;

/** Latencies in the words that all suites have for them. */
final class LatencyFields {
    static final String CSV_COLUMNS = "min_us,mean_us,p50_us,p90_us,p99_us,p999_us,p9999_us,max_us";
    static final String TABLE_HEAD = String.format(
            "%9s %9s %9s %9s %9s %9s %9s %9s", "min", "mean", "p50", "p90", "p99", "p99.9", "p99.99", "max");

    private LatencyFields() {}

    static void write(JsonLine line, Latencies latencies) throws IOException {
        line.fraction("min_us", latencies.minUs(), 3);
        line.fraction("mean_us", latencies.meanUs(), 3);
        line.fraction("p50_us", latencies.percentileUs(50), 3);
        line.fraction("p90_us", latencies.percentileUs(90), 3);
        line.fraction("p99_us", latencies.percentileUs(99), 3);
        line.fraction("p999_us", latencies.percentileUs(99.9), 3);
        line.fraction("p9999_us", latencies.percentileUs(99.99), 3);
        line.fraction("max_us", latencies.maxUs(), 3);
    }

    static String csv(Latencies latencies) {
        return joined("%.3f", ",", latencies);
    }

    static String table(Latencies latencies) {
        return joined("%9.2f", " ", latencies);
    }

    private static String joined(String format, String between, Latencies latencies) {
        double[] values = {
            latencies.minUs(),
            latencies.meanUs(),
            latencies.percentileUs(50),
            latencies.percentileUs(90),
            latencies.percentileUs(99),
            latencies.percentileUs(99.9),
            latencies.percentileUs(99.99),
            latencies.maxUs()
        };
        StringBuilder text = new StringBuilder();
        for (double value : values) {
            text.append(text.length() == 0 ? "" : between).append(String.format(Locale.ROOT, format, value));
        }
        return text.toString();
    }
}
