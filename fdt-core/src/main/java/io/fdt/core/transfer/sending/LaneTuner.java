package io.fdt.core.transfer.sending;

import io.fdt.core.plan.LaneRange;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds how many lanes fill a path. As long as the network is what the lanes wait for, and packets do not queue on the
 * way, another number is tried for a while and kept if it is worth its lanes: a lane more has to bring one percent, so
 * that copies that share a path come to equal numbers. Steps are large at first and smaller after each that was in vain;
 * then the number stays until the rate changes, but for a small step up or down now and then. A pure function of what it
 * is shown: it knows no clock and no socket.
 */
final class LaneTuner {
    /** Below this a lane fills its part of a path by itself: what limits it then is a processor. */
    private static final long SHORT_TRIP_US = 500;

    /** What each lane has to bring. */
    private static final double LANE_PRICE = 1.01;

    private static final double FIRST_STEP = 4;
    private static final double LAST_STEP = 1.2;
    private static final double MOSTLY = 0.5;

    /** A rate this much lower or higher than it was is that of another path. */
    private static final double CHANGED = 0.7;

    /** Seen so often in a row. */
    private static final int CHANGES = 2;

    private static final double QUEUEING = 1.5;
    private static final long QUEUEING_US = 2_000;
    private static final long SETTLE_TRIPS = 10;
    private static final long MEASURE_TRIPS = 4;
    private static final long LEAST_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MOST_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long LEAST_MEASURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CALM_LONGER = 3;
    private static final int CALM_ROUNDS = 5;
    private static final double MEGABIT = 1e6 / 8;

    private final LaneRange range;
    private final Map<Integer, Lane> before = new HashMap<>();
    private int lanes;
    private double step = FIRST_STEP;

    private boolean measuring;
    private boolean started;
    private long sinceNanos;
    private long bytes;
    private double busyNanos;
    private double blockedNanos;

    /** The best number so far and its rate; the number that is tried is {@link #lanes}, if that is another. */
    private int best;

    private double bestRate;
    private int changes;
    private int calmRounds;
    private boolean downNext;

    /**
     * A lane as it is.
     *
     * @param key of its connection: a lane that is opened again has another
     */
    record Lane(int key, long ackedBytes, long rttUs, long minRttUs) {}

    /**
     * What is to be seen at one moment.
     *
     * @param lanes that are open and have been looked at
     * @param blockedNanos that lanes have waited for the network in all
     * @param spentNanos that lanes have worked and waited in all
     */
    record Look(long nowNanos, List<Lane> lanes, long blockedNanos, long spentNanos) {}

    /** Go on with so many lanes. */
    record Advice(int lanes, String why) {}

    LaneTuner(LaneRange range) {
        this.range = range;
        this.lanes = range.start();
        this.best = lanes;
    }

    int lanes() {
        return lanes;
    }

    /** To be called some times a second; null if the number of lanes stays. */
    @Nullable Advice look(Look look) {
        long moved = movedSince(look.lanes());
        if (!started) {
            started = !look.lanes().isEmpty();
            restart(look);
            return null;
        }
        long trip = look.lanes().stream().mapToLong(Lane::rttUs).max().orElse(0);
        long passed = look.nowNanos() - sinceNanos;
        if (!measuring) {
            boolean settled = passed > Math.max(LEAST_SETTLE_NANOS, SETTLE_TRIPS * TimeUnit.MICROSECONDS.toNanos(trip))
                    && look.lanes().size() == lanes;
            if (settled || passed > MOST_SETTLE_NANOS) {
                restart(look);
                measuring = true;
            }
            return null;
        }
        bytes += moved;
        long enough = Math.max(LEAST_MEASURE_NANOS, MEASURE_TRIPS * TimeUnit.MICROSECONDS.toNanos(trip));
        if (passed < (isCalm() ? CALM_LONGER * enough : enough)) {
            return null;
        }
        double rate = bytes / (passed / 1e9);
        double spent = look.spentNanos() - busyNanos;
        double blocked = spent <= 0 ? 0 : (look.blockedNanos() - blockedNanos) / spent;
        restart(look);
        return decide(rate, blocked, look.lanes());
    }

    private void restart(Look look) {
        sinceNanos = look.nowNanos();
        bytes = 0;
        busyNanos = look.spentNanos();
        blockedNanos = look.blockedNanos();
    }

    private long movedSince(List<Lane> seen) {
        long moved = 0;
        Map<Integer, Lane> now = new HashMap<>();
        for (Lane lane : seen) {
            Lane earlier = before.get(lane.key());
            moved += earlier == null ? 0 : lane.ackedBytes() - earlier.ackedBytes();
            now.put(lane.key(), lane);
        }
        before.clear();
        before.putAll(now);
        return moved;
    }

    private @Nullable Advice decide(double rate, double blocked, List<Lane> seen) {
        if (lanes != best && rate <= bestRate * Math.pow(LANE_PRICE, (double) lanes - best)) {
            return goBack(rate);
        }
        if (lanes == best && isCalm() && (rate < CHANGED * bestRate || rate > bestRate / CHANGED)) {
            changes++;
            if (changes < CHANGES) {
                return null;
            }
            step = FIRST_STEP;
        }
        changes = 0;
        if (lanes != best || !isCalm()) {
            best = lanes;
            bestRate = rate;
        }
        if (blocked < MOSTLY || rate == 0 || isShort(seen)) {
            return null;
        }
        if (!isCalm()) {
            return queues(seen) ? null : tryOther(upwards(), rate);
        }
        calmRounds++;
        if (calmRounds < CALM_ROUNDS) {
            return null;
        }
        calmRounds = 0;
        bestRate = rate;
        downNext = !downNext;
        return tryOther(downNext || queues(seen) ? (int) (lanes / LAST_STEP) : upwards(), rate);
    }

    private int upwards() {
        return Math.max(lanes + 1, (int) Math.round(lanes * Math.max(step, LAST_STEP)));
    }

    private @Nullable Advice tryOther(int count, double rate) {
        int bounded = Math.max(range.min(), Math.min(range.max(), count));
        if (bounded == lanes) {
            return null;
        }
        String why = bounded > lanes
                ? "the network limits %d lanes to %.0f Mbit/s"
                : "fewer lanes than %d, at %.0f Mbit/s, may be enough";
        return change(bounded, String.format(Locale.ROOT, why, lanes, rate / MEGABIT));
    }

    /** All steps up to the smallest have been tried. */
    private boolean isCalm() {
        return step < LAST_STEP;
    }

    /** The number that was tried is not worth its lanes. */
    private Advice goBack(double rate) {
        String why = String.format(
                Locale.ROOT,
                "%d lanes moved %.0f Mbit/s, %d lanes %.0f",
                lanes,
                rate / MEGABIT,
                best,
                bestRate / MEGABIT);
        step = Math.sqrt(step);
        return change(best, why);
    }

    private Advice change(int count, String why) {
        lanes = count;
        measuring = false;
        return new Advice(count, why);
    }

    private static boolean isShort(List<Lane> seen) {
        return seen.stream().mapToLong(Lane::minRttUs).min().orElse(0) < SHORT_TRIP_US;
    }

    private static boolean queues(List<Lane> seen) {
        long shortest = seen.stream().mapToLong(Lane::minRttUs).min().orElse(0);
        long median = seen.stream()
                .mapToLong(Lane::rttUs)
                .sorted()
                .skip(seen.size() / 2)
                .findFirst()
                .orElse(0);
        return median > QUEUEING * shortest + QUEUEING_US;
    }
}
