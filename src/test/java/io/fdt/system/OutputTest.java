package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import io.fdt.system.Route.Direction;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The output has the format that scripts and people rely on, goes to the right stream, and contains no secret. */
final class OutputTest {
    private static final int MIB = 1 << 20;
    private static final int PIPE_BYTES = 64 << 10;
    private static final Set<String> TYPES = Set.of("start", "progress", "file", "warning", "error", "summary");

    @RegisterExtension
    static final SharedServer SERVER = new SharedServer();

    @RegisterExtension
    final Workplace at = new Workplace(SERVER);

    /** What starts a server may read the line of readiness and no more. */
    @Test
    void aServerWhoseOutputNobodyReadsServesOn() throws IOException {
        Path pipe = at.path("pipe");
        Shell.ok("mkfifo", pipe);
        try (RandomAccessFile end = new RandomAccessFile(pipe.toFile(), "rw")) {
            FdtProcess.Setup server =
                    at.setup("server", "server", "--json", "--listen", "127.0.0.1:0", "--root", at.directory("served"));
            at.track(
                    FdtProcess.start(server, Redirect.from(Path.of("/dev/null").toFile()), Redirect.to(pipe.toFile())));
            Object port = Json.object(end.readLine()).get("port");
            end.write(new byte[PIPE_BYTES]);
            at.fdt("ls", "fdt://127.0.0.1:" + port + "/").expectExit(0);
            at.fdt("ls", "fdt://127.0.0.1:" + port + "/").expectExit(0);
        }
    }

    @EachWay
    void jsonLinesAreAsTheContractSays(Direction direction) {
        Route direct = Route.of(at, direction);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 40 * MIB, 1);
        proxy.throttle(10 * MIB);
        Outcome outcome = at.copy("-P", 2, route.source("f"), route.target("")).expectExit(0);

        List<Map<String, Object>> lines = outcome.json();
        assertThat(lines).allSatisfy(line -> assertThat(line.get("type")).isIn(TYPES));
        assertThat(lines.get(0)).containsEntry("type", "start");
        assertThat(outcome.jsonOfType("start")).hasSize(1);
        assertThat(outcome.jsonOfType("progress"))
                .as("one a second, for 4 seconds or more")
                .hasSizeBetween(2, 1 + (int) outcome.decimal("seconds"));
        assertThat(outcome.jsonOfType("file")).as("only with --json=files").isEmpty();

