package io.fdt.core.basic;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

/**
 * Formats figures for people: sizes in powers of 1024, rates in bits and bytes, and times. Independent of the locale.
 */
public final class Figures {
    private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    private static final String[] BITS = {"bit", "kbit", "Mbit", "Gbit", "Tbit"};

    private Figures() {}

    /** Formats independently of the locale. */
    public static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    /**
     * Returns a number with this many digits after the point, as {@code %.2f} does: {@code 1.50}. A formatter loads
     * what Java knows about countries, which takes a copy of a small file longer than its data.
     */
    public static String decimal(double value, int places) {
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value)
                        .setScale(places, RoundingMode.HALF_UP)
                        .toPlainString()
                : String.valueOf(value);
    }

    /** Returns three significant digits: {@code 0 B}, {@code 1.50 GiB}, {@code 12.3 MiB}. */
    public static String bytes(long bytes) {
        return scaled((double) bytes, 1024, BINARY);
    }

    /**
     * Returns {@code 9.41 Gbit/s (1.10 GiB/s)}: the units for networks, then those for disks, each without leading
     * zeros.
     */
    public static String rate(double bitsPerSecond) {
        double bits = positive(bitsPerSecond);
        return bitRate(bits) + " (" + scaled(bits / 8, 1024, BINARY) + "/s)";
    }

    /** Returns {@code 9.41 Gbit/s}. */
    public static String bitRate(double bitsPerSecond) {
        return scaled(bitsPerSecond, 1000, BITS) + "/s";
    }

    /** Returns three significant digits. */
    private static String scaled(double value, double step, String[] units) {
        double left = Math.max(0, value);
        int unit = 0;
        // From 999.5 on, three digits would round to 1000.
        while (left >= 999.5 && unit < units.length - 1) {
            left /= step;
            unit++;
        }
        int places = unit == 0 || left >= 99.95 ? 0 : left >= 9.995 ? 1 : 2;
        return decimal(left, places) + " " + units[unit];
    }

    /** Returns {@code 0:42}, {@code 12:05}, {@code 3:07:00}, {@code 2d 01:00}. */
    public static String clock(long seconds) {
        long left = Math.max(0, seconds);
        long days = left / 86_400;
        long hours = left / 3_600 % 24;
        long minutes = left / 60 % 60;
        if (days > 0) {
            return text("%dd %02d:%02d", days, hours, minutes);
        }
        if (hours > 0) {
            return text("%d:%02d:%02d", hours, minutes, left % 60);
        }
        return text("%d:%02d", minutes, left % 60);
    }

    /** Returns the approximate age: {@code 9 d}, {@code 5 h}, {@code 42 s}. */
    public static String age(long seconds) {
        long left = Math.max(0, seconds);
        return left >= 2 * 86_400
                ? left / 86_400 + " d"
                : left >= 2 * 3_600 ? left / 3_600 + " h" : left >= 120 ? left / 60 + " min" : left + " s";
    }

    /** Returns a duration: {@code 0.42 s}, {@code 12.3 s}, {@code 1:02:03}. */
    public static String elapsed(long nanos) {
        double seconds = Math.max(0, nanos) / 1e9;
        if (seconds >= 100) {
            return clock(Math.round(seconds));
        }
        return decimal(seconds, seconds < 10 ? 2 : 1) + " s";
    }

    /** Returns a count with its noun in the singular or plural. */
    public static String count(long count, String one) {
        return count + " " + (count == 1 ? one : one + "s");
    }

    /** Returns the shortest text that options accept for this number of bytes. */
    public static String exactBytes(long bytes) {
        String[] prefixes = {"", "KiB", "MiB", "GiB", "TiB", "PiB"};
        long left = bytes;
        int power = 0;
        while (left != 0 && left % 1024 == 0 && power < prefixes.length - 1) {
            left /= 1024;
            power++;
        }
        return left + prefixes[power];
    }

    /** Returns the shortest text that options accept for this time. */
    public static String exactTimeMs(long ms) {
        if (ms != 0 && ms % 86_400_000 == 0) {
            return ms / 86_400_000 + "d";
        }
        if (ms != 0 && ms % 3_600_000 == 0) {
            return ms / 3_600_000 + "h";
        }
        return ms % 1_000 == 0 ? ms / 1_000 + "s" : ms + "ms";
    }

    /** Returns zero for a value that is not a positive number. */
    private static double positive(double value) {
        return value > 0 && value < Double.MAX_VALUE ? value : 0;
    }
}
