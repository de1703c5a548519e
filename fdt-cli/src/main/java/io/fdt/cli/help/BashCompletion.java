package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The completion script for bash: two tables made from the commands, and functions that complete a line with them. */
public final class BashCompletion {
    private BashCompletion() {}

    public static String script(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        List<Command> all = Command.withSubcommands(commands);
        List<String> names =
                commands.stream().flatMap(command -> command.names().stream()).toList();
        lines.add("# Sets what there is behind a command: options, words and commands for its first operand, paths,");
        lines.add("# and the word behind which a key is named.");
        lines.add("_fdt_command() {");
        lines.add("    options='' operands='' commands='' paths='' keys=''");
        lines.add("    case $1 in");
        lines.add("        '')");
        lines.add("            options=" + quoted(List.of("--help", "-h", "--version", "-V")));
        lines.add("            operands=" + quoted(names) + "' " + HelpWords.WORD + "'");
        lines.add("            commands=$operands");
        lines.add("            ;;");
        for (Command command : all) {
            lines.add("        "
                    + command.names().stream()
                            .map(name -> quoted(List.of(name)))
                            .collect(Collectors.joining(" | "))
                    + ")");
            lines.add("            options=" + quoted(options(command)));
            if (!command.operandWords().isEmpty()) {
                lines.add("            operands=" + quoted(command.operandWords()));
            }
            if (!command.subcommands().isEmpty()) {
                lines.add("            commands="
                        + quoted(command.subcommands().stream()
                                .map(Command::lastWord)
                                .toList()));
            }
            if (command.takesPaths()) {
                lines.add("            paths=yes");
            }
            if (command.wordBeforeKey() != null) {
                lines.add("            keys=" + command.wordBeforeKey());
            }
            lines.add("            ;;");
        }
        lines.add("        " + HelpWords.WORD + ")");
        lines.add("            options=" + quoted(List.of(HelpWords.MAN, HelpWords.MAN_TO)));
        lines.add("            operands=" + quoted(names));
        lines.add("            ;;");
        lines.add("    esac");
        lines.add("}");
        lines.add("");
        lines.add("# Sets what the value of a command's option is; false where it takes none.");
        lines.add("_fdt_value() { # command, option");
        lines.add("    kind='' words=''");
        lines.add("    case $1:$2 in");
        for (Command command : all) {
            for (Option option : command.options()) {
                if (!option.isSwitch()) {
                    command.names().forEach(name -> lines.add(value(name, option)));
                }
            }
        }
        lines.add("        " + HelpWords.WORD + ":" + HelpWords.MAN_TO + ") kind=directories ;;");
        lines.add("        *) return 1 ;;");
        lines.add("    esac");
        lines.add("}");
        return Completions.script("bash", lines);
    }

    /** Returns all words with a leading dash that the command accepts. */
    private static List<String> options(Command command) {
        List<String> options = new ArrayList<>();
        for (Option option : command.options()) {
            options.add(option.name());
            String letter = option.shortName();
            if (letter != null) {
                options.add(letter);
            }
            if (option.canBeNegated()) {
                options.add(option.negated());
            }
            if (option.kind() == Option.OptionKind.SWITCH_WITH_VALUE) {
                option.value().words().forEach(word -> options.add(option.name() + "=" + word));
            }
        }
        return options;
    }

    private static String value(String command, Option option) {
        Completions offer = Completions.of(option);
        String kind = option.kind() == Option.OptionKind.SWITCH_WITH_VALUE
                ? "attached"
                : switch (offer.kind()) {
                    case WORDS -> "words";
                    case FILES -> "files";
                    case DIRECTORIES -> "directories";
                    case NOTHING -> "''";
                };
        String letter = option.shortName();
        String name = quoted(List.of(command + ":" + option.name()));
        String pattern = letter == null ? name : name + " | " + quoted(List.of(command + ":" + letter));
        String words = offer.words().isEmpty() ? "" : " words=" + quoted(offer.words());
        return "        " + pattern + ") kind=" + kind + words + " ;;";
    }

    private static String quoted(List<String> words) {
        return "'" + String.join(" ", words).replace("'", "'\\''") + "'";
    }
}
