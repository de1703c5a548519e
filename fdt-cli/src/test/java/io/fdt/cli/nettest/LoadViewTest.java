package io.fdt.cli.nettest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.CommandRun;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import io.fdt.core.nettest.NettestOutcome;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plans;
import io.fdt.core.nettest.Rounds;
import io.fdt.core.nettest.load.LoadClient;
import io.fdt.core.nettest.stream.RpcClient;
import io.fdt.core.stats.HostFacts;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Results of the load suite and of tests with several servers, as text and as JSON. */
class LoadViewTest {
    private static final HostFacts HERE =
            new HostFacts("fdt 1", "dtn1", "6.1", new HostFacts.Cpu("cpu", 8, 8), new HostFacts.Nic("eth0", 0, "", 0));
    private static final HostFacts THERE =
            new HostFacts("fdt 1", "dtn2", "6.1", new HostFacts.Cpu("cpu", 8, 8), new HostFacts.Nic("eth0", 0, "", 0));
    private static final NettestPath PATH = new NettestPath("dtn2", 27_321, true, List.of(), 30_000);
    private static final Circumstances CIRCUMSTANCES = new Circumstances(
            "epoll, clear",
            2,
            true,
            new Circumstances.Side(HERE, 1, LaneMode.DIRECT),
            new Circumstances.Side(THERE, 0.5, LaneMode.BLOCKS));

    private static JsonObject point(int offered, int done, double waitSeconds) {
        return new JsonObject()
                .with("rx_buffers", 24)
                .with("tx_buffers", 8)
                .with("offered_per_second", offered)
                .with("achieved_per_second", done, 1)
                .with("offered", offered)
                .with("done", done)
                .with("never_sent", offered - done)
                .with("seconds", 1, 6)
                .with(Plans.latencies(1_000, 2_000).figures())
                .with("completions_per_poll", 1.5, 3)
                .with("full_polls", 0.02, 4)
                .with("server_completions_per_poll", 3, 3)
                .with("server_full_polls", 0.02, 4)
                .with("server_split_polls", 0, 4)
                .with("most_in_flight", 8)
                .with("tx_waits", 3)
                .with("tx_wait_seconds", waitSeconds, 6)
                .with("busy_local", 0.5, 4)
                .with("busy_remote", 0.97, 4);
    }

    private static CommandRun run(NettestResult result, String... words) {
        CommandRun run = new CommandRun();
        run.engine.tested = new NettestOutcome(null, result, 2_000_000_000L, "s1");
        assertThat(run.run(words)).isZero();
        return run;
    }

    private static NettestResult load() {
        NettestPlan plan = Plans.load(PATH, 100, List.of(1_000, 2_000, 4_000), List.of(24), List.of(8), 3_000, false);
        return LoadClient.result(
                plan,
                CIRCUMSTANCES,
                1_800.4,
                List.of(point(1_000, 1_000, 0), point(2_000, 1_500, 0.6), point(4_000, 700, 0.9)));
    }

    @Test
    @SuppressWarnings("unchecked")
    void jsonContainsTheFieldsOfAReport() {
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
    void textNamesTheExhaustedResourceWithItsFigure() {
        assertThat(run(load(), "nettest", "load", "dtn2").out())
                .contains("server-core (97 % busy), client-tx (none free 60 %)")
                .contains("way     system calls of the lane's own thread here, blocks through the engine there")
                .contains("pool    24 rx, 8 tx: all was done up to 1000 a second; of 2000 only 1500");
    }

    @Test
    void severalServersHaveALineEach() {
        NettestPlan plan = Plans.rpc(PATH, 30, List.of(100), 3, 10_000, false)
                .with(NettestValue.OTHER_SERVERS, List.of(new NettestPath("::1", 4_000, true, List.of(), 30_000)));
        JsonObject whose = new JsonObject().with("concurrent", 3).with("servers", 2);
        JsonObject all = RpcClient.point(round(10_000, 20_000, 30_000), whose);
        NettestResult result = RpcClient.result(
                plan,
                CIRCUMSTANCES,
                List.of(all),
                List.of(
                        server("dtn2:27321", 2, LaneMode.DIRECT, 10_000, 20_000),
                        server("[::1]:4000", 1, LaneMode.UNKNOWN, 30_000)));

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

    @Test
    void anIpv6ServerHasBrackets() {
        NettestPlan plan =
                Plans.rpc(new NettestPath("::1", 4_000, true, List.of(), 30_000), 30, List.of(100), 1, 10_000, false);
        NettestResult result = RpcClient.result(plan, CIRCUMSTANCES, List.of(), List.of());
        assertThat(run(result, "nettest", "rpc", "--json", "[::1]:4000")
                        .json()
                        .get(0)
                        .get("options"))
                .asString()
                .contains("server=[::1]:4000");
    }

    /** In one second. */
    private static Rounds.Round round(long... nanos) {
        return new Rounds.Round(100, 0, 1_000_000_000, Plans.latencies(nanos));
    }

    private static JsonObject server(String name, int lanes, LaneMode way, long... nanos) {
        JsonObject point = RpcClient.point(round(nanos), new JsonObject());
        Circumstances of = new Circumstances(
                "epoll, clear",
                2,
                true,
                new Circumstances.Side(HERE, 1, LaneMode.DIRECT),
                new Circumstances.Side(THERE, 0.25, way));
        return RpcClient.server(name, lanes, of, List.of(point));
    }
}
