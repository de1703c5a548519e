package io.fdt.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;

/**
 * The class-data archive that the tests start fdt with, beside the jar under test. It is made as
 * the packages make theirs. The tests start fdt a thousand times, and class loading would take half of
 * each start. The first test that needs an archive after the jar was rebuilt creates it.
 */
final class ClassArchive {
    /**
     * Options for the JVM. A JVM that the archive does not fit ignores it. The compile thresholds are higher than the
     * default of 200 calls: most processes end before compiled code pays off, and in the lab, code that changes while
     * it runs is a risk ({@code docs/testing.md}).
     */
    static final List<String> OPTIONS = options();

    private ClassArchive() {}

    private static List<String> options() {
        Path jar = Workplace.jar();
        Path archive = jar.resolveSibling("fdt.jsa");
        try {
            FileTime built = Files.getLastModifiedTime(jar);
            if (!Files.exists(archive) || Files.getLastModifiedTime(archive).compareTo(built) < 0) {
                make(jar, archive);
            }
        } catch (IOException e) {
            throw new AssertionError("cannot make " + archive, e);
        }
        return List.of(
                "-XX:Tier3InvocationThreshold=" + 1000 * Workplace.SLOWNESS,
                "-XX:Tier3MinInvocationThreshold=" + 500 * Workplace.SLOWNESS,
                "-XX:Tier3CompileThreshold=" + 4000 * Workplace.SLOWNESS,
                "-XX:SharedArchiveFile=" + archive,
                "-XX:-UsePerfData",
                "-Xlog:disable",
                "-Xlog:all=warning,cds*=off:stderr");
    }

    private static void make(Path jar, Path archive) throws IOException {
        Path directory = Files.createTempDirectory("fdt-classes");
        try {
            // Test runs in other processes may make it at the same time.
            Path made = Files.createTempFile(archive.getParent(), "fdt", ".jsa");
            Path script = Recipe.readme().resolveSibling("fdt-cli/src/main/resources/io/fdt/cli/archive-classes");
            Path java = Path.of(System.getProperty("java.home"), "bin", "java");
            List<String> words = List.of("sh", script.toString(), java.toString(), jar.toString(), made.toString());
            Map<String, String> environment =
                    Map.of("PATH", System.getenv("PATH"), "HOME", directory.toString(), "TMPDIR", directory.toString());
            FdtProcess.start(new FdtProcess.Setup("archive-classes", words, environment, directory))
                    .await(Workplace.LIMIT)
                    .expectExit(0);
            Files.move(made, archive, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Shell.removeTree(directory);
        }
    }
}
