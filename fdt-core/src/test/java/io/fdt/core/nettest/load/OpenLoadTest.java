package io.fdt.core.nettest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.nettest.Latencies;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Offered load under a simulated clock: when requests are due, how buffers limit them, and what waiting costs. */
class OpenLoadTest {
    private static final long MS = 1_000_000;
    private static final long START = Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(50);

    /** Answers every request that was sent, half a millisecond later. */
    private static void answerAll(OpenLoad load, long fromMs, long toMs) {
        for (long ms = fromMs; ms < toMs; ms++) {
            load.onSent(load.toSend(START + ms * MS));
            load.onAnswers(load.inFlight(), START + ms * MS + MS / 2);
        }
    }

    @Test
    void requestsAreDueOnTimeOverTheWrapOfTheClock() {
        OpenLoad load = new OpenLoad(1000, 1000, START, 100 * MS);
        assertThat(load.offered()).isEqualTo(100);
        assertThat(load.toSend(START)).isEqualTo(1);
        assertThat(load.toSend(START + MS - 1)).isEqualTo(1);
        assertThat(load.toSend(START + 99 * MS)).isEqualTo(100);
        load.onSent(60);
        assertThat(load.nextNanos()).isEqualTo(START + 60 * MS);
        assertThat(load.toSend(START + 99 * MS)).isEqualTo(40);
        assertThat(load.isOver(START + 100 * MS - 1)).isFalse();
        assertThat(load.isOver(START + 100 * MS)).isTrue();
        assertThat(load.toSend(START + 100 * MS)).isZero();
    }

    @Test
    void timesDoNotDriftWhereTheRateDoesNotDivideTheSecond() {
        OpenLoad load = new OpenLoad(1, 7, 0, 86_400_000L * MS);
        assertThat(load.offered()).isEqualTo(7 * 86_400);
        assertThat(load.dueNanos(7 * 86_399L)).isEqualTo(86_399_000L * MS);
        assertThat(load.dueNanos(1)).isEqualTo(142_857_143);
        assertThat(load.toSend(142_857_142)).isEqualTo(1);
    }

    @Test
    void stalledServerAddsToTheLatencyOfEveryWaitingRequest() {
        OpenLoad load = new OpenLoad(8, 1000, START, 100 * MS);
        answerAll(load, 0, 50);
        // For 40 ms there is no answer: requests keep becoming due, and eight of them get a buffer.
        for (long ms = 50; ms < 90; ms++) {
            load.onSent(load.toSend(START + ms * MS));
        }
        assertThat(load.inFlight()).isEqualTo(8);
        assertThat(load.waits()).isEqualTo(1);
        load.onAnswers(8, START + 90 * MS);
        answerAll(load, 90, 100);

        Latencies latencies = load.finish();

        assertThat(load.answered()).isEqualTo(100);
        assertThat(latencies.count()).isEqualTo(100);
        // A closed loop would have eight slow requests. Here 40 had to wait, from 40 ms down to one.
        assertThat(latencies.percentileUs(50)).isCloseTo(500, within(1.0));
        assertThat(latencies.percentileUs(79)).isGreaterThan(15_000);
        assertThat(latencies.maxUs()).isCloseTo(40_000, within(50.0));
        assertThat(load.waitedSeconds()).isCloseTo(0.032, within(0.0011));
        assertThat(load.mostInFlight()).isEqualTo(8);
    }

    @Test
    void unsentRequestsCountWithTheirWaitingTime() {
        OpenLoad load = new OpenLoad(2, 1000, START, 100 * MS);
        load.onSent(load.toSend(START));
        load.onSent(load.toSend(START + MS));
        for (long ms = 2; ms < 100; ms++) {
            assertThat(load.toSend(START + ms * MS)).isZero();
        }
        assertThat(load.toSend(START + 100 * MS)).isZero();
        load.onAnswers(2, START + 101 * MS);

        Latencies latencies = load.finish();

        assertThat(load.answered()).isEqualTo(2);
        assertThat(load.offered()).isEqualTo(100);
        assertThat(latencies.count()).isEqualTo(100);
        assertThat(latencies.minUs()).isCloseTo(1_000, within(1.0));
        assertThat(latencies.percentileUs(50)).isCloseTo(50_000, within(100.0));
        assertThat(latencies.maxUs()).isCloseTo(101_000, within(101.0));
        assertThat(load.waitedSeconds()).isCloseTo(0.098, within(1e-6));
        assertThat(load.seconds()).as("until the last answer").isCloseTo(0.101, within(1e-9));
    }

