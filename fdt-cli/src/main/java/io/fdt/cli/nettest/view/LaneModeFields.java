package io.fdt.cli.nettest.view;

import io.fdt.cli.console.JsonLine;
import io.fdt.core.nettest.Circumstances;
import io.fdt.core.nettest.LaneMode;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Which way the bytes of a test went on either side, in the words that all suites have for it. */
final class LaneModeFields {
    private LaneModeFields() {}

    static void write(JsonLine line, Circumstances circumstances) throws IOException {
        write(line, "way_local", circumstances.wayLocal());
        write(line, "way_remote", circumstances.wayRemote());
    }

    private static void write(JsonLine line, String key, LaneMode way) throws IOException {
        line.text(key, word(way));
    }

    /** Null where it has not been told. */
    static @Nullable String word(LaneMode way) {
        return switch (way) {
            case DIRECT -> "direct";
            case BLOCKS -> "blocks";
            case UNKNOWN -> null;
        };
    }

    static String text(Circumstances circumstances) {
        String here = words(circumstances.wayLocal());
        String there = words(circumstances.wayRemote());
        return "way     " + (here.equals(there) ? here + " on both ends" : here + " here, " + there + " there");
    }

    private static String words(LaneMode way) {
        return switch (way) {
            case DIRECT -> "system calls of the lane's own thread";
            case BLOCKS -> "blocks through the engine";
            case UNKNOWN -> "unknown";
        };
    }
}
