package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.transport.Carrier;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The client of a throughput test: its lanes, its seconds and its result. */
public final class ThroughputClient implements SuiteClient {
    private final NettestPlan plan;
    private final SuiteSide lanes;
    private final Intervals intervals;
    private volatile @Nullable Warm warm;

    /** The counts of both sides at the end of the warm-up. */
    private record Warm(SideState here, SideState there) {}

    public ThroughputClient(NettestPlan plan) {
        this.plan = plan;
        this.lanes = ThroughputSuite.lanes(plan, true);
        this.intervals = new Intervals(plan.lanesOut(), plan.path().carrier() == Carrier.TCP);
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        return lanes.join(index, lane);
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        return intervals.add(local, remote);
    }

    @Override
    public long warmUpNanos() {
        return TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.WARM_UP));
    }

    @Override
    public void onWarm(SideState local, SideState remote) {
        warm = new Warm(local, remote);
    }

    /** It ends after its time. */
    @Override
    public boolean isComplete() {
        return false;
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        Warm before = warm;
        // A test that was ended during the warm-up has nothing else.
        boolean counted = before != null
                && there != null
                && there.elapsedNanos() > before.there().elapsedNanos();
        return ThroughputSums.result(
                plan,
                circumstances.whole(there != null && disagreement(here, there) == null),
                counted && before != null ? here.since(before.here()) : here,
                counted && before != null && there != null ? there.since(before.there()) : there,
                intervals.all());
    }
}
