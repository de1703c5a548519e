package io.fdt.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.SessionActivity.Direction;
import java.util.ArrayList;
import java.util.List;
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
}
