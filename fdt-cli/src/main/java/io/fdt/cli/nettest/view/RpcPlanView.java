package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.RpcPlan;
import java.io.IOException;

/** The plan of a test of requests and answers. */
final class RpcPlanView implements PlanView {
    private final RpcPlan plan;

    RpcPlanView(RpcPlan plan) {
        this.plan = plan;
    }

    @Override
    public String startLine(String transport, String peer) {
        return "rpc to " + peer + ", " + Figures.count(plan.sizes().size(), "size") + ", "
                + Figures.count(plan.concurrent(), "lane") + " over " + transport;
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.number("concurrent", plan.concurrent());
        line.number("servers", plan.servers());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        line.texts("servers", plan.serverNames());
        line.number("request_bytes", plan.requestBytes());
        line.numbers("sizes", plan.sizes());
        line.number("concurrent", plan.concurrent());
        line.fraction("duration_seconds", plan.durationMs() / 1e3, 3);
        line.flag("busy_poll", plan.polling());
    }
}
