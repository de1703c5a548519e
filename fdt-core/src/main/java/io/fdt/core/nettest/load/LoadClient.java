package io.fdt.core.nettest.load;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The client of the load suite: one lane, which offers step after step and reports its measurements, and the results so
 * far. Thread-safe.
 */
public final class LoadClient implements SuiteClient {
    private final NettestPlan plan;
    private final List<Pool> pools = new ArrayList<>();
    private final List<JsonObject> points = new CopyOnWriteArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private volatile double capacityPerSecond;
    private volatile Step now;
    private volatile boolean complete;

    /** The buffers of one measurement, the same number on both sides. */
    record Pool(int rxBuffers, int txBuffers) {
        JsonObject figures() {
            return new JsonObject().with("rx_buffers", rxBuffers).with("tx_buffers", txBuffers);
        }
    }

    private record Step(int number, Pool pool, int offeredPerSecond) {}

    public LoadClient(NettestPlan plan) {
        this.plan = plan;
        for (int rx : plan.get(NettestValue.RX_BUFFERS)) {
            for (int tx : plan.get(NettestValue.TX_BUFFERS)) {
                pools.add(new Pool(rx, tx));
            }
        }
        this.now = new Step(0, pools.get(0), 0);
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        return new LoadAskingLane(lane, plan, pools, this);
    }

    /** The capacity of the path, before the first step. */
    void onCapacity(double perSecond) {
        capacityPerSecond = perSecond;
    }

    void onStep(Pool pool, int offeredPerSecond) {
        answered.lazySet(0);
        now = new Step(points.size() + 1, pool, offeredPerSecond);
    }

    void onAnswered(long requests) {
        answered.lazySet(requests);
    }

    /** It has ended. */
    void onPoint(JsonObject point) {
        points.add(point);
    }

    /** All steps ended within their time. */
    void onComplete() {
        complete = true;
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        Step step = now;
        return new JsonObject()
                .with("t", local.elapsedNanos() / 1e9, 3)
                // 0 during the measurement of the capacity, with no load offered.
                .with("step", step.number())
                .with("steps", LoadSuite.steps(plan))
                .with(step.pool().figures())
                .with("offered_per_second", step.offeredPerSecond())
                .with("done", answered.get());
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        return result(plan, circumstances, capacityPerSecond, points);
    }

    /**
     * @param capacityPerSecond of a closed loop with the largest pools before the first step
     * @param points in the order of measurement: pool after pool, each with rising load
     */
    public static NettestResult result(
            NettestPlan plan, Circumstances circumstances, double capacityPerSecond, List<JsonObject> points) {
        int sizeBytes = plan.get(NettestValue.SIZE_BYTES);
        points.forEach(point -> point.with(
                "ran_out", LoadLimit.of(point).stream().map(LoadLimit::word).toList()));
        JsonObject figures = circumstances
                .ways()
                .with("what", "due-to-answer")
                .with("loop", "open")
                .with("size_bytes", sizeBytes)
                .with("closed_loop_per_second", capacityPerSecond, 1)
                .with("points", List.copyOf(points))
                .with(
                        "pools",
                        LoadVerdict.of(points).stream()
                                .map(LoadVerdict::figures)
                                .toList());
        long done = figures.sum("points", "done");
        JsonObject summary = new JsonObject()
                .with("bytes", 2 * done * sizeBytes)
                .with("offered", figures.sum("points", "offered"))
                .with("done", done);
        return new NettestResult(plan, circumstances, figures, summary);
    }
}
