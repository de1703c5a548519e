package io.fdt.core.nettest;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a streaming test measured. Immutable. */
public record SweepResult(Circumstances circumstances, SweepPlan plan, List<Point> points) implements PointsResult {
    public SweepResult {
        points = List.copyOf(points);
    }

    /** Of each size the faster mode. */
    @Override
    public List<Headline> headlines() {
        SortedMap<Integer, Double> best = new TreeMap<>();
        points.forEach(point -> best.merge(point.sizeBytes(), 8 * point.bytesPerSecond(), Math::max));
        return best.entrySet().stream()
                .map(size -> Headline.ofRate("out", size.getKey(), size.getValue()))
                .toList();
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
