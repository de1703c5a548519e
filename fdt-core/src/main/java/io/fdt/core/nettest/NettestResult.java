package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a network test measured. A record for every suite; this is what is said of each of them. */
public sealed interface NettestResult permits ThroughputResult, PointsResult, ObjectsResult {
    NettestPlan plan();

    /** What carried the lanes, in words. */
    String transport();

    HostFacts local();

    HostFacts remote();

    /** From the start until the last lane had ended. */
    double seconds();

    /** Whether the figures of both ends are complete. */
    boolean whole();

    /** Of this process. */
    double cpuSecondsLocal();

    /** Of the server's process; not a number where it has not told. */
    double cpuSecondsRemote();

    /** How many lanes carried it. */
    default int streams() {
        return 1;
    }

    /** The servers that it tested with, as the user named them. */
    default String destination() {
        return plan().path().host();
    }

    /** What of it is worth comparing with later results: one for each direction and size. */
    List<Headline> headlines();

    /**
     * The figures of one direction and size. What a suite does not measure is not a number, or no quantile.
     *
     * @param direction {@code out}, {@code in} or {@code both}, seen from the client
     * @param sizeBytes of a message; 0 where data is a stream
     * @param quantilesUs round-trip times by quantile, such as 0.99
     */
    record Headline(
            String direction,
            int sizeBytes,
            double bitsPerSecond,
            double operationsPerSecond,
            SortedMap<Double, Double> quantilesUs) {
        static final double UNKNOWN = Double.NaN;

        static Headline ofRate(String direction, int sizeBytes, double bitsPerSecond) {
            return new Headline(direction, sizeBytes, bitsPerSecond, UNKNOWN, Collections.emptySortedMap());
        }

        static SortedMap<Double, Double> quantiles(double p50Us, double p99Us, double p999Us) {
            return Collections.unmodifiableSortedMap(new TreeMap<>(Map.of(0.5, p50Us, 0.99, p99Us, 0.999, p999Us)));
        }

        static SortedMap<Double, Double> quantiles(Latencies of) {
            return of.count() == 0
                    ? Collections.emptySortedMap()
                    : quantiles(of.percentileUs(50), of.percentileUs(99), of.percentileUs(99.9));
        }
    }
}
