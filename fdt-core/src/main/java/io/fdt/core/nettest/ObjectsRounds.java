package io.fdt.core.nettest;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Which size is measured when, and what all lanes measured of it. Rounds have fixed times, so lanes need not wait for
 * each other: the first fifth of a round, half a second at most, warms up and lets every lane come over from the round
 * before. An operation counts if it begins and ends in the rest. Thread-safe.
 */
final class ObjectsRounds {
    /** What takes longer counts as this. */
    static final long MOST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long MOST_WARMING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int DIGITS = 3;

    private final long roundNanos;
    private final long warmingNanos;

    // Guarded by this.
    private boolean begun;
    private long begunNanos;
    private final List<Histogram> histograms = new ArrayList<>();
    private final long[] measuredNanos;
    private int lanesComplete;
    private @Nullable State state;

    /**
     * What the server holds, as it says.
     *
     * @param kept of the objects, those from before
     * @param logRecords writes in the log
     * @param logGroups flushes of the log in this session
     */
    record State(long objects, long kept, long logRecords, long logGroups) {}

    ObjectsRounds(int rounds, long roundMs) {
        this.roundNanos = TimeUnit.MILLISECONDS.toNanos(roundMs);
        this.warmingNanos = Math.min(roundNanos / 5, MOST_WARMING_NANOS);
        this.measuredNanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            histograms.add(histogram());
        }
    }

    static Histogram histogram() {
        return new Histogram(MOST_NANOS, DIGITS);
    }

    /** The first lane that is ready begins the first round. */
    synchronized void begin() {
        if (!begun) {
            begun = true;
            begunNanos = System.nanoTime();
        }
    }

    /** As {@link System#nanoTime}; after the beginning. */
    synchronized long measuredFrom(int round) {
        return begunNanos + round * roundNanos + warmingNanos;
    }

    synchronized long end(int round) {
        return begunNanos + (round + 1) * roundNanos;
    }

    /** Whether the last round has had its time. */
    synchronized boolean isOver() {
        return begun && System.nanoTime() - end(measuredNanos.length - 1) >= 0;
    }

    /** What one lane measured in a round, in so much time. */
    synchronized void add(int round, Histogram latencies, long nanos) {
        histograms.get(round).add(latencies);
        measuredNanos[round] = Math.max(measuredNanos[round], nanos);
    }

    synchronized void laneIsComplete() {
        lanesComplete++;
    }

    synchronized int lanesComplete() {
        return lanesComplete;
    }

    synchronized void setState(State newState) {
        state = newState;
    }

    synchronized @Nullable State state() {
        return state;
    }

    /** A round of which nothing was measured has no point. */
    synchronized List<ObjectsResult.Point> points(ObjectsPlan plan) {
        List<ObjectsResult.Point> points = new ArrayList<>();
        for (int round = 0; round < measuredNanos.length; round++) {
            Histogram all = histograms.get(round);
            if (all.getTotalCount() > 0 && measuredNanos[round] > 0) {
                points.add(point(plan.sizes().get(round), plan.concurrent(), all, measuredNanos[round] / 1e9));
            }
        }
        return points;
    }

    private static ObjectsResult.Point point(int size, int concurrent, Histogram all, double seconds) {
        double perSecond = all.getTotalCount() / seconds;
        return new ObjectsResult.Point(
                size,
                concurrent,
                all.getTotalCount(),
                perSecond,
                perSecond * size,
                all.getMinValue() / 1e3,
                all.getMean() / 1e3,
                all.getValueAtPercentile(50) / 1e3,
                all.getValueAtPercentile(90) / 1e3,
                all.getValueAtPercentile(99) / 1e3,
                all.getValueAtPercentile(99.9) / 1e3,
                all.getValueAtPercentile(99.99) / 1e3,
                all.getMaxValue() / 1e3);
    }
}
