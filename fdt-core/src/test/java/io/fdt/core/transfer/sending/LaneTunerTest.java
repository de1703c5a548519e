package io.fdt.core.transfer.sending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.plan.LaneRange;
import io.fdt.core.transfer.sending.LaneTuner.Lane;
import io.fdt.core.transfer.sending.LaneTuner.Look;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Copies over a simulated path. All lanes share its line equally, and loss or windows limit each lane to a certain
 * rate. The line's buffer fills when the lanes offer more than the line carries.
 */
class LaneTunerTest {
    private static final LaneRange RANGE = new LaneRange(4, 4, 64);
    private static final double STEP_SECONDS = 0.25;

    private final Random random = new Random(7);

    /** @param bufferTrips the capacity of the line's buffer, in round trips */
    private record Path(double lineBytes, double laneBytes, double tripMs, double bufferTrips) {}

    private static final class Copy {
        final LaneTuner tuner;
        final List<Integer> counts = new ArrayList<>();
        final List<Double> rates = new ArrayList<>();
        final List<Long> acked = new ArrayList<>();
        double blockedShare = 1;
        boolean lossy;
        boolean mayUseBbr = true;
        double bbrFactor = 1;
        boolean bbr;
        long lost;
        int lanes;
        /** How long all lanes recover after a change from the losses that new lanes cause. */
        double recoverySeconds;

        /** Alternatively, how long all lanes are slow after a change, before they run at full rate. */
        double slowSeconds;

        double changedSeconds = Double.NEGATIVE_INFINITY;
        long blockedNanos;
        double computingShare;
        long computingNanos;
        long spentNanos;
        double receiverShare;
        long receiverLimitedUs;

        /** There is work for all lanes with which it starts. */
        Copy(LaneRange range) {
            tuner = new LaneTuner(range);
            tuner.useful(range.start());
            lanes = tuner.lanes();
        }

        double recovered(double nowSeconds) {
            if (nowSeconds - changedSeconds < slowSeconds) {
                return 0.6;
            }
            return Math.min(1, 0.5 + (nowSeconds - changedSeconds) / recoverySeconds / 2);
        }

        double rate(int lastSeconds) {
            int samples = (int) (lastSeconds / STEP_SECONDS);
            return rates.subList(rates.size() - samples, rates.size()).stream()
                    .mapToDouble(each -> each)
                    .average()
                    .orElseThrow();
        }
    }

    private double nowSeconds;

    private void run(Path path, double seconds, Copy... copies) {
        for (double end = nowSeconds + seconds; nowSeconds < end; nowSeconds += STEP_SECONDS) {
            double all = DoubleStream.of(java.util.Arrays.stream(copies)
                            .mapToDouble(copy -> copy.lanes)
                            .toArray())
                    .sum();
            double offered = all * path.laneBytes;
            boolean full = offered > path.lineBytes;
            double each = Math.min(path.laneBytes, path.lineBytes / all);
            double trip = path.tripMs * (full ? 1 + path.bufferTrips : 1);
            for (Copy copy : copies) {
                double rate = copy.bbr ? Math.min(each * copy.bbrFactor, path.lineBytes / all) : each;
                step(copy, rate * copy.recovered(nowSeconds), path.tripMs, trip);
            }
        }
    }

    private void step(Copy copy, double laneRate, double shortestMs, double tripMs) {
        double moved = 0;
        List<Lane> seen = new ArrayList<>();
        for (int lane = 0; lane < copy.lanes; lane++) {
            if (copy.acked.size() <= lane) {
                copy.acked.add(0L);
            }
            // No real path is as even as a formula.
            double bytes = laneRate * STEP_SECONDS * (0.9 + 0.2 * random.nextDouble());
            moved += bytes;
            copy.acked.set(lane, copy.acked.get(lane) + (long) bytes);
            seen.add(new Lane(
                    lane,
                    copy.acked.get(lane),
                    copy.lost,
                    (long) (1_000 * tripMs),
                    (long) (1_000 * shortestMs),
                    copy.receiverLimitedUs));
        }
        copy.rates.add(moved / STEP_SECONDS);
        copy.receiverLimitedUs += (long) (1e6 * STEP_SECONDS * copy.receiverShare);
        copy.spentNanos += 1_000_000;
        copy.blockedNanos += (long) (1_000_000 * copy.blockedShare);
        copy.computingNanos += (long) (1_000_000 * copy.computingShare);
        LaneTuner.Spent spent = new LaneTuner.Spent(copy.blockedNanos, copy.computingNanos, copy.spentNanos);
        LaneTuner.Advice advice = copy.tuner.look(new Look((long) (nowSeconds * 1e9), seen, copy.mayUseBbr, spent));
        if (advice != null) {
            assertThat(advice.why()).isNotBlank();
            copy.changedSeconds = nowSeconds;
            copy.lanes = advice.lanes();
            copy.bbr = advice.bbr();
        }
        copy.counts.add(copy.lanes);
        copy.lost += copy.lossy ? 3 : 0;
    }

