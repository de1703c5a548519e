package io.fdt.core.nettest.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.basic.Clock;
import io.fdt.core.control.SessionInSteps;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.TransferException;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.transport.IdleLane;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ServerSideTest {
    private static final NettestPlan PLAN = Plans.throughput(
            new NettestPath("server", 1, false, List.of(), 600_000),
            1,
            NettestPlan.Direction.OUT,
            600_000,
            1 << 20,
            NettestPlan.Receive.COPY);

    /** Each attempt would have memory for a block, and only one is charged. */
    @Test
    void aLaneThatIsOpenedAgainGetsNoMemory() {
        SuiteSide suite = PLAN.suite().server(PLAN, NettestResources.inMemory());
        List<MeasuredLane> made = new ArrayList<>();
        try (SessionInSteps session = new SessionInSteps(Clock.SYSTEM, 1)) {
            ServerSide side = new ServerSide(
                    session.session(),
                    (index, lane) -> {
                        MeasuredLane joined = suite.join(index, lane);
                        made.add(joined);
                        return joined;
                    },
                    PLAN,
                    Path.of("/"),
                    bytes -> {});
            assertThat(side.onLane(0, 0, new IdleLane())).isSameAs(made.get(0));

            assertThatThrownBy(() -> side.onLane(0, 1, new IdleLane()))
                    .isInstanceOfSatisfying(
                            TransferException.class,
                            e -> assertThat(e.is(Cause.MALFORMED)).isTrue())
                    .hasMessageContaining("lane 0 of this network test is already open");
            assertThat(made).hasSize(1);
        }
    }
}
