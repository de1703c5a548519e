package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.ThroughputPlan;
import io.fdt.core.nettest.ThroughputPlan.Direction;
import java.io.IOException;
import java.util.Locale;

/** The plan of a throughput test. */
final class ThroughputPlanView implements PlanView {
    private final ThroughputPlan plan;

    ThroughputPlanView(ThroughputPlan plan) {
        this.plan = plan;
    }

    @Override
    public String startLine(String transport, String peer) {
        return "throughput " + way() + " " + peer + ", " + Figures.count(plan.streams(), "stream")
                + (plan.direction() == Direction.BOTH ? " each way" : "") + " over " + transport;
    }

    private String way() {
        return switch (plan.direction()) {
            case OUT -> "to";
            case IN -> "from";
            case BOTH -> "to and from";
        };
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.text("direction", plan.direction().name().toLowerCase(Locale.ROOT));
        line.number("streams", plan.streams());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        line.text("direction", plan.direction().name().toLowerCase(Locale.ROOT));
        line.number("streams", plan.streams());
        line.fraction("duration_seconds", plan.durationMs() / 1e3, 3);
        line.fraction("warm_up_seconds", plan.warmUpMs() / 1e3, 3);
        line.number("block_bytes", plan.blockBytes());
        line.text("receive", plan.receive().name().toLowerCase(Locale.ROOT));
    }
}
