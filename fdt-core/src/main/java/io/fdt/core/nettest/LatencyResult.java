package io.fdt.core.nettest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a ping-pong measured: round trips, not halves of them. Immutable.
 *
 * @param queues null where the messages went over the lane
 */
public record LatencyResult(
        Circumstances circumstances,
        LatencyPlan plan,
        List<Point> points,
        @Nullable Queues queues) implements PointsResult {
    public LatencyResult {
        points = List.copyOf(points);
    }

    @Override
    public List<Headline> headlines() {
        return points.stream()
                .map(point -> new Headline(
                        "both",
                        point.sizeBytes(),
                        Headline.UNKNOWN,
                        Headline.UNKNOWN,
                        Headline.quantiles(point.latencies())))
                .toList();
    }

    /** Messages of one size. */
    public record Point(int sizeBytes, Latencies latencies) {}

    /**
     * How the queue pairs went, of which the plan says the kind.
     *
     * @param inlineBytesLocal that a message could have to go inline from here, as the device gave it
     * @param inlineBytesRemote the same from there
     * @param sentAgain datagrams that had no answer in time; their exchanges are in no point
     */
    public record Queues(int inlineBytesLocal, int inlineBytesRemote, long sentAgain) {}
}
