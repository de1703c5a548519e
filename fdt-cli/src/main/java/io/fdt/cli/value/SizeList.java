package io.fdt.cli.value;

import io.fdt.core.basic.Figures;
import java.util.ArrayList;
import java.util.List;

/** Message sizes: {@code 4,128,1K}, or {@code 1..4MiB} for all powers of two in this range. */
public final class SizeList {
    private static final String RANGE = "..";
    private static final int MAX_SIZES = 64;

    private SizeList() {}

    /** Different sizes of up to this many bytes. */
    public static List<Integer> parse(String text, int mostBytes) throws BadValueException {
        List<Integer> sizes = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf(RANGE);
            if (dots < 0) {
                add(sizes, size(part, mostBytes));
            } else {
                addPowers(
                        sizes,
                        size(part.substring(0, dots), mostBytes),
                        size(part.substring(dots + RANGE.length()), mostBytes));
            }
        }
        if (sizes.size() > MAX_SIZES) {
            throw new BadValueException("more than " + MAX_SIZES + " sizes");
        }
        return sizes;
    }

    /** Figures of two rounds of one size would have the same name. */
    private static void add(List<Integer> sizes, int size) throws BadValueException {
        if (sizes.contains(size)) {
            throw new BadValueException(Figures.exactBytes(size) + " occurs twice");
        }
        sizes.add(size);
    }

    private static int size(String text, int mostBytes) throws BadValueException {
        return Sizes.between(1, mostBytes).parse(text).intValue();
    }

    private static void addPowers(List<Integer> sizes, int from, int to) throws BadValueException {
        if (Integer.bitCount(from) != 1 || Integer.bitCount(to) != 1 || from > to) {
            throw new BadValueException("A..B goes from one power of two up to another, for example 1..4MiB");
        }
        for (long size = from; size <= to; size *= 2) {
            add(sizes, (int) size);
        }
    }
}
