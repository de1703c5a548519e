package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.Command;
import io.fdt.cli.help.HelpText;
import io.fdt.cli.help.HelpWords;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Option;
import io.fdt.core.FailureKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/commands.md is what the tables of options, variables and failures say. */
final class CommandReferenceTest {
    private static final Path DOCUMENT = Documents.CHECKOUT.resolve("docs/commands.md");

    /** With those that are a word of another's. */
    static final List<Command> COMMANDS = Stream.concat(
                    Commands.ALL.stream(), Commands.ALL.stream().flatMap(command -> command.subcommands().stream()))
            .toList();

    /** Variables that are no option's. */
    private static final Map<String, String> VARIABLES = variables();

    private static Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put(
                "FDT_HOME",
                "the directory of identity, keys, known servers and `config`; else `fdt` in"
                        + " `XDG_CONFIG_HOME`, else `.config/fdt` in `HOME`");
        variables.put("FDT_KEY", "a client's key line, before what was imported; `fdt key import` reads it, too");
        variables.put("FDT_INFLUX_TOKEN", "the token for `--push influx://…`");
        variables.put("FDT_APMON_PASSWORD", "the password for `--push apmon://…`");
        variables.put("NO_COLOR", "anything: no colours and no progress bar");
        variables.put("COLUMNS", "the width of help and of the progress line");
        variables.put("TERM", "the terminal of `fdt monitor --tui`");
        variables.put("NOTIFY_SOCKET", "set by systemd for `Type=notify`");
        variables.put("SSH_CONNECTION", "set by sshd: the address on which a far end over ssh listens");
        variables.put(
                "XDG_RUNTIME_DIR",
                "where the library for RDMA is unpacked when the directory for temporary files is no place for it");
        return variables;
    }

    /** A variable that is nowhere read in this form would be missed; all are read by these calls. */
    @Test
    void everyVariableThatTheProgramReadsIsListed() {
        Pattern read = Pattern.compile("(?:getenv|environment(?:\\(\\))?\\s*\\.get(?:OrDefault)?)\\(\\s*\"(\\w+)\"");
        Pattern constant = Pattern.compile("\"(FDT_[A-Z_]+|SSH_[A-Z_]+)\"");
        Set<String> found = new TreeSet<>();
        for (Path source : Sources.main()) {
            if (source.endsWith("Option.java") || source.endsWith("LegacyOption.java")) {
                continue;
            }
            String text = Documents.text(source);
            for (Pattern pattern : List.of(read, constant)) {
                pattern.matcher(text).results().forEach(match -> found.add(match.group(1)));
            }
        }
        found.remove("HOME");
        found.remove("XDG_CONFIG_HOME");
        found.remove("FDT_JSON");
        assertThat(VARIABLES.keySet()).containsExactlyInAnyOrderElementsOf(found);
    }

    @Test
    void documentIsWhatTheTablesSay() throws IOException {
        String document = document();
        if (Boolean.getBoolean("fdt.write")) {
            Files.writeString(DOCUMENT, document);
        }
        assertThat(Files.readString(DOCUMENT))
                .as("docs/commands.md is stale; write it anew with -Dfdt.write=true")
                .isEqualTo(document);
    }

    private static String document() {
        StringBuilder out = new StringBuilder("""
                # Commands

                Every command with every option, made from the tables of the program; a test fails when this page is stale. `fdt COMMAND --help`
                prints the same. An option marked * stands on the command line only; any other is also a setting (see *Settings* below).

                | command | what for |
                | --- | --- |
                """);
        for (Command command : COMMANDS) {
            String anchor = command.name().replace(' ', '-');
            out.append("| [`fdt %s`](#fdt-%s) | %s |\n".formatted(command.name(), anchor, command.summary()));
        }
        out.append("| [`fdt help`](#fdt-help) | %s |\n".formatted(HelpWords.SUMMARY));
        COMMANDS.forEach(command -> append(out, command));
        appendHelp(out);
        appendExitCodes(out);
        appendSettings(out);
        return out.toString();
    }

    private static void append(StringBuilder out, Command command) {
        String operands = command.operands().isEmpty() ? "" : " " + command.operands();
        out.append("\n## fdt %s\n\n`fdt %s [OPTION…]%s`\n".formatted(command.name(), command.name(), operands));
        for (String paragraph : command.about()) {
            out.append("\n");
            HelpText.wrapped(literal(paragraph), 130)
                    .forEach(line -> out.append(line).append("\n"));
        }
        boolean settings = command.options().stream().anyMatch(Option::setting);
        Map<String, List<Option>> sections = command.options().stream()
                .collect(Collectors.groupingBy(Option::section, LinkedHashMap::new, Collectors.toList()));
        sections.forEach((section, options) -> {
            out.append("\n| %s | |\n| --- | --- |\n".formatted(section));
            for (Option option : options) {
                boolean marked = settings && !option.setting() && !option.equals(CommonOptions.HELP);
                out.append("| `%s` | %s%s%s |\n"
                        .formatted(
                                cell(form(option)), literal(cell(option.help())), preset(option), marked ? " *" : ""));
            }
        });
        out.append("\n```\n");
        for (Command.Example example : command.examples()) {
            out.append("fdt ")
                    .append(example.line())
                    .append("    # ")
                    .append(example.purpose())
                    .append("\n");
        }
        out.append("```\n");
    }

    private static void appendHelp(StringBuilder out) {
        out.append("""

                ## fdt help

                `fdt help [OPTION] [COMMAND]`

                | | |
                | --- | --- |
                | `%s` | %s |
                | `%s DIR` | %s |
                """.formatted(
                        HelpWords.MAN,
                        literal(cell(HelpWords.MAN_HELP)),
                        HelpWords.MAN_TO,
                        literal(cell(HelpWords.MAN_TO_HELP))));
    }

    private static String form(Option option) {
        String letter = option.shortName() == null ? "" : option.shortName() + ", ";
        String value = switch (option.kind()) {
            case SWITCH -> "";
            case VALUE, LIST -> " " + option.label();
            case SWITCH_WITH_VALUE -> "[=" + option.label() + "]";
        };
        return letter + option.name() + value;
    }

    private static String preset(Option option) {
        String preset = option.preset();
        if (preset == null || preset.equals("false")) {
            return "";
        }
        return " (default: " + (option.isSwitch() ? "on" : "`" + cell(preset) + "`") + ")";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }

    /** Keeps Markdown's hands off what help writes as it is. */
    private static String literal(String text) {
        return text.replace("*", "\\*").replace("<", "\\<").replaceAll("(?<![\\w`])(--?[a-zA-Z][a-z-]*)", "`$1`");
    }

    private static void appendExitCodes(StringBuilder out) {
        out.append("""

                ## Exit codes

                They are never renumbered; a code that is not here means failure, too.

                | code | kind | what to do |
                | --- | --- | --- |
                | 0 | everything asked for is in place, also when there was nothing to do | |
                """);
        Map<Integer, List<FailureKind>> kinds = Arrays.stream(FailureKind.values())
                .collect(Collectors.groupingBy(FailureKind::exitCode, TreeMap::new, Collectors.toList()));
        kinds.forEach((code, all) -> out.append("| %d | %s | %s |\n"
                .formatted(
                        code,
                        all.stream().map(CommandReferenceTest::words).collect(Collectors.joining("; ")),
                        literal(all.stream().map(FailureKind::remedy).collect(Collectors.joining("; "))))));
    }

    private static String words(FailureKind kind) {
        return kind.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ').replace("rdma", "RDMA");
    }

    private static void appendSettings(StringBuilder out) {
        out.append("""

                ## Settings

                The command line wins over the environment, the environment over `$FDT_HOME/config`, that over the default. For every option
                without * of a command that has settings there are two variables, the one for that command first: `--rate-limit` is
                `FDT_CLIENT_RATE_LIMIT` and `FDT_RATE_LIMIT`. In the file a line is `rate-limit = 5Gbit`, or `client.rate-limit = 5Gbit`; a line that
                begins with `#` is a comment. A switch is `true` or `false` there, and `--no-` before its name turns it off on the command line. An empty variable is none.

                SIZE: a bare number is bytes; K M G T P and KiB MiB GiB TiB PiB are powers of 1024, KB MB GB TB PB powers of 1000. RATE: the same a
                second, with or without /s; Kbit Mbit Gbit Tbit are powers of 1000. TIME: 500ms, 30s, 5m, 1h30m; a bare number is seconds.

                | other variable | what for |
                | --- | --- |
                """);
        VARIABLES.forEach((name, meaning) -> out.append("| `%s` | %s |\n".formatted(name, meaning)));
    }
}
