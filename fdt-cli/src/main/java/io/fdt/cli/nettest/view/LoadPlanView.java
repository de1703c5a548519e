package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.LoadPlan;
import java.io.IOException;

/** The plan of a test under load. */
final class LoadPlanView implements PlanView {
    private final LoadPlan plan;

    LoadPlanView(LoadPlan plan) {
        this.plan = plan;
    }

    @Override
    public String startLine(String transport, String peer) {
        return "load to " + peer + ", " + Figures.exactBytes(plan.sizeBytes()) + " each way, "
                + Figures.count(plan.pools().size(), "pool") + " of " + Figures.count(plan.stepsEach(), "step")
                + " over " + transport;
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.number("steps", plan.steps());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        line.number("size_bytes", plan.sizeBytes());
        line.numbers("offered", plan.offeredPerSecond());
        line.numbers("rx_buffers", plan.rxBuffers());
        line.numbers("tx_buffers", plan.txBuffers());
        line.fraction("duration_seconds", plan.durationMs() / 1e3, 3);
        line.flag("busy_poll", plan.polling());
    }
}
