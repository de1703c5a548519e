package io.fdt.cli.console;

import io.fdt.core.basic.Word;
import java.util.List;
import java.util.stream.Stream;

/** How important a line of the log is, the most important first: a log of one level includes all levels before it. */
public enum LogLevel {
    /** A command has failed. */
    ERROR,
    /** Something went wrong, and the command could handle it. */
    WARN,
    /** The main steps of a command, in few lines. */
    INFO,
    /** Details for each lane and each file. */
    DEBUG;

    public static List<String> words() {
        return Stream.of(values()).map(LogLevel::word).toList();
    }

    public String word() {
        return Word.of(this);
    }

    /** Whether a log at this level includes lines of the other. */
    public boolean has(LogLevel other) {
        return other.compareTo(this) <= 0;
    }
}
