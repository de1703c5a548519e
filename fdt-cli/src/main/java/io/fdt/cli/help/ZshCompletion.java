package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The completion script for zsh: one function per command, with one {@code _arguments} specification per option. */
public final class ZshCompletion {
    private ZshCompletion() {}

    public static String script(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        for (Command command : Command.withSubcommands(commands)) {
            addCommand(lines, command);
        }
        lines.add("");
        lines.add(function(HelpWords.WORD) + "() {");
        lines.add("    _arguments -s -S \\");
        lines.add("        " + quoted(HelpWords.MAN + "[" + inBrackets(HelpWords.MAN_HELP) + "]") + " \\");
        lines.add("        " + quoted(HelpWords.MAN_TO + "=[" + inBrackets(HelpWords.MAN_TO_HELP) + "]:DIR:_files -/")
                + " \\");
        lines.add("        " + quoted("1:command:(" + Completions.names(commands) + ")"));
        lines.add("}");
        List<String> summaries = new ArrayList<>();
        List<String> cases = new ArrayList<>();
        for (Command command : commands) {
            command.names().forEach(name -> summaries.add("        " + quoted(name + ":" + command.summary())));
            cases.add("                " + String.join(" | ", command.names()) + ") " + function(command.name())
                    + " && ret=0 ;;");
        }
        summaries.add("        " + quoted(HelpWords.WORD + ":" + HelpWords.SUMMARY));
        return Completions.script("zsh", commands, Map.of("COMMANDS", lines, "SUMMARIES", summaries, "CASES", cases));
    }

    private static void addCommand(List<String> lines, Command command) {
        lines.add("");
        lines.add(function(command.name()) + "() {");
        for (Command sub : command.subcommands()) {
            lines.add("    if (( CURRENT > 2 )) && [[ $words[2] == " + sub.lastWord() + " ]]; then");
            lines.add("        shift words");
            lines.add("        (( CURRENT-- ))");
            lines.add("        " + function(sub.name()));
            lines.add("        return");
            lines.add("    fi");
        }
        List<String> specifications = new ArrayList<>();
        for (Option option : command.options()) {
            addSpecifications(specifications, option);
        }
        if (!command.operandWords().isEmpty()) {
            specifications.add("1:what:(" + String.join(" ", command.operandWords()) + ")");
        }
        String wordBeforeKey = command.wordBeforeKey();
        if (wordBeforeKey != null) {
            specifications.add("2:name:{ if (( $words[(I)" + wordBeforeKey + "] )); then _fdt_keys; else _files; fi }");
        }
        if (command.takesPaths()) {
            specifications.add("*:path:_files");
        }
        lines.add("    _arguments -s -S \\");
        for (int i = 0; i < specifications.size(); i++) {
            String more = i + 1 < specifications.size() ? " \\" : "";
            lines.add("        " + quoted(specifications.get(i)) + more);
        }
        lines.add("}");
    }

    private static void addSpecifications(List<String> specifications, Option option) {
        String letter = option.shortName();
        List<String> names = new ArrayList<>();
        if (letter != null) {
            names.add(letter);
        }
        names.add(option.name());
        if (option.isSwitch()) {
            names.add(option.negated());
        }
        // An option that can be repeated excludes no option, not even itself.
        String before = option.kind() == Option.OptionKind.LIST ? "*" : "(" + String.join(" ", names) + ")";
        String help = "[" + inBrackets(option.help()) + "]";
        if (letter != null) {
            specifications.add(before + letter + (option.takesValue() ? "+" : "") + help + value(option));
        }
        String attached = switch (option.kind()) {
            case SWITCH -> "";
            case VALUE, LIST -> "=";
            case SWITCH_WITH_VALUE -> "=-";
        };
        specifications.add(before + option.name() + attached + help + value(option));
        if (option.isSwitch()) {
            specifications.add(before + option.negated() + "[the opposite of " + option.name() + "]");
        }
    }

    private static String value(Option option) {
        if (option.isSwitch()) {
            return "";
        }
        Completions offer = Completions.of(option);
        String action = switch (offer.kind()) {
            case WORDS -> "(" + String.join(" ", offer.words()) + ")";
            case FILES -> "_files";
            case DIRECTORIES -> "_files -/";
            case NOTHING -> " ";
        };
        String colons = option.kind() == Option.OptionKind.SWITCH_WITH_VALUE ? "::" : ":";
        return colons + option.value().label().replace(":", "\\:") + ":" + action;
    }

    private static String function(String name) {
        return "_fdt_" + name.replace(' ', '_').replace('-', '_');
    }

    private static String inBrackets(String text) {
        return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]");
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}
