package io.fdt.cli.command;

import io.fdt.cli.command.Command.Example;
import io.fdt.cli.option.Habits;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The options of a command, and what help, manual pages and completion say of it. Filled once, then only read. */
public final class Help {
    final List<Option> options;
    final List<Example> examples = new ArrayList<>();
    List<Option> usual;
    List<String> words = List.of();
    String about = "";
    String habits = "";

    @Nullable Boolean takesPaths;

    @Nullable Boolean usesHome;

    private Help(List<Option> options) {
        this.options = options;
        this.usual = options;
    }

    public static Help of(List<Option> options) {
        return new Help(options);
    }

    /** The options that fit a screen and that most users need; otherwise all. */
    public Help usual(List<Option> few) {
        usual = few;
        return this;
    }

    /** The operands that are fixed words, for completion; otherwise they are paths or there are none. */
    public Help words(List<String> fixed) {
        words = fixed;
        return this;
    }

    /** Otherwise operands that are no fixed words are paths of this host. */
    public Help takesPaths(boolean does) {
        takesPaths = does;
        return this;
    }

    /** Otherwise a command with settings uses the home. */
    public Help usesHome(boolean does) {
        usesHome = does;
        return this;
    }

    /** Options of other tools that users of this command try: a table as in {@link Habits}. */
    public Help habits(String table) {
        habits = table;
        return this;
    }

    /** What a reader must know before the options: a few paragraphs with empty lines between them. */
    public Help about(String text) {
        about = text;
        return this;
    }

    /** A command line that works, without {@code fdt}, and what it does. */
    public Help example(String line, String purpose) {
        examples.add(new Example(line, purpose));
        return this;
    }
}
