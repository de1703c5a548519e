package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.SweepPlan;
import java.io.IOException;
import java.util.Locale;

/** The plan of a streaming test. */
final class SweepPlanView implements PlanView {
    private final SweepPlan plan;

    SweepPlanView(SweepPlan plan) {
        this.plan = plan;
    }

    @Override
    public String startLine(String transport, String peer) {
        return "sweep to " + peer + ", bursts of " + Figures.count(plan.messages(), "message") + ", "
                + Figures.count(plan.sizes().size(), "size") + " over " + transport;
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.number("messages", plan.messages());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        line.numbers("sizes", plan.sizes());
        line.number("messages", plan.messages());
        line.texts("modes", plan.modes().stream().map(SweepPlanView::word).toList());
        if (plan.switchAtBytes() > 0) {
            line.number("switch_at", plan.switchAtBytes());
        }
        line.fraction("duration_seconds", plan.durationMs() / 1e3, 3);
    }

    static String word(SweepPlan.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
