package io.fdt.cli.nettest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.LaneActivity;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.stats.SessionActivity;
import io.fdt.core.stats.SessionActivity.Direction;
import io.fdt.core.stats.SessionCounters;
import io.fdt.core.stats.StreamFigures;
import org.junit.jupiter.api.Test;

/** What the lanes of a copy reveal about their path, worded like the evidence of a verdict. */
final class PathEvidenceTest {
    private static final long ACKED = 1448L * 99_995;
    private static final long WINDOW = 1 << 20;

    private final SessionActivity session = new SessionActivity("0123", "dtn2", new SessionCounters());

    private LaneActivity lane(Direction direction, int index, long rttUs, long retransmits) {
        session.begin(new SessionActivity.Work(SessionActivity.Service.COPY, direction, "", null, () -> 0));
        LaneActivity lane = session.join(index, direction, "tcp", () -> 0);
        lane.publish(new StreamFigures(
                ACKED,
                retransmits,
                0,
                new StreamFigures.RoundTrip((int) rttUs, 100_000),
                new StreamFigures.Windows(1, WINDOW, 0),
                StreamFigures.SendTime.NONE,
                new LanePlace(0, 0, 0)));
        return lane;
    }

    @Test
    void reportsLanesAndPath() {
        lane(Direction.OUT, 0, 101_000, 10);
        lane(Direction.OUT, 1, 103_000, 0);
        lane(Direction.OUT, 2, 1, 1_000).close();
        session.wantLanes(2, SessionActivity.LaneReason.NETWORK, "the network limits 1 lanes to 900 Mbit/s");

        assertThat(PathEvidence.evidence(session))
                .containsExactly(
                        "2 lanes: the network limits 1 lanes to 900 Mbit/s",
                        "round-trip time 102.0 ms, the shortest 100.0 ms",
                        "0.005 % of all segments were sent again",
                        "the receiver's windows allow 164 Mbit/s (19.6 MiB/s)");
    }

    @Test
    void seesAQueue() {
        lane(Direction.OUT, 0, 180_000, 0);

        assertThat(PathEvidence.evidence(session))
                .startsWith(
                        "1 lane, as at the start",
                        "round-trip time 180.0 ms, the shortest 100.0 ms: packets queue on the path");
    }

    @Test
    void receiverReportsOnlyLanes() {
        lane(Direction.IN, 0, 180_000, 0);

        assertThat(PathEvidence.evidence(session)).containsExactly("1 lane, as at the start");
    }

    @Test
    void reportsNothingBeforeFirstLane() {
        assertThat(PathEvidence.evidence(session)).isEmpty();
    }
}
