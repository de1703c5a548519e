package io.fdt.core.nettest.stream;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Column;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestPlan.Protocol;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plot;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.SuiteText;
import io.fdt.core.plan.Value;
import io.fdt.core.transport.Carrier;
import java.util.List;
import java.util.stream.IntStream;

/** Bursts of messages of each size, with one acknowledgement each. */
public final class SweepSuite extends Suite {
    public static final Suite SWEEP = new SweepSuite();

    /** Common libraries change to rendezvous at the same size. */
    private static final int DEFAULT_SWITCH_BYTES = 16 << 10;

    private static final int MAX_POWER = 22;

    private SweepSuite() {
        super(
                "sweep",
                List.of(
                        NettestValue.SIZES,
                        NettestValue.MESSAGES,
                        NettestValue.MODES,
                        NettestValue.SWITCH_AT,
                        NettestValue.DURATION),
                "mode,protocol,size_bytes,messages,bursts,seconds,bytes_per_second",
                List.of(new Plot(
                        Plot.PlotKind.BANDWIDTH_BY_SIZE,
                        "Bandwidth by message size",
                        "message size",
                        "bytes_per_second")));
    }

    /** The sizes of the published figures, 1 B to 4 MiB. */
    @Override
    public NettestPlan withDefaults(NettestPlan plan) {
        return plan.with(
                NettestValue.SIZES,
                IntStream.rangeClosed(0, MAX_POWER)
                        .mapToObj(power -> 1 << power)
                        .toList());
    }

    @Override
    public NettestPlan overLanes(NettestPlan plan) {
        return plan.with(NettestValue.SWITCH_AT, plan.path().carrier() == Carrier.RDMA ? DEFAULT_SWITCH_BYTES : 0);
    }

    static Protocol protocol(NettestPlan plan, int sizeBytes) {
        int switchAt = plan.get(NettestValue.SWITCH_AT);
        return switchAt == 0 ? Protocol.STREAM : sizeBytes < switchAt ? Protocol.EAGER : Protocol.RENDEZVOUS;
    }

    @Override
    public void putOption(NettestPlan plan, Value<?> value, JsonObject into) {
        if (value != NettestValue.SWITCH_AT || plan.get(NettestValue.SWITCH_AT) > 0) {
            plan.put(value, into);
        }
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return new Bursts(plan);
    }

    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        return (index, lane) -> new BurstReceivingLane(lane, plan.mostBytes(), plan.get(NettestValue.MESSAGES));
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        return BurstReceivingLane.memoryBytes();
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        return "sweep to " + peer + ", bursts of " + Figures.count(plan.get(NettestValue.MESSAGES), "message") + ", "
                + Figures.count(plan.get(NettestValue.SIZES).size(), "size") + " over " + transport;
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return Suite.some(plan, "messages");
    }

    @Override
    public List<String> tables(NettestResult result) {
        return Column.table(
                result.points(),
                List.of(
                        Column.word("mode", -11, "mode"),
                        Column.word("protocol", -10, "protocol"),
                        Column.count("size", 9, "size_bytes"),
                        Column.count("bursts", 8, "bursts"),
                        Column.count("messages", 12, "messages"),
                        Column.megabytes(10, 2),
                        new Column(
                                "messages/s",
                                14,
                                row -> Figures.text("%.0f", row.amount("messages") / row.amount("seconds")))));
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        return List.of(
                SuiteText.ways(result.circumstances()),
                "bursts  of " + Figures.count(result.plan().get(NettestValue.MESSAGES), "message")
                        + ", each with one acknowledgement; blocking is a call a message, nonblocking many a call"
                        + SuiteText.partial(result));
    }

    @Override
    public String curve(JsonObject point) {
        return SuiteText.words(point.text("mode"), point.text("protocol"));
    }

    @Override
    public String direction(NettestPlan plan) {
        return "out";
    }
}
