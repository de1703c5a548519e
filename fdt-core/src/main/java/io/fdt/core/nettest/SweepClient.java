package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** The client of a streaming test: one lane, burst after burst. */
final class SweepClient implements ClientSuite {
    private final SweepPlan plan;
    private final Bursts bursts;

    SweepClient(SweepPlan plan) {
        this.plan = plan;
        this.bursts = new Bursts(plan);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        int most = plan.sizes().stream().mapToInt(Integer::intValue).max().orElse(1);
        return new BurstSendingLane(lane, end, bursts, most);
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        return bursts.progress(local.elapsedNanos() / 1e9);
    }

    @Override
    public boolean isComplete() {
        return bursts.isComplete();
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        return new SweepResult(circumstances, plan, bursts.measured());
    }
}
