package io.fdt.core.nettest;

import java.util.List;

/** What a streaming test measured. Immutable. */
public record SweepResult(Circumstances circumstances, SweepPlan plan, List<Point> points) implements PointsResult {
    public SweepResult {
        points = List.copyOf(points);
    }

    /**
     * Messages of one size in one mode.
     *
     * @param bursts that were measured
     * @param messages of all of them
     * @param seconds from the first message of a burst to its acknowledgement, of all of them
     */
    public record Point(SweepPlan.Mode mode, int sizeBytes, long bursts, long messages, double seconds) {
        public double bytesPerSecond() {
            return seconds <= 0 ? 0 : (double) messages * sizeBytes / seconds;
        }
    }
}
