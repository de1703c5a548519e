package io.fdt.cli.command;

import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One command: its table of options, its help, and what it does. */
public interface Command {
    String name();

    /** One line for the list of commands. */
    String summary();

    /** What follows the options in the synopsis, for example {@code SRC… TARGET}; empty for nothing. */
    String operands();

    /** The operands that are fixed words, for completion; empty when they are paths or there are none. */
    default List<String> operandWords() {
        return List.of();
    }

    /** Whether operands, or those behind the fixed words, may name files and directories of this host. */
    default boolean takesPaths() {
        return !operands().isEmpty() && operandWords().isEmpty();
    }

    /** Whether it reads or writes the identity and keys in the home. */
    default boolean usesHome() {
        return options().stream().anyMatch(Option::setting);
    }

    /** Commands that follow its name, each named in full: {@code nettest report}. */
    default List<Command> subcommands() {
        return List.of();
    }

    /** {@code report} of {@code nettest report}. */
    default String lastWord() {
        return name().substring(name().lastIndexOf(' ') + 1);
    }

    /** The commands, each followed by those behind it. */
    static List<Command> withSubcommands(List<Command> commands) {
        List<Command> all = new ArrayList<>();
        for (Command command : commands) {
            all.add(command);
            all.addAll(command.subcommands());
        }
        return all;
    }

    /** What a reader must know before the options: a few lines. */
    List<String> about();

    List<Option> options();

    /** The options that fit a screen and that most users need; all where these are few. */
    default List<Option> usualOptions() {
        return options();
    }

    /** Options of other tools that users of this command try, and what to do instead. */
    default Map<String, String> habits() {
        return Map.of();
    }

    /** Each a command line that works, without {@code fdt}, and what it does. */
    List<Example> examples();

    /** Runs it with the arguments behind its name, and returns the exit code. */
    int run(List<String> args, Context context);

    record Example(String line, String purpose) {}
}
