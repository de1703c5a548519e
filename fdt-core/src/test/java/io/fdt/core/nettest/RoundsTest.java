package io.fdt.core.nettest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Rounds.Round;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The schedule of lanes that ask and wait, and the sums of their measurements, with a clock that the test moves. */
class RoundsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long MS = 1_000_000L;

    private final Rounds rounds = Rounds.ofTime(List.of(100, 1000), SECOND, 5);
    private long now = 5 * SECOND;

    /** A lane that remembers which size each of its questions was for. */
    private static final class Lane extends Questions {
        final List<Integer> made = new ArrayList<>();

        Lane(Rounds rounds) {
            super(rounds);
        }

        @Override
        protected void make(int ofRound, ByteBuffer request) {
            made.add(ofRound);
        }
    }

    /** Returns false if there is no further question. */
    private boolean exchange(Lane lane, long afterNanos, long nanos) {
        now += afterNanos;
        if (!lane.next(now, ByteBuffer.allocate(0))) {
            return false;
        }
        now += nanos;
        lane.onAnswer(now - nanos, now);
        return true;
    }

    private static List<Round> results(Rounds of) {
        return Rounds.results(List.of(of));
    }

    @Test
    void eachSizeHasItsTimeAndBeginsWithAWarmUp() {
        Lane lane = new Lane(rounds);
        while (exchange(lane, 0, 10 * MS)) {
            assertThat(rounds.isComplete()).isFalse();
        }

        assertThat(rounds.isComplete()).isTrue();
        assertThat(lane.made).filteredOn(round -> round == 0).hasSize(100);
        assertThat(lane.made).filteredOn(round -> round == 1).hasSize(100);
        assertThat(results(rounds)).extracting(Round::sizeBytes).containsExactly(100, 1000);
        assertThat(results(rounds)).allSatisfy(round -> {
            assertThat(round.latencies().count()).isEqualTo(80);
            assertThat(round.seconds()).isCloseTo(0.8, within(1e-9));
            assertThat(round.perSecond()).isCloseTo(100, within(1e-6));
        });
    }

    /** A lane that comes later has less of the first size, and ends with the others. */
    @Test
    void lanesChangeTheSizeTogether() {
        Lane one = new Lane(rounds);
        Lane other = new Lane(rounds);
        exchange(one, 0, 250 * MS);
        exchange(one, 0, 450 * MS);
        exchange(other, 0, 290 * MS);
        exchange(other, 10 * MS, 100 * MS);
        exchange(one, 0, 100 * MS);

        assertThat(one.made).containsExactly(0, 0, 1);
        assertThat(other.made).containsExactly(0, 1);
    }

    @Test
    void aSizeHasAtLeastOneAnswer() {
        Lane lane = new Lane(rounds);
        exchange(lane, 0, 5 * SECOND);
        exchange(lane, 0, SECOND);

        assertThat(exchange(lane, 0, 0)).isFalse();
        assertThat(lane.made).containsExactly(0, 1);
        assertThat(results(rounds)).extracting(Round::seconds).containsExactly(5.0, 1.0);
    }

    @Test
    void countsAnswersAfterSomeThatDoNotCount() {
        Rounds counted = Rounds.ofCount(List.of(4, 8), 10, 100);
        Lane lane = new Lane(counted);
        while (exchange(lane, 0, MS)) {
            assertThat(lane.counted.get()).isLessThanOrEqualTo(100);
        }

        assertThat(lane.made).hasSize(220);
        assertThat(results(counted))
                .extracting(round -> round.latencies().count())
                .containsExactly(100L, 100L);
    }

    /** From the first question of any lane to the last answer of any lane. */
    @Test
    void sumsUpWhatAllLanesMeasured() {
        Lane one = new Lane(rounds);
        Lane other = new Lane(rounds);
        exchange(one, 0, 100 * MS);
        exchange(other, 0, 200 * MS);
        long begun = now;
        for (int us = 1; us <= 500; us++) {
            exchange(one, 0, us * 1000L);
            exchange(other, 0, (500 + us) * 1000L);
        }
        double seconds = (now - begun) / 1e9;

        JsonObject figures = results(rounds).get(0).latencies().figures();
        assertThat(results(rounds)).hasSize(1);
        assertThat(results(rounds).get(0).latencies().count()).isEqualTo(1000);
        assertThat(results(rounds).get(0).seconds()).isCloseTo(seconds, within(1e-9));
        assertThat(figures.amount("min_us")).isCloseTo(1, within(0.01));
        assertThat(figures.amount("mean_us")).isCloseTo(500.5, within(1.0));
        assertThat(figures.amount("p50_us")).isCloseTo(500, within(1.0));
        assertThat(figures.amount("p99_us")).isCloseTo(990, within(1.0));
        assertThat(figures.amount("max_us")).isCloseTo(1000, within(1.0));
    }

    @Test
    void sumsUpSeveralTestsAndOneThatEndedEarly() {
        Rounds more = Rounds.ofTime(List.of(100, 1000), SECOND, 5);
        Lane one = new Lane(rounds);
        Lane other = new Lane(more);
        while (exchange(one, 0, 100 * MS)) {}
        now += SECOND;
        exchange(other, 0, 100 * MS);
        exchange(other, 500 * MS, 100 * MS);

        List<Round> sum = Rounds.results(List.of(rounds, more));

        assertThat(more.isComplete()).isFalse();
        assertThat(sum)
                .extracting(round -> round.latencies().count())
                .containsExactly(
                        results(rounds).get(0).latencies().count() + 1,
                        results(rounds).get(1).latencies().count());
    }
}
