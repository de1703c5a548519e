package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Questions;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.Rounds;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The client of a ping-pong test: one lane, one message at a time, one size after the other. Its progress may be read
 * on any thread.
 */
public final class LatencyClient implements SuiteClient {
    private final NettestPlan plan;
    private final Rounds rounds;
    private volatile @Nullable QueueAskingLane queueLane;

    public LatencyClient(NettestPlan plan) {
        this.plan = plan;
        this.rounds = Rounds.ofCount(
                plan.get(NettestValue.SIZES), LatencySuite.warmUps(plan), plan.get(NettestValue.ITERATIONS));
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        int most = plan.mostBytes();
        QueueUse queues = plan.find(NettestValue.QUEUES);
        if (queues == null) {
            return new AskingLane(lane, new Questions(rounds), most, most, plan.get(NettestValue.BUSY_POLL));
        }
        QueueAskingLane made = new QueueAskingLane(lane, queues, most, new Questions(rounds));
        queueLane = made;
        return made;
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        return Rounds.progress(local, List.of(rounds), plan.get(NettestValue.ITERATIONS));
    }

    @Override
    public boolean isComplete() {
        return rounds.isComplete();
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<JsonObject> points = Rounds.results(List.of(rounds)).stream()
                .map(round -> point(round.sizeBytes(), round.latencies()))
                .toList();
        QueueAskingLane lane = queueLane;
        return result(plan, circumstances, lane == null ? new JsonObject() : lane.queueFigures(), points);
    }

    static JsonObject point(int sizeBytes, Latencies latencies) {
        return new JsonObject()
                .with("size_bytes", sizeBytes)
                .with("iterations", latencies.count())
                .with(latencies.figures())
                .with("histogram", latencies.buckets());
    }

    /** @param queues the figures of the queue pairs; empty if the messages used the lane */
    static NettestResult result(
            NettestPlan plan, Circumstances circumstances, JsonObject queues, List<JsonObject> points) {
        JsonObject figures = new JsonObject()
                .with("what", "rtt")
                .with(circumstances.ways())
                .with(queues)
                .with("points", List.copyOf(points));
        JsonObject summary = new JsonObject()
                .with(
                        "bytes",
                        points.stream()
                                .mapToLong(point -> 2 * point.count("iterations") * point.count("size_bytes"))
                                .sum())
                .with("round_trips", figures.sum("points", "iterations"));
        return new NettestResult(plan, circumstances, figures, summary);
    }
}
