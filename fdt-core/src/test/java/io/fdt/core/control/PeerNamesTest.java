package io.fdt.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.basic.Clock;
import io.fdt.core.basic.HostView;
import io.fdt.core.budget.Budget;
import io.fdt.core.budget.Budgets;
import io.fdt.core.budget.Resource;
import io.fdt.core.stats.Bottleneck;
import io.fdt.core.stats.PeerHost;
import io.fdt.core.wire.SessionMessage;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the other end of a session may name. */
final class PeerNamesTest {
    private final Budget budget = new Budgets(Map.of(Resource.SERIES, 100L), () -> true).open("key");

    private static HostView view(String host, int core) {
        return new HostView(
                host, List.of(new HostView.Core(core, 0, new HostView.Shares(1, 0, 0, 0, 0, 0, 0))), List.of());
    }

    private static HostExchange asking(SessionInSteps steps) {
        PeerHost peer = steps.session().activity().peerHost();
        assertThat(peer).isInstanceOf(HostExchange.class);
        HostExchange exchange = (HostExchange) peer;
        exchange.begin();
        exchange.ask();
        return exchange;
    }

    @Test
    void aPeerKeepsTheNamesOfItsFirstReport() {
        try (SessionInSteps steps = new SessionInSteps(Clock.SYSTEM, 1)) {
            HostExchange exchange = asking(steps);
            exchange.onReport(view("first", 0), budget);
            exchange.onReport(view("second", 1), budget);
            assertThat(exchange.view()).isEqualTo(new HostView("first", List.of(), List.of()));
            exchange.onReport(view("third", 0), budget);
            assertThat(exchange.view()).isEqualTo(view("first", 0));
            assertThat(budget.held(Resource.SERIES)).isEqualTo(5);
        }
    }

    /** The words become labels of the monitor. */
    @Test
    void aPeerNamesOnlyBottlenecksThatThereAre() {
        try (SessionInSteps steps = new SessionInSteps(Clock.SYSTEM, 1)) {
            HostExchange exchange = asking(steps);
            exchange.onStage(new SessionMessage.StageReport("of my own", 50));
            assertThat(exchange.share()).isNull();
            exchange.onStage(new SessionMessage.StageReport("target-disk", 50));
            assertThat(exchange.share()).isEqualTo(new Bottleneck.Share("target-disk", 50));
            exchange.close();
            assertThat(exchange.share()).as("it is over").isNull();
        }
    }

    @Test
    void aPeerWithMoreCoresThanItsShareOfSeriesIsNotShown() {
        try (SessionInSteps steps = new SessionInSteps(Clock.SYSTEM, 1)) {
            HostExchange exchange = asking(steps);
            HostView.Core core = new HostView.Core(0, 0, new HostView.Shares(1, 0, 0, 0, 0, 0, 0));
            exchange.onReport(new HostView("large", Collections.nCopies(10, core), List.of()), budget);
            assertThat(exchange.view()).isNull();
        }
    }
}
