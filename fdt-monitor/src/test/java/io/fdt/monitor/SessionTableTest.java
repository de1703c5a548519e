package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.SeriesTable;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Monitored sessions: how many are shown, and for how long. */
final class SessionTableTest extends SessionTableFixture {
    /** A scrape of 3,000, without those of the host and the process. */
    private static final int MOST_SERIES_OF_SESSIONS = 2_600;

    @Test
    void showsSixtyFourOneByOneAndSumsUpTheOthersUnderOneLabel() {
        List<Made> all = new ArrayList<>();
        for (int i = 0; i < SessionTable.MAX_SESSIONS + 10; i++) {
            all.add(add(i % 2 == 0 ? Direction.OUT : Direction.IN, 1000));
        }
        table.refresh(0, false);

        assertThat(table.observed()).hasSize(SessionTable.MAX_SESSIONS);
        assertThat(labelsOf(Meter.SESSION_BYTES))
                .hasSize(SessionTable.MAX_SESSIONS + 2)
                .contains("s1", "s64", "others")
                .doesNotContain("s65");
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(5000);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "in")).isEqualTo(5000);

        // One of the other sessions continues, and one ends. The sum includes both and never falls, because its rate
        // would jump.
        all.get(64).bytes().set(7000);
        all.get(66).activity().end();
        table.refresh(SECOND, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(11_000);
        table.refresh(100 * SECOND, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(11_000);
    }

    @Test
    void boundsTheLanesThatAreShown() {
        for (int session = 0; session < 3; session++) {
            Made made = add(Direction.OUT, 1);
            for (int lane = 0; lane < DetailedSessions.MAX_LANES / 2; lane++) {
                made.activity().join(lane, Direction.OUT, "tcp", () -> 1);
            }
        }
        table.refresh(0, false);
        assertThat(labelsOf(Meter.LANE_SENT_BYTES)).hasSize(DetailedSessions.MAX_LANES);
        assertThat(labelsOf(Meter.SESSION_BYTES)).hasSize(3);
    }

    /** The sessions of a batch came first, and a listing counts, too. */
    @Test
    void aLongSessionAfterManyShortOnesHasDetails() {
        for (int i = 0; i < 40; i++) {
            add(Direction.OUT, 1).activity().end();
            table.refresh(i * SECOND, false);
        }
        Made made = add(Direction.OUT, 1_000);
        table.refresh(40 * SECOND, false);
        assertThat(withoutDetails()).as("it may be another short one").isOne();
        assertThat(labelsOf(Meter.LANE_SENT_BYTES)).doesNotContain("s41");

        table.refresh(50 * SECOND, false);
        assertThat(withoutDetails()).isZero();
        assertThat(labelsOf(Meter.LANE_SENT_BYTES)).contains("s41");
        assertThat(labelsOf(Meter.SESSION_LANE_CHANGES)).contains("s41");
        made.activity().end();
        table.refresh(60 * SECOND, false);
        table.refresh(100 * SECOND, false);
        assertThat(table.observed()).isEmpty();
        assertThat(withoutDetails()).isZero();
    }

    @Test
    void detailsGoToTheSessionsThatMovedMost() {
        List<Made> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(add(Direction.OUT, i < 10 ? 5 : 1_000 + i));
        }
        for (int second = 0; second < 600; second++) {
            table.refresh(second * SECOND, false);
        }
        assertThat(labelsOf(Meter.LANE_SENT_BYTES))
                .hasSize(DetailedSessions.MAX_SESSIONS)
                .contains("s50", "s19")
                .doesNotContain("s1", "s10", "s18");
        assertThat(withoutDetails()).isEqualTo(18);
        all.get(0).bytes().set(1_000_000);
        table.refresh(610 * SECOND, false);
        assertThat(labelsOf(Meter.LANE_SENT_BYTES)).contains("s1").doesNotContain("s19");
    }

    @Test
    void lanesThatDoNotFitAreThoseOfTheSessionThatMovedLess() {
        Made less = add(Direction.OUT, 1);
        Made more = add(Direction.OUT, 1);
        for (Made made : List.of(less, more)) {
            for (int lane = 0; lane < 200; lane++) {
                made.activity().join(lane, Direction.OUT, "tcp", made.bytes()::get);
            }
        }
        more.bytes().set(2);
        table.refresh(0, false);
        assertThat(new HashSet<>(labelsOf(Meter.LANE_SENT_BYTES))).containsExactly("s2");
        assertThat(withoutDetails()).isOne();
    }

    private double withoutDetails() {
        return totals("fdt_sessions_without_details").get(0);
    }

    @Test
    void manySessionsOneAfterTheOtherAreNoCrowd() {
        for (int i = 0; i < 2 * SessionTable.MAX_SESSIONS; i++) {
            add(Direction.OUT, 1).activity().end();
            table.refresh(20L * i * SECOND, false);
        }
        assertThat(table.observed()).hasSizeLessThanOrEqualTo(2);
        assertThat(labelsOf(Meter.SESSION_BYTES)).doesNotContain("others");
    }

    /**
     * A busy server has a thousand short sessions an hour. Names are given again, and there are no series of lanes, so
     * a database holds as much after a day as after an hour.
     */
    @Test
    void sessionsOfASecondHourAreSeriesOfTheFirst() {
        Set<String> everSeen = new HashSet<>();
        int most = 0;
        int afterAnHour = 0;
        SeriesTable<String> series =
                new SeriesTable<>(EnumSet.allOf(Meter.MeterKind.class), true, made -> "", gone -> {});
        for (int i = 0; i < 2000; i++) {
            afterAnHour = i == 1000 ? everSeen.size() : afterAnHour;
            long now = 36L * i * SECOND / 10;
            Made made = add(Direction.IN, 100);
            for (int lane = 1; lane < 16; lane++) {
                made.activity().join(lane, Direction.IN, "tcp", () -> 1);
            }
            table.refresh(now, false);
            List<Figure> figures = figures();
            series.update(figures, now);
            series.onScrape();
            figures.stream()
                    .filter(figure -> figure.meter() != Meter.SESSION_INFO)
                    .map(figure -> figure.meter() + " " + figure.labels())
                    .forEach(everSeen::add);
            made.activity().end();
            table.refresh(now + SECOND, false);
            most = Math.max(most, series.size());
        }
        assertThat(everSeen.size()).as("series of the second hour").isEqualTo(afterAnHour);
        assertThat(everSeen.size())
                .as("30 of a session, and the lanes of the first ones")
                .isLessThan(350 * 30 + DetailedSessions.MAX_SESSIONS * 16);
        assertThat(most).as("series at any moment").isLessThan(1000);
    }

    /** Ten a second, scraped as often as Prometheus usually does. */
    @Test
    void aThousandShortSessionsAreNotThousandsOfSeries() {
        assertThat(mostSeriesOfShortSessions(1)).as("scraped every second").isLessThan(MOST_SERIES_OF_SESSIONS);
        assertThat(mostSeriesOfShortSessions(5)).as("every 5 s").isLessThan(MOST_SERIES_OF_SESSIONS);
        assertThat(mostSeriesOfShortSessions(15)).as("every 15 s").isLessThan(MOST_SERIES_OF_SESSIONS);
    }

    private static int mostSeriesOfShortSessions(int secondsOfScrapes) {
        SessionTable sessions = new SessionTable("server");
        int most = 0;
        SeriesTable<String> series =
                new SeriesTable<>(EnumSet.allOf(Meter.MeterKind.class), true, made -> "", gone -> {});
        for (int second = 0; second < 100; second++) {
            List<Made> made = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                made.add(Made.of(Service.COPY, Direction.IN));
                sessions.add(made.get(i).activity());
            }
            sessions.refresh(second * SECOND, false);
            made.forEach(one -> one.activity().end());
            FigureList list = new FigureList();
            list.addSessions(sessions);
            series.update(list.figures(), second * SECOND);
            if (second % secondsOfScrapes == 0) {
                series.onScrape();
            }
            most = Math.max(most, series.size());
        }
        System.out.printf("1,000 sessions, scraped every %d s: at most %d series%n", secondsOfScrapes, most);
        return most;
    }

    @Test
    void aNameRestsForLongerThanThePageShowsItsSession() {
        add(Direction.IN, 1).activity().end();
        table.refresh(0, false);
        table.refresh(SECOND, false);
        table.refresh(16 * SECOND, false);
        Made second = add(Direction.IN, 1);
        table.refresh(16 * 60 * SECOND, false);
        assertThat(table.observed()).extracting(ObservedSession::shortName).containsExactly("s2");
        second.activity().end();
        table.refresh(16 * 60 * SECOND, false);
        add(Direction.IN, 1);
        table.refresh(21 * 60 * SECOND, false);
        assertThat(table.observed()).extracting(ObservedSession::shortName).containsExactly("s1");
    }

    @Test
    void whatHasEndedStaysForFifteenSeconds() {
        Made made = add(Direction.IN, 5);
        table.refresh(0, false);
        made.activity().end();
        table.refresh(SECOND, false);
        table.refresh(15 * SECOND, false);
        assertThat(table.observed()).hasSize(1);
        assertThat(state(1).run().isEnded()).isTrue();
        table.refresh(16 * SECOND, false);
        assertThat(table.observed()).isEmpty();
    }
}
