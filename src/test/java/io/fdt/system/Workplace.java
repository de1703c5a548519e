package io.fdt.system;

import io.fdt.cli.CommandHere;
import io.fdt.core.FreePort;
import io.fdt.core.basic.Clock;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
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
 * The environment of one test: an empty directory, its own home of fdt, and the processes that it starts. After the
 * test all processes are stopped and everything is removed. If the test failed, the output of the processes is printed
 * first.
 *
 * <p>The processes get a minimal environment without a locale, as in a service or a container.
 */
final class Workplace implements BeforeEachCallback, AfterEachCallback {
    /** The factor for all time limits: 1, or more on an emulated machine, which is slow. */
    static final int SLOWNESS = Integer.getInteger("fdt.slowness", 1);

    /** The limit of every wait for a process. It only ends tests that hang. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    /** Tests start hundreds of short-lived JVMs. The second compiler would double the cost of each. */
    private static final String JVM = System.getProperty("fdt.jvm", "-XX:TieredStopAtLevel=1");

    /** Output that no user should ever see. Any test fails on it. */
    private static final Pattern OUR_MISTAKE =
            Pattern.compile("^(out|err)\\| (\\s+at [a-z]+\\.|Exception in thread|.*LEAK:)", Pattern.MULTILINE);

    private final @Nullable SharedServer shared;
    private final Deque<AutoCloseable> closeables = new ArrayDeque<>();
    private final List<FdtProcess> processes = new ArrayList<>();
    /** Of the commands that ran in this process. */
    private final List<String> transcripts = new ArrayList<>();

    private final Map<String, String> environment = new HashMap<>();
    private Path directory = Path.of("/nonexistent");

    Workplace() {
        this.shared = null;
    }

    /** For a class whose tests share a server. {@link Route#of} uses that server unless it is called with options. */
    Workplace(SharedServer shared) {
        this.shared = shared;
    }

