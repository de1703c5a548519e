package io.fdt.core.nettest.stream;

import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.MeasuredLane;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Questions;
import io.fdt.core.nettest.Rounds;
import io.fdt.core.nettest.Rounds.Round;
import io.fdt.core.nettest.SeveralServers;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.stats.HostFacts;
import io.fdt.core.transport.Lane;
import io.fdt.core.wire.NettestMessage.SideState;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * The client of the rpc suite. Every lane has one request at a time: a slow answer delays the next request, so the
 * server and the path determine the rate. With several servers, each has a session of its own and a part of this suite.
 */
public final class RpcClient implements SeveralServers {
    /** This share of a size's time is not counted. */
    private static final int WARM_UP_SHARE = 10;

    private static final String PER_SERVER = "per_server";

    private final NettestPlan plan;
    private final List<Integer> sizes;
    private final int requestBytes;
    private final List<Rounds> servers = new CopyOnWriteArrayList<>();

    public RpcClient(NettestPlan plan) {
        this.plan = plan;
        this.sizes = plan.get(NettestValue.SIZES);
        this.requestBytes = plan.get(NettestValue.REQUEST_BYTES);
    }

    /** The requests of one lane. */
    private final class Calls extends Questions {
        Calls(Rounds rounds) {
            super(rounds);
        }

        @Override
        protected void make(int ofRound, ByteBuffer request) {
            request.putInt(0, sizes.get(ofRound));
        }

        @Override
        public int requestBytes() {
            return requestBytes;
        }
    }

    /** Answers of one size; {@code whose} names the servers. */
    public static JsonObject point(Round round, JsonObject whose) {
        return new JsonObject()
                .with("size_bytes", round.sizeBytes())
                .with(whose)
                .with("requests", round.latencies().count())
                .with("seconds", round.seconds(), 6)
                .with("per_second", round.perSecond(), 1)
                // Of the answers only, as is usual in this field.
                .with("bytes_per_second", round.perSecond() * round.sizeBytes(), 1)
                .with(round.latencies().figures());
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
                points(Rounds.results(servers), whose(plan)),
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

    /** {@code whose} is added to each point. */
    private static List<JsonObject> points(List<Round> rounds, JsonObject whose) {
        return rounds.stream().map(round -> point(round, whose)).toList();
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
        private final Rounds rounds = Rounds.ofTime(
                sizes, TimeUnit.MILLISECONDS.toNanos(plan.get(NettestValue.DURATION)) / sizes.size(), WARM_UP_SHARE);

        ServerClient(int server, NettestPlan own) {
            this.server = server;
            this.own = own;
            servers.add(rounds);
        }

        @Override
        public MeasuredLane join(int index, Lane lane) {
            return new AskingLane(
                    lane, new Calls(rounds), requestBytes, plan.mostBytes(), plan.get(NettestValue.BUSY_POLL));
        }

        /** Of all servers. */
        @Override
        public JsonObject onSecond(SideState local, @Nullable SideState remote) {
            return Rounds.progress(local, servers, 0);
        }

        @Override
        public boolean isComplete() {
            return rounds.isComplete();
        }

        @Override
        public NettestResult result(Circumstances circumstances, SideState here, @Nullable SideState there) {
            List<Round> measured = Rounds.results(List.of(rounds));
            JsonObject row = server(
                    plan.serverName(server),
                    own.get(NettestValue.CONCURRENT),
                    circumstances,
                    points(measured, new JsonObject()));
            return RpcClient.result(own, circumstances, points(measured, whose(own)), List.of(row));
        }
    }
}
