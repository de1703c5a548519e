package io.fdt.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Where {@code java -jar} unpacks its native libraries, and what happens where it cannot. */
final class NativeLibrariesTest {
    private static final String REMEDY =
            "; set XDG_CACHE_HOME to a directory of your own whose file system permits execution\n";
    private static final String NO_DIRECTORY = "/dev/null/none";

    @RegisterExtension
    final Workplace at = new Workplace();

    private FdtServer server;
    private Path file;

    @BeforeEach
    void serve() {
        server = at.server();
        file = Trees.file(at.path("file"), 1000, 1);
    }

    /** The environment is empty, except for the words with an equals sign. */
    private Shell.Result copy(List<String> environment, String... options) {
        List<Object> words = new ArrayList<>(List.of("env", "-i", "FDT_HOME=" + at.home()));
        words.addAll(environment);
        words.add(Path.of(System.getProperty("java.home"), "bin", "java"));
        words.addAll(List.of(options));
        words.addAll(List.of("-XX:TieredStopAtLevel=1", "-jar", Workplace.jar(), "client", "--quiet", file));
        words.add(server.url("/copy"));
        return Shell.run(words.toArray());
    }

    private void assertCopied(Shell.Result result) throws IOException {
        result.orFail("fdt client");
        assertThat(result.err()).isEmpty();
        Path copy = server.root().resolve("copy");
        assertThat(copy).hasSameBinaryContentAs(file);
        Files.delete(copy);
    }

    private static void assertRefused(Shell.Result result, String... parts) {
        assertThat(result.exitCode()).as(result.err()).isEqualTo(2);
        assertThat(result.err()).startsWith("fdt: ").contains(parts).containsOnlyOnce("\n");
    }

    private static List<String> namesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    private static String temporary(Object directory) {
        return "-Djava.io.tmpdir=" + directory;
    }

    @Test
    void unpacksOnceIntoTheCacheAndNothingIntoTheTemporaryDirectory() throws IOException {
        Path tmp = at.directory("other-tmp");
        Path cache = at.directory("cache");
        List<String> environment = List.of("XDG_CACHE_HOME=" + cache);

        assertCopied(copy(environment, temporary(tmp)));

        List<String> names = namesIn(cache.resolve("fdt"));
        assertThat(names)
                .hasSize(3)
                .anyMatch(name -> name.matches("libfdt-[0-9a-f]+-[0-9a-f]+\\.so"))
                .anyMatch(name -> name.startsWith("libnetty_transport_native_epoll_"))
                .anyMatch(name -> name.startsWith("libnetty_tcnative_linux_"));
        assertThat(tmp).isEmptyDirectory();
        // Later runs write nothing at all.
        assertCopied(copy(environment, temporary(NO_DIRECTORY)));
        assertThat(namesIn(cache.resolve("fdt"))).isEqualTo(names);
    }

    @Test
    void usesAPrivateTemporaryDirectoryWithoutACache() throws IOException {
        Path tmp = at.directory("other-tmp");

        assertCopied(copy(List.of(), temporary(tmp)));
        assertThat(tmp).isEmptyDirectory();
    }

    @Test
    void saysWhatToDoWithoutAnyDirectory() {
        assertRefused(copy(List.of(), temporary(NO_DIRECTORY)), "cannot unpack libfdt.so into /dev/null/none", REMEDY);
    }

    @Test
    void runsWhereTheTemporaryDirectoryPermitsNoExecutionAndSaysWhatToDoWhereNothingDoes() throws IOException {
        assumeTrue(Shell.ok("id", "-u").equals("0\n"), "only root can mount a file system");
        Path none = at.directory("noexec");
        assumeTrue(
                Shell.run("mount", "-t", "tmpfs", "-o", "noexec", "none", none).exitCode() == 0,
                "no file system can be mounted here");
        at.closing(() -> Shell.ok("umount", none));

        assertCopied(copy(List.of("XDG_CACHE_HOME=" + at.directory("cache")), temporary(none)));
        assertRefused(
                copy(List.of("XDG_CACHE_HOME=" + none), temporary(none)),
                "cannot load " + none + "/fdt",
                "/libfdt.so: failed to map segment",
                REMEDY);
    }

    private Path unpacked() {
        Path directory = at.directory("native");
        Shell.ok(
                "bash",
                "-c",
                "JAVA_HOME=\"$1\"; source \"$2\"; fdt_unpack_libraries \"$3\" \"$4\"",
                "bash",
                System.getProperty("java.home"),
                Recipe.readme().resolveSibling("scripts/lib-prefix.sh"),
                Workplace.jar(),
                directory);
        return directory;
    }

    /**
     * While Java loads a library, no other thread can load one. The library's initialization must not need a class that
     * another thread is initializing, and that itself loads a library. The loading takes two seconds here.
     */
    @Test
    void anotherThreadMayBeginToUseFilesWhileNettysLibraryIsLoaded() throws URISyntaxException {
        Path directory = unpacked();
        Path library;
        try (Stream<Path> files = Files.list(directory.resolve(machine()))) {
            library = files.filter(each -> each.toString().contains("epoll"))
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path classes = Path.of(LoadingRace.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Shell.ok(
                "strace",
                "-f",
                "-qq",
                "-o",
                "/dev/null",
                "-P",
                library,
                "-e",
                "trace=openat",
                "-e",
                "inject=openat:delay_exit=2000000",
                Path.of(System.getProperty("java.home"), "bin", "java"),
                "-Dfdt.libraries=" + directory,
                "-cp",
                Workplace.jar() + ":" + classes,
                LoadingRace.class.getName());
    }

    /** A library that opens late, as on a slow disk, meets a server that has given up all files but a few. */
    @Test
    void serverLoadsItsLibrariesBeforeItGivesUpFiles() throws IOException {
        Path directory = unpacked();
        Path library = directory.resolve(machine()).resolve("libnetty_tcnative_linux_" + machine() + ".so");
        Path root = at.directory("late");
        List<String> words = new ArrayList<>(List.of("strace", "-D", "-f", "-qq", "-o", "/dev/null"));
        words.addAll(
                List.of("-P", library.toString(), "-e", "trace=openat", "-e", "inject=openat:delay_enter=3000000"));
        FdtProcess.Setup usual = at.setup("fdt", "server", "--json", "--listen", "127.0.0.1:0", "--root", root);
        words.addAll(usual.command());
        words.add(words.indexOf("-jar"), "-Dfdt.libraries=" + directory);

        FdtProcess late =
                at.track(FdtProcess.start(new FdtProcess.Setup("fdt", words, usual.environment(), usual.directory())));

        FdtServer.whenReady(late, root);
    }

    private static String machine() {
        return Shell.ok("uname", "-m").strip();
    }

    @Test
    void loadsInstalledLibrariesAndOnlyThose() throws IOException {
        Path directory = unpacked();
        String installed = "-Dfdt.libraries=" + directory;
        String machine = machine();

        assertCopied(copy(List.of(), installed, temporary(NO_DIRECTORY)));
        Files.delete(directory.resolve(machine).resolve("libfdt.so"));
        assertRefused(
                copy(List.of(), installed),
                "cannot load " + directory + "/" + machine + "/libfdt.so: ",
                "; install fdt again\n");
    }

    @Test
    void refusesOtherPlatformsInOneSentence() {
        assertRefused(
                copy(List.of(), "-Dos.arch=riscv64"),
                "this is linux on riscv64; fdt runs on Linux on x86-64 and aarch64 only\n");
    }
}
