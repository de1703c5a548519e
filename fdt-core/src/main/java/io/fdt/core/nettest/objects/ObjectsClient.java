package io.fdt.core.nettest.objects;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The client of a test of objects: a lane for each concurrent request, the schedule of sizes, and the sums of all
 * lanes' measurements. Rounds have fixed times, so lanes need not wait for each other: the first fifth of a round, half
 * a second at most, is warm-up, and lets every lane finish the previous round. An operation counts if it begins and
 * ends in the rest. Thread-safe unless stated otherwise.
 */
public final class ObjectsClient implements SuiteClient {
    private static final long MAX_WARMING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NettestPlan plan;
    private final @Nullable ObjectPlaces places;
    private final long roundNanos;
    private final long warmingNanos;
    private boolean begun;
    private long begunNanos;
    private final List<Latencies> measured;
    private final long[] measuredNanos;
    private int lanesComplete;
    private JsonObject state = new JsonObject()
            .with("objects_held", 0)
            .with("objects_kept", 0)
            .with("log_records", 0)
            .with("log_flushes", 0);
    // For the session's thread.
    private long lastCalls;
    private long lastNanos;

    public ObjectsClient(NettestPlan plan) {
        this.plan = plan;
        this.places = plan.get(NettestValue.READS) == NettestPlan.Reads.RDMA ? new ObjectPlaces(plan) : null;
        this.roundNanos = TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.DURATION));
        this.warmingNanos = Math.min(roundNanos / 5, MAX_WARMING_NANOS);
        this.measuredNanos = new long[plan.get(NettestValue.SIZES).size()];
        this.measured =
                Stream.generate(Latencies::new).limit(measuredNanos.length).toList();
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        return new ObjectsAskingLane(index, lane, plan, this, places);
    }

    /** Every request has an answer, and both sides count both. */
    @Override
    public boolean countsOperations() {
        return true;
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        long calls = local.lanes().stream().mapToLong(LaneState::calls).sum();
        double seconds = (local.elapsedNanos() - lastNanos) / 1e9;
        double perSecond = seconds <= 0 ? 0 : (calls - lastCalls) / seconds;
        lastCalls = calls;
        lastNanos = local.elapsedNanos();
        return new JsonObject().with("t", local.elapsedNanos() / 1e9, 3).with("per_second", perSecond, 1);
    }

    @Override
    public synchronized boolean isComplete() {
        return lanesComplete == plan.get(NettestValue.CONCURRENT);
    }

    // ---- The measurements of lanes.

    /** The first lane that is ready begins the first round. */
    synchronized void begin() {
        if (!begun) {
            begun = true;
            begunNanos = System.nanoTime();
        }
    }

    /** In terms of {@link System#nanoTime}; after the beginning. */
    synchronized long measuredFrom(int round) {
        return begunNanos + round * roundNanos + warmingNanos;
    }

    synchronized long end(int round) {
        return begunNanos + (round + 1) * roundNanos;
    }

    /** Whether the time of the last round is over. */
    synchronized boolean isOver() {
        return begun && System.nanoTime() - end(measuredNanos.length - 1) >= 0;
    }

    /** Adds the measurement of one lane in a round, and its duration. */
    synchronized void add(int round, Latencies latencies, long nanos) {
        measured.get(round).add(latencies);
        measuredNanos[round] = Math.max(measuredNanos[round], nanos);
    }

    synchronized void laneIsComplete() {
        lanesComplete++;
    }

    synchronized void setState(JsonObject newState) {
        state = newState;
    }

    // ---- The result.

    /** A round without a measurement has no point. */
    synchronized List<JsonObject> points() {
        List<JsonObject> points = new ArrayList<>();
        for (int round = 0; round < measuredNanos.length; round++) {
            Latencies all = measured.get(round).copy();
            if (all.count() > 0 && measuredNanos[round] > 0) {
                int size = plan.get(NettestValue.SIZES).get(round);
                double perSecond = all.count() * 1e9 / measuredNanos[round];
                points.add(circumstances()
                        .with("size_bytes", size)
                        .with("concurrent", plan.get(NettestValue.CONCURRENT))
                        .with("operations", all.count())
                        .with("per_second", perSecond, 1)
                        // Bytes of values.
                        .with("bytes_per_second", perSecond * size, 1)
                        .with(all.figures()));
            }
        }
        return points;
    }

    /** The options that all points include. */
    private JsonObject circumstances() {
        JsonObject options = plan.options();
        JsonObject figures = new JsonObject().with("op", options.text("op")).with("durable", options.text("durable"));
        return options.has("reads") ? figures.with("reads", options.text("reads")) : figures;
    }

    @Override
    public synchronized NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        JsonObject figures = new JsonObject().with("points", points()).with(state);
        JsonObject summary = new JsonObject()
                .with("operations", figures.sum("points", "operations"))
                .with("objects_held", state.count("objects_held"))
                .with("objects_kept", state.count("objects_kept"));
        return new NettestResult(plan, circumstances.whole(circumstances.whole() && isComplete()), figures, summary);
    }
}
