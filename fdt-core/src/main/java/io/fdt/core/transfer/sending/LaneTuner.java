package io.fdt.core.transfer.sending;

import io.fdt.core.basic.Figures;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.stats.SessionActivity.LaneReason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds how many lanes fill a path, and whether BBR fills it better. While lanes wait for the network, and packets do
 * not queue on the path, it tries another setting for a while and keeps it if it is worthwhile: each additional lane
 * must add one percent, so that copies that share a path converge to equal numbers. If something else limits the lanes,
 * for example a disk, a lock or the cores of a host, it tries fewer first, which stay unless they are slower: lanes may
 * be in each other's way. Lanes that mostly compute are not, and the first ones stay. Steps are large at first and
 * smaller after each unsuccessful one. Then the number is kept until the rate changes, except for an occasional small
 * step up or down. A pure function of its input: it uses no clock and no socket.
 */
final class LaneTuner {
    /** Below this, a lane without packet loss fills its share of a path by itself: it is limited by a CPU. */
    private static final long SHORT_TRIP_US = 500;

    private static final double LANE_PRICE = 1.01;
    private static final double BBR_PRICE = 1.05;
    private static final double FIRST_STEP = 4;
    private static final double LAST_STEP = 1.2;
    private static final double MOSTLY = 0.5;

    /** A rate this much lower or higher than before, this often in a row, means that the path has changed. */
    private static final double CHANGED = 0.7;

    private static final int CHANGES = 3;

    /** If lanes add less than this part of their share, little remains to be gained. */
    private static final double WORTHWHILE = 0.75;

    /**
     * A rate that is this much higher in the second half of a round has not settled; it is measured up to this many
     * times more.
     */
    private static final double RISING = 1.03;

    private static final int PATIENCE = 3;

    /** This many new lanes disturb existing ones at first: their rate is always measured twice. */
    private static final int LARGE_STEP = 2;

    private static final double QUEUEING = 1.5;
    private static final long QUEUEING_US = 2_000;

    /** This many lost packets in a round are not a coincidence. */
    private static final long FEW_LOSSES = 5;

    private static final long SETTLE_TRIPS = 10;
    private static final long MEASURE_TRIPS = 4;
    private static final long MIN_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long MAX_SETTLE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long MIN_MEASURE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CALM_LONGER = 3;
    private static final int CALM_ROUNDS = 5;
    private static final double MEGABIT = 1e6 / 8;

    private final LaneRange range;
    /** The most lanes for which there was work so far, up to the start of the range. */
    private int started;

    private Setting current;

    /** The best setting so far, and its rate. If it is not the current one, the current one is a trial. */
    private Setting best;

    private double bestRate;
    private double step = FIRST_STEP;
    private boolean bbrTried;
    private int changes;
    private int calmRounds;
    private boolean downNext;
    private boolean moreInside;

    /** The start of the current round, or of the time to settle before it; null before there is a lane. */
    private @Nullable Look since;

    private boolean measuring;
    private Map<Integer, Lane> before = Map.of();
    private long bytes;
    private long lost;
    private long receiverLimitedUs;
    /** The bytes of the first half of a round, and its length; 0 until it is over. */
    private long halfBytes;

    private long halfNanos;
    private int patience;

    private record Setting(int lanes, boolean bbr) {
        /** By hand, for a short start. */
        boolean isSameAs(Setting other) {
            return lanes == other.lanes && bbr == other.bbr;
        }

        @Override
        public String toString() {
            return lanes + " lanes" + (bbr ? " with bbr" : "");
        }
    }

    /**
     * A lane at one moment.
     *
     * @param key of its connection: a reopened lane has another one
     * @param receiverLimitedUs how long it had data to send for which the receiver's window had no room
     */
    record Lane(int key, long ackedBytes, long retransmits, long rttUs, long minRttUs, long receiverLimitedUs) {}

    /**
     * The input at one moment.
     *
     * @param lanes that are open and have figures
     * @param mayUseBbr on all of them
     */
    record Look(long nowNanos, List<Lane> lanes, boolean mayUseBbr, Spent spent) {}

    /**
     * The total time of all lanes.
     *
     * @param blockedNanos that they have waited for the network
     * @param computingNanos that they have hashed, encrypted and passed data to the kernel
     * @param allNanos that they have worked and waited
     */
    record Spent(long blockedNanos, long computingNanos, long allNanos) {
        Spent since(Spent begin) {
            return new Spent(
                    blockedNanos - begin.blockedNanos,
                    computingNanos - begin.computingNanos,
                    allNanos - begin.allNanos);
        }

        boolean isMostlyBlocked() {
            return allNanos > 0 && blockedNanos >= MOSTLY * allNanos;
        }

        boolean isMostlyComputing() {
            return allNanos > 0 && computingNanos >= MOSTLY * allNanos;
        }
    }

