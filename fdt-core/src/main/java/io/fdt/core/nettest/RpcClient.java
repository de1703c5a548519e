package io.fdt.core.nettest;

import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.HdrHistogram.SingleWriterRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The client of the test of requests and answers. Every lane has one request at a time: the loop is closed, so a slow
 * answer delays the next request, and the rate is what the server and the path make of it. Of several servers each has
 * a session of its own and a part of this suite.
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
        return joinServer(0, lane, end);
    }

    private MeasuredLane joinServer(int server, Lane lane, MeasuredLane.LaneEnd end) {
        Caller caller = new Caller(server);
        callers.add(caller);
        int most = plan.sizes().stream().mapToInt(Integer::intValue).max().orElse(1);
        return new AskingLane(lane, end, caller, plan.requestBytes(), most, plan.polling());
    }

    /**
     * One lane's requests: size after size, each for its time, counted from the lane's first request, and at least
     * once. All lanes begin together, so they also change the size together. Written by the lane's thread; anyone may
     * look.
     */
    private final class Caller implements Questions {
        private final int server;
        private final List<SingleWriterRecorder> recorders = new ArrayList<>();
        private final long[] firstNanos = new long[plan.sizes().size()];
        private final long[] lastNanos = new long[plan.sizes().size()];
        private volatile int round = -1;
        private final AtomicLong counted = new AtomicLong();
        private int sizeBytes;
        private long beganNanos;

        Caller(int server) {
            this.server = server;
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

        /** Whether any of this round counts. */
        boolean hasAnswers(int ofRound) {
            return round >= ofRound && lastNanos[ofRound] != 0;
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
        return isComplete(0);
    }

    private boolean isComplete(int server) {
        return callers.stream()
                .filter(caller -> caller.server == server)
                .allMatch(caller -> caller.round == plan.sizes().size());
    }

    @Override
    public @Nullable String disagreement(SideState own, SideState peers) {
        return LaneCounts.disagreement(own, peers);
    }

    @Override
    public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
        return ofServer(0).result(circumstances, here, there);
    }

    /** What was measured with one server; once, for the recorders are read. */
    private List<RpcResult.Point> points(int server) {
        List<RpcResult.Point> points = new ArrayList<>();
        for (int round = 0; round < plan.sizes().size(); round++) {
            List<SingleWriterRecorder> recorders = new ArrayList<>();
            for (Caller caller : callers) {
                if (caller.server == server && caller.hasAnswers(round)) {
                    recorders.add(caller.recorders.get(round));
                }
            }
            Latencies latencies = Latencies.of(recorders);
            if (latencies.count() > 0) {
                points.add(new RpcResult.Point(
                        plan.sizes().get(round),
                        seconds(round, callers.stream().filter(caller -> caller.server == server)),
                        latencies));
            }
        }
        return points;
    }

    /** From the first request to the last answer of these. */
    private static double seconds(int round, Stream<Caller> callers) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Caller caller : callers.filter(each -> each.hasAnswers(round)).toList()) {
            first = Math.min(first, caller.firstNanos[round]);
            last = Math.max(last, caller.lastNanos[round]);
        }
        return (last - first) / 1e9;
    }

    /** What all servers did together. */
    RpcResult sum(List<RpcResult> results, boolean whole) {
        List<RpcResult.Point> points = new ArrayList<>();
        for (int round = 0; round < plan.sizes().size(); round++) {
            int sizeBytes = plan.sizes().get(round);
            List<Latencies> parts = new ArrayList<>();
            for (RpcResult result : results) {
                // A size may be asked for twice, so it is looked for by its place.
                if (round < result.points().size() && result.points().get(round).sizeBytes() == sizeBytes) {
                    parts.add(result.points().get(round).latencies());
                }
            }
            if (!parts.isEmpty()) {
                points.add(new RpcResult.Point(sizeBytes, seconds(round, callers.stream()), Latencies.sum(parts)));
            }
        }
        List<RpcResult.Server> servers =
                results.stream().flatMap(result -> result.servers().stream()).toList();
        Circumstances first = results.get(0).circumstances();
        return new RpcResult(
                new Circumstances(
                        first.transport(),
                        first.local(),
                        first.remote(),
                        results.stream().mapToDouble(RpcResult::seconds).max().orElse(0),
                        whole && results.stream().allMatch(RpcResult::whole),
                        results.stream()
                                .mapToDouble(RpcResult::cpuSecondsLocal)
                                .max()
                                .orElse(0),
                        results.stream()
                                .mapToDouble(RpcResult::cpuSecondsRemote)
                                .sum(),
                        LaneMode.ofAll(results.stream()
                                .map(result -> result.circumstances().wayLocal())
                                .toList()),
                        LaneMode.ofAll(results.stream()
                                .map(result -> result.circumstances().wayRemote())
                                .toList())),
                plan,
                points,
                servers);
    }

    /** The part of one server's session. */
    ClientSuite ofServer(int server) {
        return new Part(server);
    }

    private final class Part implements ClientSuite {
        private final int server;

        Part(int server) {
            this.server = server;
        }

        @Override
        public MeasuredLane join(int index, Lane lane, MeasuredLane.LaneEnd end) {
            return joinServer(server, lane, end);
        }

        /** Of all servers. */
        @Override
        public NettestProgress onSecond(SideState local, @Nullable SideState remote) {
            return RpcClient.this.onSecond(local, remote);
        }

        @Override
        public boolean isComplete() {
            return RpcClient.this.isComplete(server);
        }

        @Override
        public @Nullable String disagreement(SideState own, SideState peers) {
            return LaneCounts.disagreement(own, peers);
        }

        @Override
        public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
            List<RpcResult.Point> points = points(server);
            RpcPlan ofServer = plan.ofServer(server);
            return new RpcResult(
                    circumstances,
                    ofServer,
                    points,
                    List.of(new RpcResult.Server(
                            plan.serverName(server),
                            circumstances.remote(),
                            ofServer.concurrent(),
                            circumstances.cpuSecondsRemote(),
                            circumstances.wayRemote(),
                            points)));
        }
    }
}
