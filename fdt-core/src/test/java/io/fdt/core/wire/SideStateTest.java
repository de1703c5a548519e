package io.fdt.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.stats.CoreTimes;
import io.fdt.core.stats.LanePlace;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The difference between two states of one end. */
class SideStateTest {
    @Test
    void differenceSubtractsCountersAndKeepsCurrentStates() {
        SideState then = new SideState(
                1_000,
                100,
                List.of(new LaneState(10, 20, 30, true, 4, 50, 60, 70, 80, 9, 10, 11, LanePlace.UNKNOWN)),
                List.of(new CoreTimes(3, 1, 2, 3, 4, 5)));
        SideState now = new SideState(
                5_000,
                300,
                List.of(
                        new LaneState(110, 220, 330, true, 44, 51, 61, 71, 81, 99, 110, 121, LanePlace.UNKNOWN),
                        new LaneState(7, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, LanePlace.UNKNOWN)),
                List.of(new CoreTimes(2, 1, 1, 1, 1, 1), new CoreTimes(3, 11, 22, 33, 44, 55)));

        assertThat(now.since(then))
                .isEqualTo(new SideState(
                        4_000,
                        200,
                        List.of(
                                new LaneState(100, 200, 300, true, 40, 51, 61, 71, 81, 90, 100, 110, LanePlace.UNKNOWN),
                                new LaneState(7, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, 0, LanePlace.UNKNOWN)),
                        List.of(new CoreTimes(2, 1, 1, 1, 1, 1), new CoreTimes(3, 10, 20, 30, 40, 50))));
    }
}
