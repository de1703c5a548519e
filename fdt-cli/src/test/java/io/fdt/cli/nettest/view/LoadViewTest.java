package io.fdt.cli.nettest.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.Latencies;
import io.fdt.core.nettest.LoadPlan;
import io.fdt.core.nettest.LoadPlan.Pool;
import io.fdt.core.nettest.LoadResult;
import io.fdt.core.nettest.LoadResult.Point;
import io.fdt.core.nettest.LoadResult.PollFigures;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.RpcPlan;
import io.fdt.core.nettest.RpcResult;
import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Results under load and of several servers, as people and programs see them. */
class LoadViewTest {
    private static final HostFacts HERE = new HostFacts("fdt 1", "dtn1", "cpu", 8, 8, "6.1", "eth0", 0, "", 0);
    private static final HostFacts THERE = new HostFacts("fdt 1", "dtn2", "cpu", 8, 8, "6.1", "eth0", 0, "", 0);
    private static final NettestPath PATH = new NettestPath("dtn2", 27_321, true, List.of(), 30_000);
    private static final Circumstances CIRCUMSTANCES =
            new Circumstances("epoll, clear", HERE, THERE, 2, true, 1, 0.5, LaneMode.DIRECT, LaneMode.BLOCKS);

    private static Point point(int offered, int done, double waitSeconds) {
        return new Point(
                new Pool(24, 8),
                offered,
                1,
                offered,
                done,
                Latencies.ofNanos(1_000, 2_000),
                8,
                3,
                waitSeconds,
                new PollFigures(100, 150, 2, 4),
                new PollFigures(100, 300, 2, 8),
                0,
                0.5,
                0.97);
    }

    private static CommandRun run(NettestResult result, String... words) {
        CommandRun run = new CommandRun();
        run.engine.tested = new NettestOutcome(null, null, result, 2_000_000_000L, "s1");
        assertThat(run.run(words)).isZero();
        return run;
    }

    private static LoadResult load() {
        LoadPlan plan = new LoadPlan(PATH, 100, List.of(1_000, 2_000, 4_000), List.of(24), List.of(8), 3_000, false);
        return new LoadResult(
                CIRCUMSTANCES,
                plan,
                1_800.4,
                List.of(point(1_000, 1_000, 0), point(2_000, 1_500, 0.6), point(4_000, 700, 0.9)));
    }

    @Test
    @SuppressWarnings("unchecked")
    void loadInJsonHasWhatAReportReads() {
        Map<String, Object> result =
                run(load(), "nettest", "load", "--json", "dtn2").json().get(0);
        assertThat(result)
                .containsEntry("suite", "load")
                .containsEntry("way_local", "direct")
                .containsEntry("way_remote", "blocks");
        List<Map<String, Object>> points = (List<Map<String, Object>>) result.get("points");
        assertThat(points).hasSize(3);
        assertThat(points.get(1))
                .containsEntry("rx_buffers", 24L)
                .containsEntry("tx_buffers", 8L)
                .containsEntry("offered_per_second", 2_000L)
                .containsEntry("never_sent", 500L)
                .containsEntry("tx_waits", 3L)
                .containsEntry("ran_out", List.of("server-core", "client-tx"))
                .containsKeys("p50_us", "p99_us", "tx_wait_seconds", "most_in_flight");
        assertThat(((Number) points.get(1).get("achieved_per_second")).doubleValue())
                .isEqualTo(1_500);
        assertThat(((Number) points.get(1).get("completions_per_poll")).doubleValue())
                .isEqualTo(1.5);
        assertThat(((Number) points.get(1).get("server_completions_per_poll")).doubleValue())
                .isEqualTo(3);
        assertThat(points.get(0)).containsEntry("ran_out", List.of());
        assertThat((List<Map<String, Object>>) result.get("pools"))
                .singleElement()
                .satisfies(pool -> assertThat(pool)
                        .containsEntry("kept_up_to", 1_000L)
                        .containsEntry("falls_at", 4_000L)
                        .containsEntry(
                                "sentence",
                                "all was done up to 1000 a second; of 2000 only 1500, where server-core and client-tx ran"
                                        + " out; at most 1500, falling to 700 of 4000"));
    }

    @Test
    void loadForPeopleSaysWhatRanOutAndTheFigureThatSaysSo() {
        assertThat(run(load(), "nettest", "load", "dtn2").out())
                .contains("server-core (97 % busy), client-tx (none free 60 %)")
                .contains("way     system calls of the lane's own thread here, blocks through the engine there")
                .contains("pool    24 rx, 8 tx: all was done up to 1000 a second; of 2000 only 1500");
    }

    @Test
    void severalServersHaveALineEach() {
        RpcPlan plan = new RpcPlan(
                PATH,
                List.of(new NettestPath("::1", 4_000, true, List.of(), 30_000)),
                30,
                List.of(100),
                3,
                10_000,
                false);
        RpcResult.Point one = new RpcResult.Point(100, 1, Latencies.ofNanos(10_000, 20_000));
        RpcResult.Point other = new RpcResult.Point(100, 1, Latencies.ofNanos(30_000));
        RpcResult.Point all = new RpcResult.Point(100, 1, Latencies.ofNanos(10_000, 20_000, 30_000));
        RpcResult result = new RpcResult(
                CIRCUMSTANCES,
                plan,
                List.of(all),
                List.of(
                        new RpcResult.Server("dtn2:27321", THERE, 2, 0.25, LaneMode.DIRECT, List.of(one)),
                        new RpcResult.Server("[::1]:4000", THERE, 1, 0.25, LaneMode.UNKNOWN, List.of(other))));

        assertThat(run(result, "nettest", "rpc", "dtn2").out().lines())
                .anyMatch(line -> line.matches(" +100 +3 .*  all"))
                .anyMatch(line -> line.matches(" +100 +2 .*  dtn2:27321"))
                .anyMatch(line -> line.matches(" +100 +1 .*  \\[::1\\]:4000"))
                .anyMatch(line -> line.contains("3 lanes to 2 servers"));
        Map<String, Object> json =
                run(result, "nettest", "rpc", "--json", "dtn2").json().get(0);
        assertThat(json.get("per_server"))
                .asString()
                .contains("server=dtn2:27321", "way=direct", "server=[::1]:4000", "requests=1");
        assertThat(json.get("points")).asString().contains("servers=2", "concurrent=3", "requests=3");
    }
}
