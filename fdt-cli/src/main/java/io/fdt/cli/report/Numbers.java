package io.fdt.cli.report;

import io.fdt.core.basic.Figures;
import java.math.BigDecimal;
import java.math.MathContext;

/** Formats numbers for display, independent of the locale. */
final class Numbers {
    private static final String[] DECIMAL = {"", "k", "M", "G", "T", "P"};

    private Numbers() {}

    /** Rounded to this many significant digits, with an exponent for many zeros; empty for NaN. */
    static String rounded(double value, int digits) {
        if (!Double.isFinite(value)) {
            return "";
        }
        if (value != 0 && Math.abs(value) < 1e-4) {
            return Figures.text("%.1e", value);
        }
        if (Math.abs(value) >= Math.pow(10, digits)) {
            return Figures.text("%.0f", value);
        }
        return plain(new BigDecimal(value).round(new MathContext(digits)));
    }

    private static String plain(BigDecimal value) {
        return value.signum() == 0 ? "0" : value.stripTrailingZeros().toPlainString();
    }

    /** {@code 390k}, {@code 1.2M}: with a prefix for powers of 1000. */
    static String prefixed(double value, int digits) {
        double left = value;
        int power = 0;
        while (Math.abs(left) >= 999.5 && power < DECIMAL.length - 1) {
            left /= 1000;
            power++;
        }
        return rounded(left, digits) + DECIMAL[power];
    }

    /** {@code 64 B}, {@code 16 KiB}; powers of 1000 for sizes that are not multiples of 1024. */
    static String bytes(double value) {
        if (value < 1000) {
            return rounded(value, 4) + " B";
        }
        if (value < 1024 || value % 1024 != 0) {
            String text = prefixed(value, 4);
            char prefix = text.charAt(text.length() - 1);
            return text.substring(0, text.length() - 1) + " " + prefix + "B";
        }
        String[] units = {"KiB", "MiB", "GiB", "TiB"};
        double left = value / 1024;
        int unit = 0;
        while (left >= 1024 && unit < units.length - 1) {
            left /= 1024;
            unit++;
        }
        return rounded(left, 4) + " " + units[unit];
    }
}
