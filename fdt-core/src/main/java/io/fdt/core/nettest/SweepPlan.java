package io.fdt.core.nettest;

import io.fdt.core.wire.NettestMessage.OpenNettest;
import io.fdt.core.wire.NettestMessage.Receive;
import io.fdt.core.wire.NettestMessage.Suite;
import java.util.List;

/**
 * A checked streaming test: bursts of messages of one size, each burst with one acknowledgement. Immutable.
 *
 * @param sizes of messages, one after the other
 * @param messages of a burst
 * @param modes each with all sizes, one after the other
 * @param durationMs that is aimed at for everything; a burst is never cut short for it
 */
public record SweepPlan(NettestPath path, List<Integer> sizes, int messages, List<Mode> modes, long durationMs)
        implements NettestPlan {
    public SweepPlan {
        sizes = List.copyOf(sizes);
        modes = List.copyOf(modes);
    }

    /** How a message follows the one before it. */
    public enum Mode {
        /** A call a message; the next begins when the network stack has taken all of it. */
        BLOCKING,
        /** As many messages as there is room for go with one call. */
        NONBLOCKING
    }

    @Override
    public OpenNettest request() {
        return new OpenNettest(
                Suite.SWEEP,
                1,
                0,
                0,
                1,
                Receive.COPY,
                path.clear(),
                sizes.stream().mapToInt(Integer::intValue).toArray(),
                messages,
                0,
                false,
                false,
                path.timeoutMs());
    }
}
