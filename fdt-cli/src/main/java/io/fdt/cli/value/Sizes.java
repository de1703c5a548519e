package io.fdt.cli.value;

import io.fdt.core.basic.Figures;
import java.math.BigDecimal;

/** Parses sizes: {@code 4096}, {@code 10G}, {@code 1.5GiB}, {@code 500MB}. */
public final class Sizes {
    private static final String EXPECTED =
            "not a size; write for example 4096, 10G, 1GiB (1024-based) or 500MB (1000-based)";

    private Sizes() {}

    public static long parse(String text) throws BadValueException {
        int digits = UnitTable.numberLength(text);
        BigDecimal unit = digits == 0 ? null : UnitTable.bytes(text.substring(digits));
        if (unit == null) {
            throw new BadValueException(EXPECTED);
        }
        Long bytes = UnitTable.product(text.substring(0, digits), unit);
        if (bytes == null) {
            throw new BadValueException("too large a size; at most 8191P");
        }
        return bytes;
    }

    /** Parses a size, or {@code none} for no limit. */
    public static long parseLimit(String text) throws BadValueException {
        return text.equals("none") ? Long.MAX_VALUE : parse(text);
    }

    /** Returns a parser for sizes of at least this many bytes, without an upper limit. */
    public static ValueParser<Long> atLeast(long minBytes) {
        return text -> {
            long bytes = parse(text);
            if (bytes < minBytes) {
                throw new BadValueException("too small; at least " + Figures.exactBytes(minBytes));
            }
            return bytes;
        };
    }

    /** Returns a parser for sizes in this range, inclusive. */
    public static ValueParser<Long> between(long minBytes, long maxBytes) {
        return text -> {
            long bytes = parse(text);
            if (bytes < minBytes || bytes > maxBytes) {
                throw new BadValueException(
                        "out of range; from " + Figures.exactBytes(minBytes) + " to " + Figures.exactBytes(maxBytes));
            }
            return bytes;
        };
    }
}
