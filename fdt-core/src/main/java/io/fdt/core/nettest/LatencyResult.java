package io.fdt.core.nettest;

import java.util.List;

/** What a ping-pong measured: round trips, not halves of them. Immutable. */
public record LatencyResult(Circumstances circumstances, LatencyPlan plan, List<Point> points) implements PointsResult {
    public LatencyResult {
        points = List.copyOf(points);
    }

    /** Messages of one size. */
    public record Point(int sizeBytes, Latencies latencies) {}
}
