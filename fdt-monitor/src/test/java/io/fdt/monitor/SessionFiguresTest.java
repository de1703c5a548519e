package io.fdt.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fdt.core.failure.Cause;
import io.fdt.core.plan.Entries;
import io.fdt.core.plan.FileEntry;
import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LaneCounters.Counter;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionActivity.Service;
import io.fdt.core.stats.StreamFigures;
import io.fdt.core.stats.Summary;
import io.fdt.core.transfer.Ledger;
import io.fdt.core.transfer.TransferObserver;
import io.fdt.monitor.figure.Figure;
import io.fdt.monitor.figure.Meter;
import io.fdt.monitor.figure.Sample;
import io.fdt.monitor.figure.Sample.LaneState;
import io.fdt.monitor.figure.Sample.SessionState;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** What is shown of one monitored session. */
final class SessionFiguresTest extends SessionTableFixture {
    @Test
    void describesASessionForWhoeverLooksAtItsSeries() {
        Made made = add(Direction.IN, 1);
        made.activity().join(0, Direction.IN, "epoll, TLSv1.3 TLS_AES_128_GCM_SHA256 (BoringSSL)", () -> 1);
        made.activity().admit(new SessionActivity.Admission("ann", "push to /x", null));
        add(Direction.OUT, 1).activity().join(0, Direction.OUT, "ring, clear", () -> 1);
        table.refresh(0, false);
        assertThat(figures())
                .filteredOn(figure -> figure.meter() == Meter.SESSION_INFO)
                .extracting(Figure::labels)
                .containsExactly(
                        List.of("s1 in copy 10.1.1.1 ann xxh3 epoll TLSv1.3 TLS_AES_128_GCM_SHA256 0123 "
                                .split(" ", -1)),
                        List.of("s2 out copy 10.1.1.1  xxh3 ring none  0123 ".split(" ", -1)));
    }

    /** What it moves is compared with its size: neither contains what is skipped or was there from an earlier run. */
    @Test
    void theSizeOfACopyIsWhatItHasToMove() {
        Made made = add(Direction.OUT, 250);
        Ledger ledger = new Ledger(made.figures(), TransferObserver.NONE);
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

    /** Marks of a dashboard are at this time, which must therefore be the same in each sample. */
    @Test
    void theEndOfASessionIsOneTime() {
        Made made = add(Direction.IN, 1);
        table.refresh(0, false);
        assertThat(labelsOf(Meter.SESSION_END)).isEmpty();
        made.activity().end();
        made.activity().conclude(Summary.of(null, 1, 1, 1, 1, 1, "0123"));
        table.refresh(SECOND, false);
        double ended = valueOf(Meter.SESSION_END, "s1", "copy", "in", "ok");
        assertThat(ended).isCloseTo(System.currentTimeMillis() / 1e3, within(3600.0));
        table.refresh(2 * SECOND, false);
        assertThat(valueOf(Meter.SESSION_END, "s1", "copy", "in", "ok")).isEqualTo(ended);
    }

    @Test
    void showsHowASessionEndedAndWhenItBeganAndEnded() {
        Made made = add(Direction.IN, 300);
        made.figures().bytesSent.set(300);
        made.activity().admit(new SessionActivity.Admission("alice", "push to /in", null));
        table.refresh(0, false);
        assertThat(state(0).run().endMs()).isEqualTo(-1);
        assertThat(state(0).run().outcome()).isNull();
        made.activity().end();
        made.activity().conclude(Summary.of(Cause.TARGET.failure("no space left"), 2, 300, 300, 1, SECOND, "0123"));
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
            sessions.add(made.activity());
            sessions.refresh(0, false);
            made.activity().end();
            made.activity().conclude(Summary.of(Cause.TARGET.failure(each), 2, 300, 300, 1, SECOND, "0123"));
            sessions.refresh(SECOND, false);
            assertThat(sessions.observed().get(0).state(1, 0, 0).run().reason())
                    .startsWith(reason)
                    .hasSizeLessThanOrEqualTo(300);
        }
    }

    @Test
    void tellsProgressAndRateOfACopy() {
        Made made = add(Direction.OUT, 100);
        made.figures().bytesTotal.set(1000);
        table.refresh(0, false);
        SessionState first = state(0);
        assertThat(first.amounts().bytesPerSecond())
                .as("nothing to tell a rate from")
                .isZero();
        assertThat(first.amounts().filesTotal()).as("the walk is not over").isEqualTo(-1);
        assertThat(first.amounts().bytesTotal()).isEqualTo(1000);
        assertThat(first.lanes()).as("still the number that it began with").isNull();

        made.bytes().set(600);
        made.figures().bytesDone.set(400);
        made.figures().filesDone.set(2);
        made.figures().filesTotal.set(9);
        made.figures().totalsFinal = true;
        made.figures().file = "run7/" + "x".repeat(5000) + ".dat";
        made.counters().lane(0).add(Counter.RESENT_CHUNKS, 4);
        made.activity().wantLanes(12, SessionActivity.LaneReason.NETWORK, "the network limits 8 lanes to 940 Mbit/s");
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

        made.figures().endless = true;
        assertThat(state(1).amounts().bytesTotal()).isEqualTo(-1);
    }

    @Test
    void showsAVerificationByWhatItHasRead() {
        Made made = Made.of(Service.VERIFY, Direction.OUT);
        made.figures().endless = true;
        table.add(made.activity());
        table.refresh(0, false);
        state(0);
        made.figures().bytesDone.set(3000);
        made.figures().filesDone.set(2);
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
        LaneActivity second = made.activity().join(1, Direction.OUT, "tcp", () -> 20);
        second.publish(new StreamFigures(
                0,
                3,
                0,
                new StreamFigures.RoundTrip(150, 100),
                new StreamFigures.Windows(4096, 8192, 0),
                StreamFigures.SendTime.NONE,
                new LanePlace(1, 2, 0)));
        LaneActivity gone = made.activity().join(2, Direction.OUT, "tcp", () -> 30);
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
        made.activity()
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
        made.activity().end();
        assertThat(state(1).bottleneck())
                .as("it is over, and its result is not known")
                .isNull();
        Summary ok = Summary.of(null, 1, 1, 1, 1, 1, "0123");
        made.activity()
                .conclude(new Summary(
                        null, ok.files(), ok.bytes(), new Summary.Run("0123", 1, 0, 1, "source-disk"), null, null));
        assertThat(state(1).bottleneck().sentence())
                .as("of the whole session")
                .isEqualTo("the source disk was the bottleneck");
    }

    @Test
    void aSessionWhosePeerIsGoneSaysSoInsteadOfABottleneck() {
        Made made = add(Direction.IN, 0);
        AtomicBoolean gone = new AtomicBoolean();
        made.activity().meet(new PeerHost() {
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
        made.activity().end();
        assertThat(totals("fdt_sessions_peer_gone")).as("it is over").containsExactly(0.0);
    }

    private String verdictAfter(Made made, Counter busy, int seconds) {
        for (int i = 0; i < seconds; i++) {
            made.counters().lane(0).add(busy, SECOND);
            table.refresh(0, false);
        }
        return state(1).bottleneck().word();
    }
}
