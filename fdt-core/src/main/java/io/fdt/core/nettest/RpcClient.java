package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The client of the test of requests and answers. Every lane has one request at a time: the loop is closed, so a slow answer
 * delays the next request, and the rate is what the server and the path make of it.
 */
final class RpcClient implements ClientSuite {
    /** This share of a size's time, at most so long, is not counted. */
    private static final int WARM_UP_SHARE = 10;

    private static final long MOST_WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final RpcPlan plan;
    private final long roundNanos;
    private final long warmUpNanos;
    private final List<Caller> callers = new CopyOnWriteArrayList<>();

    RpcClient(RpcPlan plan) {
        this.plan = plan;
        this.roundNanos =
                TimeUnit.MILLISECONDS.toNanos(plan.durationMs()) / plan.sizes().size();
        this.warmUpNanos = Math.min(MOST_WARM_UP_NANOS, roundNanos / WARM_UP_SHARE);
    }

    @Override
    public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
        Caller caller = new Caller();
        callers.add(caller);
        int most = plan.sizes().stream().mapToInt(Integer::intValue).max().orElse(1);
        return new AskingLane(lane, end, caller, plan.requestBytes(), most, plan.polling());
    }

    /**
     * One lane's requests: size after size, each for its time, counted from the lane's first request, and at least once. All
     * lanes begin together, so they also change the size together. Written by the lane's thread; anyone may look.
     */
    private final class Caller implements Questions {
        private final List<SingleWriterRecorder> recorders = new ArrayList<>();
        private final long[] firstNanos = new long[plan.sizes().size()];
        private final long[] lastNanos = new long[plan.sizes().size()];
        private volatile int round = -1;
        private final AtomicLong counted = new AtomicLong();
        private int sizeBytes;
        private long beganNanos;

        Caller() {
            for (int each = 0; each < plan.sizes().size(); each++) {
                recorders.add(new SingleWriterRecorder(1, Latencies.MOST_NANOS, Latencies.DIGITS));
            }
        }

        @Override
        public boolean next(long nowNanos, ByteBuffer request) {
            int now = round;
            if (now < 0) {
                beganNanos = nowNanos;
                return goTo(0, request);
            }
            boolean over = nowNanos - beganNanos >= (now + 1) * roundNanos && counted.getPlain() > 0;
            return !over || goTo(now + 1, request);
        }

        private boolean goTo(int next, ByteBuffer request) {
            if (next == recorders.size()) {
                round = next;
                return false;
            }
            sizeBytes = plan.sizes().get(next);
            request.putInt(0, sizeBytes);
            counted.lazySet(0);
            round = next;
            return true;
        }

        @Override
        public int requestBytes() {
            return plan.requestBytes();
        }

        @Override
        public int answerBytes() {
            return sizeBytes;
        }

        @Override
        public void onAnswer(long askedNanos, long answeredNanos) {
            int now = round;
            boolean late = answeredNanos - beganNanos >= (now + 1) * roundNanos;
            if (askedNanos - beganNanos < now * roundNanos + warmUpNanos && !late) {
                return;
            }
            if (counted.getPlain() == 0) {
                firstNanos[now] = askedNanos;
            }
            recorders.get(now).recordValue(Math.min(Latencies.MOST_NANOS, Math.max(1, answeredNanos - askedNanos)));
            lastNanos[now] = answeredNanos;
            // After the times, for whoever reads those.
            counted.lazySet(counted.getPlain() + 1);
        }
    }

    @Override
    public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
        int round = callers.stream().mapToInt(caller -> caller.round).min().orElse(0);
        int shown = Math.max(0, Math.min(round, plan.sizes().size() - 1));
        return new RoundProgress(
                local.elapsedNanos() / 1e9,
                shown + 1,
                plan.sizes().size(),
                plan.sizes().get(shown),
                callers.stream().mapToLong(caller -> caller.counted.get()).sum(),
                0);
    }

    @Override
    public boolean isComplete() {
        return callers.stream().allMatch(caller -> caller.round == plan.sizes().size());
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        List<RpcResult.Point> points = new ArrayList<>();
        for (int round = 0; round < plan.sizes().size(); round++) {
            List<SingleWriterRecorder> recorders = new ArrayList<>();
            long first = Long.MAX_VALUE;
            long last = Long.MIN_VALUE;
            for (Caller caller : callers) {
                if (caller.round >= round && caller.lastNanos[round] != 0) {
                    recorders.add(caller.recorders.get(round));
                    first = Math.min(first, caller.firstNanos[round]);
                    last = Math.max(last, caller.lastNanos[round]);
                }
            }
            Latencies latencies = Latencies.of(recorders);
            if (latencies.count() > 0) {
                points.add(new RpcResult.Point(plan.sizes().get(round), (last - first) / 1e9, latencies));
            }
        }
        return new RpcResult(circumstances, plan, points);
    }
}
