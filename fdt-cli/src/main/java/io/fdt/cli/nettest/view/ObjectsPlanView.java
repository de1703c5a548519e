package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.core.nettest.ObjectsPlan;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The plan of a test of objects. */
final class ObjectsPlanView implements PlanView {
    private final ObjectsPlan plan;

    ObjectsPlanView(ObjectsPlan plan) {
        this.plan = plan;
    }

    static String op(ObjectsPlan plan) {
        return plan.writing() ? "write" : "read";
    }

    /** How values come here; null in a test that writes. */
    static @Nullable String reads(ObjectsPlan plan) {
        return plan.writing() ? null : plan.reads() == ObjectsPlan.Reads.RDMA ? "rdma" : "message";
    }

    static void writeReads(JsonLine line, ObjectsPlan plan) throws IOException {
        String reads = reads(plan);
        if (reads != null) {
            line.text("reads", reads);
        }
    }

    static String durable(ObjectsPlan plan) {
        return plan.logged() ? "log" : "memory";
    }

    @Override
    public String startLine(String transport, String peer) {
        return "objects " + (plan.writing() ? "written to " : "read from ") + peer + ", " + plan.concurrent()
                + " at a time over " + transport + (plan.logged() ? ", through its log" : "")
                + (plan.reads() == ObjectsPlan.Reads.RDMA ? ", past its processor" : "");
    }

    @Override
    public void writeStart(JsonLine line) throws IOException {
        line.text("op", op(plan));
        line.text("durable", durable(plan));
        writeReads(line, plan);
        line.number("concurrent", plan.concurrent());
    }

    @Override
    public void writeOptions(JsonLine line) throws IOException {
        writeStart(line);
        line.number("key_bytes", plan.keyBytes());
        line.fractions("sizes", numbers(plan.sizes().stream()), 0);
        line.fractions("objects", numbers(plan.sizes().stream().map(plan::objectsOf)), 0);
        line.flag("keep", plan.keep());
        line.fraction("duration_seconds", plan.roundMs() / 1e3, 3);
    }

    private static List<Double> numbers(Stream<Integer> counts) {
        return counts.map(Integer::doubleValue).toList();
    }
}
