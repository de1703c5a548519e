package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.cli.value.Figures;
import io.fdt.core.nettest.LatencyPlan;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.transport.DeviceQueues.Kind;
import java.io.IOException;

/** The plan of a ping-pong. */
final class LatencyPlanView implements PlanView {
    private final LatencyPlan plan;

    LatencyPlanView(LatencyPlan plan) {
        this.plan = plan;
    }

    @Override
    public String startLine(String transport, String peer) {
        return "latency to " + peer + ", " + Figures.count(plan.iterations(), "round trip") + " of each of "
                + Figures.count(plan.sizes().size(), "size") + " over " + transport
                + (plan.queues() == null ? "" : ", by " + words(plan.queues()));
    }

    static String words(QueueUse queues) {
        return queues.kind() == Kind.DATAGRAM ? "datagrams of a queue pair" : "a reliable queue pair";
    }

    /** As the option has it. */
    static String word(QueueUse queues) {
        return queues.kind() == Kind.DATAGRAM ? "ud" : "rc";
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.number("iterations", plan.iterations());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        line.numbers("sizes", plan.sizes());
        line.number("iterations", plan.iterations());
        line.number("warm_ups", plan.warmUps());
        line.flag("busy_poll", plan.polling());
        if (plan.queues() != null) {
            line.text("qp", word(plan.queues()));
            line.number("inline", plan.queues().inlineBytes());
        }
    }
}
