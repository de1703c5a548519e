package io.fdt.cli.value;

import io.fdt.core.plan.TransferPlan;

/** How many lanes a session is to have: a number, or {@code auto}. */
public final class LaneCount {
    public static final int MAX = 256;

    private LaneCount() {}

    public static int parse(String text, int cores) throws BadValueException {
        if (text.equals("auto")) {
            return TransferPlan.usualLanes(cores);
        }
        try {
            return Words.number(1, MAX).parse(text);
        } catch (BadValueException e) {
            throw new BadValueException(e.expected() + ", nor auto");
        }
    }
}
