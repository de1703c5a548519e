package io.fdt.cli.report;

/** The unit of an axis, and how its numbers are written. */
enum Unit {
    BYTES,
    NUMBER,
    /** Seconds since the beginning: the axis ends with the test. */
    TIME,
    /** With a prefix for powers of 1000. */
    PREFIXED,
    PERCENT,
    /** The value is 1/(1 - p): 10 for the 90th percentile, 100 for the 99th. */
    PERCENTILE;

    String text(double value) {
        if (!Double.isFinite(value)) {
            return "";
        }
        return switch (this) {
            case BYTES -> Numbers.bytes(value);
            case NUMBER, TIME -> Math.abs(value) < 1e7 ? Numbers.rounded(value, 4) : Numbers.prefixed(value, 4);
            case PREFIXED -> Numbers.prefixed(value, 4);
            case PERCENT -> Numbers.rounded(value, 4) + " %";
            case PERCENTILE -> Numbers.rounded(100 - 100 / value, 6) + " %";
        };
    }
}
