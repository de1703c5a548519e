package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.QueueUse;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The client of a ping-pong test: one lane, one message at a time, one size after the other. Written by the lane's
 * thread; its progress may be read on any thread.
 */
public final class LatencyClient implements SuiteClient, Questions {
    private final NettestPlan plan;
    private final List<Integer> sizes;
    private final long warmUps;
    private final long each;
    private final List<Latencies> latencies;
    private final AtomicLong done = new AtomicLong();
    private volatile int round;
    private int sizeBytes;
    private Latencies current;
    private volatile @Nullable QueueAskingLane queueLane;

    public LatencyClient(NettestPlan plan) {
        this.plan = plan;
        this.sizes = plan.get(NettestValue.SIZES);
        this.warmUps = LatencySuite.warmUps(plan);
        this.each = warmUps + plan.get(NettestValue.ITERATIONS);
        this.latencies = Stream.generate(Latencies::new).limit(sizes.size()).toList();
        this.sizeBytes = sizes.get(0);
        this.current = latencies.get(0);
    }

    @Override
    public MeasuredLane join(int index, Lane lane) {
        int most = plan.mostBytes();
        QueueUse queues = plan.find(NettestValue.QUEUES);
        if (queues == null) {
            return new AskingLane(lane, this, most, most, plan.get(NettestValue.BUSY_POLL));
        }
        QueueAskingLane made = new QueueAskingLane(lane, queues, most, this);
        queueLane = made;
        return made;
    }

    @Override
    public boolean next(long nowNanos, ByteBuffer request) {
        if (done.getPlain() < each) {
            return true;
        }
        int next = round + 1;
        round = next;
        if (next == latencies.size()) {
            return false;
        }
        done.lazySet(0);
        sizeBytes = sizes.get(next);
        current = latencies.get(next);
        return true;
    }

    @Override
    public int requestBytes() {
        return sizeBytes;
    }

    @Override
    public int answerBytes() {
        return sizeBytes;
    }

    @Override
    public void onAnswer(long askedNanos, long answeredNanos) {
        if (done.getPlain() >= warmUps) {
            current.record(answeredNanos - askedNanos);
        }
        done.lazySet(done.getPlain() + 1);
    }

    @Override
    public JsonObject onSecond(SideState local, @Nullable SideState remote) {
        int shown = Math.min(round, sizes.size() - 1);
        return Bursts.progress(
                local, shown, sizes.size(), sizes.get(shown), Math.max(0, done.get() - warmUps), each - warmUps);
    }

    @Override
    public boolean isComplete() {
        return round == sizes.size();
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<JsonObject> points = new ArrayList<>();
        for (int at = 0; at < latencies.size(); at++) {
            Latencies measured = latencies.get(at).copy();
            if (measured.count() > 0) {
                points.add(point(sizes.get(at), measured));
            }
        }
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
