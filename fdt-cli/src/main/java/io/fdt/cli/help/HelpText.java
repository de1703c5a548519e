package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.console.TerminalWidth;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.Option;
import io.fdt.cli.value.UserText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats the help of a command from its table of options. */
public final class HelpText {
    private static final int HELP_COLUMN = 30;
    private static final int EXAMPLES_ON_A_SCREEN = 3;

    private HelpText() {}

    /** Returns the requested help: the common options, or all of them. */
    public static String of(Command command, GivenArguments given, Map<String, String> environment) {
        List<String> texts = given.texts(CommonOptions.HELP);
        String last = texts.get(texts.size() - 1);
        if (!last.equals("true") && !last.equals("all")) {
            throw UserText.refusal("--help " + UserText.quoted(last) + ": write --help or --help=all");
        }
        Command wanted = given.operands().isEmpty()
                ? command
                : command.part(given.operands().get(0));
        return last.equals("all") ? ofAllOptions(wanted, environment) : of(wanted, environment);
    }

    /** Returns the help with the common options. */
    public static String of(Command command, Map<String, String> environment) {
        List<Option> common = command.commonOptions();
        if (common.equals(command.options())) {
            return ofAllOptions(command, environment);
        }
        int width = TerminalWidth.of(environment);
        List<String> lines = begun(command, 1, width);
        lines.add("");
        for (Option option : common) {
            lines.addAll(lines(option, width));
        }
        lines.add("");
        lines.addAll(wrapped(
                "fdt " + command.name() + " --help=all lists every option ("
                        + command.options().size() + "), units, settings and more examples.",
                width));
        addExamples(
                lines, command.examples().stream().limit(EXAMPLES_ON_A_SCREEN).toList());
        return String.join("\n", lines);
    }

    private static String ofAllOptions(Command command, Map<String, String> environment) {
        int width = TerminalWidth.of(environment);
        boolean settings = command.hasSettings();
        List<String> lines = begun(command, command.about().size(), width);
        for (Map.Entry<String, List<Option>> section : sections(command).entrySet()) {
            lines.add("");
            lines.add(section.getKey() + ":");
            for (Option option : section.getValue()) {
                lines.addAll(lines(option, width));
            }
        }
        for (String note : notes(command, settings)) {
            lines.add("");
            lines.addAll(wrapped(note, width));
        }
        addExamples(lines, command.examples());
        return String.join("\n", lines);
    }

    private static List<String> begun(Command command, int paragraphs, int width) {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: fdt " + command.name() + " [OPTION…]" + operands(command));
        for (String paragraph : command.about().subList(0, paragraphs)) {
            lines.add("");
            lines.addAll(wrapped(paragraph, width));
        }
        List<Command> parts = command.explained();
        if (!parts.isEmpty()) {
            lines.add("");
            for (Command part : parts) {
                lines.add(row(part.lastWord(), part.summary()));
            }
            lines.add("");
            lines.add("fdt " + command.name() + " " + parts.get(0).lastWord() + " --help explains one of them.");
        }
        return lines;
    }

    private static void addExamples(List<String> lines, List<Command.Example> examples) {
        lines.add("");
        lines.add("Examples:");
        for (Command.Example example : examples) {
            lines.add("  # " + example.purpose());
            lines.add("  fdt " + example.line());
        }
    }

    /** @param groups commands by the title of their group */
    public static String ofAll(Map<String, List<Command>> groups) {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: fdt COMMAND [OPTION…] …");
        lines.add("");
        lines.add("Copies bulk data between hosts over many parallel streams.");
        lines.add("");
        groups.forEach((title, commands) -> {
            lines.add(title + ":");
            commands.forEach(command -> lines.add(row(String.join(", ", command.names()), command.summary())));
            lines.add("");
        });
        lines.add("Help:");
        lines.add(row(HelpWords.WORD, HelpWords.SUMMARY));
        lines.add(row("version", "print the version"));
        lines.add("");
        lines.add("fdt COMMAND --help explains a command.");
        lines.add("");
        lines.add("Examples:");
        groups.values()
                .forEach(commands -> commands.forEach(command ->
                        lines.add("  fdt " + command.examples().get(0).line())));
        return String.join("\n", lines);
    }

    private static String row(String name, String summary) {
        return "  " + UserText.padded(name, 14) + summary;
    }

    static Map<String, List<Option>> sections(Command command) {
        Map<String, List<Option>> sections = new LinkedHashMap<>();
        for (Option option : command.options()) {
            sections.computeIfAbsent(option.section(), name -> new ArrayList<>())
                    .add(option);
        }
        return sections;
    }

    private static List<String> lines(Option option, int width) {
        String letter = option.shortName();
        String left = (letter == null ? "      " : "  " + letter + ", ") + option.name() + value(option);
        List<String> right = wrapped(option.help() + ending(option), width - HELP_COLUMN);
        List<String> lines = new ArrayList<>();
        int next = 0;
        if (left.length() > HELP_COLUMN - 2) {
            lines.add(left);
        } else {
            lines.add(UserText.padded(left, HELP_COLUMN) + right.get(0));
            next = 1;
        }
        for (String line : right.subList(next, right.size())) {
            lines.add(UserText.padded("", HELP_COLUMN) + line);
        }
        return lines;
    }

    private static String value(Option option) {
        return switch (option.kind()) {
            case SWITCH -> "";
            case VALUE, LIST -> " " + option.value().label();
            case SWITCH_WITH_VALUE -> "[=" + option.value().label() + "]";
        };
    }

    static String ending(Option option) {
        String preset = option.value().preset();
        boolean off = preset == null || preset.equals("false");
        return off ? "" : " (default: " + (option.isSwitch() ? "on" : preset) + ")";
    }

    static List<String> notes(Command command, boolean settings) {
        List<String> notes = new ArrayList<>();
        boolean sizes = command.options().stream()
                .anyMatch(option -> option.value().label().equals("SIZE"));
        if (sizes) {
            notes.add("SIZE: a number without a unit is bytes; K M G T P and KiB MiB GiB TiB PiB are powers of 1024, KB"
                    + " MB GB TB PB powers of 1000. RATE: a SIZE per second, with or without /s; Kbit Mbit Gbit Tbit"
                    + " are powers of 1000. TIME: 500ms, 30s, 5m, 1h30m; a number without a unit is seconds.");
        }
        if (settings) {
            String name = command.names().get(0).split(" ", 2)[0];
            List<String> given = command.options().stream()
                    .filter(option -> !option.setting() && !option.equals(CommonOptions.HELP))
                    .map(Option::name)
                    .toList();
            notes.add(
                    "Turn a switch off with --no- before its name. An option can also be set by an environment variable"
                            + " (FDT_VERBOSE=true, or FDT_" + name.toUpperCase(Locale.ROOT)
                            + "_VERBOSE for this command only) or by a line in $FDT_HOME/config (verbose = true, or "
                            + name
                            + ".verbose = true). The command line overrides the variable, and the variable"
                            + " overrides the file."
                            + (given.isEmpty() ? "" : " Only on the command line: " + String.join(", ", given) + "."));
        }
        return notes;
    }

    /** Wraps the text at spaces to lines no longer than the width; a longer word gets its own line. */
    public static List<String> wrapped(String text, int width) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ", -1)) {
            if (line.length() > 0 && line.length() + 1 + word.length() > width) {
                lines.add(line.toString());
                line.setLength(0);
            }
            line.append(line.length() == 0 ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }

    /** Returns the operands with a leading space; empty if there are none. */
    static String operands(Command command) {
        return command.operands().isEmpty() ? "" : " " + command.operands();
    }
}
