package io.fdt.cli.value;

import io.fdt.core.plan.LaneRange;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How many lanes a session is to have: a number, {@code auto}, or {@code auto} between bounds. */
public final class LaneCount {
    public static final int MAX = 256;

    private static final Pattern BOUNDED = Pattern.compile("auto:(.*?)\\.\\.(.*)");

    private LaneCount() {}

    public static LaneRange parse(String text, int cores) throws BadValueException {
        if (text.equals("auto")) {
            return LaneRange.usual(cores);
        }
        Matcher bounded = BOUNDED.matcher(text);
        if (!bounded.matches()) {
            try {
                return LaneRange.fixed(number(text));
            } catch (BadValueException e) {
                throw new BadValueException(e.expected() + ", nor auto or auto:MIN..MAX");
            }
        }
        int min = number(bounded.group(1));
        int max = number(bounded.group(2));
        if (min > max) {
            throw new BadValueException("the first number of lanes is larger than the second");
        }
        return LaneRange.between(min, max, cores);
    }

    public static int number(String text) throws BadValueException {
        return Words.number(1, MAX).parse(text);
    }
}
