package io.fdt.cli;

import io.fdt.core.nettest.LatencyPlan;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import java.util.List;

/** The arguments of {@code nettest latency}. */
final class LatencyRequest {
    private static final List<Integer> SIZES = List.of(4, 128, 1024);
    private static final int MOST_ITERATIONS = 999_999_999;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZES,
            NettestOptions.ITERATIONS,
            NettestOptions.BUSY_POLL,
            NettestOptions.HISTOGRAM,
            NettestOptions.HDR);

    private LatencyRequest() {}

    static NettestPlan plan(NettestPath path, Settings settings) {
        List<Integer> sizes = settings.find(NettestOptions.SIZES, SizeList::parse);
        return new LatencyPlan(
                path,
                sizes == null ? SIZES : sizes,
                settings.get(NettestOptions.ITERATIONS, Words.number(1, MOST_ITERATIONS)),
                settings.on(NettestOptions.BUSY_POLL));
    }
}
