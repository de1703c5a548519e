package io.fdt.monitor.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Series appear with their figures. They disappear with them, but only after a scrape could read the last value. */
final class SeriesTableTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SeriesTable<String> series =
            new SeriesTable<>(EnumSet.allOf(Meter.MeterKind.class), true, made -> "", gone -> {});

    private static Figure bytes(String session, double value) {
        return new Figure(Meter.SESSION_BYTES, List.of(session, "out"), value);
    }

    private static Figure lane(double value) {
        return new Figure(Meter.LANE_SENT_BYTES, List.of("s1", "0", "out"), value);
    }

    /** Returns NaN if the series does not exist. */
    private double shown(String session) {
        return series.of(Meter.SESSION_BYTES).stream()
                .filter(each -> each.labels().get(0).equals(session))
                .mapToDouble(each -> each.value())
                .findFirst()
                .orElse(Double.NaN);
    }

    @Test
    void showsTheLastValueOfEachSeries() {
        series.update(List.of(bytes("s1", 5), bytes("s2", 7)), 0);
        series.update(List.of(bytes("s1", 6), bytes("s2", 9)), SECOND);
        series.onScrape();
        assertThat(shown("s1")).as("in its first scrape").isZero();
        series.onScrape();
        assertThat(shown("s1")).isEqualTo(6);
        assertThat(shown("s2")).isEqualTo(9);
    }

    @Test
    void aLaneThatEndedIsSeenByTwoMoreScrapesAndForFifteenSeconds() {
        series.update(List.of(lane(5)), 0);
        series.update(List.of(), 14 * SECOND);
        series.onScrape();
        series.onScrape();
        series.update(List.of(), 14 * SECOND);
        assertThat(lanes()).as("two scrapes in less than 15 seconds").isEqualTo(1);
        series.update(List.of(), 15 * SECOND);
        assertThat(lanes()).isZero();
    }

    private int lanes() {
        return series.of(Meter.LANE_SENT_BYTES).size();
    }

    /** Each of them needs two scrapes, the first of which shows 0. */
    @Test
    void twoScrapersSeeTheLastValueOfAShortSession() {
        series.update(List.of(bytes("s1", 5)), 0);
        for (int second = 7; second <= 14; second += 7) {
            series.update(List.of(bytes("s1", 5)), second * SECOND);
            series.onScrape();
        }
        series.update(List.of(), 15 * SECOND);
        for (int second = 22; second <= 29; second += 7) {
            series.onScrape();
            assertThat(shown("s1")).isEqualTo(5);
            series.update(List.of(), second * SECOND);
        }
        series.update(List.of(), 30 * SECOND);
        assertThat(shown("s1")).isNaN();
    }

    @Test
    void amongManySeriesASessionIsRemovedOnceTwoScrapesHadItsLastValue() {
        List<Figure> many = new ArrayList<>();
        for (int session = 1; session <= SeriesTable.MANY_SERIES; session++) {
            many.add(bytes("other" + session, 1));
        }
        many.add(bytes("s1", 5));
        series.update(many, 0);
        series.onScrape();
        series.update(List.of(bytes("s1", 6)), SECOND);
        series.onScrape();
        series.update(List.of(), 2 * SECOND);
        assertThat(shown("s1")).as("one scrape with the last value").isEqualTo(6);
        assertThat(shown("other1")).isNaN();
        series.update(many, 3 * SECOND);
        series.onScrape();
        series.onScrape();
        series.update(List.of(), 4 * SECOND);
        assertThat(shown("s1")).isNaN();
    }

    @Test
    void aSeriesThatEndedWaitsForASlowScraperButNotForOneThatNeverComes() {
        series.update(List.of(bytes("s1", 5)), 0);
        series.onScrape();
        series.update(List.of(), 170 * SECOND);
        assertThat(shown("s1")).as("one scrape only, which shows 0").isZero();
        series.update(List.of(), 180 * SECOND);
        assertThat(shown("s1")).isNaN();
    }

    @Test
    void aSeriesThatComesBackGoesOn() {
        series.update(List.of(lane(5)), 0);
        series.update(List.of(), 10 * SECOND);
        series.update(List.of(lane(8)), 20 * SECOND);
        series.onScrape();
        series.onScrape();
        series.update(List.of(), 30 * SECOND);
        assertThat(lanes()).as("its fifteen seconds begin anew").isEqualTo(1);
    }

    /** Sessions that start and end for a day leave nothing behind. */
    @Test
    void doesNotGrowWithWhatIsGone() {
        for (int second = 0; second < 2_000; second++) {
            series.onScrape();
            series.update(List.of(bytes("s" + second, second)), second * SECOND);
        }
        assertThat(series.size()).isLessThanOrEqualTo(20);
    }

    /** A peer that reports false cores may cause this: different cores every second, before the earlier ones expire. */
    @Test
    void hasNoMoreThanItCanHoldOfOneMeter() {
        for (int second = 0; second < 20; second++) {
            List<Figure> cores = new ArrayList<>();
            for (int core = 0; core < 5_000; core++) {
                List<String> labels = List.of("h" + second, String.valueOf(core), "user");
                cores.add(new Figure(Meter.PEER_CPU_RATIO, labels, 1));
            }
            cores.add(bytes("s1", second));
            series.update(cores, second * SECOND);
        }
        assertThat(cores()).isEqualTo(SeriesTable.MAX_SERIES);
        series.onScrape();
        series.onScrape();
        assertThat(shown("s1")).isEqualTo(19);
        series.update(List.of(), 90 * SECOND);
        assertThat(cores()).isZero();
        series.update(List.of(new Figure(Meter.PEER_CPU_RATIO, List.of("h", "1", "user"), 1)), 91 * SECOND);
        assertThat(cores()).isEqualTo(1);
    }

    private int cores() {
        return series.of(Meter.PEER_CPU_RATIO).size();
    }

    @Test
    void leavesOutKindsThatItsExporterDoesNotKnow() {
        SeriesTable<String> gauges = new SeriesTable<>(Set.of(Meter.MeterKind.GAUGE), true, made -> "", gone -> {});
        gauges.update(List.of(bytes("s1", 5)), 0);
        assertThat(gauges.size()).isZero();
    }

    @Test
    void itsExporterLearnsOfSeriesThatComeAndGo() {
        Set<String> shown = new TreeSet<>();
        SeriesTable<String> names = new SeriesTable<>(
                EnumSet.allOf(Meter.MeterKind.class),
                false,
                made -> {
                    String name = made.labels().get(0);
                    shown.add(name);
                    return name;
                },
                shown::remove);
        names.update(List.of(bytes("s1", 5), bytes("s2", 5)), 0);
        assertThat(shown).containsExactly("s1", "s2");
        assertThat(names.of(Meter.SESSION_BYTES)).allMatch(each -> each.value() == 5);
        names.update(List.of(bytes("s2", 5)), 180 * SECOND);
        assertThat(shown).containsExactly("s2");
    }
}
