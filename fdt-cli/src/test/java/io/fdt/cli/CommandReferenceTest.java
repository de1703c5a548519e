package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.help.HelpText;
import io.fdt.cli.help.HelpWords;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.Settings;
import io.fdt.core.failure.Cause;
import io.fdt.core.failure.FailureKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/commands.md matches the tables of options, variables and failures. */
final class CommandReferenceTest {
    private static final Path DOCUMENT = Documents.CHECKOUT.resolve("docs/commands.md");

    /** All commands, including subcommands. */
    static final List<Command> COMMANDS = Stream.concat(
                    Commands.ALL.stream(), Commands.ALL.stream().flatMap(command -> command.subcommands().stream()))
            .toList();

    /** Options that this many commands share are listed once. */
    private static final int SHARED_BY = 3;

    private static final Set<String> SHARED = shared();

    /** Environment variables that do not belong to an option. */
    private static final Map<String, String> VARIABLES = variables();

    private static Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put(
                "FDT_HOME",
                "the directory of identity, keys, known servers and `config` (default: `fdt` in"
                        + " `XDG_CONFIG_HOME`, otherwise `.config/fdt` in `HOME`)");
        variables.put(
                "FDT_KEY", "a client's key, which takes precedence over imported keys; `fdt key import` also reads it");
        variables.put("FDT_INFLUX_TOKEN", "the token for `--push influx://…`");
        variables.put("FDT_APMON_PASSWORD", "the password for `--push apmon://…`");
        variables.put("FDT_TRANSFER_LOG_TOKEN", "the token for `--transfer-log https://…`");
        variables.put("NO_COLOR", "if set to any value: no colours and no progress bar");
        variables.put("COLUMNS", "the width of help and the progress line");
        variables.put("TERM", "the terminal of `fdt monitor --tui`; `dumb` has no progress bar");
        variables.put("NOTIFY_SOCKET", "set by systemd for `Type=notify`");
        variables.put("SSH_CONNECTION", "set by sshd: the address on which a remote end started over ssh listens");
        variables.put(
                "XDG_RUNTIME_DIR",
                "where the library for RDMA is unpacked if the directory for temporary files is not suitable; a bearer"
                        + " token is found in its `bt_uUID`");
        variables.put("BEARER_TOKEN", "a bearer token, for servers without a key; see `--token-file`");
        variables.put("BEARER_TOKEN_FILE", "the file with such a token");
        variables.put("_CONDOR_CREDS", "set by HTCondor: the directory with the tokens of a job, `*.use`");
        variables.put(
                "XDG_CACHE_HOME",
                "where `java -jar` keeps its native libraries and its archive of classes, in `fdt` (default: `.cache`"
                        + " in `HOME`)");
        variables.put("FDT_QUICK_START", "`off`: `java -jar` neither makes nor uses an archive of classes");
        return variables;
    }

    /** Finds variables by the calls that read them. All variables are read by these calls today. */
    @Test
    void everyVariableThatTheProgramReadsIsListed() {
        Pattern read = Pattern.compile("(?:getenv|environment(?:\\(\\))?\\s*\\.get(?:OrDefault)?)\\(\\s*\"(\\w+)\"");
        Pattern constant = Pattern.compile("\"(FDT_[A-Z_]+|SSH_[A-Z_]+)\"");
        Set<String> found = new TreeSet<>();
        for (Path source : Sources.main()) {
            // Variables are also those that others read: the launcher, packages, integrations and their tests.
            if (Stream.of("Option.java", "LegacyOption.java", "Variables.java").anyMatch(source::endsWith)) {
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
    void everySettingMayStandInTheConfigFileAndInItsVariables(@TempDir Path home) throws IOException {
        Set<String> config = new LinkedHashSet<>();
        Map<String, String> environment = new HashMap<>();
        for (Command command : COMMANDS) {
            for (Option option : command.options()) {
                if (option.setting()) {
                    config.add(option.settingName() + " = x");
                    config.add(command.name() + "." + option.settingName() + " = x");
                    environment.put(option.variable(), "x");
                    environment.put(option.variable(command.name()), "x");
                }
            }
        }
        Files.write(home.resolve("config"), config);
        environment.put("FDT_HOME", home.toString());
        Command any = COMMANDS.get(0);
        assertThatCode(() -> Settings.of(any.name(), ArgumentReader.read(any, List.of()), environment))
                .doesNotThrowAnyException();
    }

    @Test
    void documentMatchesTables() throws IOException {
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

                All commands with all their options. This page is generated from the program's tables. `fdt COMMAND --help=all` prints the same.
                Options marked * work on the command line only. All others can also be [settings](#settings).

                | command | purpose |
                | --- | --- |
                """);
        for (Command command : COMMANDS) {
            String anchor = command.name().replace(' ', '-');
            out.append("| [`fdt %s`](#fdt-%s) | %s |\n".formatted(command.name(), anchor, command.summary()));
        }
        out.append("| [`fdt help`](#fdt-help) | %s |\n".formatted(HelpWords.SUMMARY));
        COMMANDS.forEach(command -> append(out, command));
        appendHelp(out);
        appendShared(out);
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
        sections(command).forEach((section, options) -> {
            List<String> rows = options.stream()
                    .map(option -> row(command, option))
                    .filter(row -> !SHARED.contains(row))
                    .toList();
            if (!rows.isEmpty()) {
                appendTable(out, section, rows);
            }
        });
        String shared = command.options().stream()
                .filter(option -> SHARED.contains(row(command, option)))
                .map(option -> "`" + option.name() + "`")
                .collect(Collectors.joining(", "));
        if (!shared.isEmpty()) {
            out.append("\n");
            HelpText.wrapped("[Options of several commands](#options-of-several-commands): " + shared, 130)
                    .forEach(line -> out.append(line).append("\n"));
        }
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

    private static Map<String, List<Option>> sections(Command command) {
        return command.options().stream()
                .collect(Collectors.groupingBy(Option::section, LinkedHashMap::new, Collectors.toList()));
    }

    private static void appendTable(StringBuilder out, String section, Collection<String> rows) {
        out.append("\n| %s | |\n| --- | --- |\n".formatted(section));
        rows.forEach(out::append);
    }

    private static String row(Command command, Option option) {
        boolean settings = command.options().stream().anyMatch(Option::setting);
        boolean marked = settings && !option.setting() && !option.equals(CommonOptions.HELP);
        return "| `%s` | %s%s%s |\n"
                .formatted(cell(form(option)), literal(cell(option.help())), preset(option), marked ? " *" : "");
    }

    private static Set<String> shared() {
        Map<String, Long> uses = COMMANDS.stream()
                .flatMap(command -> command.options().stream().map(option -> row(command, option)))
                .collect(Collectors.groupingBy(row -> row, Collectors.counting()));
        return uses.entrySet().stream()
                .filter(use -> use.getValue() >= SHARED_BY)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    private static void appendShared(StringBuilder out) {
        out.append("\n## Options of several commands\n");
        Map<String, Set<String>> tables = new LinkedHashMap<>();
        for (Command command : COMMANDS) {
            sections(command)
                    .forEach((section, options) -> options.stream()
                            .map(option -> row(command, option))
                            .filter(SHARED::contains)
                            .forEach(row -> tables.computeIfAbsent(section, name -> new LinkedHashSet<>())
                                    .add(row)));
        }
        tables.forEach((section, rows) -> appendTable(out, section, rows));
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
            case VALUE, LIST -> " " + option.value().label();
            case SWITCH_WITH_VALUE -> "[=" + option.value().label() + "]";
        };
        return letter + option.name() + value;
    }

    private static String preset(Option option) {
        String preset = option.value().preset();
        if (preset == null || preset.equals("false")) {
            return "";
        }
        return " (default: " + (option.isSwitch() ? "on" : "`" + cell(preset) + "`") + ")";
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }

    /** Escapes the text of help for Markdown, so that it is shown unchanged. */
    private static String literal(String text) {
        return text.replace("*", "\\*").replace("<", "\\<").replaceAll("(?<![\\w`])(--?[a-zA-Z][a-z-]*)", "`$1`");
    }

    private static void appendExitCodes(StringBuilder out) {
        out.append("""

                ## Exit codes

                Exit codes are never renumbered. Any code that is not in this table also means failure.

                | code | meaning |
                | --- | --- |
                | 0 | everything requested is in place, also when there was nothing to do |
                """);
        for (FailureKind kind : FailureKind.values()) {
            out.append("| %d | %s |\n".formatted(kind.exitCode(), literal(kind.meaning())));
        }
        out.append("""

                ### Causes

                Each failure has one of these causes. Its word is the field `cause` in all JSON, logs, receipts and
                metrics; words are never renamed, and new ones may be added. `--retry` repeats the causes that the third
                column marks, those with *if listed again* unless a file failed for another reason.

                | cause | code | `--retry` repeats it | what to do |
                | --- | --- | --- | --- |
                """);
        for (Cause cause : Cause.values()) {
            String repeated = cause.isRepeated(false) ? "yes" : cause.isRepeated(true) ? "if listed again" : "";
            out.append("| `%s` | %d | %s | %s |\n"
                    .formatted(cause.word(), cause.exitCode(), repeated, literal(cause.remedy())));
        }
    }

    private static void appendSettings(StringBuilder out) {
        out.append("""

                ## Settings

                The command line overrides environment variables, and these override `$FDT_HOME/config`. Every option without * has two variables; the
                one with the command's name takes precedence: `--rate-limit` of `fdt client` is `FDT_CLIENT_RATE_LIMIT` or `FDT_RATE_LIMIT`. An empty
                variable counts as not set. In the file, write one setting per line, `rate-limit = 5Gbit` or `client.rate-limit = 5Gbit`. Lines that
                begin with `#` are comments. A switch is `true` or `false`; on the command line, `--no-` before its name turns it off.

                Refused, with the place: an unknown name in the file, an unknown variable that begins with `FDT_`, and a setting with one value on
                two lines of the file. Variables of fdt's scripts (such as `FDT_SLURM_…`) and those that Kubernetes makes of a
                service's name are ignored. The file must belong to this user or root, and others must not be
                able to change or replace it.

                SIZE: a number without a unit is bytes; K M G T P and KiB MiB GiB TiB PiB are powers of 1024, KB MB GB TB PB powers of 1000. RATE: a
                SIZE per second, with or without /s; Kbit Mbit Gbit Tbit are powers of 1000. TIME: 500ms, 30s, 5m, 1h30m; a number without a unit is
                seconds.

                | other variable | purpose |
                | --- | --- |
                """);
        VARIABLES.forEach((name, meaning) -> out.append("| `%s` | %s |\n".formatted(name, meaning)));
    }
}
