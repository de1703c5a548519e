package io.fdt.core.nettest;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.stats.HostFacts;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The result of a network test: the suite's figures, with a row for each point, and their summary. Immutable. */
public record NettestResult(NettestPlan plan, Circumstances circumstances, JsonObject figures, JsonObject summary) {
    private static final String POINTS = "points";

    /** The transport of the lanes, for display. */
    public String transport() {
        return circumstances.transport();
    }

    public HostFacts local() {
        return circumstances.local().host();
    }

    public HostFacts remote() {
        return circumstances.remote().host();
    }

    /** From the start until the last lane had ended. */
    public double seconds() {
        return circumstances.seconds();
    }

    /** Whether the figures of both ends are complete. */
    public boolean whole() {
        return circumstances.whole();
    }

    public List<JsonObject> points() {
        return figures.rows(POINTS);
    }

    /** The figures to compare with later results. */
    public List<Headline> headlines() {
        return plan.suite().headlines(this);
    }

    /**
     * The figures of one direction and size. What a suite does not measure is NaN, or a missing quantile.
     *
     * @param direction {@code out}, {@code in} or {@code both}, seen from the client
     * @param sizeBytes of a message; 0 for a stream
     * @param quantilesUs durations of exchanges by quantile, such as 0.99
     */
    public record Headline(
            String direction,
            int sizeBytes,
            double bitsPerSecond,
            double operationsPerSecond,
            SortedMap<Double, Double> quantilesUs) {
        /** Of one way of streams. */
        public static Headline ofWay(NettestResult result, String way) {
            double bits = result.figures().amount("bits_per_second_" + way);
            return new Headline(way, 0, bits, Double.NaN, Collections.emptySortedMap());
        }

        /** One for each size. Of several points of one size, the one with the highest throughput. */
        static List<Headline> bySize(NettestResult result, String direction) {
            Map<Integer, Headline> best = new LinkedHashMap<>();
            for (JsonObject point : result.points()) {
                Headline line = of(point, result.figures(), direction);
                best.merge(line.sizeBytes(), line, (one, other) -> other.isMoreThan(one) ? other : one);
            }
            return List.copyOf(best.values());
        }

        private static Headline of(JsonObject point, JsonObject figures, String direction) {
            SortedMap<Double, Double> quantiles = new TreeMap<>();
            Map.of("p50_us", 0.5, "p99_us", 0.99, "p999_us", 0.999).forEach((name, quantile) -> {
                if (point.has(name)) {
                    quantiles.put(quantile, point.amount(name));
                }
            });
            return new Headline(
                    direction,
                    (int) (point.has("size_bytes") ? point : figures).count("size_bytes"),
                    8 * point.amount("bytes_per_second"),
                    point.amount(point.has("per_second") ? "per_second" : "achieved_per_second"),
                    Collections.unmodifiableSortedMap(quantiles));
        }

        private boolean isMoreThan(Headline other) {
            return bitsPerSecond > other.bitsPerSecond || operationsPerSecond > other.operationsPerSecond;
        }
    }
}
