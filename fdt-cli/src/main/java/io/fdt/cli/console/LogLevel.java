package io.fdt.cli.console;

import io.fdt.core.Word;
import java.util.List;
import java.util.stream.Stream;

/** How important a line of the log is, the most important first: a log of one level includes all levels before it. */
public enum LogLevel {
    /** A command has failed. */
    ERROR,
    /** Something went wrong that the command could deal with. */
    WARN,
    /** What a command does, in few lines. */
    INFO,
    /** What it does, lane by lane and file by file. */
    DEBUG;

    public static List<String> words() {
        return Stream.of(values()).map(LogLevel::word).toList();
    }

    public String word() {
        return Word.of(this);
    }

    /** Whether a log of this level has lines of the other. */
    public boolean has(LogLevel other) {
        return other.compareTo(this) <= 0;
    }
}
