package io.fdt.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The help of a command, laid out from its table. */
final class HelpText {
    private HelpText() {}

    static String of(Command command, Map<String, String> environment) {
        int width = TerminalWidth.of(environment);
        List<String> lines = new ArrayList<>();
        String operands = command.operands().isEmpty() ? "" : " " + command.operands();
        lines.add("Usage: fdt " + command.name() + " [OPTION…]" + operands);
        lines.add("");
        lines.addAll(command.about());
        for (Map.Entry<String, List<Option>> section : sections(command).entrySet()) {
            lines.add("");
            lines.add(section.getKey() + ":");
            lines.add(options(section.getValue(), width).stripTrailing());
        }
        lines.add("");
        lines.addAll(notes(command));
        lines.add("Examples:");
        for (Command.Example example : command.examples()) {
            lines.add("  # " + example.purpose());
            lines.add("  fdt " + example.line());
        }
        return String.join("\n", lines);
    }

    /** The list of commands. */
    static String ofAll(List<Command> commands) {
        List<String> lines = new ArrayList<>();
        lines.add("Usage: fdt COMMAND [OPTION…] …");
        lines.add("");
        lines.add("Moves bulk data between hosts over many parallel streams.");
        lines.add("");
        lines.add("Commands:");
        for (Command command : commands) {
            lines.add(String.format("  %-12s%s", command.name(), command.summary()));
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

    private static Map<String, List<Option>> sections(Command command) {
        Map<String, List<Option>> sections = new LinkedHashMap<>();
        for (Option option : command.options()) {
            sections.computeIfAbsent(option.section(), name -> new ArrayList<>())
                    .add(option);
        }
        return sections;
    }

    private static List<String> notes(Command command) {
        List<String> notes = new ArrayList<>();
        boolean quantities = command.options().stream()
                .anyMatch(option ->
                        option.label().equals("SIZE") || option.label().equals("RATE"));
        if (quantities) {
            notes.add(
                    "Sizes: a bare number is bytes; K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB of 1000.");
            notes.add(
                    "Rates: the same a second, with or without /s; Kbit Mbit Gbit are powers of 1000. Times: 500ms 30s 1h30m.");
        }
        if (command.options().stream().anyMatch(Option::setting)) {
            notes.add(
                    "A switch is turned off by --no- before its name. What is not marked * can also be set by a variable,");
            notes.add(
                    "--rate-limit as FDT_RATE_LIMIT, and by a line rate-limit = 1Gbit in $FDT_HOME/config; the command line");
            notes.add("wins over the variable, the variable over the file.");
        }
        if (!notes.isEmpty()) {
            notes.add("");
        }
        return notes;
    }

    private static String options(List<Option> options, int width) {
        CommandSpec spec = CommandSpec.create();
        spec.usageMessage().width(width).sortOptions(false).adjustLineBreaksForWideCJKCharacters(false);
        for (Option option : options) {
            String text = option.help() + defaultText(option);
            OptionSpec.Builder builder = OptionSpec.builder(CommandModel.names(option))
                    // The description is a format and may name variables: neither is meant.
                    .description(text.replace("%", "%%").replace("$", "$$"));
            switch (option.kind()) {
                case SWITCH -> builder.arity("0");
                case VALUE, LIST -> builder.arity("1").paramLabel(option.label());
                case SWITCH_WITH_VALUE -> builder.arity("0..1").paramLabel(option.label());
            }
            spec.addOption(builder.build());
        }
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        return help.optionList();
    }

    private static String defaultText(Option option) {
        String star = option.setting() || option.equals(CommonOptions.HELP) ? "" : " *";
        String preset = option.preset();
        boolean off = preset == null || preset.equals("false");
        return (off ? "" : " (default: " + (option.isSwitch() ? "on" : preset) + ")") + star;
    }
}
