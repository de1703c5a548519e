package io.fdt.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.SessionActivity.Direction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionActivityTest {
    private final SessionActivity session = new SessionActivity("s1", "10.0.0.7:5", new SessionCounters());
    private final List<String> told = new ArrayList<>();

    private LaneActivity join(int lane) {
        return session.join(lane, Direction.OUT, "epoll", () -> 7);
    }

    @Test
    void reportsLostReopenedAndReplacedLanes() {
        session.watchLanes((change, lane, detail) -> told.add(change + " " + lane + " " + detail));

        LaneActivity first = join(3);
        first.lose("reset");
        assertThat(first.isOpen()).isFalse();
        LaneActivity second = join(3);
        second.close();
        join(3);
        join(4);

        assertThat(told)
                .containsExactly(
                        "JOINED 3 epoll", "LOST 3 reset", "REOPENED 3 epoll", "REPLACED 3 epoll", "JOINED 4 epoll");
    }

    @Test
    void reportsNoLostLanesAfterTheSessionEnds() {
        session.watchLanes((change, lane, detail) -> told.add(change + " " + lane));
        LaneActivity lane = join(0);
        session.end();
        lane.lose("the session failed");
        assertThat(told).containsExactly("JOINED 0");
        assertThat(session.lanes()).noneMatch(LaneActivity::isOpen);
    }

    /** What was read stays as it was, and a session ends once. */
    @Test
    void aStateIsOneMoment() {
        SessionState before = session.state();
        session.wantLanes(8, SessionActivity.LaneReason.WORK, "more files");
        session.end();
        SessionState ended = session.state();
        session.wantLanes(4, SessionActivity.LaneReason.FEWER, "fewer may do");
        session.end();

        assertThat(before).isEqualTo(SessionState.NEW);
        assertThat(ended.isEnded()).isTrue();
        assertThat(session.state().ended()).isEqualTo(ended.ended());
        assertThat(ended.laneCount())
                .isNotNull()
                .extracting(count -> count.lanes())
                .isEqualTo(8);
        assertThat(session.state().laneCount().changes())
                .isEqualTo(Map.of(SessionActivity.LaneReason.WORK, 1L, SessionActivity.LaneReason.FEWER, 1L));
    }
}