    /** Continue with this many lanes, with BBR or their initial congestion control. */
    record Advice(int lanes, boolean bbr, LaneReason reason, String why) {}

    private record Round(double rate, boolean rising, Spent spent, double receiverShare, long lost, Look end) {
        /**
         * On a short path, lanes without losses wait for a host. So do lanes with losses if the receiver's window is
         * mostly closed: its own socket buffers then drop packets.
         */
        boolean isLimitedByNetwork() {
            return spent.isMostlyBlocked()
                    && rate > 0
                    && (isLong(shortestTripUs()) || (lost > FEW_LOSSES && receiverShare < MOSTLY));
        }

        boolean queues() {
            long median = end.lanes.stream()
                    .mapToLong(Lane::rttUs)
                    .sorted()
                    .skip(end.lanes.size() / 2)
                    .findFirst()
                    .orElse(0);
            return median > QUEUEING * shortestTripUs() + QUEUEING_US;
        }

        private long shortestTripUs() {
            return end.lanes.stream().mapToLong(Lane::minRttUs).min().orElse(0);
        }
    }

    LaneTuner(LaneRange range) {
        this.range = range;
        this.started = range.first();
        this.current = new Setting(started, false);
        this.best = current;
    }

    int lanes() {
        return current.lanes;
    }

    /** Whether the shortest round trip of a lane shows that the path is long. */
    static boolean isLong(long minRttUs) {
        return minRttUs >= SHORT_TRIP_US;
    }

    /** Whether there has been work for all lanes with which a copy starts. */
    boolean hasStarted() {
        return started >= range.start();
    }

    /** There is work for this many lanes. Returns null if the copy has had as many. */
    @Nullable Advice useful(int lanes) {
        int count = Math.min(range.start(), lanes);
        if (count <= started) {
            return null;
        }
        started = count;
        if (count <= current.lanes) {
            return null;
        }
        Advice advice =
                change(new Setting(count, current.bbr), LaneReason.WORK, "there is work for " + count + " lanes");
        best = current;
        bestRate = 0;
        step = FIRST_STEP;
        return advice;
    }

    /** Call it some times a second; returns null if nothing changes. */
    @Nullable Advice look(Look look) {
        count(look.lanes);
        Look begin = since;
        if (begin == null) {
            since = look.lanes.isEmpty() ? null : look;
            return null;
        }
        long tripNanos = TimeUnit.MICROSECONDS.toNanos(
                look.lanes.stream().mapToLong(Lane::rttUs).max().orElse(0));
        long passed = look.nowNanos - begin.nowNanos;
        if (!measuring) {
            boolean settled =
                    passed > Math.max(MIN_SETTLE_NANOS, SETTLE_TRIPS * tripNanos) && look.lanes.size() == current.lanes;
            if (settled || passed > MAX_SETTLE_NANOS) {
                measuring = true;
                restart(look);
            }
            return null;
        }
        long enough = Math.max(MIN_MEASURE_NANOS, MEASURE_TRIPS * tripNanos) * (isCalm() ? CALM_LONGER : 1);
        if (passed < enough) {
            if (halfNanos == 0 && passed >= enough / 2) {
                halfBytes = bytes;
                halfNanos = passed;
            }
            return null;
        }
        boolean rising =
                halfNanos > 0 && (double) (bytes - halfBytes) / (passed - halfNanos) > RISING * halfBytes / halfNanos;
        double receiver = receiverLimitedUs * 1e3 / passed / Math.max(1, look.lanes.size());
        Spent spent = look.spent.since(begin.spent);
        Round round = new Round(bytes / (passed / 1e9), rising, spent, receiver, lost, look);
        restart(look);
        return decide(round);
    }

    private void restart(Look look) {
        since = look;
        bytes = 0;
        lost = 0;
        receiverLimitedUs = 0;
        halfNanos = 0;
    }

    private void count(List<Lane> seen) {
        Map<Integer, Lane> now = new HashMap<>();
        for (Lane lane : seen) {
            Lane earlier = before.getOrDefault(lane.key, lane);
            bytes += lane.ackedBytes - earlier.ackedBytes;
            lost += lane.retransmits - earlier.retransmits;
            receiverLimitedUs += lane.receiverLimitedUs - earlier.receiverLimitedUs;
            now.put(lane.key, lane);
        }
        before = now;
    }

