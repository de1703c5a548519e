package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.command.ArgumentReader;
import io.fdt.cli.command.Command;
import io.fdt.cli.copy.ClientCommand;
import io.fdt.cli.nettest.NettestCommand;
import io.fdt.cli.option.CommonOptions;
import io.fdt.cli.option.GivenArguments;
import io.fdt.cli.option.GivenArguments.GivenOption;
import io.fdt.cli.option.Option;
import io.fdt.cli.option.OtherTools.Foreign;
import io.fdt.cli.option.OtherTools.Outcome;
import io.fdt.core.basic.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Options that users of other tools type: taken silently, taken with a note, or refused with the words to use. */
class TypedFromHabitTest {
    private static List<String> words(String line) {
        return List.of(line.split(" ", -1));
    }

    private static List<String> with(List<String> start, String... more) {
        return Stream.concat(start.stream(), Stream.of(more)).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-r",
                "-p",
                "-t",
                "-l",
                "--recursive",
                "--perms",
                "--times",
                "--links",
                "--sparse",
                "-S",
                "-W",
                "--partial",
                "--append-verify",
                "--stats",
                "--info=progress2",
                "-vh",
                "-hv",
                "-rlpt",
                "-vrh",
                "--human-readable",
                "--fast-list",
                "--no-traverse",
                "--create-empty-src-dirs",
                "--metadata",
                "--preserve mode,times,links,owner --numeric-ids",
                "--force",
                "--log-level DEBUG",
                "--log-level=Error",
                "-vrltph --partial --stats"
            })
    void copyTakesSilently(String options) {
        CommandRun run = new CommandRun();
        assertThat(run.run(with(with(List.of("client"), options.split(" ")), "src/", "fdt://h/b")))
                .isZero();
        assertThat(run.err()).doesNotContain("note");
        assertThat(run.out()).doesNotContain("Usage");
        assertThat(run.engine.plan().request().sources()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-u | --update=true",
                "-c | --compare=digest",
                "--checksum | --compare=digest",
                "-x | --one-file-system=true",
                "-L | --copy-links=true",
                "-I | --existing=overwrite",
                "-R | --relative=true",
                "-K | --keep-dirlinks=true",
                "--bwlimit=10M | --rate-limit=10M",
                "--bwlimit 10M | --rate-limit=10M",
                "--bwlimit=5000 | --rate-limit=5000KiB/s",
                "--bwlimit=0 | --rate-limit=none",
                "--ignore-existing | --existing=skip",
                "--remove-source-files | --remove-source=true",
                "--contimeout=20 | --timeout=20",
                "--delete-after | --delete=true",
                "--delete-before | --delete=true",
                "--delete-during | --delete=true",
                "--max-age=7d | --newer=7d",
                "--transfers=8 | --lanes=8",
                "--streams=8 | --lanes=8",
                "--parallel 8 | --lanes=8",
                "--multi-thread-streams=8 | --lanes=8",
                "--checkers=8 | ''",
                "--progress | --progress=auto",
                "-H | --preserve=mode,times,links,hardlinks",
                "-X | --preserve=mode,times,links,xattrs",
                "-A | --preserve=mode,times,links,acls",
                "-o | --preserve=mode,times,links,owner",
                "-g | --preserve=mode,times,links,owner",
                "-HX | --preserve=mode,times,links,hardlinks,xattrs",
                "--preserve none -X | --preserve=none --preserve=xattrs",
                "-X --preserve times | --preserve=times --preserve=times,xattrs",
                "--preserve all -X | --preserve=all",
                "-i | --verbose=true",
                "--itemize-changes | --verbose=true",
                "--cc=bbr | --congestion=bbr",
                "-4 | --addresses=ipv4",
                "-6 | --addresses=ipv6",
            })
    void copyTakesWithNote(String options, String meant) {
        GivenArguments given = ArgumentReader.read(new ClientCommand(), with(words(options), "src/", "fdt://h/b"));
        assertThat(shown(given)).isEqualTo(meant);
        assertThat(given.operands()).containsExactly("src/", "fdt://h/b");
        assertThat(given.notes()).isNotEmpty();
        CommandRun run = new CommandRun();
        assertThat(run.run(with(with(List.of("client"), options.split(" ")), "/tmp/", "fdt://h/b")))
                .isZero();
        assertThat(run.errLines().stream().filter(line -> line.startsWith("fdt: note: ")))
                .hasSize(1);
        CommandRun quiet = new CommandRun();
        assertThat(quiet.run(with(with(List.of("client", "-q"), options.split(" ")), "/tmp/", "fdt://h/b")))
                .isZero();
        assertThat(quiet.err()).doesNotContain("note");
    }

    private static String shown(GivenArguments given) {
        List<String> texts = new ArrayList<>();
        for (GivenOption one : given.options()) {
            texts.add(one.option().name() + "=" + one.text());
        }
        return String.join(" ", texts);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-a | owner and group add --preserve mode,times,links,owner",
                "--archive | devices never",
                "-z | fdt does not compress",
                "--compress | fdt does not compress",
                "--inplace | gives a file its name only when it is complete",
                "--link-dest=/old | compares with the target only",
                "--link-dest /old | compares with the target only",
                "--backup | no earlier version",
                "--existing | cannot leave out files that are new",
                "--chown=ann:users | owners are copied as numbers",
                "-P | it needs the number of lanes",
                "-f - | use --include GLOB",
                "-T /tmp | a partial is always next to its file",
                "--interactive | use --dry-run",
                "--from0 | --files-from FILE -0",
                "--window=8M | use --socket-buffer SIZE",
                "--port=2811 | write fdt://HOST:PORT/PATH",
                "--retries 3 | use --retry TIME",
                "--udt | TCP or RDMA",
                "-i /home/ann/.ssh/id_ed25519 | an option of ssh belongs to --ssh",
                "-o Port=22 | an option of ssh belongs to --ssh",
            })
    void copyRefusesWithTheWordsToUse(String options, String words) {
        CommandRun run = new CommandRun();
        assertThat(run.run(with(with(List.of("client"), options.split(" ")), "src/", "fdt://h/b")))
                .isEqualTo(2);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).contains(words).doesNotContain("unknown option");
        assertThat(run.engine.plan).isNull();
    }

    @Test
    void namesAllRefusedOptionsOfALineAtOnce() {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "-avzP", "--inplace", "--retries", "3", "--frob", "src/", "fdt://h/b"))
                .isEqualTo(2);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).contains("-a: ", "-z: ", "-P: ", "--inplace: ", "--retries: ", "unknown option '--frob'");
    }

    @Test
    void refusedOptionsAreNamedInTheJsonSummaryToo() {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "--json", "-az", "src/", "fdt://h/b")).isEqualTo(2);
        assertThat(run.out()).contains("-a: ", "-z: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-c h | ''",
                "--client h | ''",
                "-t 7 h | --duration=7",
                "-t7 h | --duration=7",
                "--time 7 h | --duration=7",
                "-R h | --reverse=true",
                "-i 1 h | ''",
                "-J h | --json=true",
                "-b 1G h | ''",
                "-w 4M h | --socket-buffer=4M",
                "-4 h | --addresses=ipv4",
                "-6 h | --addresses=ipv6",
                "-c h -P 8 -t 7 -R | --lanes=8 --duration=7 --reverse=true",
                "-V h | --verbose=true",
            })
    void networkTestTakesWhatIperfTakes(String line, String meant) {
        GivenArguments given = ArgumentReader.read(new NettestCommand(), words(line));
        assertThat(shown(given)).isEqualTo(meant);
        assertThat(given.operands()).containsExactly("h");
        assertThat(given.notes()).isNotEmpty();
        CommandRun run = new CommandRun();
        assertThat(run.run(with(List.of("nettest"), line.split(" ")))).isZero();
        assertThat(run.errLines().stream().filter(one -> one.startsWith("fdt: note: ")))
                .hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-u h | not UDP",
                "-ub 1G h | not UDP",
                "--udp h | not UDP",
                "--window 8M h | use --socket-buffer SIZE",
                "--port 5201 h | write HOST:PORT",
                "-p 5201 h | write HOST:PORT",
                "-1 h | a network test is one session",
                "-P h | -P: it needs the number of lanes",
            })
    void networkTestRefusesWithTheWordsToUse(String line, String words) {
        CommandRun run = new CommandRun();
        assertThat(run.run(with(List.of("nettest"), line.split(" ")))).isEqualTo(2);
        assertThat(run.errLines()).hasSize(1);
        assertThat(run.err()).contains(words);
        assertThat(run.engine.nettestPlan).isNull();
    }

    @Test
    void networkTestStartsAServerAsIperfDoes() {
        CommandRun run = new CommandRun();
        assertThat(run.run("nettest", "-s", "-1")).isZero();
        assertThat(run.err()).contains("note: nettest -s means server --listen=0.0.0.0:27321");
        assertThat(run.engine.serverSettings().address().getPort()).isEqualTo(27_321);
        CommandRun chosen = new CommandRun().environment("FDT_LISTEN", "127.0.0.1:0");
        assertThat(chosen.run("nettest", "-s")).isZero();
        assertThat(chosen.engine.serverSettings().address().getPort()).isZero();
    }

    /** {@code -P src/}, {@code --progress src/} and the like: the source stays a source, or the line is refused. */
    @ParameterizedTest
    @ValueSource(strings = {"--progress", "--checksum", "-c", "--existing", "-P", "-avP", "-i", "--stats"})
    void noOptionSwallowsTheSource(String option) {
        CommandRun run = new CommandRun();
        int exitCode = run.run("client", option, "src/", "fdt://h/b");
        if (exitCode == 0) {
            assertThat(run.engine.plan().request().sources()).hasSize(1);
        } else {
            assertThat(exitCode).isEqualTo(2);
            assertThat(run.err()).doesNotContain("src/");
        }
    }

    @Test
    void misspeltValueIsStillAValue() {
        CommandRun run = new CommandRun();
        assertThat(run.run("client", "--progress", "plian", "src/", "fdt://h/b"))
                .isEqualTo(2);
        assertThat(run.err()).contains("--progress 'plian': not one of", "did you mean 'plain'?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client -vh src/ fdt://h/b",
                "client -h src/ fdt://h/b",
                "ls -lh fdt://h/b",
                "ls -h fdt://h/b",
                "df -h fdt://h/b",
                "clean --dry-run -h fdt://h/b",
            })
    void hInABundleIsNoHelp(String line) {
        CommandRun run = new CommandRun();
        // The fake engine has no server, so what needs one cannot connect.
        assertThat(run.run(words(line))).isNotEqualTo(2);
        assertThat(run.out()).doesNotContain("Usage");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server --once -h", "key show -v -h", "mkdir -ph fdt://h/x", "nettest -h h"})
    void hWhereNoSizesAreIsRefused(String line) {
        CommandRun run = new CommandRun();
        assertThat(run.run(words(line))).isEqualTo(2);
        assertThat(run.err()).contains("-h: for help write fdt ", " --help");
    }

    @Test
    void hAloneIsHelp() {
        for (Command command : Command.withSubcommands(Commands.ALL)) {
            CommandRun run = new CommandRun();
            assertThat(run.run(with(words(command.name()), "-h"))).isZero();
            assertThat(run.out()).startsWith("Usage: fdt " + command.name());
        }
        CommandRun key = new CommandRun();
        assertThat(key.run("key", "create", "-h")).isZero();
        assertThat(key.out()).startsWith("Usage: fdt key");
    }

    @Test
    void versionMayFollowACommand() {
        for (Command command : Command.withSubcommands(Commands.ALL)) {
            for (String word : List.of("-V", "--version")) {
                CommandRun run = new CommandRun();
                assertThat(run.run(with(words(command.name()), word))).isZero();
                assertThat(run.out()).isEqualTo("fdt " + Version.number() + "\n");
                assertThat(run.err()).isEmpty();
            }
        }
    }

    static List<Command> commands() {
        return Command.withSubcommands(Commands.ALL);
    }

    /** Each row of the tables does what it says, and only that. */
    @ParameterizedTest
    @MethodSource("commands")
    void everyRowIsTakenNotedOrRefused(Command command) {
        command.foreign().forEach((word, row) -> {
            if (!word.startsWith("-")) {
                return;
            }
            List<String> args = new ArrayList<>(List.of(word));
            if (row.takesValue()) {
                args.add("1");
            }
            boolean operand = !command.operands().isEmpty();
            if (operand) {
                args.add("s3rc/");
            }
            if (row.outcome() == Outcome.REFUSED) {
                assertThat(refusal(command, args)).as(word).isEqualTo(word + ": " + row.text());
                return;
            }
            GivenArguments given = ArgumentReader.read(command, args);
            assertThat(given.notes()).as(word).hasSize(row.outcome() == Outcome.NOTED ? 1 : 0);
            assertThat(given.operands()).as(word).endsWith(operand ? new String[] {"s3rc/"} : new String[0]);
        });
    }

    private static String refusal(Command command, List<String> args) {
        try {
            ArgumentReader.read(command, args);
        } catch (RuntimeException refused) {
            return String.valueOf(refused.getMessage());
        }
        return "";
    }

    /** What a row says instead exists. */
    @ParameterizedTest
    @MethodSource("commands")
    void everyRowNamesOptionsThatExist(Command command) {
        List<String> names = new ArrayList<>();
        for (Option option : command.options()) {
            names.add(option.name());
            if (option.shortName() != null) {
                names.add(option.shortName());
            }
        }
        Map<String, Foreign> table = command.foreign();
        table.forEach((word, row) -> Arrays.stream(row.text().split("[ =,]"))
                .filter(part -> part.startsWith("-") && !part.equals(word))
                .forEach(part -> assertThat(names).as(word).contains(part)));
        // A switch of fdt needs no row.
        for (Option option : command.options()) {
            if (!option.takesValue() && !option.equals(CommonOptions.HELP)) {
                assertThat(table).doesNotContainKey(option.name()).doesNotContainKey(option.shortName());
            }
        }
    }

    @Test
    void tablesAreLong() {
        assertThat(new ClientCommand().foreign()).hasSizeGreaterThan(100);
        assertThat(new NettestCommand().foreign()).hasSizeGreaterThan(60);
    }

    @Test
    void copyIsTheNameOfTheCommandToo() {
        CommandRun run = new CommandRun().environment("FDT_CLIENT_LANES", "3");
        assertThat(run.run("copy", "src/", "fdt://h/b")).isZero();
        assertThat(run.engine.plan().request().sources()).hasSize(1);
        CommandRun help = new CommandRun();
        assertThat(help.run("copy", "--help")).isZero();
        CommandRun client = new CommandRun();
        client.run("client", "--help");
        assertThat(help.out()).isEqualTo(client.out());
    }
}
