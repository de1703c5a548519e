package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.monitor.figure.Exposition;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What remains of monitored sessions: the sums of the process. */
final class SessionTotalsTest extends SessionTableFixture {
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
        made.figures().filesDone.set(7);
        made.figures().filesSkipped.set(5);
        made.figures().filesPlaced.set(2);
        made.figures().filesFailed.set(1);
        made.activity().end();
        table.refresh(0, false);
        assertThat(totals("fdt_sessions_total")).as("its result is not known").containsOnly(0.0);
        TransferException full = Cause.NO_SPACE.failure("no space left");
        made.activity().conclude(Summary.of(full, 2, 300, 300, 1, SECOND, "0123"));
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

    /** As {@code nettest --bidir} does. */
    @Test
    void aSessionOfBothDirectionsCountsInBoth() {
        Made made = addOfBoth(300, 20);
        table.refresh(0, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "out")).isEqualTo(300);
        assertThat(valueOf(Meter.SESSION_BYTES, "s1", "in")).isEqualTo(20);
        assertBothTotals();

        made.activity().join(1, Direction.IN, "tcp", () -> 20);
        assertThat(retransmits()).as("those of the lane that was replaced").containsExactly(7.0, 2.0);

        made.activity().end();
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
        made.activity().end();
        table.refresh(SECOND, false);
        table.refresh(100 * SECOND, false);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "out")).isEqualTo(300);
        assertThat(valueOf(Meter.SESSION_BYTES, "others", "in")).isEqualTo(20);
    }

    private Made addOfBoth(long out, long in) {
        Made made = Made.of(Service.NETTEST, Direction.OUT);
        made.bytes().set(out);
        made.activity().lanes().get(0).publish(stream(7));
        made.activity().join(1, Direction.IN, "tcp", () -> in).publish(stream(2));
        table.add(made.activity());
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
        copy.figures().filesDone.set(7);
        copy.figures().filesSkipped.set(5);
        copy.figures().filesPlaced.set(2);
        Made verification = Made.of(Service.VERIFY, Direction.OUT);
        verification.figures().filesDone.set(9);
        table.add(verification.activity());
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
        first.activity().admit(new SessionActivity.Admission("ann", "push to /x", null));
        first.figures().filesPlaced.set(2);
        Made second = add(Direction.OUT, 50);
        second.activity().admit(new SessionActivity.Admission("bob", "pull of /x", null));
        add(Direction.OUT, 7);
        table.refresh(0, false);
        assertThat(movedBy("ann"))
                .containsExactly(
                        "fdt_key_bytes_total out 0",
                        "fdt_key_bytes_total in 300",
                        "fdt_key_files_total out 0",
                        "fdt_key_files_total in 2");
        assertThat(movedBy("bob")).contains("fdt_key_bytes_total out 50", "fdt_key_bytes_total in 0");
        first.activity().end();
        first.activity().conclude(Summary.of(null, 2, 300, 300, 1, SECOND, "0123"));
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
            made.activity().end();
            made.activity()
                    .conclude(Summary.of(
                            failure == null ? null : failure.failure("full"),
                            1,
                            2_000_000,
                            2_000_000,
                            1,
                            20 * SECOND,
                            "0123"));
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
}
