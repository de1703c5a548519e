package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code java -jar} without options makes an archive of classes once, and starts with it from then on. */
@Order(5)
final class QuickStartTest {
    @RegisterExtension
    final Workplace at = new Workplace();

    private final Map<String, String> variables = new HashMap<>();

    private FdtProcess start(Object... arguments) {
        FdtProcess.Setup usual = at.setup("plain", arguments);
        List<String> words = new ArrayList<>(
                List.of(usual.command().get(0), "-jar", Workplace.jar().toString()));
        words.addAll(Shell.words(arguments));
        Map<String, String> environment = new HashMap<>(usual.environment());
        environment.put("XDG_CACHE_HOME", at.path("cache").toString());
        // With the lowest priority the archive might never be made on a busy machine.
        environment.put("PATH", withoutPriority() + ":" + System.getenv("PATH"));
        environment.putAll(variables);
        return at.track(FdtProcess.start(new FdtProcess.Setup("plain", words, environment, at.directory())));
    }

    private Path withoutPriority() {
        Path nice = at.directory("bin").resolve("nice");
        try {
            Files.writeString(nice, "#!/bin/sh\nshift 2\nexec \"$@\"\n");
            Files.setPosixFilePermissions(nice, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return nice.getParent();
    }

    private Path cache() {
        return at.path("cache/fdt");
    }

    private List<Path> cached(String ending) {
        try (Stream<Path> files = Files.list(cache())) {
            return files.filter(file -> file.toString().endsWith(ending)).toList();
        } catch (IOException none) {
            return List.of();
        }
    }

    private void copyOneFile() {
        Path file = Trees.file(at.path("from"), 10, 1);
        start("client", "--quiet", file, at.path("to")).await(Workplace.LIMIT).expectExit(0);
        assertThat(at.path("to")).hasSameBinaryContentAs(file);
    }

    private static List<String> wordsOf(FdtProcess process) throws IOException {
        return List.of(Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"), StandardCharsets.ISO_8859_1)
                .split("\0"));
    }

    @Test
    void secondStartUsesTheArchiveThatTheFirstHasMade() throws IOException {
        at.directory("cache");
        copyOneFile();
        Await.until(
                "the archive",
                () -> !cached(".jsa").isEmpty() && cached(".making").isEmpty());

        Path root = at.directory("root");
        FdtProcess server = start("server", "--json", "--listen", "127.0.0.1:0", "--root", root);
        FdtServer.whenReady(server, root);

        assertThat(wordsOf(server))
                .contains("-XX:SharedArchiveFile=" + cached(".jsa").get(0), "-XX:+ExitOnOutOfMemoryError")
                .endsWith("server", "--json", "--listen", "127.0.0.1:0", "--root", root.toString());
        assertThat(Files.readString(Path.of("/proc/" + server.pid() + "/maps")))
                .contains(cached(".jsa").get(0).toString());
        assertThat(Path.of("/tmp/hsperfdata_" + System.getProperty("user.name"), Long.toString(server.pid())))
                .doesNotExist();
        server.signal("TERM");
        assertThat(server.await(Workplace.LIMIT).expectExit(0).err())
                .last()
                .asString()
                .contains("server stopping");
    }

    /** The copies that it makes the archive with are nobody's: they need no keys and leave no records. */
    @Test
    void archiveIsMadeWhateverTheUserHasSet() {
        at.directory("cache");
        Path ended = at.path("ended");
        variables.putAll(Map.of("FDT_ON_COMPLETE", "echo >>'" + ended + "'", "FDT_ALLOW", "10.9.8.7"));
        copyOneFile();
        Await.until(
                "the archive",
                () -> !cached(".jsa").isEmpty() && cached(".making").isEmpty());

        assertThat(ended).doesNotExist();
    }

    private static void writeProgram(Path file, String content) throws IOException {
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /**
     * As for a package manager, which must not wait for it. {@code timeout} ends without its command if the signal
     * comes while it starts that.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void endsWithAllItsProcessesWhenItIsStopped(boolean timeoutPassesOn) throws IOException {
        Path script = Recipe.readme().resolveSibling("fdt-cli/src/main/resources/io/fdt/cli/archive-classes");
        // A Java of which the server says where it listens, and no run ends.
        Path java = at.path("java");
        Path started = at.path("started");
        writeProgram(java, """
                #!/bin/sh
                case " $* " in *" server "*) echo '"port":1' ;; esac
                echo $$ >>'%s'
                exec sleep 1000
                """.formatted(started));
        Path programs = at.directory("programs");
        if (!timeoutPassesOn) {
            writeProgram(programs.resolve("timeout"), """
                    #!/bin/sh
                    shift 3
                    exec setsid sh -c '"$@" & trap "exit 143" TERM; wait' sh "$@"
                    """);
        }
        FdtProcess making = at.track(FdtProcess.start(new FdtProcess.Setup(
                "archive-classes",
                List.of(
                        "sh",
                        script.toString(),
                        java.toString(),
                        "none",
                        at.path("made").toString()),
                Map.of(
                        "PATH",
                        programs + ":" + System.getenv("PATH"),
                        "TMPDIR",
                        at.directory("tmp").toString()),
                at.directory())));
        Await.until(
                "the server and the first copy",
                () -> Files.exists(started) && Trees.text(started).lines().count() == 2);

        making.signal("TERM");

        making.await(Workplace.LIMIT).expectExit(143);
        for (String pid : Files.readAllLines(started)) {
            Await.until(
                    "process " + pid + " has ended",
                    () -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
        }
        assertThat(at.path("tmp")).isEmptyDirectory();
    }

    @Test
    void variableSwitchesItOff() {
        at.directory("cache");
        variables.put("FDT_QUICK_START", "off");
        copyOneFile();

        assertThat(cached(".making")).isEmpty();
        assertThat(cached(".jsa")).isEmpty();
    }

    @Test
    void directoryThatOthersCanEnterIsNotUsed() throws IOException {
        Files.setPosixFilePermissions(Files.createDirectories(cache()), PosixFilePermissions.fromString("rwxr-xr-x"));
        copyOneFile();

        assertThat(cache()).isEmptyDirectory();
    }

    @Test
    void damagedArchiveIsIgnored() throws IOException {
        at.directory("cache");
        copyOneFile();
        Await.until(
                "the archive",
                () -> !cached(".jsa").isEmpty() && cached(".making").isEmpty());
        Path archive = cached(".jsa").get(0);
        Files.setPosixFilePermissions(archive, PosixFilePermissions.fromString("rw-------"));
        Files.write(archive, new byte[100_000]);

        Files.delete(at.path("to"));
        copyOneFile();
    }
}
