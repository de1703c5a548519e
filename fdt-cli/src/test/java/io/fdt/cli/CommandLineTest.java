package io.fdt.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.cli.console.Console;
import io.fdt.cli.console.TerminalWidth;
import io.fdt.core.basic.Version;
import io.fdt.core.failure.FailureKind;
import io.fdt.core.files.ListObserver;
import io.fdt.core.files.ListObserver.Entry;
import io.fdt.core.plan.RawPath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Behavior that all commands share, and the small commands. */
class CommandLineTest {
    @Test
    void namesItsVersion() {
        CommandRun run = new CommandRun();
        assertThat(run.run("--version")).isZero();
        assertThat(run.out()).isEqualTo("fdt " + Version.number() + "\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "client --retries 3 a b | --retries: use --retry TIME",
                "client --max-transfer 1G a b | --max-transfer: use --max-bytes SIZE",
                "client --log-file f a b | --log-file: messages go to standard error",
                "client --filter=x a b | --filter: use --include GLOB and --exclude GLOB",
                "client s3://b/x y | 's3://b/x': fdt does not speak s3",
                "client --rate-limit 10 a b | --rate-limit '10': that is 10 bytes per second; write the unit",
                "client -tcp-bs 8M a b | -tcp-bs: use --socket-buffer SIZE",
                "client -fast -p 8 a b | -fast: this is the default",
                "client -vb a b | -vb: use --progress plain and --verbose",
                "client gsiftp://h/a b | 'gsiftp://h/a': fdt does not speak gsiftp",
                "cp a b | unknown command 'cp'; run fdt client SRC… TARGET",
                "put a b | unknown command 'put'; run fdt client SRC… TARGET",
                "sync a b | unknown command 'sync'; run fdt client --delete SRC/ TARGET",
                "get a | unknown command 'get'; run fdt client SRC… TARGET",
                "man client | unknown command 'man'; run fdt help --man COMMAND",
                "rsync -av a/ ann@h:/b | unknown command 'rsync'; run fdt client SRC… TARGET",
                "globus-url-copy a gsiftp://h/b | unknown command 'globus-url-copy'; run fdt client SRC… TARGET",
                "rcat fdt://h/a | unknown command 'rcat'; run fdt client - fdt://HOST/PATH",
                "move fdt://h/a b | unknown command 'move'; run fdt mv FROM TO, or fdt client --remove-source",
                "delete fdt://h/a | unknown command 'delete'; run fdt rm fdt://HOST/PATH",
                "md5sum fdt://h/a | unknown command 'md5sum'; run fdt sum --type md5 PATH",
                "iperf -c h | unknown command 'iperf'; run fdt nettest HOST",
                "ping h | unknown command 'ping'; run fdt nettest latency HOST",
                "daemon | unknown command 'daemon'; run fdt server --root DIR",
                "keygen | unknown command 'keygen'; run fdt key create NAME",
                "resume | unknown command 'resume'; run the same fdt client command again to resume",
                "server --port 4444 | --port: use --listen HOST:PORT",
                "server -p 4444 | -p: use --listen HOST:PORT",
                "server --bind 192.0.2.7 | --bind: use --listen HOST:PORT",
                "server -D | -D: a service manager keeps it running",
                "server --user ann | --user: each client needs a key; use fdt key create NAME",
                "client --port 22 a ann@h:b | --port: write fdt://HOST:PORT/PATH; a port of ssh belongs to --ssh",
                "client --encrypt a b | --encrypt: lanes are encrypted and verified; leave it out",
                "client -udt a gsiftp://h/b | -udt: fdt uses TCP or RDMA; leave it out",
                "client -off 5 a b | -off: fdt copies whole files; leave it out",
                "client a 192.0.2.7:27321/x | did you mean 'fdt://192.0.2.7:27321/x'?",
                "client h:27321/x b | did you mean 'fdt://h:27321/x'?",
                "nettest fdt://h:27400 | 'fdt://h:27400': write HOST or HOST:PORT, without fdt://",
                "nettest latncy h | SUITE is one of throughput, sweep, latency, rpc, objects, load; did you mean",
                "nettest latency a b | more than one server",
                "ls dtn2:4000 | 'dtn2:4000': fdt ls lists servers; did you mean 'fdt://dtn2:4000/'?",
                "df 192.0.2.7:4000 | '192.0.2.7:4000' is not at a server; did you mean 'fdt://192.0.2.7:4000/'?",
                "rm dtn2/run7 | 'dtn2/run7' is not at a server; did you mean 'fdt://dtn2/run7'?",
                "rm / | '/' is on this host; write fdt rm",
                "rm data | 'data' is not at a server; write fdt rm",
                "df dtn2 | 'dtn2' is not at a server; did you mean 'fdt://dtn2/'?",
                "rm -rf fdt://h/a | -f: nothing is asked, and a path that does not exist is a failure; leave it out",
                "version x | unexpected argument 'x'; write fdt version",
                "nettest -1 h | -1: a network test is one session; leave it out",
                "nettest -D h | -D: start fdt server on the other host",
                "server /data | unexpected argument '/data'; use --root DIR",
                "nettest -n 1G h | -n: use --duration TIME",
                "ls dtn2 | 'dtn2': fdt ls lists servers; did you mean 'fdt://dtn2/'?",
            })
    void answersWhatUsersOfOtherToolsType(String line, String answer) {
        CommandRun run = new CommandRun();
        assertThat(run.run(line.split(" "))).isEqualTo(2);
        assertThat(run.err()).contains(answer);
    }

