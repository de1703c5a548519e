package io.fdt.core.nettest.objects;

import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.ClientSuite;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NamedFigures;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.PlanValue;
import io.fdt.core.nettest.Suite;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client of a test of objects: a lane for each request that may be under way, and the sum of what they measured.
 */
public final class ObjectsClient implements ClientSuite {
    private final NettestPlan plan;
    private final ObjectsRounds rounds;
    private final @Nullable ObjectPlaces places;

    // The session's thread.
    private long lastCalls;
    private long lastNanos;

    public ObjectsClient(NettestPlan plan) {
        this.plan = plan;
        this.rounds = new ObjectsRounds(plan.get(PlanValue.SIZES).size(), plan.get(PlanValue.DURATION));
        this.places = plan.get(PlanValue.READS) == NettestPlan.Reads.RDMA ? new ObjectPlaces(plan) : null;
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new ObjectsAskingLane(index, lane, end, plan, rounds, places);
    }

    /** Every request has an answer, and both sides count both. */
    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return Suite.disagreement(own, peers, true);
    }

    @Override
    public NamedFigures onSecond(SideState local, @Nullable SideState remote) {
        long calls = local.lanes().stream().mapToLong(LaneState::calls).sum();
        double seconds = (local.elapsedNanos() - lastNanos) / 1e9;
        double perSecond = seconds <= 0 ? 0 : (calls - lastCalls) / seconds;
        lastCalls = calls;
        lastNanos = local.elapsedNanos();
        return new NamedFigures().with("t", local.elapsedNanos() / 1e9, 3).with("per_second", perSecond, 1);
    }

    @Override
    public boolean isComplete() {
        return rounds.lanesComplete() == plan.get(PlanValue.CONCURRENT);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<NamedFigures> points = rounds.points(plan);
        NamedFigures state = rounds.state();
        NamedFigures figures = new NamedFigures().with("points", points).with(state);
        NamedFigures summary = new NamedFigures()
                .with("operations", figures.sum("points", "operations"))
                .with("objects_held", state.count("objects_held"))
                .with("objects_kept", state.count("objects_kept"));
        return new NettestResult(plan, circumstances.whole(circumstances.whole() && isComplete()), figures, summary);
    }
}
