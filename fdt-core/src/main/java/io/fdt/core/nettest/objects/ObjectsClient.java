package io.fdt.core.nettest.objects;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Rounds;
import io.fdt.core.nettest.Rounds.Round;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client of a test of objects: a lane for each concurrent request, and what all of them measured. Thread-safe
 * unless stated otherwise.
 */
public final class ObjectsClient implements SuiteClient {
    /** This share of a size's time is not counted. */
    private static final int WARM_UP_SHARE = 5;

    private final NettestPlan plan;
    private final @Nullable ObjectPlaces places;
    private final Rounds rounds;
    private volatile JsonObject state = new JsonObject()
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
        this.rounds = Rounds.ofTime(
                plan.get(NettestValue.SIZES),
                TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.DURATION)),
                WARM_UP_SHARE);
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
    public boolean isComplete() {
        return rounds.isComplete();
    }

    Rounds rounds() {
        return rounds;
    }

    void setState(JsonObject newState) {
        state = newState;
    }

    // ---- The result.

    private JsonObject point(Round round) {
        return Suite.some(plan, "op", "durable", "reads")
                .with("size_bytes", round.sizeBytes())
                .with("concurrent", plan.get(NettestValue.CONCURRENT))
                .with("operations", round.latencies().count())
                .with("per_second", round.perSecond(), 1)
                // Bytes of values.
                .with("bytes_per_second", round.perSecond() * round.sizeBytes(), 1)
                .with(round.latencies().figures());
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<Round> measured = Rounds.results(List.of(rounds));
        JsonObject figures = new JsonObject()
                .with("points", measured.stream().map(this::point).toList())
                .with(state);
        JsonObject summary = new JsonObject()
                .with("operations", figures.sum("points", "operations"))
                .with("objects_held", state.count("objects_held"))
                .with("objects_kept", state.count("objects_kept"));
        return new NettestResult(plan, circumstances.whole(circumstances.whole() && isComplete()), figures, summary);
    }
}