    /** Root can read and write everything. Without these it has the permissions of an ordinary user. */
    static final String PRIVILEGES = "-dac_override,-dac_read_search";

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        directory = shared == null
                ? Files.createTempDirectory(placeOf(context), "fdt-system")
                : Files.createTempDirectory(shared.root(), "test");
        transcripts.clear();
        environment.clear();
        environment.put("PATH", System.getenv("PATH"));
        environment.put("HOME", directory("home").toString());
        environment.put("FDT_HOME", home().toString());
        environment.put("TMPDIR", directory("tmp").toString());
    }

    /** Tests with this tag depend on a file system on disk. All other tests may run in memory. */
    private static Path placeOf(ExtensionContext context) {
        String inMemory = System.getProperty("java.io.tmpdir");
        return Path.of(context.getTags().contains("disk") ? System.getProperty("fdt.disk.tmp", inMemory) : inMemory);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (context.getExecutionException().isPresent()) {
            System.err.println(
                    "=== " + context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName());
            transcripts.forEach(System.err::println);
            processes.forEach(process -> System.err.println(process.transcript()));
            if (shared != null) {
                System.err.println(shared.transcript());
            }
        }
        processes.forEach(FdtProcess::close);
        processes.forEach(process -> transcripts.add(process.transcript()));
        processes.clear();
        while (!closeables.isEmpty()) {
            closeables.pop().close();
        }
        Shell.removeTree(directory);
        for (String transcript : List.copyOf(transcripts)) {
            if (OUR_MISTAKE.matcher(transcript).find()) {
                throw new AssertionError("a stack trace or a leak was printed\n" + transcript);
            }
        }
    }

    /** The jar under test: the property {@code fdt.jar}, or the jar that the build has put in this checkout. */
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

    /** Returns a path in the directory of the test. Does not create it. */
    Path path(String name) {
        return directory.resolve(name);
    }

    /** Returns a directory of the test. Creates it if it does not exist. */
    Path directory(String name) {
        try {
            return Files.createDirectories(directory.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sets an environment variable for processes that are started later. */
    void environment(String name, String value) {
        environment.put(name, value);
    }

    /** Registers a resource to be closed after the test, in reverse order. */
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

    /** The same, on a port that nobody else gets while the server is down. */
    FdtServer serverThatComesBack() {
        Path root = directory("remote");
        return rootlessServer("127.0.0.1:" + FreePort.next(), root, "--root", root);
    }

    /**
     * Returns the shared server of the class with the directory {@code remote} as its root, or a separate server if the
     * class has none.
     */
    FdtServer serverForCopies() {
        return shared == null ? server() : shared.serving(directory("remote"));
    }

    /** Starts a server on the address with exactly these options. */
    FdtServer rootlessServer(String listen, Path root, Object... options) {
        List<Object> words = new ArrayList<>(List.of("server", "--json", "--listen", listen));
        words.addAll(List.of(options));
        return FdtServer.whenReady(start("server", words.toArray()), root);
    }

    /** Starts such a server of the directory {@code remote} by a command that its own command follows. */
    FdtServer serverThrough(List<String> command, String listen, Object... options) {
        Path root = directory("remote");
        List<Object> words = new ArrayList<>(List.of("server", "--json", "--listen", listen, "--root", root));
        words.addAll(List.of(options));
        return FdtServer.whenReady(startThrough(command, setup("server", words.toArray())), root);
    }

    /** Copies with {@code --json}, in this process. */
    Outcome copy(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return fdt(words.toArray());
    }

    FdtProcess startCopy(Object... arguments) {
        List<Object> words = new ArrayList<>(List.of("client", "--json"));
        words.addAll(List.of(arguments));
        return start("client", words.toArray());
    }

    /**
     * Runs a command of fdt to its end, in this process: a JVM takes four times as long to start as a copy of one file.
     * Paths must be absolute.
     */
    Outcome fdt(Object... arguments) {
        List<String> words = Shell.words(arguments);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        long startNanos = System.nanoTime();
        int exitCode = run(words, InputStream.nullInputStream(), out, err);
        Outcome outcome = Outcome.of(words, exitCode, out, err, (System.nanoTime() - startNanos) / 1e9);
        transcripts.add(outcome.transcript());
        return outcome;
    }

    /** Runs a command in this process with these streams, and returns its exit code. */
    int run(List<String> words, InputStream in, OutputStream out, OutputStream err) {
        return run(Clock.SYSTEM, words, in, out, err);
    }

    int run(Clock clock, List<String> words, InputStream in, OutputStream out, OutputStream err) {
        return CommandHere.run(words, Map.copyOf(environment), clock, in, out, err);
    }

    /** Runs a command of fdt to its end, in a process of its own. */
    Outcome process(Object... arguments) {
        return start("fdt", arguments).await(LIMIT);
    }

    FdtProcess start(String name, Object... arguments) {
        return track(FdtProcess.start(setup(name, arguments)));
    }

    /** Returns the setup of an fdt command, for a test that starts it in a special way. */
    FdtProcess.Setup setup(String name, Object... arguments) {
        return new FdtProcess.Setup(name, fdtCommand(arguments), Map.copyOf(environment), directory);
    }

    /**
     * Runs a script that has the words of an fdt command in {@code "$@"}, for arguments and streams that Java cannot
     * create.
     */
    FdtProcess.Setup setupThroughBash(String name, String script, Object... arguments) {
        List<String> words = new ArrayList<>(List.of("bash", "-c", script, "bash"));
        words.addAll(fdtCommand(arguments));
        return new FdtProcess.Setup(name, words, Map.copyOf(environment), directory);
    }

    /** Starts a process that lacks these capabilities of root, in the notation of {@code setpriv}. */
    FdtProcess startWithout(String capabilities, FdtProcess.Setup setup) {
        return Shell.ok("id", "-u").strip().equals("0")
                ? startThrough(
                        List.of("setpriv", "--bounding-set", capabilities, "--inh-caps", capabilities, "--"), setup)
                : track(FdtProcess.start(setup));
    }

    /** Starts a process by a command that the words of its own command follow. */
    FdtProcess startThrough(List<String> command, FdtProcess.Setup setup) {
        List<String> words = new ArrayList<>(command);
        words.addAll(setup.command());
        return track(
                FdtProcess.start(new FdtProcess.Setup(setup.name(), words, setup.environment(), setup.directory())));
    }

    /** The beginning of a command that runs on a host of this name, with the network of this one. */
    static List<String> onHost(String name) {
        String rename = "echo " + name + " > /proc/sys/kernel/hostname && exec \"$@\"";
        return List.of("unshare", "--uts", "sh", "-c", rename, "sh");
    }

    /** Registers a process. It is stopped after the test, and its output is printed if the test fails. */
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

    /** Returns the JVM command with options for a fast start. */
    private static List<String> java() {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> words = new ArrayList<>(List.of(java, JVM));
        words.addAll(ClassArchive.OPTIONS);
        return words;
    }

    /** Returns the fdt command as a line of a shell script. */
    static String fdtInShell(String... options) {
        List<String> words = new ArrayList<>(java());
        words.addAll(List.of(options));
        words.addAll(List.of("-jar", jar().toString()));
        return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(" "));
    }

    /**
     * Returns the command that starts fdt at the remote end of an ssh connection, which lacks the environment of the
     * test.
     */
    String remoteFdt() {
        return "env FDT_HOME=" + path("far-home") + " " + fdtInShell("-Djava.io.tmpdir=" + directory("far-tmp"));
    }
}
