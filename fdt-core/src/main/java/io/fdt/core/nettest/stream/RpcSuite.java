package io.fdt.core.nettest.stream;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import io.fdt.core.failure.Cause;
import io.fdt.core.nettest.Column;
import io.fdt.core.nettest.Csv;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.NettestResources;
import io.fdt.core.nettest.NettestResult;
import io.fdt.core.nettest.NettestValue;
import io.fdt.core.nettest.Plot;
import io.fdt.core.nettest.SeveralServers;
import io.fdt.core.nettest.Suite;
import io.fdt.core.nettest.SuiteClient;
import io.fdt.core.nettest.SuiteSide;
import io.fdt.core.nettest.SuiteText;
import io.fdt.core.plan.Value;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Short requests with answers of each size, one at a time on each lane, to one or several servers. */
public final class RpcSuite extends Suite {
    public static final Suite RPC = new RpcSuite();

    private RpcSuite() {
        super(
                "rpc",
                List.of(
                        NettestValue.OTHER_SERVERS,
                        NettestValue.REQUEST_BYTES,
                        NettestValue.SIZES,
                        NettestValue.CONCURRENT,
                        NettestValue.DURATION,
                        NettestValue.BUSY_POLL),
                "size_bytes,concurrent,servers,requests,per_second,bytes_per_second," + Csv.LATENCIES,
                Plot.ofRequests("RPC"));
    }

    @Override
    public NettestPlan withDefaults(NettestPlan plan) {
        return plan.with(NettestValue.SIZES, List.of(100, 1_000, 10_000, 100_000, 1_000_000));
    }

    @Override
    public void putOption(NettestPlan plan, Value<?> value, JsonObject into) {
        if (value == NettestValue.OTHER_SERVERS) {
            into.with("servers", plan.serverNames());
        } else {
            plan.put(value, into);
        }
    }

    // ---- Sides.

    @Override
    public SuiteClient client(NettestPlan plan) {
        return severalServers(plan).ofServer(0, plan);
    }

    @Override
    public SeveralServers severalServers(NettestPlan plan) {
        return new RpcClient(plan);
    }

    @Override
    public SuiteSide server(NettestPlan plan, NettestResources resources) {
        int requestBytes = plan.get(NettestValue.REQUEST_BYTES);
        return AnsweringLane.side(plan, new AsRequested(requestBytes, plan.mostBytes()), requestBytes);
    }

    @Override
    public long serverBytes(NettestPlan plan) {
        return AnsweringLane.memoryBytes(plan, plan.get(NettestValue.REQUEST_BYTES));
    }

    /** The first four bytes of a request are the length of its answer. */
    private record AsRequested(int requestBytes, int mostBytes) implements Answers {
        @Override
        public int answerBytes(ByteBuffer head) {
            int bytes = head.getInt(0);
            if (bytes < 1 || bytes > mostBytes) {
                throw Cause.MALFORMED.failure("an answer of " + bytes + " bytes was requested, which is out of bounds");
            }
            return bytes;
        }
    }

    // ---- Displays.

    @Override
    public String announcement(NettestPlan plan, String peer, String transport) {
        return "rpc to " + peer + ", "
                + Figures.count(plan.get(NettestValue.SIZES).size(), "size") + ", "
                + Figures.count(plan.streams(), "lane") + " over " + transport;
    }

    @Override
    public JsonObject start(NettestPlan plan) {
        return Suite.some(plan, "concurrent").with("servers", plan.servers().size());
    }

    @Override
    public List<String> tables(NettestResult result) {
        List<Column> columns = Column.withLatencies(
                9,
                2,
                "",
                Column.count("answer", 9, "size_bytes"),
                Column.amount("a second", 9, "per_second", 0),
                Column.megabytes(9, 2));
        List<String> lines = Column.table(result.points(), columns);
        List<JsonObject> servers = result.figures().rows("per_server");
        return SuiteText.titled(
                "from the request to the whole answer, in microseconds",
                servers.size() < 2 ? lines : withServers(lines, result, servers, columns));
    }

    /** Below the line of each size, a line for every server. */
    private static List<String> withServers(
            List<String> lines, NettestResult result, List<JsonObject> servers, List<Column> columns) {
        List<String> each = new ArrayList<>(List.of(lines.get(0)));
        for (int at = 0; at < result.points().size(); at++) {
            each.add(lines.get(at + 1) + "  all");
            for (JsonObject server : servers) {
                List<JsonObject> own = server.rows("points");
                if (at < own.size()) {
                    each.add(Column.line(own.get(at), columns) + "  " + server.text("server"));
                }
            }
        }
        return each;
    }

    @Override
    public List<String> conclusion(NettestResult result) {
        NettestPlan plan = result.plan();
        return List.of(
                SuiteText.ways(result.circumstances()),
                "asked   " + Figures.count(plan.streams(), "lane")
                        + (plan.servers().size() > 1 ? " to " + plan.servers().size() + " servers" : "")
                        + " with one request of " + Figures.exactBytes(plan.get(NettestValue.REQUEST_BYTES))
                        + " at a time" + (plan.get(NettestValue.BUSY_POLL) ? ", busy polling" : "")
                        + SuiteText.partial(result),
                "        The loop is closed: a slow answer delays the next request instead of hiding behind it, so"
                        + " there is",
                "        no coordinated omission to correct; it does not say how requests wait that come by"
                        + " themselves.");
    }

    @Override
    public String curve(JsonObject point) {
        return SuiteText.words(SuiteText.several(point, "concurrent"), SuiteText.several(point, "servers"));
    }

    @Override
    public String direction(NettestPlan plan) {
        return "in";
    }
}