    /** After the first ten seconds, the rate is at least 0.95 of the rate with the best number of lanes. */
    @ParameterizedTest
    @CsvSource({
        "1000, 100, 10, 0.1",
        "1000, 40, 50, 0.1",
        "1000, 25, 100, 0.1",
        "1000, 60, 100, 1",
        "1000, 17, 50, 1",
        "1000, 400, 10, 0.1",
        "1000, 5, 100, 0.1",
        "100, 3, 1, 0.1",
    })
    void fillsAPathOnWhichALaneIsSlow(double lineBytes, double laneBytes, double tripMs, double bufferTrips) {
        Copy copy = new Copy(RANGE);
        run(new Path(1e6 * lineBytes, 1e6 * laneBytes, tripMs, bufferTrips), 30, copy);

        assertThat(copy.rate(20)).isGreaterThan(0.95 * Math.min(1e6 * lineBytes, 64 * 1e6 * laneBytes));
    }

    /**
     * New lanes with losses on a long path need seconds to settle: their rate still rises when it is first measured.
     */
    @ParameterizedTest
    @CsvSource({"5", "7"})
    void waitsForLanesWhoseRateStillRises(double recoverySeconds) {
        Copy copy = new Copy(RANGE);
        copy.recoverySeconds = recoverySeconds;
        run(new Path(3.75e7, 7e6, 200, 0.1), 60, copy);

        assertThat(copy.counts.subList(40, copy.counts.size()))
                .allSatisfy(count -> assertThat(count).isGreaterThan(5));
    }

    /** The losses slow all lanes down for longer than the time that the tuner gives them to settle. */
    @Test
    void measuresALargeStepTwiceBeforeItIsUndone() {
        Copy copy = new Copy(RANGE);
        copy.slowSeconds = 3.5;
        run(new Path(3.75e7, 7e6, 200, 0.1), 60, copy);

        assertThat(copy.counts.subList(40, copy.counts.size()))
                .allSatisfy(count -> assertThat(count).isGreaterThan(5));
    }

    @Test
    void numberOfLanesStaysStable() {
        Copy copy = new Copy(RANGE);
        Path path = new Path(1e9, 4e7, 50, 0.1);
        run(path, 40, copy);
        int settled = copy.lanes;
        run(path, 300, copy);

        List<Integer> later = copy.counts.subList(160, copy.counts.size());
        assertThat(later).allSatisfy(count -> assertThat(count).isBetween(settled / 2, 2 * settled));
        assertThat(copy.rate(300)).isGreaterThan(0.95e9);
    }

    /** The path is full with the initial lanes: the tuner adds none, or ends the added one again. */
    @ParameterizedTest
    @CsvSource({"1", "0.1"})
    void needsNoMoreLanesOnAFullPath(double bufferTrips) {
        Copy copy = new Copy(RANGE);
        run(new Path(1e8, 1e8, 20, bufferTrips), 40, copy);

        assertThat(copy.lanes).isBetween(4, 6);
    }

    /** Something inside a host that limits a copy: its rate as a function of the lanes. */
    private void runInside(IntToDoubleFunction rateOf, double seconds, Copy copy) {
        copy.blockedShare = 0.3;
        for (double end = nowSeconds + seconds; nowSeconds < end; nowSeconds += STEP_SECONDS) {
            step(copy, rateOf.applyAsDouble(copy.lanes) / copy.lanes, 0.05, 0.05);
        }
    }

    private static LaneRange cores(int cores) {
        return LaneRange.auto(cores);
    }

    /** Each further lane waits for the lock and slows the others down. */
    @Test
    void removesLanesThatSlowEachOther() {
        Copy copy = new Copy(cores(16));
        runInside(lanes -> 3e9 / (1 + 0.1 * (lanes - 1)), 40, copy);

        assertThat(copy.lanes).isLessThanOrEqualTo(3);
        assertThat(copy.rate(10)).isGreaterThan(0.8 * 3e9);
    }