        Map<String, Object> summary = outcome.summary();
        assertThat(summary)
                .containsEntry("outcome", "ok")
                .containsEntry("exit_code", 0L)
                .containsEntry("lanes", 2L);
        for (String whole : List.of(
                "files",
                "bytes",
                "bytes_sent",
                "bytes_arrived",
                "bytes_verified",
                "bytes_durable",
                "bytes_final",
                "bytes_kept",
                "bytes_resumed",
                "bytes_resent",
                "files_skipped",
                "files_failed",
                "files_deleted",
                "lanes")) {
            assertThat(summary.get(whole)).as(whole).isInstanceOf(Long.class);
        }
        for (String number : List.of("seconds", "bits_per_second")) {
            assertThat(summary.get(number)).as(number).isInstanceOf(Double.class);
        }
        for (String text : List.of("outcome", "digest", "bottleneck", "session")) {
            assertThat(summary.get(text)).as(text).isInstanceOf(String.class);
        }
        assertThat(summary).containsEntry("files", 1L).containsEntry("bytes", 40L * MIB);
        assertThat((String) summary.get("digest")).matches("xxh3-128:[0-9a-f]{32}");
        double rate = outcome.decimal("bits_per_second");
        assertThat(rate).isCloseTo(40L * MIB * 8 / outcome.decimal("seconds"), Percentage.withPercentage(1));
        assertThat(outcome.err())
                .as("nothing for people beside JSON lines of a good run")
                .isEmpty();
    }

    @Test
    void digestOfATreeDependsOnItsContentsAlone() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("a"), 1);
        Trees.small(route.sourcePath("b"), 1);
        Trees.small(route.sourcePath("c"), 2);
        Object one = at.copy("-P", 1, route.source("a/"), route.target("a/"))
                .summary()
                .get("digest");
        Object many = at.copy("-P", 8, route.source("b/"), route.target("b/"))
                .summary()
                .get("digest");
        Object other = at.copy("-P", 8, route.source("c/"), route.target("c/"))
                .summary()
                .get("digest");
        assertThat(one).isEqualTo(many);
        assertThat(one).isNotEqualTo(other);
    }

    @Test
    void jsonFilesNamesEveryFile() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("tree"), 1);
        Outcome outcome = at.fdt("client", "--json=files", route.source("tree"), route.target(""))
                .expectExit(0);
        String files = outcome.jsonOfType("file").toString();
        assertThat(files).contains("one.dat", "empty.dat", "sub/two.dat", "sub/deeper/three.dat");
    }

    @Test
    void oddNamesKeepJsonValidAndTerminalsSafe() {
        FdtServer server = at.server();
        Outcome json = at.fdt("client", "--json=files", OddTree.shared() + "/", server.url("/odd/"))
                .expectExit(0);
        json.summary();
        assertThat(json.jsonOfType("file").size()).isGreaterThan(500);
        assertThat(json.transcript()).doesNotContain("\u001b", "\u0007");
        Outcome plain = at.fdt(
                "client", "-v", "--dry-run", "--existing", "overwrite", OddTree.shared() + "/", server.url("/odd/"));
        assertThat(plain.transcript()).doesNotContain("\u001b", "\u0007");
    }

    @Test
    void failureIsAnErrorLineAndASummary() {
        Route route = Route.of(at, Direction.PUSH);
        Outcome outcome =
                at.copy(route.source("no-such-file"), route.target("")).expectExit(4);
        assertThat(outcome.jsonOfType("error")).isNotEmpty();
        assertThat(outcome.summary()).containsEntry("exit_code", 4L).containsEntry("outcome", "failed");
    }

    @Test
    void progressWithoutATerminalIsPlainLinesOnStderrAndStdoutIsEmpty() {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 40 * MIB, 1);
        // One line every five seconds.
        proxy.throttle(6 * MIB);
        assertThat(raw("\"$@\" 2>err", route)).isEmpty();
        assertThat(Trees.text(at.path("err")))
                .isNotEmpty()
                .doesNotContain("\r", "\u001b")
                .contains("%");
    }

    @Test
    void progressOnATerminalIsOneLineThatIsRedrawn() {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 40 * MIB, 1);
        proxy.throttle(12 * MIB);
        String screen = raw(ON_TERMINAL, route);
        assertThat(screen).contains("%", "bit/s", "iB/s", "ETA", "lanes");
        assertThat(screen.replace("\r\n", "\n")).as("it is redrawn in place").contains("\r");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NO_COLOR=1", "quiet"})
    void noColourAndNoBarOnATerminalWhenNotWanted(String how) {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 30 * MIB, 1);
        proxy.throttle(12 * MIB);
        if (how.equals("quiet")) {
            assertThat(raw(ON_TERMINAL, route, "--quiet")).isEmpty();
        } else {
            at.environment("NO_COLOR", "1");
            String screen = raw(ON_TERMINAL, route).replace("\r\n", "\n");
            assertThat(screen).isNotEmpty().doesNotContain("\r", "\u001b");
        }
    }

    private static final String ON_TERMINAL =
            "printf -v line '%q ' \"$@\"; TERM=xterm COLUMNS=120 script -qefc \"stty cols 120; $line\" /dev/null </dev/null";

    /** Runs a copy of the one file through a script. Returns stdout, byte for byte. */
    private String raw(String script, Route route, Object... options) {
        List<Object> words = new ArrayList<>(List.of("client"));
        words.addAll(List.of(options));
        words.addAll(List.of(route.source("f"), route.target("")));
        Path out = at.path("out");
        FdtProcess client = at.track(FdtProcess.start(
                at.setupThroughBash("client", script, words.toArray()),
                ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()),
                ProcessBuilder.Redirect.to(out.toFile())));
        client.await(Workplace.LIMIT).expectExit(0);
        return Trees.text(out);
    }

    @Test
    void noSecretInCommandLinesOrEnvironmentAndHomeIsPrivate() throws Exception {
        Route direct = Route.of(at, Direction.PUSH);
        FaultProxy proxy = at.closing(FaultProxy.before(direct.server().port()));
        Route route = direct.through(proxy);
        Trees.file(route.sourcePath("f"), 30 * MIB, 1);
        proxy.throttle(10 * MIB);
        // It must not end before the test has looked.
        CountDownLatch underWay = proxy.slowDownAfter(5 * MIB, MIB / 4);
        FdtProcess client = at.startCopy(route.source("f"), route.target(""));
        Await.until("the copy is under way", underWay);

        Set<String> secrets = secretsOf(at.home());
        assertThat(secrets).isNotEmpty();
        for (FdtProcess process : List.of(client, direct.server().process())) {
            for (String file : List.of("cmdline", "environ")) {
                String text = Files.readString(
                        Path.of("/proc", Long.toString(process.pid()), file), StandardCharsets.ISO_8859_1);
                assertThat(secrets).as(file).noneMatch(text::contains);
            }
        }
        proxy.throttle(0);
        Outcome outcome = client.await(Workplace.LIMIT).expectExit(0);
        assertThat(secrets)
                .noneMatch(secret -> outcome.transcript().contains(secret)
                        || direct.server().process().transcript().contains(secret));
        assertThat(Shell.ok("find", at.home(), "-perm", "/077"))
                .as("readable by others")
                .isEmpty();
    }

    /** Returns every word in the files of the home that is long enough to be a key. */
    private static Set<String> secretsOf(Path home) throws IOException {
        Set<String> secrets = new HashSet<>();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Matcher words = Pattern.compile("[A-Za-z0-9+_=-]{20,}")
                        .matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                while (words.find()) {
                    secrets.add(words.group());
                }
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return secrets;
    }

    @Test
    void helpOfEveryCommandHasExamplesAndGoesToStdout() {
        for (String command : List.of("server", "client")) {
            Outcome help = at.fdt(command, "--help").expectExit(0);
            assertThat(String.join("\n", help.out()))
                    .containsIgnoringCase("example")
                    .contains("fdt " + command);
            assertThat(help.err()).isEmpty();
        }
        assertThat(String.join("\n", at.fdt("--help").expectExit(0).out())).contains("server", "client");
    }

    @Test
    void receiptNamesEveryFileWithItsDigest() {
        Route route = Route.of(at, Direction.PUSH);
        Trees.small(route.sourcePath("tree"), 1);
        Path receipt = at.path("receipt.json");
        Outcome outcome = at.copy("--receipt", receipt, route.source("tree"), route.target(""))
                .expectExit(0);
        String text = Trees.text(receipt);
        Json.object(text);
        assertThat(text)
                .contains("one.dat", "empty.dat", "three.dat")
                .contains(String.valueOf(outcome.summary().get("digest")));
    }
}
