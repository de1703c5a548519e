package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The completion script for fish: one line per option. */
public final class FishCompletion {
    private FishCompletion() {}

    public static String script(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        String atFirst = "complete -c fdt -n __fdt_is_just";
        lines.add(atFirst + " -f -s h -l help -d 'list the commands'");
        lines.add(atFirst + " -f -s V -l version -d 'print the version'");
        for (Command command : commands) {
            for (String name : command.names()) {
                lines.add(atFirst + " -f -a " + name + " -d " + quoted(command.summary()));
            }
        }
        lines.add(atFirst + " -f -a " + HelpWords.WORD + " -d " + quoted(HelpWords.SUMMARY));
        for (Command command : Command.withSubcommands(commands)) {
            command.names().forEach(name -> addCommand(lines, command, name));
        }
        String help = " '__fdt_is " + HelpWords.WORD + "' -f";
        lines.add("complete -c fdt -n" + help + " -a " + quoted(Completions.names(commands)));
        lines.add("complete -c fdt -n" + help + " -l " + HelpWords.MAN.substring(2) + " -d "
                + quoted(HelpWords.MAN_HELP));
        lines.add("complete -c fdt -n" + help + " -l " + HelpWords.MAN_TO.substring(2)
                + " -x -a '(__fish_complete_directories)' -d " + quoted(HelpWords.MAN_TO_HELP));
        return Completions.script("fish", commands, Map.of("COMMANDS", lines));
    }

    private static void addCommand(List<String> lines, Command command, String name) {
        String condition = "__fdt_is " + name;
        for (Command sub : command.subcommands()) {
            condition += "; and not __fdt_is " + sub.name();
        }
        String here = "complete -c fdt -n " + quoted(condition);
        if (!command.takesPaths()) {
            lines.add(here + " -f");
        }
        if (!command.operandWords().isEmpty()) {
            lines.add("complete -c fdt -n " + quoted("__fdt_is_just " + name) + " -f -a "
                    + quoted(String.join(" ", command.operandWords())));
        }
        if (command.wordBeforeKey() != null) {
            lines.add("complete -c fdt -n " + quoted("__fdt_is_just " + name + " " + command.wordBeforeKey())
                    + " -f -a '(fdt key list 2>/dev/null | string match -r \"^admits\\t[^\\t]*\" | string sub -s 8)'");
        }
        for (Option option : command.options()) {
            String letter = option.shortName();
            lines.add(here + (letter == null ? "" : " -s " + letter.substring(1)) + " -l " + option.settingName()
                    + value(option) + " -d " + quoted(option.help()));
            if (option.isSwitch()) {
                lines.add(here + " -l " + option.negated().substring(2) + " -d "
                        + quoted("the opposite of " + option.name()));
            }
            if (option.kind() == Option.OptionKind.SWITCH_WITH_VALUE) {
                for (String word : option.value().words()) {
                    lines.add(here + " -l " + option.settingName() + "=" + word + " -d " + quoted(option.help()));
                }
            }
        }
    }

    private static String value(Option option) {
        if (!option.takesValue()) {
            return "";
        }
        Completions offer = Completions.of(option);
        return switch (offer.kind()) {
            case WORDS -> " -x -a " + quoted(String.join(" ", offer.words()));
            case FILES -> " -r -F";
            case DIRECTORIES -> " -x -a '(__fish_complete_directories)'";
            case NOTHING -> " -x";
        };
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
