package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.console.TerminalWidth;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The help of a command, laid out from its table. */
public final class HelpText {
    private static final int HELP_COLUMN = 30;

    private HelpText() {}

    public static String of(Command command, Map<String, String> environment) {
        int width = TerminalWidth.of(environment);
        boolean settings = command.options().stream().anyMatch(Option::setting);
        List<String> lines = new ArrayList<>();
        lines.add("Usage: fdt " + command.name() + " [OPTION…]" + operands(command));
        for (String paragraph : command.about()) {
            lines.add("");
            lines.addAll(wrapped(paragraph, width));
        }
        for (Map.Entry<String, List<Option>> section : sections(command).entrySet()) {
            lines.add("");
            lines.add(section.getKey() + ":");
            for (Option option : section.getValue()) {
                lines.addAll(lines(option, settings, width));
            }
        }
        for (String note : notes(command, settings)) {
            lines.add("");
            lines.addAll(wrapped(note, width));
        }
        lines.add("");
        lines.add("Examples:");
        for (Command.Example example : command.examples()) {
            lines.add("  # " + example.purpose());
            lines.add("  fdt " + example.line());
        }
        return String.join("\n", lines);
    }

    /** The list of commands. */
    public static String ofAll(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: fdt COMMAND [OPTION…] …");
        lines.add("");
        lines.add("Moves bulk data between hosts over many parallel streams.");
        lines.add("");
        lines.add("Commands:");
        for (Command command : commands) {
            lines.add("  " + padded(command.name(), 12) + command.summary());
        }
        lines.add("");
        lines.add("fdt COMMAND --help tells more; fdt --version names the release.");
        lines.add("");
        lines.add("Examples:");
        for (Command command : commands) {
            lines.add("  fdt " + command.examples().get(0).line());
        }
        return String.join("\n", lines);
    }

    static Map<String, List<Option>> sections(Command command) {
        Map<String, List<Option>> sections = new LinkedHashMap<>();
        for (Option option : command.options()) {
            sections.computeIfAbsent(option.section(), name -> new ArrayList<>())
                    .add(option);
        }
        return sections;
    }

    private static List<String> lines(Option option, boolean settings, int width) {
        String letter = option.shortName();
        String left = (letter == null ? "      " : "  " + letter + ", ") + option.name() + value(option);
        List<String> right = wrapped(option.help() + ending(option, settings), width - HELP_COLUMN);
        List<String> lines = new ArrayList<>();
        int next = 0;
        if (left.length() > HELP_COLUMN - 2) {
            lines.add(left);
        } else {
            lines.add(padded(left, HELP_COLUMN) + right.get(0));
            next = 1;
        }
        for (String line : right.subList(next, right.size())) {
            lines.add(padded("", HELP_COLUMN) + line);
        }
        return lines;
    }

    private static String value(Option option) {
        return switch (option.kind()) {
            case SWITCH -> "";
            case VALUE, LIST -> " " + option.label();
            case SWITCH_WITH_VALUE -> "[=" + option.label() + "]";
        };
    }

    static String ending(Option option, boolean settings) {
        String preset = option.preset();
        boolean off = preset == null || preset.equals("false");
        String shown = off ? "" : " (default: " + (option.isSwitch() ? "on" : preset) + ")";
        boolean marked = settings && !option.setting() && !option.equals(CommonOptions.HELP);
        return shown + (marked ? " *" : "");
    }

    static List<String> notes(Command command, boolean settings) {
        List<String> notes = new ArrayList<>();
        boolean sizes =
                command.options().stream().anyMatch(option -> option.label().equals("SIZE"));
        if (sizes) {
            notes.add(
                    "SIZE: a bare number is bytes; K M G T P and KiB MiB GiB TiB PiB are powers of 1024, KB MB GB TB PB"
                            + " powers of 1000. RATE: the same a second, with or without /s; Kbit Mbit Gbit Tbit are powers of"
                            + " 1000. TIME: 500ms, 30s, 5m, 1h30m; a bare number is seconds.");
        }
        if (settings) {
            notes.add(
                    "A switch is turned off by --no- before its name. An option without * can also be set by a variable"
                            + " (FDT_TIMEOUT=1m, or FDT_" + command.name().toUpperCase(Locale.ROOT)
                            + "_TIMEOUT for this command alone) and by a line in $FDT_HOME/config (timeout = 1m, or "
                            + command.name()
                            + ".timeout = 1m). The command line wins over the variable, the variable over the"
                            + " file.");
        }
        return notes;
    }

    /** Lines no longer than the width, broken at spaces; a word that is longer stands alone. */
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

    /** What follows the options, with a blank before it. */
    static String operands(Command command) {
        return command.operands().isEmpty() ? "" : " " + command.operands();
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
