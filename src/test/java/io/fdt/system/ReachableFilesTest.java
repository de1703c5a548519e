package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fdt.cli.ServerWithoutPathChecks;
import io.fdt.core.storage.posix.Landlock;
import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** What a server gives up when it has started, shown by servers whose checks of paths are all broken. */
final class ReachableFilesTest {
    @RegisterExtension
    final Workplace work = new Workplace();

    @TempDir(factory = NotInTmp.class)
    Path notInTmp = Path.of("");

    private static final class NotInTmp implements TempDirFactory {
        @Override
        public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
            return Files.createTempDirectory(Path.of("/var/tmp"), "fdt");
        }
    }

    @BeforeEach
    void needsLandlock() {
        try (Landlock landlock = Landlock.begin()) {
            assumeTrue(landlock != null, "this kernel has no Landlock");
        }
    }

    /** Starts a server that was told to export the directory {@code remote}, and serves everything. */
    private FdtServer broken(Object... options) throws URISyntaxException {
        Path root = work.directory("remote");
        String classes = Workplace.jar() + ":"
                + Path.of(ServerWithoutPathChecks.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + work.directory("scratch"),
                "-cp",
                classes,
                ServerWithoutPathChecks.class.getName()));
        command.addAll(List.of("server", "--json", "--listen", "127.0.0.1:0", "--root", root.toString()));
        command.addAll(Shell.words(options));
        FdtProcess.Setup like = work.setup("server");
        FdtProcess.Setup setup = new FdtProcess.Setup("server", command, like.environment(), like.directory());
        return FdtServer.whenReady(work.track(FdtProcess.start(setup)), Path.of("/"));
    }

    @Test
    void theSocketOfTheMonitorIsRemovedAtTheEnd() throws Exception {
        Path socket = work.directory("run").resolve("monitor");
        FdtServer server = work.server("--monitor", "unix:" + socket);
        assertThat(socket).exists();
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT);
        assertThat(socket).doesNotExist();
    }

    @Test
    void aBrokenPathCheckReachesNothingOutsideTheRoots() throws Exception {
        // A server may remove files in /tmp, because the tools of Java have their sockets there.
        Path elsewhere = work.path("elsewhere").startsWith("/tmp") ? notInTmp : work.directory("elsewhere");
        Path outside = Files.writeString(elsewhere.resolve("outside"), "secret");
        Path planted = elsewhere.resolve("planted");
        Path made = elsewhere.resolve("made");
        Path inside = work.directory("remote/inside");
        Path source = Files.writeString(work.path("source"), "honest");
        FdtServer server = broken();
        Path got = work.directory("got");

        for (Path forbidden : List.of(Path.of("/etc/passwd"), outside)) {
            Outcome pull = work.copy(server.url(forbidden.toString()), got);
            pull.expectExit(4);
            assertThat(pull.transcript()).contains("Permission denied");
        }
        Outcome push = work.copy(source, server.url(planted.toString()));
        push.expectExit(5);
        assertThat(push.transcript()).contains("Permission denied");
        for (List<String> words : List.of(
                List.of("rm", server.url(outside.toString())),
                List.of(
                        "mv",
                        server.url(outside.toString()),
                        server.url(elsewhere.resolve("moved").toString())),
                List.of("mkdir", server.url(made.toString())),
                List.of("sum", server.url(outside.toString())),
                List.of("ls", server.url("/etc")))) {
            Outcome denied = work.fdt(words.toArray());
            assertThat(denied.exitCode()).as(denied.transcript()).isIn(4, 5);
            assertThat(denied.transcript()).contains("Permission denied");
        }
        Outcome moved = work.fdt("mv", server.url(outside.toString()), server.url(inside + "/moved"));
        boolean oneFileSystem = Files.getFileStore(elsewhere).equals(Files.getFileStore(inside));
        assertThat(moved.exitCode()).as(moved.transcript()).isIn(4, 5);
        assertThat(moved.transcript()).contains(oneFileSystem ? "Permission denied" : "to another file system");
        assertThat(got).isEmptyDirectory();
        assertThat(outside).hasContent("secret");
        assertThat(planted).doesNotExist();
        assertThat(made).doesNotExist();

        work.copy(source, server.url(inside + "/one")).expectExit(0);
        work.fdt("mkdir", server.url(inside + "/below")).expectExit(0);
        work.fdt("mv", server.url(inside + "/one"), server.url(inside + "/below/two"))
                .expectExit(0);
        work.copy(server.url(inside + "/below/two"), got).expectExit(0);
        assertThat(got.resolve("two")).hasContent("honest");
    }

    @Test
    void aReadOnlyServerCannotWriteEvenInItsRoot() throws Exception {
        Files.writeString(work.directory("remote").resolve("kept"), "kept");
        FdtServer server = broken("--read-only");

        Outcome push = work.copy(
                Files.writeString(work.path("source"), "x"),
                server.url(work.path("remote/kept").toString()));
        push.expectExit(5);
        assertThat(push.transcript()).contains("Permission denied");
        assertThat(work.path("remote/kept")).hasContent("kept");
        work.copy(server.url(work.path("remote/kept").toString()), work.directory("got"))
                .expectExit(0);
    }

    @Test
    void everyThreadIsRestrictedExceptThoseThatStartPrograms() throws Exception {
        Files.writeString(work.directory("remote").resolve("big"), "x".repeat(1 << 20));
        Path session = work.path("session.json");
        FdtServer server = work.server("--on-session", "tee " + session, "--monitor", "127.0.0.1:0");
        work.copy(server.url("/big"), work.directory("got")).expectExit(0);
        Await.until("the hook", Workplace.LIMIT, () -> Files.exists(session));
        FdtProcess copy =
                work.startCopy("--rate-limit", "1MB/s", "--duration", "5m", "/dev/zero", server.url("/dev/null"));
        copy.awaitLine(Workplace.LIMIT, line -> line.contains("\"start\""));
        Await.until(
                "a lane",
                Workplace.LIMIT,
                () -> threads(server).keySet().stream().anyMatch(name -> name.startsWith("fdt-lane")));

        List<String> free = new ArrayList<>();
        List<String> restricted = new ArrayList<>();
        threads(server).forEach((name, isRestricted) -> (isRestricted ? restricted : free).add(name));
        // Java's threads that wait for programs are children of those that start them. A server of root has the last.
        assertThat(free)
                .contains("fdt-on-session")
                .allMatch(name -> name.equals("fdt-on-session")
                        || name.startsWith("process reaper")
                        || name.equals("fdt-accounts"));
        assertThat(restricted)
                .anyMatch(name -> name.startsWith("fdt-lane"))
                .anyMatch(name -> name.contains("VM Thread"));
    }

    /** Returns whether the threads of each name are restricted. */
    private static Map<String, Boolean> threads(FdtServer server) {
        Map<String, Boolean> threads = new TreeMap<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/" + server.process().pid() + "/task"))) {
            for (Path thread : all.toList()) {
                String status = text(thread.resolve("status"));
                if (!status.isEmpty()) {
                    String name = status.substring(status.indexOf('\t') + 1, status.indexOf('\n'));
                    // The two are given up together, and only this one is shown.
                    threads.merge(name, status.contains("NoNewPrivs:\t1"), (one, other) -> one && other);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return threads;
    }

    /** Returns nothing for a thread that has ended. */
    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ended) {
            return "";
        }
    }

    @Test
    void keysLogsAndTestsOfAnHonestServerWork() throws IOException {
        Path log = work.directory("logs").resolve("transfers");
        Path objects = work.path("objects/log");
        Path recording = work.path("recording");
        FdtServer server = work.server("--transfer-log", log, "--nettest-log", objects, "--record", recording);
        Path source = Files.writeString(work.path("source"), "x");
        work.copy(source, server.url("/one")).expectExit(0);
        Files.move(log, log.resolveSibling("transfers.1"));
        server.process().signal("HUP");
        work.copy(source, server.url("/two")).expectExit(0);
        Await.until("the new log", Workplace.LIMIT, () -> Files.exists(log));

        work.fdt(
                        "nettest",
                        "objects",
                        "--durable",
                        "log",
                        "--duration",
                        "1s",
                        "--op",
                        "write",
                        "127.0.0.1:" + server.port())
                .expectExit(0);
        assertThat(objects.resolve("objects.log")).exists();
        server.process().signal("TERM");
        server.process().await(Workplace.LIMIT).expectExit(0);
    }
}