    /** One stage passes a certain rate, however many lanes there are. */
    @Test
    void takesLanesAwayThatAddNothing() {
        Copy copy = new Copy(cores(16));
        runInside(lanes -> 2e9, 40, copy);

        assertThat(copy.lanes).isLessThanOrEqualTo(2);
        assertThat(copy.rate(20)).isGreaterThan(0.95 * 2e9);
    }

    @ParameterizedTest
    @CsvSource({"4, 16", "8, 16", "16, 16", "32, 16", "12, 4"})
    void usesAllChannelsOfADisk(int channels, int startCores) {
        Copy copy = new Copy(cores(startCores));
        runInside(lanes -> 5e8 * Math.min(lanes, channels), 60, copy);

        assertThat(copy.rate(20)).isGreaterThan(0.9 * 5e8 * channels);
        assertThat(copy.lanes).isLessThanOrEqualTo(2 * channels);
    }

    @Test
    void keepsALaneForEachCoreThatComputes() {
        Copy copy = new Copy(cores(16));
        runInside(lanes -> 1e9 * Math.min(lanes, 16), 60, copy);

        assertThat(copy.rate(40)).isGreaterThan(0.93 * 16e9);
    }

    /** Lanes that hash and encrypt are not in each other's way: with fewer of them, cores would be idle meanwhile. */
    @ParameterizedTest
    @CsvSource({"16, 0.5", "16, 0.9", "12, 0.9", "24, 0.9", "64, 0.9"})
    void neverTriesFewerLanesThanAtTheStartWhileTheyCompute(int realCores, double computingShare) {
        Copy copy = new Copy(cores(16));
        copy.computingShare = computingShare;
        runInside(lanes -> 1e9 * Math.min(lanes, realCores), 120, copy);

        assertThat(copy.counts).allSatisfy(count -> assertThat(count).isGreaterThanOrEqualTo(16));
        assertThat(copy.rate(20)).isGreaterThan(0.93e9 * Math.min(realCores, 64));
    }

    /** Lanes that it has added while they computed may leave again. */
    @Test
    void takesAddedLanesAwayAlsoWhileTheyCompute() {
        Copy copy = new Copy(cores(16));
        copy.computingShare = 0.9;
        runInside(lanes -> 1e9 * Math.min(lanes, 64), 40, copy);
        assertThat(copy.lanes).isGreaterThan(40);
        runInside(lanes -> 1e9 * Math.min(lanes, 16), 120, copy);

        assertThat(copy.lanes).isBetween(16, 24);
    }

    /** A disk was slow, and lanes left; then the files are in the page cache, and the lanes that are left compute. */
    @Test
    void addsLanesAgainWhenTheyBeginToCompute() {
        Copy copy = new Copy(cores(16));
        runInside(lanes -> 2e8, 30, copy);
        assertThat(copy.lanes).isLessThanOrEqualTo(4);
        copy.computingShare = 0.9;
        runInside(lanes -> 1e9 * Math.min(lanes, 16), 60, copy);

        assertThat(copy.rate(20)).isGreaterThan(0.9 * 16e9);
    }

    /** A copy that was slow because of its files speeds up with larger ones. */
    @Test
    void addsLanesAgainWhenTheWorkChanges() {
        Copy copy = new Copy(cores(16));
        runInside(lanes -> 2e8, 30, copy);
        runInside(lanes -> 1e9 * Math.min(lanes, 16), 60, copy);

        assertThat(copy.rate(20)).isGreaterThan(0.9 * 16e9);
    }

    /** Small buffers that drop packets also limit the lanes on a short path. */
    @Test
    void addsLanesOnAShortPathThatLosesPackets() {
        Copy copy = new Copy(RANGE);
        copy.lossy = true;
        run(new Path(1e9, 2e8, 0.1, 0.1), 30, copy);

        assertThat(copy.rate(20)).isGreaterThan(0.95e9);
    }

