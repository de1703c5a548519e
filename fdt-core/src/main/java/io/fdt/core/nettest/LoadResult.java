package io.fdt.core.nettest;

import io.fdt.core.nettest.LoadPlan.Pool;
import java.util.Comparator;
import java.util.List;

/**
 * What was done of what was offered. Immutable.
 *
 * @param capacityPerSecond what a closed loop with the largest pools reached before the first step
 * @param points in the order in which they were measured: pool after pool, each with rising load
 */
public record LoadResult(Circumstances circumstances, LoadPlan plan, double capacityPerSecond, List<Point> points)
        implements PointsResult {
    public LoadResult {
        points = List.copyOf(points);
    }

    /** The step in which most was done. */
    @Override
    public List<Headline> headlines() {
        return points.stream()
                .max(Comparator.comparingDouble(Point::achievedPerSecond))
                .map(point -> List.of(new Headline(
                        "both",
                        plan.sizeBytes(),
                        Headline.UNKNOWN,
                        point.achievedPerSecond(),
                        Headline.quantiles(point.latencies()))))
                .orElse(List.of());
    }

    /** What became of each pool as the load rose. */
    public List<LoadVerdict> verdicts() {
        return LoadVerdict.of(points);
    }

    /**
     * One step.
     *
     * @param offeredPerSecond as it was wanted
     * @param seconds from the start of the step until its end or its last answer, whichever is later
     * @param offered requests that were due
     * @param done of these, the ones that were sent and answered; the others never got a buffer
     * @param latencies from when a request was due until its answer was there; of those that were never sent, until the
     * end
     * @param mostInFlight requests that were sent and not answered
     * @param txWaits how often a request was due and no send buffer free
     * @param txWaitSeconds for how long
     * @param client what its receive calls brought, of answers
     * @param server what its receive calls brought, of requests
     * @param serverSplits receive calls of the server whose answers were more than its send buffers
     * @param clientBusy the share of time in which the client's thread had something to do
     * @param serverBusy the same of the server's
     */
    public record Point(
            Pool pool,
            int offeredPerSecond,
            double seconds,
            long offered,
            long done,
            Latencies latencies,
            int mostInFlight,
            long txWaits,
            double txWaitSeconds,
            PollFigures client,
            PollFigures server,
            long serverSplits,
            double clientBusy,
            double serverBusy) {

        public double achievedPerSecond() {
            return seconds <= 0 ? 0 : done / seconds;
        }

        public double txWaitShare() {
            return seconds <= 0 ? 0 : Math.min(1, txWaitSeconds / seconds);
        }

        public double serverSplitShare() {
            return server.polls() == 0 ? 0 : (double) serverSplits / server.polls();
        }

        /** What ran out; empty where all that was offered was done. */
        public List<LoadLimit> ranOut() {
            return LoadLimit.of(this);
        }
    }

    /**
     * Receive calls that brought anything.
     *
     * @param fullPolls those that filled all buffers
     * @param most messages of one call
     */
    public record PollFigures(long polls, long messages, long fullPolls, long most) {
        /** Completions a poll. */
        public double mean() {
            return polls == 0 ? 0 : (double) messages / polls;
        }

        public double fullShare() {
            return polls == 0 ? 0 : (double) fullPolls / polls;
        }
    }

    /**
     * About a second.
     *
     * @param step from 1; 0 while it is measured what the path can do
     * @param offeredPerSecond 0 in that time
     * @param done requests that have been answered in this step
     */
    public record Interval(double t, int step, int steps, Pool pool, int offeredPerSecond, long done)
            implements NettestProgress {}
}
