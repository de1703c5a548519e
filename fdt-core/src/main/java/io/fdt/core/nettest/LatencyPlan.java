package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;

/**
 * A checked ping-pong. Immutable.
 *
 * @param sizes of the messages, which are as long there as back, one after the other
 * @param iterations round trips of each size that are counted
 * @param polling both ends ask for the message again and again instead of being woken for it
 */
public record LatencyPlan(NettestPath path, List<Integer> sizes, long iterations, boolean polling)
        implements NettestPlan {
    public LatencyPlan {
        sizes = List.copyOf(sizes);
    }

    /** Round trips of each size before those that are counted. */
    public long warmUps() {
        return warmUps(iterations);
    }

    static long warmUps(long iterations) {
        return Math.min(20_000, Math.max(10, iterations / 10));
    }

    @Override
    public LatencyPlan over(Carrier carrier) {
        return new LatencyPlan(path.over(carrier), sizes, iterations, polling);
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.LATENCY,
                1,
                0,
                0,
                1,
                Receive.COPY,
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                iterations,
                0,
                false,
                polling,
                path.timeoutMs());
    }
}
