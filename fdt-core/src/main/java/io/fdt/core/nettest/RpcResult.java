package io.fdt.core.nettest;

import java.util.List;

/** What requests and answers took: from the first byte asked to the last byte answered. Immutable. */
public record RpcResult(Circumstances circumstances, RpcPlan plan, List<Point> points) implements PointsResult {
    public RpcResult {
        points = List.copyOf(points);
    }

    /**
     * Answers of one size.
     *
     * @param seconds from the first request to the last answer of all lanes
     */
    public record Point(int sizeBytes, double seconds, Latencies latencies) {
        public double perSecond() {
            return seconds <= 0 ? 0 : latencies.count() / seconds;
        }

        /** Of the answers alone, as the field counts it. */
        public double bytesPerSecond() {
            return perSecond() * sizeBytes;
        }
    }
}
