package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The completion script for bash: two tables made from the commands, and functions that complete a line with them. */
public final class BashCompletion {
    private BashCompletion() {}

    public static String script(List<Command> commands) {
        List<String> cases = new ArrayList<>();
        List<String> values = new ArrayList<>();
        for (Command command : Command.withSubcommands(commands)) {
            cases.add("        "
                    + command.names().stream()
                            .map(name -> quoted(List.of(name)))
                            .collect(Collectors.joining(" | "))
                    + ")");
            cases.add("            options=" + quoted(options(command)));
            if (!command.operandWords().isEmpty()) {
                cases.add("            operands=" + quoted(command.operandWords()));
            }
            if (!command.subcommands().isEmpty()) {
                cases.add("            commands="
                        + quoted(command.subcommands().stream()
                                .map(Command::lastWord)
                                .toList()));
            }
            if (command.takesPaths()) {
                cases.add("            paths=yes");
            }
            if (command.wordBeforeKey() != null) {
                cases.add("            keys=" + command.wordBeforeKey());
            }
            cases.add("            ;;");
            for (Option option : command.options()) {
                if (!option.isSwitch()) {
                    command.names().forEach(name -> values.add(value(name, option)));
                }
            }
        }
        return Completions.script("bash", commands, Map.of("COMMANDS", cases, "VALUES", values));
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
            if (option.isSwitch()) {
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
