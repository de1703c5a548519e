package io.fdt.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The class-data archive that the tests start fdt with, beside the jar under test. The packages use the same technique
 * (see {@code lib/archive-classes} there). The tests start fdt a thousand times, and class loading would take half of
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

    /** Makes an archive of the classes of a local copy of one file, which needs those of both ends. */
    private static void make(Path jar, Path archive) throws IOException {
        Path directory = Files.createTempDirectory("fdt-classes");
        try {
            Path from = Files.writeString(directory.resolve("from"), "1");
            Path classes = directory.resolve("classes");
            Path made = directory.resolve("fdt.jsa");
            String to = directory.resolve("to").toString();
            run(
                    directory,
                    List.of("-XX:DumpLoadedClassList=" + classes),
                    jar,
                    "client",
                    "--quiet",
                    from.toString(),
                    to);
            List<String> dump =
                    List.of("-Xshare:dump", "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + made);
            run(directory, dump, jar, "--version");
            // Test runs in other processes may read the archive at the same time.
            Path beside = Files.createTempFile(archive.getParent(), "fdt", ".jsa");
            Files.copy(made, beside, StandardCopyOption.REPLACE_EXISTING);
            Files.move(beside, archive, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Shell.removeTree(directory);
        }
    }

    private static void run(Path directory, List<String> options, Path jar, String... arguments) {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.add("-Xlog:disable");
        words.addAll(options);
        words.addAll(List.of("-jar", jar.toString()));
        words.addAll(List.of(arguments));
        Map<String, String> environment = Map.of(
                "PATH",
                System.getenv("PATH"),
                "HOME",
                directory.toString(),
                "FDT_HOME",
                directory.resolve("home").toString());
        FdtProcess.start(new FdtProcess.Setup(arguments[0], words, environment, directory))
                .await(Workplace.LIMIT)
                .expectExit(0);
    }
}
