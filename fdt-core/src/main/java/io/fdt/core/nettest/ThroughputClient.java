package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/** The client of a throughput test: its lanes, its seconds and its result. */
final class ThroughputClient implements ClientSuite {
    private final ThroughputPlan plan;
    private final ThroughputSuite lanes;
    private final Intervals intervals;

    ThroughputClient(ThroughputPlan plan) {
        this.plan = plan;
        this.lanes = new ThroughputSuite(plan.request(), true);
        this.intervals = new Intervals(plan.lanesOut(), plan.path().carrier() == Carrier.TCP);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return lanes.join(index, lane, end);
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return lanes.disagreement(own, peers);
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        return intervals.add(local, remote);
    }

    /** It ends by its time. */
    @Override
    public boolean isComplete() {
        return false;
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        return ThroughputSums.result(
                plan,
                circumstances.transport(),
                circumstances.local(),
                circumstances.remote(),
                here,
                there,
                intervals.all());
    }
}
