package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A checked test of requests and answers. Immutable.
 *
 * @param path to the first server
 * @param otherPaths to those that are asked at the same time
 * @param requestBytes of every request
 * @param sizes of the answers, one after the other
 * @param concurrent lanes, each with one request at a time; they are dealt to the servers in turn, so there is at least
 * one each
 * @param durationMs of all sizes together
 * @param polling both ends ask for the message again and again instead of being woken for it
 */
public record RpcPlan(
        NettestPath path,
        List<NettestPath> otherPaths,
        int requestBytes,
        List<Integer> sizes,
        int concurrent,
        long durationMs,
        boolean polling)
        implements NettestPlan {
    public RpcPlan {
        otherPaths = List.copyOf(otherPaths);
        sizes = List.copyOf(sizes);
        if (concurrent < otherPaths.size() + 1) {
            throw new IllegalArgumentException("fewer lanes than servers");
        }
    }

    /** With one server. */
    public RpcPlan(
            NettestPath path, int requestBytes, List<Integer> sizes, int concurrent, long durationMs, boolean polling) {
        this(path, List.of(), requestBytes, sizes, concurrent, durationMs, polling);
    }

    public int servers() {
        return 1 + otherPaths.size();
    }

    public NettestPath pathOf(int server) {
        return server == 0 ? path : otherPaths.get(server - 1);
    }

    /** As the user wrote it, with its port. */
    public String serverName(int server) {
        NettestPath to = pathOf(server);
        return (to.host().indexOf(':') >= 0 ? "[" + to.host() + "]" : to.host()) + ":" + to.port();
    }

    public List<String> serverNames() {
        return IntStream.range(0, servers()).mapToObj(this::serverName).toList();
    }

    /** What one of the servers is asked. */
    RpcPlan ofServer(int server) {
        int lanes = concurrent / servers() + (server < concurrent % servers() ? 1 : 0);
        return new RpcPlan(pathOf(server), requestBytes, sizes, lanes, durationMs, polling);
    }

    @Override
    public RpcPlan over(Carrier carrier) {
        return new RpcPlan(path.over(carrier), otherPaths, requestBytes, sizes, concurrent, durationMs, polling);
    }

    /** Of one server. */
    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.RPC,
                concurrent,
                0,
                0,
                1,
                Receive.COPY,
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                0,
                requestBytes,
                false,
                polling,
                path.timeoutMs());
    }
}
