package io.fdt.cli.value;

import io.fdt.core.plan.LaneRange;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number of lanes for a session: a number, {@code auto}, or {@code auto} within bounds. */
public final class LaneCount {
    public static final int MAX = 256;

    private static final Pattern BOUNDED = Pattern.compile("auto:(.*?)\\.\\.(.*)");

    private LaneCount() {}

    public static LaneRange parse(String text, int cores) throws BadValueException {
        if (text.equals("auto")) {
            return LaneRange.auto(cores);
        }
        Matcher bounded = BOUNDED.matcher(text);
        if (!bounded.matches()) {
            return LaneRange.fixed(number(text, MAX, "auto or auto:MIN..MAX"));
        }
        int min = Words.number(1, MAX).parse(bounded.group(1));
        int max = Words.number(1, MAX).parse(bounded.group(2));
        if (min > max) {
            throw new BadValueException("the first number of lanes is larger than the second");
        }
        return LaneRange.between(min, max, cores);
    }

    /** Parses a number of lanes or threads. */
    public static int orAuto(String text, int most, int auto) throws BadValueException {
        return text.equals("auto") ? auto : number(text, most, "auto");
    }

    private static int number(String text, int most, String otherwise) throws BadValueException {
        try {
            return Words.number(1, most).parse(text);
        } catch (BadValueException e) {
            throw new BadValueException(e.expected() + ", nor " + otherwise);
        }
    }
}
