package io.fdt.cli.report;

import io.fdt.core.Word;
import io.fdt.core.nettest.NamedFigures;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The suites of network tests, and what depends on them in a report. */
enum Suite {
    THROUGHPUT,
    SWEEP,
    LATENCY,
    RPC,
    OBJECTS,
    LOAD;

    /** What distinguishes points of one curve from those of another, for the legend; empty for nothing. */
    String circumstances(NamedFigures point) {
        return switch (this) {
            case THROUGHPUT, LATENCY -> "";
            case SWEEP -> words(point.text("mode"), point.text("protocol"));
            case RPC -> words(several(point, "concurrent"), several(point, "servers"));
            // Reads by messages are the default, and the only kind in older results.
            case OBJECTS ->
                words(
                        point.text("op"),
                        point.text("reads").equals("rdma") ? "by RDMA" : "",
                        point.text("durable"),
                        several(point, "concurrent"));
            case LOAD -> words(pool(point, "rx"), pool(point, "tx"));
        };
    }

    List<Chart> charts(List<Measurement> measurements) {
        return switch (this) {
            case THROUGHPUT -> ThroughputPlots.of(measurements);
            case SWEEP -> PointPlots.ofSweep(measurements);
            case LATENCY -> PointPlots.ofLatency(measurements);
            case RPC -> PointPlots.ofRequests(measurements, "RPC");
            case OBJECTS -> PointPlots.ofRequests(measurements, "Objects");
            case LOAD -> PointPlots.ofLoad(measurements);
        };
    }

    String word() {
        return Word.of(this);
    }

    static @Nullable Suite of(String word) {
        for (Suite suite : values()) {
            if (suite.word().equals(word)) {
                return suite;
            }
        }
        return null;
    }

    /** One is the default, and is not mentioned. */
    private static String several(NamedFigures point, String field) {
        return point.amount(field) > 1 ? point.text(field) + " " + field : "";
    }

    private static String pool(NamedFigures point, String word) {
        String count = point.text(word + "_buffers");
        return count.isEmpty() ? "" : count + " " + word;
    }

    private static String words(String... words) {
        return Stream.of(words).filter(word -> !word.isEmpty()).collect(Collectors.joining(", "));
    }
}
