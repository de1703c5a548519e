package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/** The client of a ping-pong: one lane, one message at a time. */
final class LatencyClient implements ClientSuite {
    private final LatencyPlan plan;
    private final List<SingleWriterRecorder> recorders = new ArrayList<>();
    private final Pings pings;
    private final QueueWatch watch = new QueueWatch();

    LatencyClient(LatencyPlan plan) {
        this.plan = plan;
        for (int round = 0; round < plan.sizes().size(); round++) {
            recorders.add(new SingleWriterRecorder(1, Latencies.MOST_NANOS, Latencies.DIGITS));
        }
        this.pings = new Pings();
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        int most = plan.sizes().stream().mapToInt(Integer::intValue).max().orElse(1);
        QueueUse queues = plan.queues();
        if (queues != null) {
            return new QueueAskingLane(lane, end, queues, most, pings, watch);
        }
        return new AskingLane(lane, end, pings, most, most, plan.polling());
    }

    /** The rounds, one size after the other. Written by the lane's thread; anyone may look how far it is. */
    private final class Pings implements Questions {
        private final long warmUps = plan.warmUps();
        private volatile int round;
        private final AtomicLong done = new AtomicLong();
        private int sizeBytes = plan.sizes().get(0);
        private SingleWriterRecorder recorder = recorders.get(0);

        @Override
        public boolean next(long nowNanos, ByteBuffer request) {
            if (done.getPlain() < warmUps + plan.iterations()) {
                return true;
            }
            int next = round + 1;
            round = next;
            if (next == recorders.size()) {
                return false;
            }
            done.lazySet(0);
            sizeBytes = plan.sizes().get(next);
            recorder = recorders.get(next);
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
                recorder.recordValue(Math.min(Latencies.MOST_NANOS, Math.max(1, answeredNanos - askedNanos)));
            }
            done.lazySet(done.getPlain() + 1);
        }
    }

    /** What became of the queue pairs. Written by the lane's thread. */
    private static final class QueueWatch implements QueueAskingLane.Watcher {
        private volatile int inlineBytes;
        private volatile int peersInlineBytes;
        private final AtomicLong sentAgain = new AtomicLong();

        @Override
        public void onConnected(int ownBytes, int peersBytes) {
            inlineBytes = ownBytes;
            peersInlineBytes = peersBytes;
        }

        @Override
        public void onSentAgain() {
            sentAgain.lazySet(sentAgain.getPlain() + 1);
        }
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        int round = Math.min(pings.round, recorders.size() - 1);
        return new RoundProgress(
                local.elapsedNanos() / 1e9,
                round + 1,
                recorders.size(),
                plan.sizes().get(round),
                Math.max(0, pings.done.get() - pings.warmUps),
                plan.iterations());
    }

    @Override
    public boolean isComplete() {
        return pings.round == recorders.size();
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<LatencyResult.Point> points = new ArrayList<>();
        for (int round = 0; round < recorders.size(); round++) {
            Latencies latencies = Latencies.of(List.of(recorders.get(round)));
            if (latencies.count() > 0) {
                points.add(new LatencyResult.Point(plan.sizes().get(round), latencies));
            }
        }
        LatencyResult.Queues queues = plan.queues() == null
                ? null
                : new LatencyResult.Queues(watch.inlineBytes, watch.peersInlineBytes, watch.sentAgain.get());
        return new LatencyResult(circumstances, plan, points, queues);
    }
}
