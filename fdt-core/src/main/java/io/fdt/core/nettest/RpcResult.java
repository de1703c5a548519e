package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.HostFacts;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * What requests and answers took: from the first byte asked to the last byte answered. Immutable.
 *
 * @param points of all servers together, one for each size
 * @param servers the same for each of them
 */
public record RpcResult(Circumstances circumstances, RpcPlan plan, List<Point> points, List<Server> servers)
        implements PointsResult {
    public RpcResult {
        points = List.copyOf(points);
        servers = List.copyOf(servers);
    }

    @Override
    public int streams() {
        return plan.concurrent();
    }

    @Override
    public String destination() {
        return IntStream.range(0, plan.servers())
                .mapToObj(server -> plan.pathOf(server).host())
                .collect(Collectors.joining(","));
    }

    /** Answers come in. */
    @Override
    public List<Headline> headlines() {
        return points.stream()
                .map(point -> new Headline(
                        "in",
                        point.sizeBytes(),
                        8 * point.bytesPerSecond(),
                        point.perSecond(),
                        Headline.quantiles(point.latencies())))
                .toList();
    }

    /**
     * What one server did.
     *
     * @param name as the user wrote it, with its port
     * @param lanes to it, each with one request at a time
     * @param cpuSeconds of its process; not a number where it has not told
     * @param way how it moved the bytes
     */
    public record Server(String name, HostFacts host, int lanes, double cpuSeconds, LaneMode way, List<Point> points) {
        public Server {
            points = List.copyOf(points);
        }
    }

    /**
     * Answers of one size.
     *
     * @param seconds from the first request to the last answer of all lanes
     */
    public record Point(int sizeBytes, double seconds, Latencies latencies) {
        public double perSecond() {
            return seconds <= 0 ? 0 : latencies.count() / seconds;
        }

        /** Of the answers alone, as the field counts it. */
        public double bytesPerSecond() {
            return perSecond() * sizeBytes;
        }
    }
}
