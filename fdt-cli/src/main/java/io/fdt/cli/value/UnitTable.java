package io.fdt.cli.value;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The prefixes of sizes and rates: {@code K M G T P} alone and with {@code i} are powers of 1024, in front of
 * {@code B} and {@code bit} they are powers of 1000. So {@code 10G} is what dd and rsync make of it, and
 * {@code 10GB} is what a disk's label says.
 */
public final class UnitTable {
    private static final String PREFIXES = "kmgtp";

    private UnitTable() {}

    /** How many bytes the unit stands for: empty, {@code B}, {@code K}, {@code KB}, {@code KiB} …; null for no unit. */
    static @Nullable BigDecimal bytes(String unit) {
        String lower = unit.toLowerCase(Locale.ROOT);
        return lower.equals("b") ? BigDecimal.ONE : power(lower, "b", List.of("", "i", "ib"));
    }

    /** How many bits the prefix of {@code bit} stands for: empty, {@code K}, {@code Ki} …; null for no prefix. */
    static @Nullable BigDecimal bits(String prefix) {
        return power(prefix.toLowerCase(Locale.ROOT), "", List.of("i"));
    }

    /** The power that a prefix stands for, of 1000 or 1024 by what follows it; null for another text. */
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

    /** The number's digits at the start of the text, at most one point among them; its length in characters. */
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

    /** The product, cut to a whole number; null when it does not fit a long. */
    public static @Nullable Long product(String number, BigDecimal unit) {
        // A number of a thousand digits is not worth computing with.
        if (number.length() > 40) {
            return null;
        }
        BigDecimal product = new BigDecimal(number).multiply(unit);
        return product.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? null : product.longValue();
    }
}
