package io.fdt.cli;

import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.RpcPlan;
import java.util.List;

/** The arguments of {@code nettest rpc}. */
final class RpcRequest {
    /** The sizes of the published figures, in decimal units as those are. */
    private static final List<Integer> SIZES = List.of(100, 1_000, 10_000, 100_000, 1_000_000);

    private static final int MOST_CONCURRENT = 64;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZES,
            NettestOptions.REQUEST,
            NettestOptions.CONCURRENT,
            NettestOptions.DURATION,
            NettestOptions.BUSY_POLL);

    private RpcRequest() {}

    static NettestPlan plan(NettestPath path, Settings settings) {
        List<Integer> sizes = settings.find(NettestOptions.SIZES, SizeList::parse);
        return new RpcPlan(
                path,
                settings.get(NettestOptions.REQUEST, Sizes.between(4, 1 << 20)).intValue(),
                sizes == null ? SIZES : sizes,
                settings.get(NettestOptions.CONCURRENT, Words.number(1, MOST_CONCURRENT)),
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                settings.on(NettestOptions.BUSY_POLL));
    }
}