    @Test
    void namesTheRelease() {
        for (String word : List.of("version", "--version", "-V")) {
            CommandRun run = new CommandRun();
            assertThat(run.run(word)).isZero();
            assertThat(run.out()).startsWith("fdt ");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | no command; use one of client, batch, jobs, shard, ls, stat, cat, sum, mkdir, mv, rm, df, verify, clean, server, key, nettest, monitor, tune, completion; see fdt --help",
                "hlep | unknown command 'hlep'; one of client, batch, jobs, shard, ls, stat, cat, sum, mkdir, mv, rm, df, verify, clean, server, key, nettest, monitor, tune, completion; did you mean 'help'?",
                "clint | unknown command 'clint'; one of client, batch, jobs, shard, ls, stat, cat, sum, mkdir, mv, rm, df, verify, clean, server, key, nettest, monitor, tune, completion; did you mean 'client'?",
                "-v | options follow the command: fdt COMMAND -v; see fdt --help",
                "key | no action; use one of show, create, import, list, revoke, forget",
                "key shw | unknown action 'shw'; one of show, create, import, list, revoke, forget; did you mean 'show'?",
                "key import | no key in standard input; key import reads the line that fdt key create prints",
                "key list x | too many arguments; write fdt key list",
                "key revoke | a name is missing; write fdt key revoke NAME",
                "key create | a name is missing; write fdt key create NAME",
                "key create a b | too many arguments; write fdt key create NAME",
                "key list --replace | --replace applies only to key create; leave it out",
                "key create x --max-sessions 0 | --max-sessions '0': not a number from 1 to 999999999, nor none",
                "key show --allow read | --allow applies only to key create; leave it out",
                "key create x --append-only --allow read | --allow and --append-only both choose rights; leave one out",
                "key create x --expires 2030-13-31 | --expires '2030-13-31': not a date; write for example"
                        + " 2030-12-31 or 2030-12-31T18:00:00Z",
                "key create x --expires 2020-01-01 | --expires '2020-01-01': is in the past; write for example 12h or 30d",
                "key create x --root /srv/no-such | --root '/srv/no-such': is not a directory on this host; create it"
                        + " first, or correct the path",
                "key create x --expires 0s | --expires '0s': must be longer than zero; write for example 12h or 30d",
                "key create x --root fdt://h/x | --root 'fdt://h/x': not a local directory; write for example"
                        + " /srv/data",
                "server --allow example.org | --allow 'example.org': not a network: host names are not supported"
                        + " here; write for example 10.1.0.0/16 or 2001:db8::/32",
                "server --max-entries 0 | --max-entries '0': not a number from 1 to 999999999, nor none",
                "server --max-memory 1k | --max-memory '1k': too small for one lane; write at least 1MiB",
                "key list --server h | --server applies only to key import; leave it out",
                "key import /nonexistent/line | no file '/nonexistent/line'; key import reads a FILE or standard"
                        + " input, because a secret must not be on a command line",
                "server --push pushgateway://h:9091/j | --push pushgateway://h:9091/j: a Pushgateway accepts only"
                        + " results of client and nettest; let Prometheus scrape --monitor, or push to otlp:// or influx://",
                "monitor --push pushgateway://h:9091/j | --push pushgateway://h:9091/j: a Pushgateway accepts only"
                        + " results of client and nettest; let Prometheus scrape --monitor, or push to otlp:// or influx://",
                "client -avz a fdt://h/b | -a: modes, times and links are copied by default, devices never; leave it"
                        + " out, and for owner and group add --preserve mode,times,links,owner. -z: fdt does not"
                        + " compress; leave it out",
                "client -vz a fdt://h/b | -z: fdt does not compress; leave it out",
                "completion | name one shell: bash, zsh, fish",
                "completion bsh | unknown shell 'bsh'; one of bash, zsh, fish; did you mean 'bash'?",
            })
    void refusesInvalidArgumentsWithExitCode2(String line, String message) {
        CommandRun run = new CommandRun();
        assertThat(run.run(line.isEmpty() ? List.of() : CommandRun.words(line))).isEqualTo(2);
        assertThat(run.err()).isEqualTo("fdt: " + message + "\n");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "client /tmp/a",
                "client /tmp/a -",
                "client /tmp/a dtn2:b",
                "client --bind 127.0.0.1 fdt://127.0.0.1/a fdt://127.0.0.2/b",
                "jobs --receipt /tmp/r fdt://127.0.0.1",
                "jobs --receipt /tmp/r fdt://127.0.0.1 cancel 0123456789abcdef",
                "client fdt://127.0.0.1/a fdt://127.0.0.2/b fdt://127.0.0.3/c",
                "client /tmp/a fdt://127.0.0.1/b /tmp/c",
                "client --lanes 0 /tmp/a fdt://127.0.0.1/b",
                "client --lanes -3 /tmp/a fdt://127.0.0.1/b",
                "client --lanes many /tmp/a fdt://127.0.0.1/b",
                "client --manifest sha1=/tmp/m /tmp/a fdt://127.0.0.1/b",
                "client --manifest /tmp/m /tmp/a fdt://127.0.0.1/b",
                "client --manifest md5=/tmp/m fdt://127.0.0.1/a fdt://127.0.0.2/b",
                "verify --manifest md5=/tmp/m --receipt /tmp/r /tmp/a",
                "verify --manifest md5=/tmp/m --metadata /tmp/a",
                "client --digest md5 /tmp/a fdt://127.0.0.1/b",
                "client --existing maybe /tmp/a fdt://127.0.0.1/b",
                "client --durable sometimes /tmp/a fdt://127.0.0.1/b",
                "client --direct-io sometimes /tmp/a fdt://127.0.0.1/b",
                "client --preserve everything /tmp/a fdt://127.0.0.1/b",
                "client --rate-limit fast /tmp/a fdt://127.0.0.1/b",
                "client --rate-limit -5 /tmp/a fdt://127.0.0.1/b",
                "client --size 1X /dev/zero fdt://127.0.0.1/b",
                "client --size -1 /dev/zero fdt://127.0.0.1/b",
                "client --duration soon /dev/zero fdt://127.0.0.1/dev/null",
                "client /tmp/a fdt:///b",
                "client /tmp/a fdt://127.0.0.1:99999/b",
                "client /tmp/a fdt://127.0.0.1:x/b",
                "client /tmp/a ftp://127.0.0.1/b",
                "server --max-lanes 0",
                "server --clear-lanes perhaps",
                "server --once extra"
            })
    void refusesBadUsageInOneLine(String line) {
        CommandRun run = new CommandRun();
        assertThat(run.run(CommandRun.words(line))).isEqualTo(2);
        assertThat(run.errLines()).as("one line").hasSize(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.engine.plan).isNull();
        assertThat(run.engine.serverSettings).isNull();
        assertThat(run.engine.verifyPlan).isNull();
    }

    @Test
    void completesCommandsOptionsAndTheirWords() {
        for (String shell : List.of("bash", "zsh", "fish")) {
            CommandRun run = new CommandRun();
            assertThat(run.run("completion", shell)).isZero();
            assertThat(run.out()).contains("client", "rate-limit", "skip-same");
        }
    }

    @Test
    void writesUtf8WhateverTheLocale() {
        CommandRun run = new CommandRun();
        run.run("client", "--lanes=é\uDCFF\u202E", "a", "fdt://h/b");
        assertThat(run.err())
                .isEqualTo("fdt: --lanes 'é\\xFF\\u{202E}': not a number from 1 to 256, nor auto or auto:MIN..MAX\n");
    }

    @Test
    void keepsMessagesAboveTheProgressLine() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(OutputStream.nullOutputStream(), err, true);
        console.redraw("50%");
        console.message("hello");
        console.redraw("50%");
        console.redraw("");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r50%\u001b[K" + "\r\u001b[Khello\n50%" + "\r\u001b[K");
    }

    @Test
    void removesControlCharactersFromMessages() {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        new Console(OutputStream.nullOutputStream(), err, false).message("a\u001b[2J\rb\u009bc\n\td");
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("a?[2J?b?c\n\td\n");
    }

    @Test
    void reportsLostOutputOnceUnlessPipeIsClosed() {
        CommandRun run = new CommandRun().toFullDisk();
        Console console = run.context().console();
        console.data("one");
        console.data("two");
        assertThat(run.err()).isEqualTo("fdt: warning: cannot write to standard output: No space left on device\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ls fdt://h/",
                "key show",
                "key list",
                "key create guest",
                "ls --help",
                "client --help",
                "server --help",
                "nettest --help",
                "verify --help",
                "completion bash",
                "help ls",
                "version"
            })
    void failsIfOutputCannotBeWritten(String words, @TempDir Path home) {
        CommandRun.inHome(home.resolve("one")).run("key", "show");
        CommandRun run = CommandRun.inHome(home.resolve("one")).toFullDisk();
        run.engine.listing = observer ->
                observer.onEntry(new Entry(RawPath.ofText("a"), ListObserver.ListedKind.FILE, 1, 0644, 0, 0, null));
        assertThat(run.run(words.split(" "))).isEqualTo(FailureKind.TARGET.exitCode());
        assertThat(run.err()).contains("cannot write to standard output: No space left on device");
        assertThat(CommandRun.inHome(home.resolve("other")).run(words.split(" ")))
                .isZero();
    }

    @Test
    void copySucceedsIfItsMessagesCannotBeWritten() {
        assertThat(new CommandRun().toFullDisk().run("client", "--json", "a", "fdt://h/b"))
                .isZero();
    }

    @Test
    void readsWidthAgainOnlyAfterResize() {
        CommandRun.FakeSignals signals = new CommandRun.FakeSignals();
        Map<String, String> environment = new HashMap<>(Map.of("COLUMNS", "132"));
        TerminalWidth width = new TerminalWidth(environment, signals);
        assertThat(width.getAsInt()).isEqualTo(132);
        environment.put("COLUMNS", "90");
        assertThat(width.getAsInt()).isEqualTo(132);
        signals.raise("WINCH");
        assertThat(width.getAsInt()).isEqualTo(90);
        assertThat(TerminalWidth.of(Map.of("COLUMNS", "10"))).isEqualTo(60);
        assertThat(TerminalWidth.of(Map.of())).isEqualTo(80);
    }

    @Test
    void brokenPipeIsNoFailure() {
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        Console console = new Console(broken, broken, false);
        console.data("one");
        console.data("two");
        console.message("three");
        assertThat(console.hasLostData()).isFalse();
    }
}
