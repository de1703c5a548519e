package io.fdt.cli.value;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * Parses rates into bits per second: {@code 25Gbit}, {@code 200MB/s}, {@code 10G}. A number without a unit or with only
 * a prefix is in bytes per second. Refuses {@code Gb}, which is ambiguous.
 */
public final class Rates {
    /** No limit. */
    public static final String NONE = "none";

    /** No network is as slow as a smaller number without a unit says; its unit was forgotten. */
    private static final long MIN_BARE_BITS = 8_000;

    private static final String EXPECTED =
            "not a rate; write for example 25Gbit (bits per second), 200MB/s or 1GiB/s (bytes per second), or none";

    private Rates() {}

    /** Returns the rate in bits per second; 0 for {@code none}. */
    public static long parse(String text) throws BadValueException {
        if (text.equals(NONE)) {
            return 0;
        }
        int digits = UnitTable.numberLength(text);
        String unit = text.substring(digits);
        BigDecimal bits = digits == 0 ? null : bitsPerUnit(unit);
        if (bits == null) {
            throw new BadValueException(EXPECTED);
        }
        Long rate = UnitTable.product(text.substring(0, digits), bits);
        if (rate == null) {
            throw new BadValueException("too high a rate; write none for no limit");
        }
        if (rate < 8) {
            throw new BadValueException("less than one byte per second; write none for no limit");
        }
        if (unit.isEmpty() && rate < MIN_BARE_BITS) {
            throw new BadValueException("that is " + text + " bytes per second; write the unit, for example " + text
                    + "MB/s or " + text + "Mbit");
        }
        return rate;
    }

    /** Returns null if the text is not a unit. */
    private static @Nullable BigDecimal bitsPerUnit(String unit) throws BadValueException {
        String plain = unit.endsWith("/s") ? unit.substring(0, unit.length() - 2) : unit;
        if (unit.endsWith("bps")) {
            plain = unit.substring(0, unit.length() - 3) + "bit";
        }
        if (plain.endsWith("bit")) {
            return UnitTable.bits(plain.substring(0, plain.length() - 3));
        }
        if (plain.endsWith("b")) {
            throw new BadValueException("bits or bytes? write for example 10Gbit or 10GB");
        }
        BigDecimal bytes = UnitTable.bytes(plain);
        return bytes == null ? null : bytes.multiply(BigDecimal.valueOf(8));
    }
}
