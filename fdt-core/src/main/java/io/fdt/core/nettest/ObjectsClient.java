package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.LaneState;
import io.fdt.core.wire.NettestMessage.SideState;
import org.jspecify.annotations.Nullable;

/**
 * The client of a test of objects: a lane for each request that may be under way, and the sum of what they measured.
 */
final class ObjectsClient implements ClientSuite {
    private final ObjectsPlan plan;
    private final ObjectsRounds rounds;
    private final @Nullable ObjectPlaces places;

    // The session's thread.
    private long lastCalls;
    private long lastNanos;

    ObjectsClient(ObjectsPlan plan) {
        this.plan = plan;
        this.rounds = new ObjectsRounds(plan.sizes().size(), plan.roundMs());
        this.places = plan.reads() == ObjectsPlan.Reads.RDMA ? new ObjectPlaces(plan) : null;
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        return new ObjectsAskingLane(index, lane, end, plan, rounds, places);
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return difference(own, peers);
    }

    /** Every request has an answer, and both sides count both. */
    static @Nullable String difference(SideState own, SideState peers) {
        if (own.lanes().size() != peers.lanes().size()) {
            return "one side counts " + own.lanes().size() + " lanes, the other "
                    + peers.lanes().size();
        }
        for (int index = 0; index < own.lanes().size(); index++) {
            LaneState here = own.lanes().get(index);
            LaneState there = peers.lanes().get(index);
            if (here.calls() != there.calls() || here.bytes() != there.bytes()) {
                return "of lane " + index + " this side counts " + here.calls() + " operations with " + here.bytes()
                        + " bytes and the other " + there.calls() + " with " + there.bytes();
            }
        }
        return null;
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        long calls = local.lanes().stream().mapToLong(LaneState::calls).sum();
        double seconds = (local.elapsedNanos() - lastNanos) / 1e9;
        double perSecond = seconds <= 0 ? 0 : (calls - lastCalls) / seconds;
        lastCalls = calls;
        lastNanos = local.elapsedNanos();
        return new ObjectsResult.Interval(local.elapsedNanos() / 1e9, perSecond);
    }

    @Override
    public boolean isComplete() {
        return rounds.lanesComplete() == plan.concurrent();
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        ObjectsRounds.State state = rounds.state();
        return new ObjectsResult(
                plan,
                circumstances.transport(),
                circumstances.local(),
                circumstances.remote(),
                circumstances.seconds(),
                circumstances.whole() && isComplete(),
                circumstances.cpuSecondsLocal(),
                circumstances.cpuSecondsRemote(),
                rounds.points(plan),
                state == null ? 0 : state.objects(),
                state == null ? 0 : state.kept(),
                state == null ? 0 : state.logRecords(),
                state == null ? 0 : state.logGroups());
    }
}
