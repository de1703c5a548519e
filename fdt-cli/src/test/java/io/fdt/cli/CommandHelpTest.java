package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The help of all commands. */
class CommandHelpTest {
    @Test
    void helpListsExactlyTheCommands() {
        CommandRun run = new CommandRun();
        assertThat(run.run("--help")).isZero();
        assertThat(run.out())
                .contains(
                        "\n  server ",
                        "\n  client, copy ",
                        "\n  nettest ",
                        "\n  verify ",
                        "\n  key ",
                        "\n  completion ",
                        "\n  help ",
                        "\n  version ",
                        "Examples:");
        assertThat(Commands.names())
                .containsExactly(
                        "client",
                        "batch",
                        "jobs",
                        "shard",
                        "ls",
                        "stat",
                        "cat",
                        "sum",
                        "mkdir",
                        "mv",
                        "rm",
                        "df",
                        "verify",
                        "clean",
                        "server",
                        "key",
                        "nettest",
                        "monitor",
                        "tune",
                        "completion");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server",
                "client",
                "nettest",
                "monitor",
                "verify",
                "ls",
                "stat",
                "cat",
                "sum",
                "mkdir",
                "mv",
                "rm",
                "df",
                "batch",
                "jobs",
                "clean",
                "shard",
                "tune",
                "key",
                "completion"
            })
    void explainsEveryCommandWithEveryOptionAndExamples(String name) {
        CommandRun run = new CommandRun();
        Command command = Objects.requireNonNull(Commands.named(name));
        boolean whole = command.commonOptions().equals(command.options());
        assertThat(run.run(name, "--help=all")).isZero();
        CommandRun other = new CommandRun();
        assertThat(other.run("help", name)).isZero();
        assertThat(other.out()).startsWith("Usage: fdt " + name).contains("\nExamples:\n  # ");
        assertThat(run.out()).startsWith("Usage: fdt " + name).contains("\nExamples:\n  # ");
        assertThat(run.out().equals(other.out())).isEqualTo(whole);
        for (Option option : command.options()) {
            assertThat(run.out()).contains(" " + option.name());
            assertThat(option.help()).isNotBlank();
            assertThat(option.section()).isNotBlank();
        }
        for (Command.Example example : command.examples()) {
            assertThat(run.out()).contains("  fdt " + example.line());
        }
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "client", "nettest"})
    void shortHelpFitsAScreen(String name) {
        CommandRun run = new CommandRun();
        assertThat(run.run(name, "--help")).isZero();
        assertThat(run.out().lines()).hasSizeLessThanOrEqualTo(50);
        Command command = Objects.requireNonNull(Commands.named(name));
        assertThat(run.out())
                .contains("--help=all lists every option (" + command.options().size() + ")");
        assertThat(command.options()).containsAll(command.commonOptions());
        CommandRun wrong = new CommandRun();
        assertThat(wrong.run(name, "--help=more")).isEqualTo(2);
        assertThat(wrong.err()).contains("--help 'more': write --help or --help=all");
    }

    @Test
    void helpShowsWhatFollowsTheCommand() {
        CommandRun shard = new CommandRun();
        assertThat(shard.run("shard", "--help")).isZero();
        assertThat(shard.out()).contains("\n  plan ", "\n  status ", "\n  finish ", "fdt shard plan --help explains");
        CommandRun latency = new CommandRun();
        assertThat(latency.run("nettest", "latency", "--help")).isZero();
        assertThat(latency.out())
                .startsWith("Usage: fdt nettest latency [OPTION…] HOST[:PORT]")
                .contains("--iterations", "--transport", "fdt nettest latency --busy-poll dtn2")
                .doesNotContain("--bidir", "--offered", "--request", "--receive");
        CommandRun asked = new CommandRun();
        assertThat(asked.run("help", "nettest", "latency")).isZero();
        assertThat(asked.out()).isEqualTo(latency.out());
    }

    /** Every option of nettest is one of a suite. */
    @ParameterizedTest
    @ValueSource(strings = {"throughput", "sweep", "latency", "rpc", "objects", "load"})
    void everySuiteHasItsHelp(String suite) {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", suite, "--help=all")).isZero();
        assertThat(run.out())
                .contains("\n" + suite)
                .contains("\nExamples:\n  # ")
                .doesNotContain(" *\n");
        assertThat(run.out().lines()).hasSizeLessThan(150);
    }

    @Test
    void noHelpHasStars() {
        for (Command command : Command.withSubcommands(Commands.ALL)) {
            CommandRun run = new CommandRun();
            List<String> args = new ArrayList<>(CommandRun.words(command.name()));
            args.add("--help=all");
            assertThat(run.run(args)).isZero();
            assertThat(run.out()).doesNotContainPattern(" \\*(\n| )");
            long defaults = Pattern.compile("--timeout TIME[^-]*")
                    .matcher(run.out())
                    .results()
                    .filter(match -> match.group().replaceAll("[^0-9]", "").length() > 6)
                    .count();
            assertThat(defaults).isZero();
        }
    }

    @Test
    void exampleSettingsExist() {
        Pattern example = Pattern.compile("config \\(([a-z-]+) = ");
        int seen = 0;
        for (Command command : Commands.ALL) {
            CommandRun run = new CommandRun();
            run.run("help", "--man", command.name());
            Matcher setting = example.matcher(run.out().replaceAll("\\s+", " "));
            if (setting.find()) {
                seen++;
                assertThat(command.options())
                        .as(command.name())
                        .anyMatch(option ->
                                option.setting() && option.settingName().equals(setting.group(1)));
            }
        }
        assertThat(seen).isPositive();
    }

    @Test
    void explainsHelp() {
        CommandRun run = new CommandRun();
        assertThat(run.run("help", "help")).isZero();
        CommandRun all = new CommandRun();
        assertThat(all.run("help")).isZero();
        assertThat(run.out()).isEqualTo(all.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server",
                "client",
                "nettest",
                "monitor",
                "verify",
                "ls",
                "stat",
                "cat",
                "sum",
                "mkdir",
                "mv",
                "rm",
                "df",
                "batch",
                "jobs",
                "clean",
                "shard",
                "tune",
                "key",
                "completion"
            })
    void helpFitsTerminalWidth(String name) {
        CommandRun run = new CommandRun().environment("COLUMNS", "80");
        run.run(name, "--help");
        String options = run.out().substring(0, run.out().indexOf("Examples:"));
        assertThat(options.lines()).allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
    }

    @Test
    void helpExamplesAreValid() {
        for (Command command : Commands.ALL) {
            for (Command.Example example : command.examples()) {
                int redirection = example.line().indexOf(" >");
                String typed = redirection < 0 ? example.line() : example.line().substring(0, redirection);
                List<String> words = CommandRun.words(typed);
                assertThat(words.get(0)).isIn(command.names());
                ArgumentReader.read(command, words.subList(1, words.size()));
            }
        }
    }
}
