package io.fdt.core.nettest;

import io.fdt.core.basic.Figures;
import io.fdt.core.basic.JsonObject;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Phrases that the texts of several suites share. */
public final class SuiteText {
    private static final double GIGABIT = 1e9;

    private SuiteText() {}

    public static String gigabits(double bitsPerSecond) {
        return Figures.text("%.2f", bitsPerSecond / GIGABIT);
    }

    public static String percent(double share) {
        return Math.round(100 * share) + " %";
    }

    public static String partial(NettestResult result) {
        return result.whole() ? "" : "; this is not the whole test";
    }

    /** How each side moved the bytes. */
    public static String ways(Circumstances circumstances) {
        String here = words(circumstances.local().way());
        String there = words(circumstances.remote().way());
        return "way     " + (here.equals(there) ? here + " on both ends" : here + " here, " + there + " there");
    }

    private static String words(LaneMode way) {
        return switch (way) {
            case DIRECT -> "system calls of the lane's own thread";
            case BLOCKS -> "blocks through the engine";
            case UNKNOWN -> "unknown";
        };
    }

    public static List<String> titled(String title, List<String> table) {
        return Stream.concat(Stream.of(title), table.stream()).toList();
    }

    /** Those that are not empty, separated by commas. */
    public static String words(String... words) {
        return Stream.of(words).filter(word -> !word.isEmpty()).collect(Collectors.joining(", "));
    }

    /** A number with the name of its field; empty for one, which is the default. */
    public static String several(JsonObject point, String field) {
        return point.amount(field) > 1 ? point.text(field) + " " + field : "";
    }
}
