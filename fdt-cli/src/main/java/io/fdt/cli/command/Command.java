package io.fdt.cli.command;

import io.fdt.cli.option.Option;
import io.fdt.cli.option.OtherTools;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A command: its name, options and help, and its action. For one thread. */
public abstract class Command {
    private final String name;
    private final String summary;
    private final String operands;
    private @Nullable Help help;
    private @Nullable Runnable afterReading;

    /**
     * @param summary one line for the list of commands
     * @param operands follows the options in the synopsis, for example {@code SRC… TARGET}; empty if there are none
     */
    protected Command(String name, String summary, String operands) {
        this.name = name;
        this.summary = summary;
        this.operands = operands;
    }

    /** Its options and their help. Called once, and only if needed, because it loads the options. */
    protected abstract Help help();

    /** Runs the command with the arguments after its name, and returns the exit code. */
    public abstract int run(List<String> args, Context context);

    /** Returns the subcommands, each with its full name, such as {@code nettest report}. */
    public List<Command> subcommands() {
        return List.of();
    }

    /** Returns the parts that have a help of their own: the subcommands, and what else the first operand chooses. */
    public List<Command> explained() {
        return subcommands();
    }

    /** Returns the part of this name; this command if there is none. */
    public final Command part(String word) {
        for (Command part : explained()) {
            if (part.lastWord().equals(word)) {
                return part;
            }
        }
        return this;
    }

    public static List<Command> withSubcommands(List<Command> commands) {
        List<Command> all = new ArrayList<>();
        for (Command command : commands) {
            all.add(command);
            all.addAll(command.subcommands());
        }
        return all;
    }

    public final String name() {
        return name;
    }

    /** Returns all names: that in messages and documents first. */
    public List<String> names() {
        return List.of(name);
    }

    /** Returns the last word of the name: {@code report} for {@code nettest report}. */
    public final String lastWord() {
        return name.substring(name.lastIndexOf(' ') + 1);
    }

    public final String summary() {
        return summary;
    }

    public final String operands() {
        return operands;
    }

    public final List<Option> options() {
        return knownHelp().options;
    }

    public final List<Option> commonOptions() {
        return knownHelp().common;
    }

    public final List<String> operandWords() {
        return knownHelp().words;
    }

    /** Returns the fixed word behind which the operand is the name of a key; null if there is none. */
    public final @Nullable String wordBeforeKey() {
        return knownHelp().wordBeforeKey;
    }

    /** Whether operands, or those after the fixed words, can name files and directories on this host. */
    public final boolean takesPaths() {
        Boolean set = knownHelp().takesPaths;
        return set == null ? !operands.isEmpty() && operandWords().isEmpty() : set;
    }

    /** Whether the command reads or writes the identity and keys in the home. */
    public final boolean usesHome() {
        Boolean set = knownHelp().usesHome;
        return set == null ? hasSettings() : set;
    }

    /** Whether the environment and the config file may set what the command line does not. */
    public final boolean hasSettings() {
        return options().stream().anyMatch(Option::setting);
    }

    /** Returns how this command takes options of other tools. */
    public final Map<String, OtherTools.Foreign> foreign() {
        return OtherTools.table(knownHelp().foreign);
    }

    public final List<String> about() {
        return Stream.of(knownHelp().about.split("\n\n", -1))
                .map(paragraph -> paragraph.replace('\n', ' '))
                .toList();
    }

    public final List<Example> examples() {
        return knownHelp().examples;
    }

    /** What to do once, when its arguments turn out to be neither mistaken nor a request for help. */
    public final void afterReading(Runnable next) {
        afterReading = next;
    }

    final void onRead() {
        Runnable next = afterReading;
        afterReading = null;
        if (next != null) {
            next.run();
        }
    }

    private Help knownHelp() {
        Help known = help;
        if (known == null) {
            known = help();
            help = known;
        }
        return known;
    }

    /** An example command line, without {@code fdt}, and its purpose. */
    public record Example(String line, String purpose) {}
}
