package io.fdt.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Where one test works: an empty directory, a home of fdt of its own, and the processes that it starts. After the test
 * everything is stopped and removed; when the test failed, what the processes printed is shown first.
 *
 * <p>The processes get a bare environment, without a locale, as a service or a container has it.
 */
final class Workplace implements BeforeEachCallback, AfterEachCallback {
    /**
     * How many times longer than elsewhere everything may take: 1, but in an emulated machine, where nothing is fast.
     */
    static final int SLOWNESS = Integer.getInteger("fdt.slowness", 1);

    /** Longer than any single command of a test should take; a hang ends here. */
    static final Duration LIMIT = Duration.ofSeconds(90).multipliedBy(SLOWNESS);

    /** Hundreds of short lives: the second compiler would cost each of them as much again as all else. */
    private static final String JVM = System.getProperty("fdt.jvm", "-XX:TieredStopAtLevel=1");

    /** What no user should ever see, whatever a test is about. */
    private static final Pattern OUR_MISTAKE =
            Pattern.compile("^(out|err)\\| (\\s+at [a-z]+\\.|Exception in thread|.*LEAK:)", Pattern.MULTILINE);

    private final @Nullable SharedServer shared;
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final List<FdtProcess> processes = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private Path directory = Path.of("/nonexistent");

    Workplace() {
        this.shared = null;
    }

    /** For a class whose tests share a server: {@link Route#of} uses that, unless it is asked for one with options. */
    Workplace(SharedServer shared) {
        this.shared = shared;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directory = shared == null
                ? Files.createTempDirectory(placeOf(context), "fdt-system")
                : Files.createTempDirectory(shared.root(), "test");
        environment.clear();
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", directory("home").toString());
        environment.put("FDT_HOME", home().toString());
        environment.put("TMPDIR", directory("tmp").toString());
    }

    /** Tests with this tag are about what a file system keeps; those of the others may all be in memory. */
    private static Path placeOf(ExtensionContext context) {
        String inMemory = System.getProperty("java.io.tmpdir");
        return Path.of(context.getTags().contains("disk") ? System.getProperty("fdt.disk.tmp", inMemory) : inMemory);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (context.getExecutionException().isPresent()) {
            System.err.println(
                    "=== " + context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName());
            processes.forEach(process -> System.err.println(process.transcript()));
            if (shared != null) {
                System.err.println(shared.transcript());
            }
        }
        processes.forEach(FdtProcess::close);
        List<String> transcripts =
                processes.stream().map(FdtProcess::transcript).toList();
        processes.clear();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
        Shell.removeTree(directory);
        for (String transcript : transcripts) {
            if (OUR_MISTAKE.matcher(transcript).find()) {
                throw new AssertionError("a stack trace or a leak was printed\n" + transcript);
            }
        }
    }

    /** The jar under test: the property {@code fdt.jar}, or what the build left in this checkout. */
    static Path jar() {
        String property = System.getProperty("fdt.jar", "");
        if (!property.isEmpty()) {
            Path jar = Path.of(property).toAbsolutePath().normalize();
            if (!Files.isReadable(jar)) {
                throw new AssertionError(jar + " is not built");
            }
            return jar;
        }
        for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
            Path jar = at.resolve("fdt-cli/target/fdt.jar");
            if (Files.isReadable(jar)) {
                return jar;
            }
        }
        throw new AssertionError("fdt-cli/target/fdt.jar is not built, and the property fdt.jar is not set");
    }

    /** The test's own directory. */
    Path directory() {
        return directory;
    }

    Path home() {
        return shared == null ? directory.resolve("home/fdt") : shared.home();
    }

    /** A path in the test's directory that is not made yet. */
    Path path(String name) {
        return directory.resolve(name);
    }

    /** A directory of the test, made when it is not there. */
    Path directory(String name) {
        try {
            return Files.createDirectories(directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets a variable for the processes that are started from here on. */
    void environment(String name, String value) {
        environment.put(name, value);
    }

    /** To be closed after the test, the last one first. */
    <T extends AutoCloseable> T closing(T closeable) {
        closeables.push(closeable);
        return closeable;
    }

    /** Starts a server of the directory {@code remote} on a free port of 127.0.0.1 and waits until it is ready. */
    FdtServer server(Object... options) {
        Path root = directory("remote");
        List<Object> words = new ArrayList<>(List.of("--root", root));
        words.addAll(List.of(options));
        return rootlessServer("127.0.0.1:0", root, words.toArray());
    }

    /** That of the class if its tests share one, with the directory {@code remote} as its root, or else an own one. */
    FdtServer serverForCopies() {
        return shared == null ? server() : shared.serving(directory("remote"));
    }

    /** Starts a server on the address with exactly these options. */
    FdtServer rootlessServer(String listen, Path root, Object... options) {
        List<Object> words = new ArrayList<>(List.of("server", "--json", "--listen", listen));
        words.addAll(List.of(options));
        return FdtServer.whenReady(start("server", words.toArray()), root);
    }

    /** Copies with {@code --json} and waits for the end. */
    Outcome copy(Object... arguments) {
        return startCopy(arguments).await(LIMIT);
    }

    /** Starts a copy with {@code --json}. */
    FdtProcess startCopy(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return start("client", words.toArray());
    }

    /** Runs any command of fdt to its end. */
    Outcome fdt(Object... arguments) {
        return start("fdt", arguments).await(LIMIT);
    }

    FdtProcess start(String name, Object... arguments) {
        return track(FdtProcess.start(setup(name, arguments)));
    }

    /** How a command of fdt would be started, for a test that starts it in a special way. */
    FdtProcess.Setup setup(String name, Object... arguments) {
        return new FdtProcess.Setup(name, fdtCommand(arguments), Map.copyOf(environment), directory);
    }

    /** Runs a script that has the words of fdt in {@code "$@"}, for arguments and streams that Java cannot make. */
    FdtProcess.Setup setupThroughBash(String name, String script, Object... arguments) {
        List<String> words = new ArrayList<>(List.of("bash", "-c", script, "bash"));
        words.addAll(fdtCommand(arguments));
        return new FdtProcess.Setup(name, words, Map.copyOf(environment), directory);
    }

    /** The process is stopped after the test, and its output shown when the test fails. */
    FdtProcess track(FdtProcess process) {
        processes.add(process);
        return process;
    }

    private static List<String> fdtCommand(Object... arguments) {
        List<String> words = new ArrayList<>(java());
        words.addAll(List.of("-jar", jar().toString()));
        words.addAll(Shell.words(arguments));
        return words;
    }

    /** The virtual machine with the options that make it start cheaply. */
    private static List<String> java() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> words = new ArrayList<>(List.of(java, JVM));
        words.addAll(ClassArchive.OPTIONS);
        return words;
    }

    /** fdt as a line of a shell script. */
    static String fdtInShell(String... options) {
        List<String> words = new ArrayList<>(java());
        words.addAll(List.of(options));
        words.addAll(List.of("-jar", jar().toString()));
        return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    /** The command that starts fdt at the far end of an ssh connection, which has no environment of the test. */
    String remoteFdt() {
        return "env FDT_HOME=" + path("far-home") + " " + fdtInShell("-Djava.io.tmpdir=" + directory("far-tmp"));
    }
}
