package io.fdt.cli.value;

import java.util.ArrayList;
import java.util.List;

/** Message sizes: {@code 4,128,1K}, or {@code 1..4MiB} for all powers of two in this range. */
public final class SizeList {
    private static final String RANGE = "..";
    private static final int MOST_SIZES = 64;
    private static final int MOST_BYTES = 64 << 20;

    private SizeList() {}

    public static List<Integer> parse(String text) throws BadValueException {
        List<Integer> sizes = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            if (dots < 0) {
                sizes.add(size(part));
            } else {
                addPowers(sizes, size(part.substring(0, dots)), size(part.substring(dots + RANGE.length())));
            }
        }
        if (sizes.size() > MOST_SIZES) {
            throw new BadValueException("more than " + MOST_SIZES + " sizes");
        }
        return sizes;
    }

    private static int size(String text) throws BadValueException {
        return Sizes.between(1, MOST_BYTES).parse(text).intValue();
    }

    private static void addPowers(List<Integer> sizes, int from, int to) throws BadValueException {
        if (Integer.bitCount(from) != 1 || Integer.bitCount(to) != 1 || from > to) {
            throw new BadValueException("A..B goes from one power of two up to another, for example 1..4MiB");
        }
        for (long size = from; size <= to; size *= 2) {
            sizes.add((int) size);
        }
    }
}