    @Test
    void manyUnsentRequestsKeepAccuratePercentiles() {
        OpenLoad load = new OpenLoad(1, 1_000_000, 0, 1_000 * MS);

        Latencies latencies = load.finish();

        assertThat(latencies.count()).isEqualTo(1_000_000);
        assertThat(latencies.percentileUs(10)).isCloseTo(100_000, within(500.0));
        assertThat(latencies.percentileUs(99)).isCloseTo(990_000, within(2_000.0));
        assertThat(latencies.meanUs()).isCloseTo(500_000, within(1_000.0));
    }

    @Test
    void requestsDueAfterTheCutAreNotOffered() {
        OpenLoad load = new OpenLoad(1000, 1000, START, 100 * MS);
        answerAll(load, 0, 20);
        load.cut(START + 24 * MS);
        assertThat(load.isOver(START + 24 * MS)).isTrue();
        assertThat(load.offered()).isEqualTo(25);
        assertThat(load.finish().count()).isEqualTo(25);
        assertThat(load.seconds()).isCloseTo(0.024, within(1e-9));
        load.cut(START + 30 * MS);
        assertThat(load.offered()).isEqualTo(25);
    }

    @Test
    void closedLoopCountsItsSecondHalf() {
        ClosedLoad load = new ClosedLoad(400, START, 100 * MS, 1_000 * MS);
        for (long ms = 0; ms < 100; ms += 2) {
            int requests = load.toSend(START + ms * MS);
            assertThat(requests).isEqualTo(400);
            load.onSent(requests);
            assertThat(load.toSend(START + ms * MS)).as("no buffer is free").isZero();
            load.onAnswers(400, START + ms * MS + MS);
        }
        assertThat(load.isOver(START + 100 * MS)).isTrue();
        assertThat(load.toSend(START + 100 * MS)).isZero();
        // 24 bursts in the 48 ms after the first of the second half.
        assertThat(load.perSecond()).isCloseTo(400 / 0.002, within(1.0));
    }

    @Test
    void closedLoopOverALongPathRunsUntilItHasEnoughAnswers() {
        ClosedLoad load = new ClosedLoad(64, START, 200 * MS, 5_000 * MS);
        // All requests in flight get their answers together, 150 ms later.
        long now = START;
        while (!load.isOver(now)) {
            load.onSent(load.toSend(now));
            now += 150 * MS;
            load.onAnswers(load.inFlight(), now);
        }
        assertThat(load.perSecond()).isCloseTo(64 / 0.150, within(0.1));
        assertThat(now - START).as("a thousand answers").isBetween(2_400 * MS, 2_700 * MS);
    }

    @Test
    void closedLoopWithoutAnswersEndsWithRateZero() {
        ClosedLoad load = new ClosedLoad(4, START, 100 * MS, 1_000 * MS);
        load.onSent(load.toSend(START));
        assertThat(load.isOver(START + 999 * MS)).isFalse();
        assertThat(load.isOver(START + 1_000 * MS)).isTrue();
        assertThat(load.perSecond()).isZero();
        load.cut(START + 500 * MS);
        assertThat(load.isOver(START + 500 * MS)).isTrue();
    }

    @Test
    void offeredStepsAreRoundAndRise() {
        assertThat(OpenLoad.around(123_456))
                .containsExactly(12_000, 31_000, 49_000, 68_000, 86_000, 100_000, 120_000, 160_000);
        assertThat(OpenLoad.around(0)).as("a path of which nothing is known").containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(OpenLoad.around(1e9)).isSorted().doesNotHaveDuplicates();
    }
}
