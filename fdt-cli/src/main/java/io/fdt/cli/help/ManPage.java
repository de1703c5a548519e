package io.fdt.cli.help;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import io.fdt.core.basic.Figures;
import io.fdt.core.failure.FailureKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Manual pages in roff with the macros of man(7), made from the same tables as help. Plain ASCII. */
public final class ManPage {
    private static final String HOME_HELP =
            "the directory of identity, keys and config (default: fdt below $XDG_CONFIG_HOME, otherwise ~/.config/fdt)";

    private final List<String> lines = new ArrayList<>();

    private ManPage(String name, String summary, String version) {
        lines.add(".\\\" Made by fdt help --man from the tables that the program reads its arguments by.");
        lines.add(".TH " + name.toUpperCase(Locale.ROOT).replace("-", "\\-") + " 1 \"\" \"" + escaped("fdt " + version)
                + "\" \"fdt manual\"");
        // Do not hyphenate words, because users type them; do not justify lines.
        lines.add(".nh");
        lines.add(".ad l");
        section("NAME");
        lines.add(escaped(name) + " \\- " + escaped(summary));
    }

    /** Returns the name of a page: {@code fdt}, {@code fdt-client}, {@code fdt-nettest-report}. */
    public static String name(String command) {
        return command.isEmpty() ? "fdt" : "fdt-" + command.replace(' ', '-');
    }

    public static String ofAll(List<Command> commands, String version) {
        ManPage page = new ManPage(name(""), "copy bulk data between hosts over many parallel streams", version);
        page.section("SYNOPSIS");
        page.synopsis("fdt", "COMMAND [OPTION…] …");
        page.lines.add(".br");
        page.synopsis("fdt " + HelpWords.WORD, "[" + HelpWords.MAN + "] [COMMAND]");
        page.lines.add(".br");
        page.synopsis("fdt " + HelpWords.WORD + " " + HelpWords.MAN_TO, "DIR");
        page.lines.add(".br");
        page.synopsis("fdt --version", "");
        page.section("DESCRIPTION");
        page.text("Copies bulk data between data-transfer nodes over many parallel streams, from memory to memory"
                + " and from disk to disk. Every byte is hashed where it is read and verified where it is written. A"
                + " file gets its final name only when it is complete, verified and durable. An interrupted copy"
                + " resumes where it left off.");
        page.section("COMMANDS");
        for (Command command : Command.withSubcommands(commands)) {
            page.entry(".BR " + escaped(name(command.name())) + " (1)", command.summary());
        }
        page.section("OPTIONS");
        page.entry(".BR \\-h , \" \\-\\-help\"", "list the commands");
        page.entry(".BR \\-V , \" \\-\\-version\"", "print the version");
        page.entry(".B help \\-\\-man", HelpWords.MAN_HELP);
        page.entry(".BI \"help \\-\\-man\\-to \" DIR", HelpWords.MAN_TO_HELP);
        page.exitStatus();
        page.section("ENVIRONMENT");
        page.environment(true, true);
        page.entry(".B FDT_JAVA_HOME", "for the installed launcher: the Java to use, before any other");
        page.entry(".B JAVA_HOME", "for the installed launcher: the Java to use, unless one is bundled");
        page.entry(".B FDT_JAVA_OPTIONS", "for the installed launcher: more options for the Java virtual machine");
        page.section("FILES");
        page.files(true, true);
        page.section("EXAMPLES");
        for (Command command : commands) {
            page.example(command.examples().get(0));
        }
        page.seeAlso(Command.withSubcommands(commands).stream()
                .map(command -> name(command.name()))
                .toList());
        return page.roff();
    }

    public static String of(Command command, List<Command> commands, String version) {
        ManPage page = new ManPage(name(command.name()), command.summary(), version);
        boolean settings = command.hasSettings();
        page.section("SYNOPSIS");
        page.synopsis("fdt " + command.name(), "[OPTION…]" + HelpText.operands(command));
        page.section("DESCRIPTION");
        command.about().forEach(page::text);
        page.options(command, settings);
        page.exitStatus();
        if (settings || command.usesHome()) {
            page.section("ENVIRONMENT");
            page.environment(settings, command.usesHome());
            page.section("FILES");
            page.files(settings, command.usesHome());
        }
        page.section("EXAMPLES");
        command.examples().forEach(page::example);
        List<String> others = new ArrayList<>();
        others.add(name(""));
        for (Command other : Command.withSubcommands(commands)) {
            if (!other.name().equals(command.name())) {
                others.add(name(other.name()));
            }
        }
        page.seeAlso(others);
        return page.roff();
    }

