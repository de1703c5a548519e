package io.fdt.core.nettest.objects;

import static io.fdt.core.basic.Figures.text;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.Column;
import io.fdt.core.nettest.Csv;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Durable;
import io.fdt.core.nettest.NettestPlan.Op;
import io.fdt.core.nettest.NettestPlan.Reads;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plot;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.SuiteText;
import io.fdt.core.plan.Value;
import java.util.ArrayList;
import java.util.List;

/** Random reads and writes of small objects that the server holds. */
public final class ObjectsSuite extends Suite {
    public static final Suite OBJECTS = new ObjectsSuite();

    private static final int MAX_SIZES = 32;
    private static final int MAX_ROUND_MS = 1_800_000;

    /** Lanes end by themselves after the last round; this long after it, pending requests are given up. */
    private static final int SLACK_MS = 30_000;

    /** Of all sizes together: a client that reads over RDMA stores the place of each of them. */
    private static final int MAX_OBJECTS_BY_RDMA = 1 << 22;

    private static final int DEFAULT_OBJECTS = 10_000;
    private static final int DEFAULT_BYTES = 16 << 20;

    private ObjectsSuite() {
        super(
                "objects",
                List.of(
                        NettestValue.OP,
                        NettestValue.DURABLE,
                        NettestValue.READS,
                        NettestValue.CONCURRENT,
                        NettestValue.KEY_BYTES,
                        NettestValue.SIZES,
                        NettestValue.OBJECTS,
                        NettestValue.KEEP,
                        NettestValue.DURATION),
                "op,durable,size_bytes,concurrent,operations,per_second,bytes_per_second," + Csv.LATENCIES,
                Plot.ofRequests("Objects"));
    }

    @Override
    public NettestPlan withDefaults(NettestPlan plan) {
        return plan.with(NettestValue.SIZES, List.of(100, 1_000, 10_000, 100_000, 1_000_000));
    }

    @Override
    public void check(NettestPlan plan) {
        if (plan.get(NettestValue.KEEP) && plan.get(NettestValue.DURABLE) != Durable.LOG) {
            throw Cause.USAGE.failure("--keep needs a log; add --durable log");
        }
        List<Integer> sizes = plan.get(NettestValue.SIZES);
        for (int at = 1; at < sizes.size(); at++) {
            if (sizes.get(at - 1) >= sizes.get(at)) {
                throw Cause.USAGE.failure("sizes must ascend; write for example 100,1KB,10KB");
            }
        }
        if (sizes.size() > MAX_SIZES || plan.mostBytes() > maxSizeBytes()) {
            throw Cause.USAGE.failure("--sizes are at most " + MAX_SIZES + ", of up to " + maxSizeBytes() + " B");
        }
        if (plan.get(NettestValue.DURATION) > MAX_ROUND_MS) {
            throw Cause.USAGE.failure("--duration of each size is at most 30 minutes");
        }
        if (plan.get(NettestValue.READS) == Reads.RDMA) {
            checkReads(plan);
        }
    }

    private static void checkReads(NettestPlan plan) {
        if (plan.get(NettestValue.OP) == Op.WRITE) {
            throw Cause.USAGE.failure("--reads applies to reads; leave --op write out");
        }
        long objects = plan.get(NettestValue.SIZES).stream()
                .mapToLong(size -> objectsOf(plan, size))
                .sum();
        if (objects > MAX_OBJECTS_BY_RDMA) {
            throw Cause.USAGE.failure("--reads rdma supports at most " + MAX_OBJECTS_BY_RDMA
                    + " objects of all sizes together, not " + objects + "; use fewer --objects or --sizes");
        }
    }

    /** The requested number of objects of this size, or else 10,000 but not more than 16 MiB of them. */
    static int objectsOf(NettestPlan plan, int sizeBytes) {
        int requested = plan.get(NettestValue.OBJECTS);
        return requested > 0 ? requested : Math.max(4, Math.min(DEFAULT_OBJECTS, DEFAULT_BYTES / sizeBytes));
    }

    @Override
    public int maxSizeBytes() {
        return NettestValue.MAX_VALUE_BYTES;
    }

    @Override
    public int maxDurationMs() {
        return MAX_ROUND_MS;
    }

    @Override
    public boolean isClearOnly() {
        return true;
    }

    @Override
    public boolean writesLog(NettestPlan plan) {
        return plan.get(NettestValue.DURABLE) == Durable.LOG;
    }

    @Override
    public long limitMs(NettestPlan plan) {
        return (long) plan.get(NettestValue.DURATION)
                        * plan.get(NettestValue.SIZES).size()
                + SLACK_MS;
    }

    @Override
    public void putOption(NettestPlan plan, Value<?> value, JsonObject into) {
        if (value == NettestValue.OBJECTS) {
            into.with(
                    value.toString(),
                    plan.get(NettestValue.SIZES).stream()
                            .map(size -> objectsOf(plan, size))
                            .toList());
        } else if (value != NettestValue.READS || plan.get(NettestValue.OP) == Op.READ) {
            plan.put(value, into);
        }
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return new ObjectsClient(plan);
    }

    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        return ObjectsServer.open(plan, resources);
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        return ObjectsServer.memoryBytes(plan);
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        return "objects " + (plan.get(NettestValue.OP) == Op.WRITE ? "written to " : "read from ") + peer + ", "
                + plan.streams() + " at a time over " + transport + (writesLog(plan) ? ", through its log" : "")
                + (plan.get(NettestValue.READS) == Reads.RDMA ? ", past its processor" : "");
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return Suite.some(plan, "op", "durable", "reads", "concurrent");
    }

    @Override
    public List<String> lines(JsonObject second, boolean verbose) {
        return List.of(text("%10.0f operations/s", second.amount("per_second")));
    }

    @Override
    public List<String> tables(NettestResult result) {
        return Column.table(
                result.points(),
                Column.withLatencies(
                        9,
                        1,
                        " us",
                        Column.count("size", 7, "size_bytes"),
                        Column.amount("operations/s", 13, "per_second", 0),
                        Column.megabytes(9, 1)));
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        NettestPlan plan = result.plan();
        JsonObject figures = result.figures();
        List<String> lines = new ArrayList<>();
        lines.add(text(
                "test    %s%s of %d objects with keys of %d bytes, %d at a time, each answer checked%s",
                plan.options().text("op"),
                plan.get(NettestValue.READS) == Reads.RDMA ? " by RDMA out of the server's memory" : "",
                figures.count("objects_held"),
                plan.get(NettestValue.KEY_BYTES),
                plan.streams(),
                result.whole() ? "" : ", which is not the whole test"));
        if (writesLog(plan)) {
            lines.add(text(
                    "log     %d objects were in it before; %d writes in it now, %d flushes in this test",
                    figures.count("objects_kept"), figures.count("log_records"), figures.count("log_flushes")));
        }
        return lines;
    }

    /** Reads by messages are the default, and are not mentioned. */
    @Override
    public String curve(JsonObject point) {
        return SuiteText.words(
                point.text("op"),
                point.text("reads").equals("rdma") ? "by RDMA" : "",
                point.text("durable"),
                SuiteText.several(point, "concurrent"));
    }

    @Override
    public String direction(NettestPlan plan) {
        return plan.get(NettestValue.OP) == Op.WRITE ? "out" : "in";
    }
}
