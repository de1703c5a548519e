package io.fdt.core.nettest;

import java.util.List;

/**
 * A plot of a report, from the figures of points.
 *
 * @param label of the horizontal axis
 * @param fields of a point, a curve each; if there are several, their names are part of the legend
 */
public record Plot(PlotKind kind, String title, String label, List<String> fields) {
    /** The fields of latency at percentiles. */
    public static final List<String> PERCENTILES = List.of("p50_us", "p90_us", "p99_us", "p999_us", "p9999_us");

    public enum PlotKind {
        /** The field {@code bytes_per_second}, by size. */
        BANDWIDTH_BY_SIZE,
        LATENCY_BY_SIZE,
        /** Of every point. */
        PERCENTILES,
        /** Of the points with the smallest size. */
        PERCENTILES_OF_SMALLEST,
        /** Of the histograms. */
        DISTRIBUTION,
        HISTOGRAM,
        /** Requests per second beside those that were offered. */
        THROUGHPUT_BY_LOAD,
        LATENCY_BY_LOAD,
        NUMBER_BY_LOAD,
        /** Rates of streams as bars and over time, and the time of the cores; with tables. */
        STREAMS
    }

    public Plot(PlotKind kind, String title, String label, String... fields) {
        this(kind, title, label, List.of(fields));
    }

    /** The plots of requests of several sizes. */
    public static List<Plot> ofRequests(String what) {
        return List.of(
                new Plot(PlotKind.BANDWIDTH_BY_SIZE, what + ": bandwidth by size", "size", "bytes_per_second"),
                new Plot(PlotKind.LATENCY_BY_SIZE, what + ": median latency by size", "size", "p50_us"),
                new Plot(PlotKind.LATENCY_BY_SIZE, what + ": 99th percentile of latency by size", "size", "p99_us"),
                new Plot(
                        PlotKind.PERCENTILES_OF_SMALLEST, what + ": latency by percentile", "percentile", PERCENTILES));
    }
}
