package io.fdt.cli.value;

import io.fdt.core.basic.Figures;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses durations: {@code 30s}, {@code 1h30m}, {@code 500ms}; a number without a unit is in seconds. */
public final class Times {
    private static final String EXPECTED = "not a time; write for example 30s, 5m, 1h30m or 500ms";
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000 * MILLI;
    private static final List<String> UNITS = List.of("d", "h", "m", "s", "ms");
    private static final List<Long> NANOS = List.of(86_400 * SECOND, 3_600 * SECOND, 60 * SECOND, SECOND, MILLI);

    private Times() {}

    public static long parseNanos(String text) throws BadValueException {
        int bare = UnitTable.numberLength(text);
        if (bare > 0 && bare == text.length()) {
            return nanos(text, SECOND);
        }
        long sum = 0;
        int at = 0;
        int nextUnit = 0;
        while (at < text.length()) {
            int digits = UnitTable.numberLength(text.substring(at));
            int unitEnd = at + digits;
            while (unitEnd < text.length() && Character.isLetter(text.charAt(unitEnd))) {
                unitEnd++;
            }
            int unit = UNITS.indexOf(text.substring(at + digits, unitEnd));
            if (digits == 0 || unit < nextUnit) {
                throw new BadValueException(EXPECTED);
            }
            sum += nanos(text.substring(at, at + digits), NANOS.get(unit));
            if (sum < 0) {
                throw tooLong();
            }
            nextUnit = unit + 1;
            at = unitEnd;
        }
        if (text.isEmpty()) {
            throw new BadValueException(EXPECTED);
        }
        return sum;
    }

    /** Parses a day, which starts at midnight UTC, or an instant; returns null if the text looks like neither. */
    public static @Nullable Instant date(String text) throws BadValueException {
        if (text.length() <= 4 || text.charAt(4) != '-') {
            return null;
        }
        try {
            return text.contains("T")
                    ? Instant.parse(text)
                    : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException e) {
            throw new BadValueException("not a date; write for example 2030-12-31 or 2030-12-31T18:00:00Z");
        }
    }

    /** Parses a date, or a duration before now. */
    public static Instant past(String text) throws BadValueException {
        Instant date = date(text);
        return date == null ? Instant.now().minusNanos(parseNanos(text)) : date;
    }

    /** Returns a parser for milliseconds in this range, inclusive. */
    public static ValueParser<Long> betweenMs(long minMs, long maxMs) {
        return text -> {
            long ms = parseNanos(text) / MILLI;
            if (ms < minMs || ms > maxMs) {
                throw new BadValueException(
                        "out of range; from " + Figures.exactTimeMs(minMs) + " to " + Figures.exactTimeMs(maxMs));
            }
            return ms;
        };
    }

    private static long nanos(String number, long unit) throws BadValueException {
        Long product = UnitTable.product(number, BigDecimal.valueOf(unit));
        if (product == null) {
            throw tooLong();
        }
        return product;
    }

    private static BadValueException tooLong() {
        return new BadValueException("too long a time; at most 106751d");
    }
}
