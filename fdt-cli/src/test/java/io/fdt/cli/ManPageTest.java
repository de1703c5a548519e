package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.Command;
import io.fdt.cli.help.ManPage;
import io.fdt.cli.option.Option;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.FailureKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The manual pages are complete according to the tables, and man formats them without warnings. */
class ManPageTest {
    @TempDir
    Path directory;

    static Stream<Command> commands() {
        return Command.withSubcommands(Commands.ALL).stream();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void hasEveryOptionExampleAndExitCodeOfTheCommand(Command command) {
        String page = ManPage.of(command, Commands.ALL, "1.2.3");
        for (Option option : command.options()) {
            assertThat(page).contains("\\fB" + ManPage.escaped(option.name()) + "\\fR");
            assertThat(page).contains(ManPage.escaped(option.help()));
            String letter = option.shortName();
            if (letter != null) {
                assertThat(page).contains("\\fB" + ManPage.escaped(letter) + "\\fR, ");
            }
        }
        for (Command.Example example : command.examples()) {
            assertThat(page).contains(ManPage.escaped("fdt " + example.line()));
        }
        for (FailureKind kind : FailureKind.values()) {
            assertThat(page).contains("\n.B " + kind.exitCode() + "\n");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void hasTheSectionsThatReadersKnowInTheirOrder(Command command) {
        String page = ManPage.of(command, Commands.ALL, "1.2.3");
        assertThat(page)
                .containsSubsequence(
                        ".TH ",
                        ".SH NAME",
                        ".SH SYNOPSIS",
                        ".SH DESCRIPTION",
                        ".SH OPTIONS",
                        ".SH EXIT STATUS",
                        ".SH EXAMPLES",
                        ".SH SEE ALSO");
        if (command.usesHome()) {
            assertThat(page).containsSubsequence(".SH ENVIRONMENT", "FDT_HOME", ".SH FILES", "$FDT_HOME");
        }
    }

    @Test
    @Tag("packages")
    void writesAPageForEveryCommandThatFormatsWithoutAWarning() throws IOException {
        assertThat(new CommandRun().run("help", "--man-to", directory.toString()))
                .isZero();
        List<String> expected = Stream.concat(
                        Stream.of("fdt.1"),
                        commands().map(command -> "fdt-" + command.name().replace(' ', '-') + ".1"))
                .sorted()
                .toList();
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(file -> String.valueOf(file.getFileName())).sorted())
                    .containsExactlyElementsOf(expected);
        }
        for (String name : expected) {
            Tool.Result shown = Tool.run(
                    Map.of("MANWIDTH", "80", "LC_ALL", "C.UTF-8"),
                    "man",
                    "--warnings",
                    "-E",
                    "UTF-8",
                    "-l",
                    directory.resolve(name).toString());
            assertThat(shown.exitCode()).isZero();
            assertThat(shown.err()).as("warnings of %s", name).isEmpty();
            assertThat(shown.out()).contains("NAME", "SYNOPSIS", "fdt manual");
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    @Tag("packages")
    void formattedPageShowsEveryOption(Command command) throws IOException {
        Path page = directory.resolve("page.1");
        Files.writeString(page, ManPage.of(command, Commands.ALL, "1.2.3") + "\n");
        Tool.Result shown =
                Tool.run(Map.of("MANWIDTH", "200", "LC_ALL", "C.UTF-8"), "man", "-E", "UTF-8", "-l", page.toString());
        for (Option option : command.options()) {
            assertThat(shown.out()).containsPattern("(?m)^ +(-\\w, )?" + option.name() + "([ =\\[]|$)");
        }
        for (Command.Example example : command.examples()) {
            assertThat(shown.out()).contains("fdt " + example.line());
        }
    }

    @Test
    void listsEveryCommandOnTheFirstPage() {
        CommandRun run = new CommandRun();
        assertThat(run.run("help", "--man")).isZero();
        commands()
                .forEach(command -> assertThat(run.out())
                        .contains(
                                ".BR " + ManPage.escaped("fdt-" + command.name().replace(' ', '-')) + " (1)\n"
                                        + ManPage.escaped(command.summary())));
    }

    @Test
    void printsThePageOfOneCommandOrOfOneBehindIt() {
        CommandRun client = new CommandRun();
        assertThat(client.run("help", "--man", "client")).isZero();
        assertThat(client.out()).contains(".TH FDT\\-CLIENT 1 \"\" \"fdt " + Version.number() + "\"");
        CommandRun report = new CommandRun();
        assertThat(report.run("help", "--man", "nettest", "report")).isZero();
        assertThat(report.out()).contains(".TH FDT\\-NETTEST\\-REPORT 1");
    }

    @Test
    void refusesWhatIsNoCommandOrNoDirectory() {
        CommandRun command = new CommandRun();
        assertThat(command.run("help", "--man", "clint")).isEqualTo(2);
        assertThat(command.err()).contains("did you mean 'client'?");
        CommandRun none = new CommandRun();
        assertThat(none.run("help", "--man-to")).isEqualTo(2);
        assertThat(none.err()).isEqualTo("fdt: --man-to needs one directory; write fdt help --man-to DIR\n");
        CommandRun missing = new CommandRun();
        assertThat(missing.run("help", "--man-to", directory.resolve("missing").toString()))
                .isEqualTo(5);
    }

    @Test
    void escapesTextForRoff() {
        assertThat(ManPage.escaped("a-b \\ 'c' \"d\" … é"))
                .isEqualTo("a\\-b \\e \\(aqc\\(aq \\(dqd\\(dq ... \\[u00E9]");
    }
}
