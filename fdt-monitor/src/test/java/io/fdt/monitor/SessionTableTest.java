package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.stats.TransferFigures;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.monitor.figure.Exposition;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.SessionState;
import io.fdt.monitor.figure.SeriesTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Monitored sessions: how many are shown, for how long, and which figures. */
final class SessionTableTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** A scrape of 3,000, without those of the host and the process. */
    private static final int MOST_SERIES_OF_SESSIONS = 2_600;

    private final SessionTable table = new SessionTable("server");

    /** A running session with one lane. The lane has moved as many bytes as its counter states. */
    private record Made(SessionActivity activity, SessionCounters counters, TransferFigures figures, AtomicLong bytes) {
        static Made of(Service service, Direction direction) {
            SessionCounters counters = new SessionCounters();
            SessionActivity activity = new SessionActivity("0123", "10.1.1.1:5", counters);
            TransferFigures figures = service == Service.NETTEST ? null : new TransferFigures();
            activity.begin(new SessionActivity.Work(service, direction, "xxh3", figures, () -> 3));
            AtomicLong bytes = new AtomicLong();
            if (service != Service.VERIFY) {
                activity.join(0, direction, "tcp", bytes::get);
            }
            return new Made(activity, counters, figures, bytes);
        }
    }

    private Made add(Direction direction, long bytes) {
        Made made = Made.of(Service.COPY, direction);
        made.bytes.set(bytes);
        table.add(made.activity);
        return made;
    }

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
        all.get(64).bytes.set(7000);
        all.get(66).activity.end();
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
                made.activity.join(lane, Direction.OUT, "tcp", () -> 1);
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
            add(Direction.OUT, 1).activity.end();
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
        made.activity.end();
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
        all.get(0).bytes.set(1_000_000);
        table.refresh(610 * SECOND, false);
        assertThat(labelsOf(Meter.LANE_SENT_BYTES)).contains("s1").doesNotContain("s19");
    }

    @Test
    void lanesThatDoNotFitAreThoseOfTheSessionThatMovedLess() {
        Made less = add(Direction.OUT, 1);
        Made more = add(Direction.OUT, 1);
        for (Made made : List.of(less, more)) {
            for (int lane = 0; lane < 200; lane++) {
                made.activity.join(lane, Direction.OUT, "tcp", made.bytes::get);
            }
        }
        more.bytes.set(2);
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
            add(Direction.OUT, 1).activity.end();
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
                made.activity.join(lane, Direction.IN, "tcp", () -> 1);
            }
            table.refresh(now, false);
            List<Figure> figures = figures();
            series.update(figures, now);
            series.onScrape();
            figures.stream()
                    .filter(figure -> figure.meter() != Meter.SESSION_INFO)
                    .map(figure -> figure.meter() + " " + figure.labels())
                    .forEach(everSeen::add);
            made.activity.end();
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
                sessions.add(made.get(i).activity);
            }
            sessions.refresh(second * SECOND, false);
            made.forEach(one -> one.activity.end());
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
        add(Direction.IN, 1).activity.end();
        table.refresh(0, false);
        table.refresh(SECOND, false);
        table.refresh(16 * SECOND, false);
        Made second = add(Direction.IN, 1);
        table.refresh(16 * 60 * SECOND, false);
        assertThat(table.observed()).extracting(ObservedSession::shortName).containsExactly("s2");
        second.activity.end();
        table.refresh(16 * 60 * SECOND, false);
        add(Direction.IN, 1);
        table.refresh(21 * 60 * SECOND, false);
        assertThat(table.observed()).extracting(ObservedSession::shortName).containsExactly("s1");
    }

    @Test
    void describesASessionForWhoeverLooksAtItsSeries() {
        Made made = add(Direction.IN, 1);
        made.activity.join(0, Direction.IN, "epoll, TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)", () -> 1);
        made.activity.admit(new SessionActivity.Admission("ann", "push to /x", null));
        add(Direction.OUT, 1).activity.join(0, Direction.OUT, "ring, clear", () -> 1);
        table.refresh(0, false);
        assertThat(figures())
                .filteredOn(figure -> figure.meter() == Meter.SESSION_INFO)
                .extracting(Figure::labels)
                .containsExactly(
                        List.of("s1 in copy 10.1.1.1 ann xxh3 epoll TLSv1.3 TLS_AES_128_GCM_SHA256 0123 "
                                .split(" ", -1)),
                        List.of("s2 out copy 10.1.1.1  xxh3 ring none  0123 ".split(" ", -1)));
    }

    @Test
    void totalsExistBeforeTheFirstSession() {
        assertThat(totals("fdt_bytes_total")).containsOnly(0.0).hasSize(2);
        assertThat(totals("fdt_files_total")).containsOnly(0.0).hasSize(2);
        assertThat(totals("fdt_chunks_resent_total")).containsOnly(0.0).hasSize(2);
        assertThat(totals("fdt_retransmits_total")).containsOnly(0.0).hasSize(2);
        assertThat(totals("fdt_sessions_total")).containsOnly(0.0).hasSize(4 * 2 * 4);
    }

    /** The session begins and ends between two samples, and its last figures come later than its end. */
    @Test
    void totalsCountAShortSessionOnceAndNeverFall() {
        Made made = add(Direction.IN, 300);
        made.figures.filesDone.set(7);
        made.figures.filesSkipped.set(5);
        made.figures.filesPlaced.set(2);
        made.figures.filesFailed.set(1);
        made.activity.end();
        table.refresh(0, false);
        assertThat(totals("fdt_sessions_total")).as("its result is not known").containsOnly(0.0);
        TransferException full = Cause.NO_SPACE.failure("no space left");
        made.activity.conclude(Summary.of(full, 2, 300, 300, 1, SECOND, "0123"));
        for (int second = 1; second < 40; second += 8) {
            table.refresh(second * SECOND, false);
            assertThat(totals("fdt_bytes_total")).containsExactlyInAnyOrder(300.0, 0.0);
            assertThat(totals("fdt_files_total")).containsExactlyInAnyOrder(2.0, 0.0);
            assertThat(totals("fdt_files_failed_total")).containsExactlyInAnyOrder(1.0, 0.0);
            assertThat(totalFigures())
                    .filteredOn(figure -> figure.meter() == Meter.SESSIONS && figure.value() > 0)
                    .containsExactly(new Figure(Meter.SESSIONS, List.of("copy", "in", "failed"), 1));
            assertThat(totalFigures())
                    .filteredOn(figure -> figure.meter().exportedName().equals("fdt_sessions_failed_total"))
                    .extracting(Figure::labels, Figure::value)
                    .containsExactly(tuple(List.of("copy", "no-space"), 1.0));
        }
        assertThat(table.observed()).isEmpty();
    }

    /** What it moves is compared with its size: neither contains what is skipped or was there from an earlier run. */
    @Test
    void theSizeOfACopyIsWhatItHasToMove() {
        Made made = add(Direction.OUT, 250);
        Ledger ledger = new Ledger(made.figures, TransferObserver.NONE);
        FileEntry skipped = Entries.file("skipped", 5000);
        FileEntry resumed = Entries.file("resumed", 1000);
        ledger.found(skipped);
        ledger.found(resumed);
        ledger.skipped(skipped, new byte[0]);
        ledger.resumed(resumed, 600);
        ledger.acknowledged(250);
        table.refresh(0, false);
        assertThat(valueOf(Meter.SESSION_SIZE, "s1", "out")).isEqualTo(400);
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "out")).isEqualTo(250);
        ledger.acknowledged(150);
        assertThat(valueOf(Meter.SESSION_SIZE, "s1", "out")).isEqualTo(400);
    }

    /** As {@code nettest --bidir} does. */
    @Test
    void aSessionOfBothDirectionsCountsInBoth() {
        Made made = addOfBoth(300, 20);
        table.refresh(0, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "out")).isEqualTo(300);
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "in")).isEqualTo(20);
        assertBothTotals();

        made.activity.join(1, Direction.IN, "tcp", () -> 20);
        assertThat(retransmits()).as("those of the lane that was replaced").containsExactly(7.0, 2.0);

        made.activity.end();
        table.refresh(SECOND, false);
        table.refresh(100 * SECOND, false);
        assertThat(table.observed()).isEmpty();
        assertBothTotals();
    }

    @Test
    void sessionsThatAreNotShownCountInBothDirections() {
        for (int i = 0; i < SessionTable.MAX_SESSIONS; i++) {
            add(Direction.OUT, 0);
        }
        Made made = addOfBoth(300, 20);
        table.refresh(0, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(300);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "in")).isEqualTo(20);
        made.activity.end();
        table.refresh(SECOND, false);
        table.refresh(100 * SECOND, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(300);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "in")).isEqualTo(20);
    }

    private Made addOfBoth(long out, long in) {
        Made made = Made.of(Service.NETTEST, Direction.OUT);
        made.bytes.set(out);
        made.activity.lanes().get(0).publish(stream(7));
        made.activity.join(1, Direction.IN, "tcp", () -> in).publish(stream(2));
        table.add(made.activity);
        return made;
    }

    private static StreamFigures stream(long retransmits) {
        return new StreamFigures(
                0,
                retransmits,
                0,
                new StreamFigures.RoundTrip(150, 100),
                new StreamFigures.Windows(4096, 8192, 0),
                StreamFigures.SendTime.NONE,
                new LanePlace(1, 2, 0));
    }

    private void assertBothTotals() {
        assertThat(totals("fdt_bytes_total")).containsExactly(300.0, 20.0);
        assertThat(retransmits()).containsExactly(7.0, 2.0);
    }

    private List<Double> retransmits() {
        return totals("fdt_retransmits_total");
    }

    /** A skipped file was there before, and a verification only reads. */
    @Test
    void filesAreThoseThatWerePutInPlace() {
        Made copy = add(Direction.IN, 300);
        copy.figures.filesDone.set(7);
        copy.figures.filesSkipped.set(5);
        copy.figures.filesPlaced.set(2);
        Made verification = Made.of(Service.VERIFY, Direction.OUT);
        verification.figures.filesDone.set(9);
        table.add(verification.activity);
        table.refresh(0, false);
        assertThat(valueOf(Meter.SESSION_FILES, "s1", "in")).isEqualTo(2);
        assertThat(valueOf(Meter.SESSION_FILES, "s2", "out")).isZero();
        assertThat(totals("fdt_files_total")).containsExactlyInAnyOrder(2.0, 0.0);
    }

    @Test
    void countsOutcomesByKeyAndHostOfTheClient() {
        for (int i = 0; i < 200; i++) {
            SessionActivity activity =
                    new SessionActivity("0123", "10.1.1." + i / 2 + ":" + (1000 + i), new SessionCounters());
            activity.admit(new SessionActivity.Admission("ann", "push to /x", null));
            activity.end();
            activity.conclude(Summary.of(i % 2 == 0 ? null : Cause.TARGET.failure("full"), 1, 1, 1, 1, 1, "0123"));
            table.add(activity);
            table.refresh(i * SECOND, false);
        }
        List<Figure> ended = totalFigures().stream()
                .filter(figure -> figure.meter() == Meter.KEY_SESSIONS)
                .toList();
        assertThat(ended).hasSize((ProcessTotals.MAX_CLIENTS + 1) * 4);
        assertThat(ended)
                .contains(
                        new Figure(Meter.KEY_SESSIONS, List.of("ann", "10.1.1.7", "ok"), 1),
                        new Figure(Meter.KEY_SESSIONS, List.of("ann", "10.1.1.7", "failed"), 1),
                        new Figure(Meter.KEY_SESSIONS, List.of("ann", "10.1.1.7", "partial"), 0),
                        new Figure(
                                Meter.KEY_SESSIONS,
                                List.of("others", "others", "ok"),
                                100 - ProcessTotals.MAX_CLIENTS));
    }

    /** While they run, and after they have left: the series exist from the first sample of a session on. */
    @Test
    void countsWhoMovedHowMuch() {
        Made first = add(Direction.IN, 300);
        first.activity.admit(new SessionActivity.Admission("ann", "push to /x", null));
        first.figures.filesPlaced.set(2);
        Made second = add(Direction.OUT, 50);
        second.activity.admit(new SessionActivity.Admission("bob", "pull of /x", null));
        add(Direction.OUT, 7);
        table.refresh(0, false);
        assertThat(movedBy("ann"))
                .containsExactly(
                        "fdt_key_bytes_total out 0",
                        "fdt_key_bytes_total in 300",
                        "fdt_key_files_total out 0",
                        "fdt_key_files_total in 2");
        assertThat(movedBy("bob")).contains("fdt_key_bytes_total out 50", "fdt_key_bytes_total in 0");
        first.activity.end();
        first.activity.conclude(Summary.of(null, 2, 300, 300, 1, SECOND, "0123"));
        for (int at = 1; at < 100; at += 8) {
            table.refresh(at * SECOND, false);
            assertThat(movedBy("ann")).contains("fdt_key_bytes_total in 300", "fdt_key_files_total in 2");
        }
        assertThat(totalFigures())
                .filteredOn(figure -> figure.meter() == Meter.KEY_BYTES)
                .as("no client is a key of its own")
                .hasSize(4);
    }

    private List<String> movedBy(String key) {
        return totalFigures().stream()
                .filter(figure -> figure.meter() == Meter.KEY_BYTES || figure.meter() == Meter.KEY_FILES)
                .filter(figure -> figure.labels().get(0).equals(key))
                .map(figure ->
                        figure.meter().exportedName() + " " + figure.labels().get(2) + " " + (long) figure.value())
                .sorted(Comparator.comparing((String line) -> line.contains("_files_")))
                .toList();
    }

    /** Of copies that ended well: neither listings nor failures have a rate that says something. */
    @Test
    void copiesAreInHistograms() {
        for (Cause failure : new Cause[] {null, Cause.TARGET}) {
            Made made = add(Direction.IN, 1);
            made.activity.end();
            made.activity.conclude(Summary.of(
                    failure == null ? null : failure.failure("full"), 1, 2_000_000, 2_000_000, 1, 20 * SECOND, "0123"));
        }
        table.refresh(0, false);
        Exposition page = new Exposition("dtn1");
        page.onFirstFigures(totalFigures());
        assertThat(page.scrape(Exposition.TEXT))
                .contains(
                        "# TYPE fdt_copies_duration_seconds histogram\n",
                        "fdt_copies_duration_seconds_bucket{direction=\"in\",host=\"dtn1\",le=\"10.0\"} 0.0\n",
                        "fdt_copies_duration_seconds_bucket{direction=\"in\",host=\"dtn1\",le=\"60.0\"} 1.0\n",
                        """
                        fdt_copies_duration_seconds_bucket{direction="in",host="dtn1",le="+Inf"} 1.0
                        fdt_copies_duration_seconds_sum{direction="in",host="dtn1"} 20.0
                        fdt_copies_duration_seconds_count{direction="in",host="dtn1"} 1.0
                        """,
                        "fdt_copies_moved_bytes_bucket{direction=\"in\",host=\"dtn1\",le=\"10000000.0\"} 1.0\n",
                        "fdt_copies_rate_bytes_per_second_sum{direction=\"in\",host=\"dtn1\"} 100000.0\n",
                        "fdt_copies_duration_seconds_count{direction=\"out\",host=\"dtn1\"} 0.0\n");
    }

    private List<Figure> totalFigures() {
        FigureList list = new FigureList();
        table.addTotals(list);
        return list.figures();
    }

    private List<Double> totals(String name) {
        return totalFigures().stream()
                .filter(figure -> figure.meter().exportedName().equals(name))
                .map(Figure::value)
                .toList();
    }

    /** A pull of a missing source ends before the server begins to send; a listing is no copy. */
    @Test
    void aSessionThatFailedBeforeItBeganIsOfTheServiceThatWasRequested() {
        for (SessionActivity.Kind kind :
                new SessionActivity.Kind[] {new SessionActivity.Kind(Service.COPY, Direction.IN), null}) {
            SessionActivity activity = new SessionActivity("0123", "10.1.1.1:5", new SessionCounters());
            activity.admit(new SessionActivity.Admission("ann", "push to /x", kind));
            activity.end();
            activity.conclude(Summary.of(Cause.SOURCE.failure("no such file"), 0, 0, 0, 1, 1, "0123"));
            table.add(activity);
        }
        table.refresh(0, false);
        assertThat(totalFigures())
                .filteredOn(figure -> figure.meter() == Meter.SESSIONS && figure.value() > 0)
                .extracting(Figure::labels)
                .containsExactlyInAnyOrder(List.of("copy", "in", "failed"), List.of("other", "out", "failed"));
        assertThat(figures())
                .filteredOn(figure -> figure.meter() == Meter.SESSION_END)
                .extracting(Figure::labels)
                .containsExactly(List.of("s1", "copy", "in", "failed", "source", "10.1.1.1", "ann", "0123"));
    }

    /** Marks of a dashboard are at this time, which must therefore be the same in each sample. */
    @Test
    void theEndOfASessionIsOneTime() {
        Made made = add(Direction.IN, 1);
        table.refresh(0, false);
        assertThat(labelsOf(Meter.SESSION_END)).isEmpty();
        made.activity.end();
        made.activity.conclude(Summary.of(null, 1, 1, 1, 1, 1, "0123"));
        table.refresh(SECOND, false);
        double ended = valueOf(Meter.SESSION_END, "s1", "copy", "in", "ok");
        assertThat(ended).isCloseTo(System.currentTimeMillis() / 1e3, within(3600.0));
        table.refresh(2 * SECOND, false);
        assertThat(valueOf(Meter.SESSION_END, "s1", "copy", "in", "ok")).isEqualTo(ended);
    }

    @Test
    void showsHowASessionEndedAndWhenItBeganAndEnded() {
        Made made = add(Direction.IN, 300);
        made.figures.bytesSent.set(300);
        made.activity.admit(new SessionActivity.Admission("alice", "push to /in", null));
        table.refresh(0, false);
        assertThat(state(0).run().endMs()).isEqualTo(-1);
        assertThat(state(0).run().outcome()).isNull();
        made.activity.end();
        made.activity.conclude(Summary.of(Cause.TARGET.failure("no space left"), 2, 300, 300, 1, SECOND, "0123"));
        table.refresh(SECOND, false);
        SessionState ended = state(1);
        assertThat(ended.name().key()).isEqualTo("alice");
        assertThat(ended.name().purpose()).isEqualTo("push to /in");
        assertThat(ended.run().outcome()).isEqualTo("failed");
        assertThat(ended.run().exitCode()).isEqualTo(5);
        assertThat(ended.run().reason()).isEqualTo("no space left");
        assertThat(ended.run().endMs()).isGreaterThanOrEqualTo(ended.run().startMs());
        assertThat(ended.amounts().moved().sent()).isEqualTo(300);
    }

    /** It names the path first, and what to do last. */
    @Test
    void aReasonIsShownFromItsBeginning() {
        String reason = "/in/run7: too little space: the files found so far need 300 MiB more, and 60 MiB are free;"
                + " free at least 240 MiB, then run it again to resume";
        for (String each : List.of(reason, reason.repeat(3))) {
            SessionTable sessions = new SessionTable("server");
            Made made = Made.of(Service.COPY, Direction.IN);
            sessions.add(made.activity);
            sessions.refresh(0, false);
            made.activity.end();
            made.activity.conclude(Summary.of(Cause.TARGET.failure(each), 2, 300, 300, 1, SECOND, "0123"));
            sessions.refresh(SECOND, false);
            assertThat(sessions.observed().get(0).state(1, 0, 0).run().reason())
                    .startsWith(reason)
                    .hasSizeLessThanOrEqualTo(300);
        }
    }

    @Test
    void whatHasEndedStaysForFifteenSeconds() {
        Made made = add(Direction.IN, 5);
        table.refresh(0, false);
        made.activity.end();
        table.refresh(SECOND, false);
        table.refresh(15 * SECOND, false);
        assertThat(table.observed()).hasSize(1);
        assertThat(state(1).run().isEnded()).isTrue();
        table.refresh(16 * SECOND, false);
        assertThat(table.observed()).isEmpty();
    }

    @Test
    void tellsProgressAndRateOfACopy() {
        Made made = add(Direction.OUT, 100);
        made.figures.bytesTotal.set(1000);
        table.refresh(0, false);
        SessionState first = state(0);
        assertThat(first.amounts().bytesPerSecond())
                .as("nothing to tell a rate from")
                .isZero();
        assertThat(first.amounts().filesTotal()).as("the walk is not over").isEqualTo(-1);
        assertThat(first.amounts().bytesTotal()).isEqualTo(1000);
        assertThat(first.lanes()).as("still the number that it began with").isNull();

        made.bytes.set(600);
        made.figures.bytesDone.set(400);
        made.figures.filesDone.set(2);
        made.figures.filesTotal.set(9);
        made.figures.totalsFinal = true;
        made.figures.file = "run7/" + "x".repeat(5000) + ".dat";
        made.counters.lane(0).add(Counter.RESENT_CHUNKS, 4);
        made.activity.wantLanes(12, SessionActivity.LaneReason.NETWORK, "the network limits 8 lanes to 940 Mbit/s");
        table.refresh(2 * SECOND, false);
        SessionState later = state(2);
        assertThat(later.name().session()).isEqualTo("s1");
        assertThat(later.amounts().bytesPerSecond()).isCloseTo(250, within(1e-9));
        assertThat(later.amounts().bytes()).as("what is acknowledged").isEqualTo(400);
        assertThat(later.amounts().files()).isEqualTo(2);
        assertThat(later.amounts().filesTotal()).isEqualTo(9);
        assertThat(later.chunksResent()).isEqualTo(4);
        assertThat(later.lanes()).isEqualTo("12 lanes: the network limits 8 lanes to 940 Mbit/s");
        assertThat(later.file())
                .as("a path is bounded")
                .hasSize(120)
                .startsWith("…x")
                .endsWith("x.dat");

        assertThat(valueOf(Meter.SESSION_LANE_CHANGES, "s1", "out", "network")).isEqualTo(1);
        assertThat(valueOf(Meter.SESSION_LANE_CHANGES, "s1", "out", "fewer")).isZero();

        made.figures.endless = true;
        assertThat(state(1).amounts().bytesTotal()).isEqualTo(-1);
    }

    @Test
    void showsAVerificationByWhatItHasRead() {
        Made made = Made.of(Service.VERIFY, Direction.OUT);
        made.figures.endless = true;
        table.add(made.activity);
        table.refresh(0, false);
        state(0);
        made.figures.bytesDone.set(3000);
        made.figures.filesDone.set(2);
        table.refresh(SECOND, false);

        SessionState state = state(1);
        assertThat(state.name().service()).isEqualTo("verify");
        assertThat(state.amounts().bytes()).isEqualTo(3000);
        assertThat(state.amounts().bytesPerSecond()).isEqualTo(3000);
        assertThat(state.amounts().files()).isEqualTo(2);
        assertThat(state.amounts().bytesTotal()).isEqualTo(-1);
        assertThat(state.bottleneck())
                .as("it moves nothing that could be held back")
                .isNull();
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "out"))
                .as("nothing went over a lane")
                .isZero();
        assertThat(labelsOf(Meter.SESSION_BOTTLENECK)).isEmpty();
    }

    @Test
    void aLaneThatTellsNothingIsNotShownAsZeros() {
        Made made = add(Direction.OUT, 10);
        LaneActivity second = made.activity.join(1, Direction.OUT, "tcp", () -> 20);
        second.publish(new StreamFigures(
                0,
                3,
                0,
                new StreamFigures.RoundTrip(150, 100),
                new StreamFigures.Windows(4096, 8192, 0),
                StreamFigures.SendTime.NONE,
                new LanePlace(1, 2, 0)));
        LaneActivity gone = made.activity.join(2, Direction.OUT, "tcp", () -> 30);
        gone.close();
        table.refresh(0, false);

        List<LaneState> lanes = table.observed().get(0).lanes(0, (lane, core) -> core == 2 ? "eth0:rx-0" : null);
        assertThat(lanes).extracting(LaneState::lane).containsExactly(0, 1);
        assertThat(lanes.get(0).connection().rttUs()).isEqualTo(-1);
        assertThat(lanes.get(0).place().core()).isEqualTo(-1);
        assertThat(lanes.get(0).place().queue()).isNull();
        assertThat(lanes.get(1).connection().rttUs()).isEqualTo(150);
        assertThat(lanes.get(1).connection().retransmits()).isEqualTo(3);
        assertThat(lanes.get(1).place().queue()).isEqualTo("eth0:rx-0");
    }

    /** It sends next to nothing, so the stack of this end cannot measure the path. */
    @Test
    void aReceivingLaneHasNoRoundTripTimeNorWindow() {
        Made made = add(Direction.IN, 10);
        made.activity
                .lanes()
                .get(0)
                .publish(new StreamFigures(
                        0,
                        3,
                        0,
                        new StreamFigures.RoundTrip(3, 3),
                        new StreamFigures.Windows(4096, 8192, 0),
                        StreamFigures.SendTime.NONE,
                        new LanePlace(1, 2, 0)));
        table.refresh(0, false);
        LaneState lane = table.observed().get(0).lanes(0, (one, core) -> null).get(0);
        assertThat(lane.connection()).isEqualTo(Sample.Connection.UNKNOWN);
        assertThat(lane.place().core()).isEqualTo(1);
        assertThat(figures())
                .extracting(Figure::meter)
                .contains(Meter.LANE_CORE)
                .doesNotContain(Meter.LANE_RTT, Meter.LANE_CWND, Meter.LANE_PEER_WINDOW, Meter.LANE_RETRANSMITS);
    }

    /** Covers only the last ten seconds: an earlier limit does not count now. */
    @Test
    void saysWhatHoldsACopyBackNow() {
        Made made = add(Direction.OUT, 0);
        assertThat(verdictAfter(made, Counter.READ_NANOS, 20)).isEqualTo("source-disk");
        assertThat(verdictAfter(made, Counter.HASH_NANOS, 12)).isEqualTo("sender-cpu");
        for (int i = 0; i < 12; i++) {
            table.refresh(0, false);
        }
        assertThat(state(1).bottleneck().sentence())
                .isEqualTo("the lanes report nothing of the last seconds: they are stalled, or none is open");
        assertThat(verdictAfter(made, Counter.HASH_NANOS, 12)).isEqualTo("sender-cpu");
        table.refresh(0, true);
        assertThat(state(1).bottleneck().word()).isEqualTo("sender-foreign-load");
        assertThat(valueOf(Meter.SESSION_BOTTLENECK, "s1", "sender-foreign-load"))
                .isEqualTo(1);
        made.activity.end();
        assertThat(state(1).bottleneck())
                .as("it is over, and its result is not known")
                .isNull();
        Summary ok = Summary.of(null, 1, 1, 1, 1, 1, "0123");
        made.activity.conclude(
                new Summary(null, ok.files(), ok.bytes(), new Summary.Run("0123", 1, 0, 1, "source-disk"), null, null));
        assertThat(state(1).bottleneck().sentence())
                .as("of the whole session")
                .isEqualTo("the source disk was the bottleneck");
    }

    @Test
    void aSessionWhosePeerIsGoneSaysSoInsteadOfABottleneck() {
        Made made = add(Direction.IN, 0);
        AtomicBoolean gone = new AtomicBoolean();
        made.activity.meet(new PeerHost() {
            @Override
            public boolean isGone() {
                return gone.get();
            }
        });
        assertThat(verdictAfter(made, Counter.WRITE_NANOS, 12)).isEqualTo("target-disk");
        assertThat(totals("fdt_sessions_peer_gone")).containsExactly(0.0);
        gone.set(true);
        assertThat(verdictAfter(made, Counter.IDLE_NANOS, 1)).isEqualTo("peer-gone");
        assertThat(state(1).bottleneck().sentence()).startsWith("the other end has gone");
        assertThat(valueOf(Meter.SESSION_BOTTLENECK, "s1", "peer-gone")).isEqualTo(1);
        assertThat(valueOf(Meter.SESSION_BOTTLENECK, "s1", "target-disk")).isZero();
        assertThat(totals("fdt_sessions_peer_gone")).containsExactly(1.0);
        made.activity.end();
        assertThat(totals("fdt_sessions_peer_gone")).as("it is over").containsExactly(0.0);
    }

    private String verdictAfter(Made made, Counter busy, int seconds) {
        for (int i = 0; i < seconds; i++) {
            made.counters.lane(0).add(busy, SECOND);
            table.refresh(0, false);
        }
        return state(1).bottleneck().word();
    }

    private SessionState state(double seconds) {
        return table.observed().get(0).state(seconds, System.nanoTime(), System.currentTimeMillis());
    }

    private List<Figure> figures() {
        FigureList list = new FigureList();
        list.addSessions(table);
        return list.figures();
    }

    private List<String> labelsOf(Meter meter) {
        return figures().stream()
                .filter(figure -> figure.meter() == meter)
                .map(figure -> figure.labels().get(0))
                .toList();
    }

    private double valueOf(Meter meter, String... labels) {
        return figures().stream()
                .filter(figure -> figure.meter() == meter
                        && figure.labels().subList(0, labels.length).equals(List.of(labels)))
                .findFirst()
                .orElseThrow()
                .value();
    }
}
