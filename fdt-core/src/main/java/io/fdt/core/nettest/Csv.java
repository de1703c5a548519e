package io.fdt.core.nettest;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.basic.JsonObject.Fraction;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Figures as rows of CSV. */
public final class Csv {
    /** The columns of latencies. */
    public static final String LATENCIES = String.join(",", Latencies.NAMES);

    private Csv() {}

    /** One row for each point; columns that points lack contain the value of the whole result. */
    public static List<String> ofPoints(NettestResult result, String header) {
        List<String> names = List.of(header.split(",", -1));
        List<String> lines = new ArrayList<>(List.of(header));
        for (JsonObject point : result.points()) {
            lines.add(names.stream()
                    .map(name -> cell(point.has(name) ? point : result.figures(), name))
                    .collect(Collectors.joining(",")));
        }
        return lines;
    }

    public static String cell(JsonObject row, String name) {
        return cell(row.values().get(name));
    }

    private static String cell(@Nullable Object value) {
        if (value instanceof Fraction fraction) {
            return Figures.text("%." + fraction.places() + "f", fraction.value());
        }
        if (value instanceof List<?> words) {
            return words.stream().map(String::valueOf).collect(Collectors.joining(" "));
        }
        return value == null ? "" : value.toString();
    }

    /** The histograms in microseconds with their sums, in the format of the published ones. */
    public static List<String> histogram(NettestResult result) {
        List<String> lines = new ArrayList<>();
        lines.add("size_bytes,rtt_us_bucket,count,cdf_percent");
        for (JsonObject point : result.points()) {
            long sum = 0;
            for (JsonObject bucket : point.rows("histogram")) {
                sum += bucket.count("count");
                lines.add(Figures.text(
                        "%d,%d,%d,%.4f",
                        point.count("size_bytes"),
                        bucket.count("from_us"),
                        bucket.count("count"),
                        100.0 * sum / point.count("iterations")));
            }
        }
        return lines;
    }
}