    /** A target that takes less than the lanes offer: its socket buffers are full, and drop packets. */
    @Test
    void addsNoLanesWhereTheReceiverIsSlowAndDropsPackets() {
        Copy copy = new Copy(RANGE);
        copy.lossy = true;
        copy.receiverShare = 0.9;
        run(new Path(1e9, 1e9, 0.1, 0.1), 30, copy);

        assertThat(copy.counts).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(8));
    }

    @Test
    void startsWithFewLanesAndHasMoreAsSoonAsThereIsWorkForThem() {
        LaneTuner tuner = new LaneTuner(cores(16));
        assertThat(tuner.lanes()).isEqualTo(4);
        assertThat(tuner.useful(3)).isNull();
        assertThat(tuner.useful(9).lanes()).isEqualTo(9);
        assertThat(tuner.useful(8)).isNull();
        assertThat(tuner.hasStarted()).isFalse();
        assertThat(tuner.useful(500).lanes()).isEqualTo(16);
        assertThat(tuner.hasStarted()).isTrue();
        assertThat(tuner.useful(501)).isNull();
    }

    /** Lanes that were found to be in each other's way do not come back with the next file of the same kind. */
    @Test
    void moreWorkOfTheSameKindOpensNoLanesAgain() {
        Copy copy = new Copy(cores(4));
        runInside(lanes -> 3e9 / (1 + 0.1 * (lanes - 1)), 40, copy);
        int settled = copy.lanes;
        assertThat(settled).isLessThan(4);
        assertThat(copy.tuner.useful(4)).isNull();
        assertThat(copy.tuner.lanes()).isEqualTo(settled);
    }

    @Test
    void keepsItsBounds() {
        Copy copy = new Copy(new LaneRange(2, 4, 10));
        run(new Path(1e9, 1e6, 50, 0.1), 60, copy);

        assertThat(copy.lanes).isEqualTo(10);
        assertThat(copy.counts).allSatisfy(count -> assertThat(count).isBetween(2, 10));
    }

    @Test
    void followsAPathThatChanges() {
        Copy copy = new Copy(RANGE);
        run(new Path(1e9, 2.5e8, 20, 0.1), 30, copy);
        run(new Path(1e9, 2.5e7, 20, 0.1), 30, copy);

        assertThat(copy.rate(10)).isGreaterThan(0.95e9);
    }

    @Test
    void keepsBbrWhereItIsFasterOnALossyPath() {
        Copy copy = new Copy(RANGE);
        copy.lossy = true;
        copy.bbrFactor = 10;
        run(new Path(1e9, 1e7, 50, 0.1), 20, copy);

        assertThat(copy.bbr).isTrue();
        assertThat(copy.rate(10)).isGreaterThan(0.95e9);
    }

    @Test
    void returnsFromBbrIfItIsNotFaster() {
        Copy copy = new Copy(RANGE);
        copy.lossy = true;
        run(new Path(1e9, 4e7, 50, 0.1), 30, copy);

        assertThat(copy.bbr).isFalse();
        assertThat(copy.rate(10)).isGreaterThan(0.95e9);
    }

    @Test
    void usesNoBbrThatIsNotPermitted() {
        Copy copy = new Copy(RANGE);
        copy.lossy = true;
        copy.mayUseBbr = false;
        copy.bbrFactor = 10;
        run(new Path(1e9, 1e7, 50, 0.1), 30, copy);

        assertThat(copy.bbr).isFalse();
        assertThat(copy.lanes).isEqualTo(64);
    }

    /** A copy that starts later also gets its share. */
    @Test
    void twoCopiesShareAPath() {
        Path path = new Path(1e9, 4e7, 50, 0.1);
        Copy first = new Copy(RANGE);
        run(path, 60, first);
        Copy second = new Copy(RANGE);
        run(path, 120, first, second);

        double both = first.rate(30) + second.rate(30);
        assertThat(both).isGreaterThan(0.95e9);
        assertThat(first.rate(30) / both).isCloseTo(0.5, within(0.1));
    }

    /** The counters of a reopened lane start at zero. */
    @Test
    void treatsAReopenedLaneAsANewOne() {
        LaneTuner tuner = new LaneTuner(new LaneRange(1, 1, 8));
        long blocked = 0;
        LaneTuner.Advice advice = null;
        for (int i = 0; i < 40 && advice == null; i++) {
            blocked += 1_000;
            List<Lane> seen = List.of(new Lane(i, 1_000_000_000L, 0, 20_000, 20_000, 0));
            advice = tuner.look(new Look(i * 250_000_000L, seen, false, new LaneTuner.Spent(blocked, 0, blocked)));
        }
        assertThat(advice).isNull();
    }
}
