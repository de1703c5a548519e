package io.fdt.core.nettest;

import io.fdt.core.transport.Carrier;
import io.fdt.core.wire.Capability;
import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A checked ping-pong. Immutable.
 *
 * @param sizes of the messages, which are as long there as back, one after the other
 * @param iterations round trips of each size that are counted
 * @param polling both ends ask for the message again and again instead of being woken for it
 * @param queues what carries the messages, which are always asked for again and again then; null for the lane itself
 */
public record LatencyPlan(
        NettestPath path,
        List<Integer> sizes,
        long iterations,
        boolean polling,
        @Nullable QueueUse queues) implements NettestPlan {
    public LatencyPlan {
        sizes = List.copyOf(sizes);
    }

    /** Over the lane itself. */
    public LatencyPlan(NettestPath path, List<Integer> sizes, long iterations, boolean polling) {
        this(path, sizes, iterations, polling, null);
    }

    @Override
    public long needed() {
        return queues == null ? 0 : Capability.DEVICE_QUEUES;
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
        return new LatencyPlan(path.over(carrier), sizes, iterations, polling, queues);
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
                path.timeoutMs(),
                null,
                queues == null ? null : queues.toPart());
    }
}
