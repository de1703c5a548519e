package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;

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
        lines.add("        "
                + quoted("1:command:("
                        + String.join(
                                " ",
                                commands.stream()
                                        .flatMap(command -> command.names().stream())
                                        .toList()) + ")"));
        lines.add("}");
        lines.add("");
        addRoot(lines, commands);
        return Completions.script("zsh", lines);
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
        if (option.canBeNegated()) {
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
        if (option.canBeNegated()) {
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

    private static void addRoot(List<String> lines, List<Command> commands) {
        lines.add("_fdt() {");
        lines.add("    local curcontext=$curcontext state line ret=1");
        lines.add("    typeset -A opt_args");
        lines.add("    local -a commands");
        lines.add("    commands=(");
        for (Command command : commands) {
            command.names().forEach(name -> lines.add("        " + quoted(name + ":" + command.summary())));
        }
        lines.add("        " + quoted(HelpWords.WORD + ":" + HelpWords.SUMMARY));
        lines.add("    )");
        lines.add("    _arguments -C \\");
        lines.add("        '(- : *)'{-h,--help}'[list the commands]' \\");
        lines.add("        '(- : *)'{-V,--version}'[print the version]' \\");
        lines.add("        '1: :->command' \\");
        lines.add("        '*:: :->arguments' && ret=0");
        lines.add("    case $state in");
        lines.add("        command) _describe -t commands 'command' commands && ret=0 ;;");
        lines.add("        arguments)");
        lines.add("            case $words[1] in");
        for (Command command : commands) {
            lines.add("                " + String.join(" | ", command.names()) + ") " + function(command.name())
                    + " && ret=0 ;;");
        }
        lines.add("                " + HelpWords.WORD + ") " + function(HelpWords.WORD) + " && ret=0 ;;");
        lines.add("            esac");
        lines.add("            ;;");
        lines.add("    esac");
        lines.add("    return ret");
        lines.add("}");
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
