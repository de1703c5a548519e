package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.Command;
import io.fdt.cli.option.Option;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The completion scripts in the shells that they are written for. */
class CompletionTest {
    @TempDir
    Path directory;

    private Path files;
    private String path = System.getenv("PATH");

    static Stream<Command> commands() {
        return Command.withSubcommands(Commands.ALL).stream();
    }

    @BeforeEach
    void someFiles() throws IOException {
        files = Files.createDirectory(directory.resolve("files"));
        Files.createFile(files.resolve("results one.dat"));
        Files.createDirectory(files.resolve("resources"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh", "fish"})
    @Tag("packages")
    void shellParsesScript(String shell) throws IOException {
        Tool.Result parsed = Tool.run(Map.of(), shell, "-n", script(shell).toString());
        assertThat(parsed.err()).isEmpty();
        assertThat(parsed.exitCode()).isZero();
    }

    @Test
    @Tag("packages")
    void passesShellcheck() throws IOException {
        assertThat(Tool.run(
                                Map.of("LC_ALL", "C.UTF-8"),
                                "shellcheck",
                                "-s",
                                "bash",
                                "-S",
                                "warning",
                                // Variables of the caller, which bash functions share.
                                "-e",
                                "SC2034,SC2154",
                                script("bash").toString())
                        .out())
                .isEmpty();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void bashOffersExactlyTheOptionsOfACommand(Command command) throws IOException {
        List<String> expected = new ArrayList<>(dashed(command));
        command.options().stream()
                .filter(option -> option.kind() == Option.OptionKind.SWITCH_WITH_VALUE)
                .forEach(option -> option.value().words().forEach(word -> expected.add(option.name() + "=" + word)));
        assertThat(bash("fdt " + command.name() + " -")).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("commands")
    @Tag("packages")
    void fishOffersEveryOptionOfACommand(Command command) throws IOException {
        List<String> all = new ArrayList<>(fish("fdt " + command.name() + " -"));
        all.addAll(fish("fdt " + command.name() + " --"));
        assertThat(all).containsAll(dashed(command));
    }

    @ParameterizedTest
    @MethodSource("commands")
    @Tag("packages")
    void zshOffersEveryOptionOfACommand(Command command) throws IOException {
        assertThat(zsh("fdt " + command.name() + " -")).containsAll(dashed(command));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "fdt cl | clean client",
                "fdt help ver | verify",
                "fdt client --existing over | overwrite",
                "fdt client --existing=over | overwrite",
                "fdt client -P 4 --exi | --existing",
                "fdt client --no-res | --no-resume",
                "fdt client --preserve mode --progress pl | plain",
                "fdt client --preserve x | xattrs",
                "fdt client --compare di | digest",
                "fdt client --files-from results | results one.dat",
                "fdt client fdt://host/x res | resources results one.dat",
                "fdt server --root res | resources",
                "fdt server --transport=rd | rdma",
                "fdt server --pin no | none",
                "fdt tune ap | apply",
                "fdt key im | import",
                "fdt key import results | results one.dat",
                "fdt nettest rep | report",
                "fdt nettest report --li | --list",
                "fdt nettest report results | results one.dat",
                "fdt completion z | zsh",
            })
    void completesValuesAndPaths(String line, String expected) throws IOException {
        List<String> bash = bash(line);
        assertThat(String.join(" ", bash.stream().sorted().toList())).isEqualTo(expected);
        if (Tool.isThere("fish")) {
            // Fish offers whole words, adds a slash to directories, and matches the letters anywhere in a word.
            assertThat(String.join(" ", fish(line)).replace("/", "")).contains(expected.split(" ", -1));
        }
        if (Tool.isThere("zsh")) {
            assertThat(String.join(" ", zsh(line)).replace("/", "").replace("\\", ""))
                    .contains(expected.split(" ", -1));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fdt server ", "fdt tune show --rtt ", "fdt client --lanes ", "fdt tune show "})
    void offersNothingForFreeValues(String line) throws IOException {
        assertThat(bash(line)).isEmpty();
        if (Tool.isThere("fish")) {
            assertThat(fish(line)).isEmpty();
        }
    }

    /** A shell asks fdt for the names, in whose place a script stands here. */
    @Test
    void keysAreCompletedByTheirNames() throws IOException {
        Path fdt = Files.createDirectory(directory.resolve("bin")).resolve("fdt");
        Files.writeString(fdt, """
                #!/bin/sh
                [ "$*" = 'key list' ] || exit 1
                printf 'ROLE\\tNAME\\nadmits\\tguest\\t01\\n'
                printf 'admits\\tdtn2:27321\\t02\\nimported\\th\\t03\\n'
                """);
        assertThat(fdt.toFile().setExecutable(true)).isTrue();
        path = fdt.getParent() + ":" + path;
        String line = "fdt key revoke ";

        assertThat(bash(line)).containsExactly("guest", "dtn2:27321");
        assertThat(bash(line + "gu")).containsExactly("guest");
        assertThat(bash(line + "dtn2:")).containsExactly("27321");
        assertThat(bash("fdt key import gu")).isEmpty();
        if (Tool.isThere("fish")) {
            assertThat(fish(line)).containsExactlyInAnyOrder("guest", "dtn2:27321");
        }
        if (Tool.isThere("zsh")) {
            assertThat(zsh(line)).containsExactlyInAnyOrder("guest", "dtn2:27321");
        }
    }

    @Test
    void bashReplacesOnlyTextAfterColon() throws IOException {
        Files.createFile(files.resolve("run:7.dat"));
        assertThat(bash("fdt client run:")).containsExactly("7.dat");
    }

    @Test
    void bashWorksWithWordsAlone() throws IOException {
        String program = "source " + script("bash")
                + "; COMP_WORDS=(fdt client --digest sh); COMP_CWORD=3; _fdt; echo \"${COMPREPLY[@]}\"";
        assertThat(Tool.run(Map.of(), "bash", "-c", program).out()).isEqualTo("sha256\n");
    }

    private static List<String> dashed(Command command) {
        List<String> names = new ArrayList<>();
        for (Option option : command.options()) {
            names.add(option.name());
            String letter = option.shortName();
            if (letter != null) {
                names.add(letter);
            }
            if (option.isSwitch()) {
                names.add(option.negated());
            }
        }
        return names;
    }

    private Path script(String shell) throws IOException {
        CommandRun run = new CommandRun();
        assertThat(run.run("completion", shell)).isZero();
        return Files.writeString(directory.resolve("fdt." + shell), run.out());
    }

    /** Splits the line as readline does, and calls the completion function. */
    private List<String> bash(String line) throws IOException {
        String program = """
                source "$1"
                COMP_LINE=$2 COMP_POINT=${#2} COMP_WORDS=() COMP_WORDBREAKS=$' \\t\\n"\\047><=;|&(:'
                rest=$COMP_LINE
                while [[ $rest =~ ^(' '+|[=:]+|[^ =:]+)(.*)$ ]]; do
                    part=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
                    [[ $part == ' '* ]] || COMP_WORDS+=("$part")
                done
                [[ $COMP_LINE != *' ' ]] || COMP_WORDS+=('')
                COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _fdt
                ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
                """;
        return lines(Tool.run(
                Map.of("PATH", path),
                "bash",
                "-c",
                "cd " + files + "\n" + program,
                "bash",
                script("bash").toString(),
                line));
    }

    private List<String> fish(String line) throws IOException {
        return lines(Tool.run(
                        Map.of("PATH", path, "HOME", directory.toString(), "LC_ALL", "C.UTF-8"),
                        "fish",
                        "--no-config",
                        "-c",
                        "cd " + files + "; source " + script("fish") + "; complete -C '" + line + "'"))
                .stream()
                .map(offered -> offered.replaceFirst("\t.*", ""))
                .toList();
    }

    /** Runs an interactive zsh behind a pseudo-terminal, sends a tab, and prints every match that is added. */
    private List<String> zsh(String line) throws IOException {
        String inside = """
                PROMPT=
                cd %s
                autoload -Uz compinit && compinit -D -u
                source %s
                bindkey '^I' complete-word
                zstyle ':completion:*' list-grouped false
                zstyle ':completion:*' force-list always
                compadd() {
                    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then
                        builtin compadd "$@"
                        return
                    fi
                    local -a hits
                    builtin compadd -A hits "$@"
                    (( $#hits )) && print -rl -- $hits >>%s
                    builtin compadd "$@"
                }
                comppostfuncs=( ended )
                ended() { : >%s }
                print re''ady
                """.formatted(files, script("zsh"), directory.resolve("hits"), directory.resolve("ended"));
        Files.writeString(directory.resolve("inside.zsh"), inside);
        Files.deleteIfExists(directory.resolve("hits"));
        Files.deleteIfExists(directory.resolve("ended"));
        String program = """
                zmodload zsh/zpty zsh/zselect
                zpty z zsh -f -i
                zpty -w z "source $1/inside.zsh"
                while zpty -r z REPLY; do [[ $REPLY == *ready* ]] && break; done
                zpty -w -n z "$2"$'\\t'
                while [[ ! -e $1/ended ]]; do
                    zpty -rt z REPLY
                    zselect -t 2
                done
                zpty -d z
                [[ ! -e $1/hits ]] || cat $1/hits
                """;
        return lines(Tool.run(
                Map.of("PATH", path, "HOME", directory.toString(), "LC_ALL", "C.UTF-8", "TERM", "dumb"),
                "zsh",
                "-f",
                "-c",
                program,
                "zsh",
                directory.toString(),
                line));
    }

    private static List<String> lines(Tool.Result result) {
        assertThat(result.err()).isEmpty();
        return result.out().lines().toList();
    }
}
