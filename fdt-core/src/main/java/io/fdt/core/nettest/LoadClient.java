package io.fdt.core.nettest;

import io.fdt.core.nettest.LoadPlan.Pool;
import io.fdt.core.nettest.LoadResult.Point;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The client of the test under load: one lane, which offers step after step, and what is known of it so far.
 * Thread-safe.
 */
final class LoadClient implements ClientSuite, LoadAskingLane.Steps {
    private final LoadPlan plan;
    private final List<Point> points = new CopyOnWriteArrayList<>();
    private final AtomicLong answered = new AtomicLong();
    private volatile double capacityPerSecond;
    private volatile Step now;
    private volatile boolean complete;

    private record Step(int number, Pool pool, int offeredPerSecond) {}

    LoadClient(LoadPlan plan) {
        this.plan = plan;
        this.now = new Step(0, plan.pools().get(0), 0);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new LoadAskingLane(lane, end, plan, this);
    }

    @Override
    public void onCapacity(double perSecond) {
        capacityPerSecond = perSecond;
    }

    @Override
    public void onStep(Pool pool, int offeredPerSecond) {
        answered.lazySet(0);
        now = new Step(points.size() + 1, pool, offeredPerSecond);
    }

    @Override
    public void onAnswered(long requests) {
        answered.lazySet(requests);
    }

    @Override
    public void onPoint(Point point) {
        points.add(point);
    }

    @Override
    public void onComplete() {
        complete = true;
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        Step step = now;
        return new LoadResult.Interval(
                local.elapsedNanos() / 1e9,
                step.number(),
                plan.steps(),
                step.pool(),
                step.offeredPerSecond(),
                answered.get());
    }

    @Override
    public boolean isComplete() {
        return complete;
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        return new LoadResult(circumstances, plan, capacityPerSecond, points);
    }
}
