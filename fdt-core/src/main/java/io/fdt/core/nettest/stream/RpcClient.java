package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.SeveralServers;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The client of the rpc suite. Every lane has one request at a time: a slow answer delays the next request, so the
 * server and the path determine the rate. With several servers, each has a session of its own and a part of this suite.
 */
public final class RpcClient implements SeveralServers {
    /** This share of a size's time, up to a limit, is not counted. */
    private static final int WARM_UP_SHARE = 10;

    private static final String PER_SERVER = "per_server";

    private static final long MAX_WARM_UP_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NettestPlan plan;
    private final List<Integer> sizes;
    private final int requestBytes;
    private final long roundNanos;
    private final long warmUpNanos;
    private final List<Caller> callers = new CopyOnWriteArrayList<>();

    public RpcClient(NettestPlan plan) {
        this.plan = plan;
        this.sizes = plan.get(NettestValue.SIZES);
        this.requestBytes = plan.get(NettestValue.REQUEST_BYTES);
        this.roundNanos = TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.DURATION)) / sizes.size();
        this.warmUpNanos = Math.min(MAX_WARM_UP_NANOS, roundNanos / WARM_UP_SHARE);
    }

    /**
     * The requests of one lane: size after size, each for its time, counted from the lane's first request, and at least
     * once. All lanes begin together, so they also change the size together. Written by the lane's thread; readable on
     * any thread.
     */
    private final class Caller implements Questions {
        private final int server;
        private final List<Latencies> recorded =
                Stream.generate(Latencies::new).limit(sizes.size()).toList();
        private final Map<Integer, Latencies> read = new HashMap<>();
        private final long[] firstNanos = new long[sizes.size()];
        private final long[] lastNanos = new long[sizes.size()];
        private volatile int round = -1;
        private final AtomicLong counted = new AtomicLong();
        private int sizeBytes;
        private long beganNanos;

        Caller(int server) {
            this.server = server;
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

        /** The measurements of this round; repeated calls return the same. */
        synchronized Latencies latencies(int ofRound) {
            return read.computeIfAbsent(
                    ofRound, missing -> recorded.get(ofRound).copy());
        }

        /** Whether any answer of this round counts. */
        boolean hasAnswers(int ofRound) {
            return round >= ofRound && lastNanos[ofRound] != 0;
        }

        private boolean goTo(int next, ByteBuffer request) {
            if (next == sizes.size()) {
                round = next;
                return false;
            }
            sizeBytes = sizes.get(next);
            request.putInt(0, sizeBytes);
            counted.lazySet(0);
            round = next;
            return true;
        }

        @Override
        public int requestBytes() {
            return requestBytes;
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
            recorded.get(now).record(answeredNanos - askedNanos);
            lastNanos[now] = answeredNanos;
            // Written after the times, for readers of those.
            counted.lazySet(counted.getPlain() + 1);
        }
    }

    /** From the first request to the last answer of these servers. */
    private double seconds(int round, IntPredicate servers) {
        long first = Long.MAX_VALUE;
        long last = Long.MIN_VALUE;
        for (Caller caller : callers) {
            if (servers.test(caller.server) && caller.hasAnswers(round)) {
                first = Math.min(first, caller.firstNanos[round]);
                last = Math.max(last, caller.lastNanos[round]);
            }
        }
        return (last - first) / 1e9;
    }

    /**
     * Answers of one size in this many seconds, from the first request to the last answer; {@code whose} names the
     * servers.
     */
    public static JsonObject point(int sizeBytes, JsonObject whose, double seconds, Latencies latencies) {
        double perSecond = seconds <= 0 ? 0 : latencies.count() / seconds;
        return new JsonObject()
                .with("size_bytes", sizeBytes)
                .with(whose)
                .with("requests", latencies.count())
                .with("seconds", seconds, 6)
                .with("per_second", perSecond, 1)
                // Of the answers only, as is usual in this field.
                .with("bytes_per_second", perSecond * sizeBytes, 1)
                .with(latencies.figures());
    }

    @Override
    public NettestResult sum(List<NettestResult> results, boolean whole) {
        List<Circumstances> each =
                results.stream().map(NettestResult::circumstances).toList();
        Circumstances all = new Circumstances(
                each.get(0).transport(),
                each.stream().mapToDouble(Circumstances::seconds).max().orElse(0),
                whole && each.stream().allMatch(Circumstances::whole),
                together(each, Circumstances::local, seconds -> seconds.max().orElse(0)),
                together(each, Circumstances::remote, DoubleStream::sum));
        return result(
                plan.over(results.get(0).plan().path().carrier()),
                all,
                points(whose(plan), server -> true),
                results.stream()
                        .flatMap(result -> result.figures().rows(PER_SERVER).stream())
                        .toList());
    }

    private static Circumstances.Side together(
            List<Circumstances> each,
            Function<Circumstances, Circumstances.Side> side,
            ToDoubleFunction<DoubleStream> cpuSeconds) {
        List<Circumstances.Side> sides = each.stream().map(side).toList();
        return new Circumstances.Side(
                sides.get(0).host(),
                cpuSeconds.applyAsDouble(sides.stream().mapToDouble(Circumstances.Side::cpuSeconds)),
                LaneMode.ofAll(sides.stream().map(Circumstances.Side::way).toList()));
    }

    /** The measurements with these servers; {@code whose} is added to each point. */
    private List<JsonObject> points(JsonObject whose, IntPredicate servers) {
        List<JsonObject> points = new ArrayList<>();
        for (int round = 0; round < sizes.size(); round++) {
            List<Latencies> parts = new ArrayList<>();
            for (Caller caller : callers) {
                if (servers.test(caller.server) && caller.hasAnswers(round)) {
                    parts.add(caller.latencies(round));
                }
            }
            if (!parts.isEmpty()) {
                points.add(point(sizes.get(round), whose, seconds(round, servers), Latencies.sum(parts)));
            }
        }
        return points;
    }

    /** The servers, for each point. */
    private static JsonObject whose(NettestPlan plan) {
        return new JsonObject()
                .with("concurrent", plan.get(NettestValue.CONCURRENT))
                .with("servers", plan.servers().size());
    }

    public static NettestResult result(
            NettestPlan plan, Circumstances circumstances, List<JsonObject> points, List<JsonObject> servers) {
        JsonObject figures = new JsonObject()
                .with("what", "request-to-answer")
                .with("loop", "closed")
                .with(circumstances.ways())
                .with("points", points)
                .with(PER_SERVER, servers);
        int requestBytes = plan.get(NettestValue.REQUEST_BYTES);
        long bytes = points.stream()
                .mapToLong(point -> point.count("requests") * (point.count("size_bytes") + requestBytes))
                .sum();
        JsonObject summary = new JsonObject().with("bytes", bytes).with("requests", figures.sum("points", "requests"));
        return new NettestResult(plan, circumstances, figures, summary);
    }

    /**
     * The figures of one server, under the name that the user wrote, with this many lanes with one request at a time
     * each.
     */
    public static JsonObject server(String name, int lanes, Circumstances circumstances, List<JsonObject> points) {
        HostFacts host = circumstances.remote().host();
        return new JsonObject()
                .with("server", name)
                .with("host", host.host())
                .with("cpu", host.cpu().model())
                .with("cores", host.cpu().cores())
                .with("software", host.software())
                .with("concurrent", lanes)
                .with("cpu_seconds", circumstances.remote().cpuSeconds(), 2)
                .with("way", circumstances.remote().way().word())
                .with("points", points);
    }

    @Override
    public SuiteClient ofServer(int server, NettestPlan own) {
        return new ServerClient(server, own);
    }

    private final class ServerClient implements SuiteClient {
        private final int server;
        private final NettestPlan own;

        ServerClient(int server, NettestPlan own) {
            this.server = server;
            this.own = own;
        }

        @Override
        public MeasuredLane join(int index, Lane lane) {
            Caller caller = new Caller(server);
            callers.add(caller);
            return new AskingLane(lane, caller, requestBytes, plan.mostBytes(), plan.get(NettestValue.BUSY_POLL));
        }

        /** Of all servers. */
        @Override
        public JsonObject onSecond(SideState local, @Nullable SideState remote) {
            int round = callers.stream().mapToInt(caller -> caller.round).min().orElse(0);
            int shown = Math.max(0, Math.min(round, sizes.size() - 1));
            long counted =
                    callers.stream().mapToLong(caller -> caller.counted.get()).sum();
            return Bursts.progress(local, shown, sizes.size(), sizes.get(shown), counted, 0);
        }

        @Override
        public boolean isComplete() {
            return callers.stream()
                    .filter(caller -> caller.server == server)
                    .allMatch(caller -> caller.round == sizes.size());
        }

        @Override
        public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
            List<JsonObject> points = points(new JsonObject(), number -> number == server);
            JsonObject row = server(plan.serverName(server), own.get(NettestValue.CONCURRENT), circumstances, points);
            return RpcClient.result(own, circumstances, points(whose(own), number -> number == server), List.of(row));
        }
    }
}
