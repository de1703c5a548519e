package io.fdt.core.nettest.load;

import io.fdt.core.nettest.PlanValue;
import java.util.ArrayList;
import java.util.List;

/** Which load is offered when the user leaves that open. Pure. */
final class OfferedLoad {
    /** From a tenth of what the path can do to beyond it, closer where it gets hard. */
    private static final double[] SHARES = {0.1, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0, 1.3};

    private OfferedLoad() {}

    /** Rising steps of so much, in round numbers. */
    static List<Integer> around(double perSecond) {
        List<Integer> steps = new ArrayList<>();
        int before = 0;
        for (double share : SHARES) {
            before = (int) Math.max(before + 1.0, Math.min(PlanValue.MAX_PER_SECOND, round(perSecond * share)));
            steps.add(before);
        }
        return steps;
    }

    /** Two digits say enough. */
    private static double round(double rate) {
        double unit = Math.pow(10, Math.max(0, Math.floor(Math.log10(Math.max(1, rate))) - 1));
        return Math.rint(rate / unit) * unit;
    }
}
