package io.fdt.core.nettest.objects;

import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.PlanValue;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Which size is measured when, and what all lanes measured of it. Rounds have fixed times, so lanes need not wait for
 * each other: the first fifth of a round, half a second at most, warms up and lets every lane come over from the round
 * before. An operation counts if it begins and ends in the rest. Thread-safe.
 */
final class ObjectsRounds {
    private static final long MOST_WARMING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final long roundNanos;
    private final long warmingNanos;

    // Guarded by this.
    private boolean begun;
    private long begunNanos;
    private final List<Histogram> histograms = new ArrayList<>();
    private final long[] measuredNanos;
    private int lanesComplete;
    private NamedFigures state = new NamedFigures()
            .with("objects_held", 0)
            .with("objects_kept", 0)
            .with("log_records", 0)
            .with("log_flushes", 0);

    ObjectsRounds(int rounds, long roundMs) {
        this.roundNanos = TimeUnit.MILLISECONDS.toNanos(roundMs);
        this.warmingNanos = Math.min(roundNanos / 5, MOST_WARMING_NANOS);
        this.measuredNanos = new long[rounds];
        for (int i = 0; i < rounds; i++) {
            histograms.add(Latencies.histogram());
        }
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

    synchronized void setState(NamedFigures newState) {
        state = newState;
    }

    /** What the server holds, as it said last. */
    synchronized NamedFigures state() {
        return state;
    }

    /** A round of which nothing was measured has no point. */
    synchronized List<NamedFigures> points(NettestPlan plan) {
        List<NamedFigures> points = new ArrayList<>();
        for (int round = 0; round < measuredNanos.length; round++) {
            Latencies all = Latencies.of(histograms.get(round));
            if (all.count() > 0 && measuredNanos[round] > 0) {
                int size = plan.get(PlanValue.SIZES).get(round);
                double perSecond = all.count() * 1e9 / measuredNanos[round];
                points.add(plan.objectsFigures()
                        .with("size_bytes", size)
                        .with("concurrent", plan.get(PlanValue.CONCURRENT))
                        .with("operations", all.count())
                        .with("per_second", perSecond, 1)
                        // Of values.
                        .with("bytes_per_second", perSecond * size, 1)
                        .with(all));
            }
        }
        return points;
    }
}
