package io.fdt.cli.nettest;

import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.SizeList;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.SweepPlan;
import io.fdt.core.nettest.SweepPlan.Mode;
import io.fdt.core.transport.Carrier;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The arguments of {@code nettest sweep}. */
final class SweepRequest {
    private static final int MOST_POWER = 22;
    private static final int MOST_MESSAGES = 1_000_000;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.SIZES,
            NettestOptions.MESSAGES,
            NettestOptions.BLOCKING,
            NettestOptions.NONBLOCKING,
            NettestOptions.SWITCH_AT,
            NettestOptions.DURATION);

    private SweepRequest() {}

    /** Those of the published figures, 1 B to 4 MiB. */
    private static List<Integer> powersOfTwo() {
        return IntStream.rangeClosed(0, MOST_POWER)
                .mapToObj(power -> 1 << power)
                .toList();
    }

    static NettestPlan plan(NettestPath path, Settings settings) {
        Long switchAt = settings.find(NettestOptions.SWITCH_AT, Sizes.between(1, 64 << 20));
        if (switchAt != null && path.carrier() != Carrier.RDMA) {
            throw UserText.refusal("--switch-at applies only to --transport rdma, where small and large messages"
                    + " are sent differently; leave it out");
        }
        boolean blocking = settings.on(NettestOptions.BLOCKING);
        boolean nonblocking = settings.on(NettestOptions.NONBLOCKING);
        List<Integer> sizes = settings.find(NettestOptions.SIZES, SizeList::parse);
        return new SweepPlan(
                path,
                sizes == null ? powersOfTwo() : sizes,
                settings.get(NettestOptions.MESSAGES, Words.number(1, MOST_MESSAGES)),
                blocking == nonblocking
                        ? List.of(Mode.BLOCKING, Mode.NONBLOCKING)
                        : List.of(blocking ? Mode.BLOCKING : Mode.NONBLOCKING),
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                switchAtBytes(path, switchAt));
    }

    private static int switchAtBytes(NettestPath path, @Nullable Long switchAt) {
        if (path.carrier() != Carrier.RDMA) {
            return 0;
        }
        return switchAt == null ? SweepPlan.USUAL_SWITCH_BYTES : switchAt.intValue();
    }
}