    private String roff() {
        return String.join("\n", lines);
    }

    private void section(String title) {
        lines.add(".SH " + title);
    }

    private void synopsis(String command, String rest) {
        lines.add(".B " + escaped(command));
        if (!rest.isEmpty()) {
            lines.add(escaped(rest));
        }
    }

    private void text(String paragraph) {
        lines.add(".PP");
        lines.add(atStart(escaped(paragraph)));
    }

    /** Adds a tagged paragraph; the tag is roff, the text is not. */
    private void entry(String tag, String text) {
        lines.add(".TP");
        lines.add(tag);
        lines.add(atStart(escaped(text)));
    }

    private void options(Command command, boolean settings) {
        section("OPTIONS");
        for (Map.Entry<String, List<Option>> section :
                HelpText.sections(command).entrySet()) {
            lines.add(".SS " + escaped(section.getKey()));
            for (Option option : section.getValue()) {
                entry(tag(option), option.help() + HelpText.ending(option));
            }
        }
        for (String note : HelpText.notes(command, settings)) {
            text(note);
        }
    }

    private static String tag(Option option) {
        String letter = option.shortName();
        String names =
                "\\fB" + (letter == null ? "" : escaped(letter) + "\\fR, \\fB") + escaped(option.name()) + "\\fR";
        return switch (option.kind()) {
            case SWITCH -> names;
            case VALUE, LIST -> names + " \\fI" + escaped(option.value().label()) + "\\fR";
            case SWITCH_WITH_VALUE -> names + "[=\\fI" + escaped(option.value().label()) + "\\fR]";
        };
    }

    private void exitStatus() {
        section("EXIT STATUS");
        entry(".B 0", "everything requested is in place, also when there was nothing to do");
        for (FailureKind kind : FailureKind.values()) {
            entry(".B " + kind.exitCode(), kind.meaning());
        }
    }

    private void environment(boolean settings, boolean home) {
        if (settings || home) {
            entry(".B FDT_HOME", HOME_HELP);
        }
        if (home) {
            entry(".B FDT_KEY", "the key, for a client that has none in its home");
        }
        if (settings) {
            entry(".BI FDT_ OPTION", "the value of an option, see OPTIONS");
            entry(".B NO_COLOR", "if set to any value: no colour and no progress bar");
            entry(".B COLUMNS", "width of the help and the progress bar");
        }
    }

    private void files(boolean settings, boolean home) {
        if (settings) {
            entry(".I $FDT_HOME/config", "settings, one per line; comments begin with #");
        }
        if (home) {
            entry(".I $FDT_HOME", "identity and keys, which no other user can read");
        }
        if (settings) {
            entry(".I /etc/default/fdt", "options of the server that an installed package runs as a service");
        }
    }

    private void example(Command.Example example) {
        lines.add(".PP");
        lines.add(atStart(escaped(example.purpose())) + ":");
        lines.add(".PP");
        lines.add(".RS 4");
        lines.add(".EX");
        lines.add(escaped("fdt " + example.line()));
        lines.add(".EE");
        lines.add(".RE");
    }

    private void seeAlso(List<String> pages) {
        section("SEE ALSO");
        for (int i = 0; i < pages.size(); i++) {
            String comma = i + 1 < pages.size() ? "," : "";
            lines.add(".BR " + escaped(pages.get(i)) + " (1)" + comma);
        }
    }

    /** Escapes a line that starts with a dot or an apostrophe, which roff would read as a request. */
    private static String atStart(String line) {
        return line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line;
    }

    /** Escapes the text so that roff prints it unchanged. */
    public static String escaped(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> out.append("\\e");
                case '-' -> out.append("\\-");
                case '\'' -> out.append("\\(aq");
                case '`' -> out.append("\\(ga");
                case '^' -> out.append("\\(ha");
                case '~' -> out.append("\\(ti");
                case '"' -> out.append("\\(dq");
                case '…' -> out.append("...");
                default -> {
                    if (c < 128) {
                        out.append((char) c);
                    } else {
                        out.append(Figures.text("\\[u%04X]", c));
                    }
                }
            }
        });
        return out.toString();
    }
}
