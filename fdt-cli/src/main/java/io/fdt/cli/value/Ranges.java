package io.fdt.cli.value;

import io.fdt.core.plan.Range;

/** Parses ranges of files: {@code OFFSET:LENGTH}, where no length means up to the end. */
public final class Ranges {
    private Ranges() {}

    public static Range parse(String text) throws BadValueException {
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw new BadValueException("not a range; write OFFSET:LENGTH, for example 0:4096 or 1G:100M, or OFFSET:");
        }
        long offset = Sizes.parse(text.substring(0, colon));
        String length = text.substring(colon + 1);
        long rest = Long.MAX_VALUE - offset;
        return new Range(offset, length.isEmpty() ? rest : Math.min(rest, Sizes.parse(length)));
    }
}
