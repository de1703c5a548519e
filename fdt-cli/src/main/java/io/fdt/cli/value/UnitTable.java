package io.fdt.cli.value;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The prefixes of sizes and rates. {@code K M G T P} alone and with {@code i} are powers of 1024; before {@code B} and
 * {@code bit}, they are powers of 1000. So {@code 10G} is the same as in dd and rsync, and {@code 10GB} is the same as
 * on a disk's label.
 */
public final class UnitTable {
    private static final String PREFIXES = "kmgtp";

    private UnitTable() {}

    /**
     * Returns the bytes of a unit: empty, {@code B}, {@code K}, {@code KB}, {@code KiB} …; null if the text is not a
     * unit.
     */
    static @Nullable BigDecimal bytes(String unit) {
        String lower = unit.toLowerCase(Locale.ROOT);
        return lower.equals("b") ? BigDecimal.ONE : power(lower, "b", List.of("", "i", "ib"));
    }

    /**
     * Returns the bits for a prefix of {@code bit}: empty, {@code K}, {@code Ki} …; null if the text is not a prefix.
     */
    static @Nullable BigDecimal bits(String prefix) {
        return power(prefix.toLowerCase(Locale.ROOT), "", List.of("i"));
    }

    /** Returns the power for a prefix, of 1000 or 1024 depending on the rest of the text; null for any other text. */
    private static @Nullable BigDecimal power(String text, String decimal, List<String> binary) {
        if (text.isEmpty()) {
            return BigDecimal.ONE;
        }
        int power = PREFIXES.indexOf(text.charAt(0)) + 1;
        String rest = text.substring(1);
        if (power == 0 || !(rest.equals(decimal) || binary.contains(rest))) {
            return null;
        }
        return BigDecimal.valueOf(rest.equals(decimal) ? 1000 : 1024).pow(power);
    }

    /** Returns the length of the number at the start of the text, which can contain one decimal point. */
    public static int numberLength(String text) {
        int length = 0;
        boolean point = false;
        while (length < text.length()) {
            char c = text.charAt(length);
            if (c == '.' && !point && length > 0) {
                point = true;
            } else if (c < '0' || c > '9') {
                break;
            }
            length++;
        }
        return length > 0 && text.charAt(length - 1) == '.' ? 0 : length;
    }

    /** Returns the product, rounded down; null if it does not fit into a long. */
    public static @Nullable Long product(String number, BigDecimal unit) {
        // Do not calculate with very long numbers, which would take too long.
        if (number.length() > 40) {
            return null;
        }
        BigDecimal product = new BigDecimal(number).multiply(unit);
        return product.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? null : product.longValue();
    }
}
