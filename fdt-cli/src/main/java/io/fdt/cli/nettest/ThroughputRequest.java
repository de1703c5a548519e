package io.fdt.cli.nettest;

import io.fdt.cli.command.Context;
import io.fdt.cli.option.NettestOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.cli.value.BadValueException;
import io.fdt.cli.value.Sizes;
import io.fdt.cli.value.Times;
import io.fdt.cli.value.UserText;
import io.fdt.cli.value.Words;
import io.fdt.core.nettest.NettestPath;
import io.fdt.core.nettest.NettestPlan;
import io.fdt.core.nettest.ThroughputPlan;
import io.fdt.core.nettest.ThroughputPlan.Direction;
import io.fdt.core.plan.LaneRange;
import io.fdt.core.wire.NettestMessage.Receive;
import java.util.List;

/** The arguments of {@code nettest throughput}. */
final class ThroughputRequest {
    private static final int MAX_STREAMS = 64;

    static final List<Option> OPTIONS = List.of(
            NettestOptions.STREAMS,
            NettestOptions.REVERSE,
            NettestOptions.BIDIR,
            NettestOptions.DURATION,
            NettestOptions.WARM_UP,
            NettestOptions.RECEIVE,
            NettestOptions.BLOCK,
            NettestOptions.VIA);

    private ThroughputRequest() {}

    static NettestPlan plan(NettestPath path, Settings settings, Context context) {
        boolean reverse = settings.on(NettestOptions.REVERSE);
        boolean both = settings.on(NettestOptions.BIDIR);
        if (reverse && both) {
            throw UserText.refusal("--bidir already measures both ways; leave --reverse out");
        }
        if (both && NettestRequest.viaEngine(settings)) {
            throw UserText.refusal("a copy goes one way; leave --bidir or --via engine out");
        }
        long warmUpMs = settings.get(NettestOptions.WARM_UP, Times.betweenMs(0, 3_600_000));
        if (warmUpMs > 0 && NettestRequest.viaEngine(settings)) {
            throw UserText.refusal("a copy has no warm-up; leave --warm-up or --via engine out");
        }
        return new ThroughputPlan(
                path,
                settings.get(NettestOptions.STREAMS, text -> streams(text, context.cores())),
                both ? Direction.BOTH : reverse ? Direction.IN : Direction.OUT,
                settings.get(NettestOptions.DURATION, Times.betweenMs(100, 86_400_000)),
                settings.get(NettestOptions.BLOCK, Sizes.between(4 << 10, 16 << 20))
                        .intValue(),
                settings.choice(NettestOptions.RECEIVE, Receive.class),
                warmUpMs);
    }

    static int streams(String text, int cores) throws BadValueException {
        if (text.equals("auto")) {
            return LaneRange.usual(cores).start();
        }
        try {
            return Words.number(1, MAX_STREAMS).parse(text);
        } catch (BadValueException e) {
            throw new BadValueException(e.expected() + ", nor auto");
        }
    }
}