    private @Nullable Advice decide(Round round) {
        double rate = round.rate;
        boolean onTrial = !current.isSameAs(best);
        if (onTrial && rate <= bestRate * price()) {
            boolean disturbed = patience == PATIENCE && current.lanes >= LARGE_STEP * best.lanes;
            if ((round.rising || disturbed) && patience > 0) {
                patience--;
                return null;
            }
            return goBack(rate);
        }
        if (!onTrial && bestRate > 0 && (rate < CHANGED * bestRate || rate > bestRate / CHANGED)) {
            changes++;
            if (changes < CHANGES) {
                return null;
            }
            step = FIRST_STEP;
            bbrTried = current.bbr;
        }
        changes = 0;
        if (onTrial && rate < WORTHWHILE * bestRate * current.lanes / best.lanes) {
            // The path is almost full.
            step = Math.sqrt(step);
        }
        if (onTrial || !isCalm()) {
            best = current;
            bestRate = rate;
        }
        if (!round.isLimitedByNetwork()) {
            return tryInsideHosts(round);
        }
        return isCalm() ? lookAround(round) : climb(round);
    }

    private @Nullable Advice climb(Round round) {
        if (round.queues()) {
            return null;
        }
        if (!bbrTried && round.end.mayUseBbr && round.lost > FEW_LOSSES) {
            bbrTried = true;
            return change(
                    new Setting(current.lanes, true), LaneReason.LOSS, "packets are lost and do not queue: trying bbr");
        }
        return tryLanes(upwards(), round.rate);
    }

    /** The network does not limit the lanes: tries fewer and more by turns until neither is better. */
    private @Nullable Advice tryInsideHosts(Round round) {
        if (round.rate <= 0) {
            return null;
        }
        if (isCalm()) {
            calmRounds++;
            if (calmRounds < CALM_ROUNDS) {
                return null;
            }
            calmRounds = 0;
            bestRate = round.rate;
        }
        double factor = Math.max(Math.sqrt(step), LAST_STEP);
        int wanted = moreInside
                ? Math.max(current.lanes + 1, (int) Math.round(current.lanes * factor))
                : (int) (current.lanes / factor);
        int count = Math.max(fewestInside(round), Math.min(range.max(), wanted));
        if (count == current.lanes) {
            moreInside = !moreInside;
            step = Math.sqrt(step);
            return null;
        }
        boolean more = count > current.lanes;
        return change(
                new Setting(count, current.bbr),
                more ? LaneReason.MORE : LaneReason.FEWER,
                more
                        ? "more than " + movedBy(current.lanes, round.rate) + ", may be faster"
                        : fewerMayBeEnough(round.rate));
    }

    private String fewerMayBeEnough(double rate) {
        return "fewer than " + movedBy(current.lanes, rate) + ", may be enough";
    }

    private static String movedBy(int lanes, double rate) {
        return lanes + " lanes, which move " + megabits(rate) + " Mbit/s";
    }

    private static String megabits(double rate) {
        return Figures.decimal(rate / MEGABIT, 0);
    }

    /**
     * Lanes that compute are not in each other's way. Fewer than at the start would leave cores idle for as long as
     * the trial takes.
     */
    private int fewestInside(Round round) {
        return round.spent.isMostlyComputing() ? Math.min(started, current.lanes) : range.min();
    }

    /** Occasionally tries a neighbouring setting, alternating between more and fewer lanes. */
    private @Nullable Advice lookAround(Round round) {
        calmRounds++;
        if (calmRounds < CALM_ROUNDS) {
            return null;
        }
        calmRounds = 0;
        bestRate = round.rate;
        downNext = !downNext;
        boolean down = downNext || round.queues();
        return tryLanes(down ? (int) (current.lanes / LAST_STEP) : upwards(), round.rate);
    }

    /** All steps down to the smallest have been tried. */
    private boolean isCalm() {
        return step < LAST_STEP;
    }

    private int upwards() {
        return Math.max(current.lanes + 1, (int) Math.round(current.lanes * Math.max(step, LAST_STEP)));
    }

    private @Nullable Advice tryLanes(int wanted, double rate) {
        int count = Math.max(range.min(), Math.min(range.max(), wanted));
        if (count == current.lanes) {
            return null;
        }
        LaneReason reason = count > current.lanes ? LaneReason.NETWORK : LaneReason.FEWER;
        String why = reason == LaneReason.NETWORK
                ? "the network limits " + current.lanes + " lanes to " + megabits(rate) + " Mbit/s"
                : fewerMayBeEnough(rate);
        return change(new Setting(count, current.bbr), reason, why);
    }

    /** What a trial must gain. */
    private double price() {
        return current.bbr != best.bbr ? BBR_PRICE : Math.pow(LANE_PRICE, (double) current.lanes - best.lanes);
    }

    private Advice goBack(double rate) {
        String why = current + " moved " + megabits(rate) + " Mbit/s, " + best + " " + megabits(bestRate);
        if (current.lanes != best.lanes) {
            step = Math.sqrt(step);
            moreInside = current.lanes < best.lanes;
        }
        return change(best, LaneReason.UNDONE, why);
    }

    private Advice change(Setting setting, LaneReason reason, String why) {
        current = setting;
        measuring = false;
        patience = PATIENCE;
        return new Advice(setting.lanes, setting.bbr, reason, why);
    }
}
