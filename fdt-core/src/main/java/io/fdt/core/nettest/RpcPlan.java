package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;

/**
 * A checked test of requests and answers. Immutable.
 *
 * @param requestBytes of every request
 * @param sizes of the answers, one after the other
 * @param concurrent lanes, each with one request at a time
 * @param durationMs of all sizes together
 * @param polling both ends ask for the message again and again instead of being woken for it
 */
public record RpcPlan(
        NettestPath path, int requestBytes, List<Integer> sizes, int concurrent, long durationMs, boolean polling)
        implements NettestPlan {
    public RpcPlan {
        sizes = List.copyOf(sizes);
    }

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
