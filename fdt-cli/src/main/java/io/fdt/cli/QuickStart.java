package io.fdt.cli;

import io.fdt.core.nativecode.ProcessImage;
import io.fdt.core.nativecode.UserCache;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Gives {@code java -jar fdt.jar} what the launcher of an installed fdt has: an archive of classes that are ready for
 * use and the right options, with which a short copy takes half of the processor time. A jar cannot carry options for
 * Java, so the process replaces its own program by Java with these options. The first run makes the archive in the
 * background, in the {@link UserCache}, and goes on without. Whatever is unusual, such as options that the user gave to
 * Java, leaves the process as it is.
 */
final class QuickStart {
    /** The environment variable that switches it off. */
    static final String VARIABLE = "FDT_QUICK_START";

    private static final String OFF = "off";

    /** {@code java -jar fdt.jar}. */
    private static final int WORDS_BEFORE = 3;

    /** Marks the process that has been started again. */
    private static final String STARTED = "fdt.started";

    /** What runs in less time without another start. */
    private static final Set<String> SHORT = Set.of("help", "version", "completion", "key", "tune");

    /** Java takes options from them, which would be repeated, with a message. */
    private static final List<String> OPTIONS_OF_JAVA =
            List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS");

    /** After this time the rest of a killed run is removed. A Java that cannot make archives tries as rarely. */
    private static final Duration LONGEST = Duration.ofDays(1);

    /** Makes the archive in a directory of its own, as the packages do. */
    private static final String MAKE = """
            cd "$1" && mkdir tmp && printf %s "$5" >make &&
            TMPDIR="$1/tmp" XDG_CACHE_HOME="$1" sh make "$2" "$3" "$1/made.jsa" &&
            mv -f made.jsa "$4" && rm -rf -- "$1"
            """;

    /** From this release of Java on, code on the class path may not load native code unless {@code -jar} starts it. */
    private static final int ASKS_FOR_NATIVE_CODE = 22;

    private static final String ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError";

    private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1";

    /** Most commands end before code pays for its compilation at Java's default of 200 calls. */
    private static final List<String> SHORT_COMMAND = List.of(
            FIRST_COMPILER,
            "-XX:Tier3InvocationThreshold=1000",
            "-XX:Tier3MinInvocationThreshold=500",
            "-XX:Tier3CompileThreshold=4000");

    private static final int ARCHIVES_MAX = 4;

    private QuickStart() {}

    /** Returns if this process has to do the work. */
    static void begin(String[] args) {
        try {
            if (args.length > 0 && isWorthIt(args[0], System.getenv())) {
                List<byte[]> words = words(Path.of("/proc/self/cmdline"));
                Path jar = words.size() - WORDS_BEFORE == args.length ? jar(words) : null;
                Path directory = jar == null ? null : new UserCache(System.getenv()).directory();
                if (jar != null && directory != null) {
                    begin(args, words, jar, directory);
                }
            }
        } catch (IOException | RuntimeException | LinkageError unusual) {
            // A system that does not permit it; this process does the work.
            return;
        }
    }

    private static boolean isWorthIt(String command, Map<String, String> environment) {
        return System.getProperty(STARTED) == null
                && System.getProperty("fdt.libraries") == null
                && !SHORT.contains(command)
                && !command.startsWith("-")
                && !environment.getOrDefault(VARIABLE, "").equals(OFF)
                && Collections.disjoint(environment.keySet(), OPTIONS_OF_JAVA);
    }

    /** Returns the jar of {@code java -jar fdt.jar …}; null for any other command line. */
    private static @Nullable Path jar(List<byte[]> words) throws IOException {
        boolean isPlain = words.size() > 2 && Arrays.equals(words.get(1), "-jar".getBytes(StandardCharsets.UTF_8));
        return isPlain ? Path.of(System.getProperty("java.class.path")).toRealPath() : null;
    }

    private static void begin(String[] args, List<byte[]> words, Path jar, Path directory) throws IOException {
        String state = jar + " " + Files.size(jar) + " " + Files.getLastModifiedTime(jar) + " "
                + System.getProperty("java.home") + " " + System.getProperty("java.vm.version") + " "
                + System.getProperty("os.arch");
        Path archive = directory.resolve("fdt-" + hash(state) + ".jsa");
        if (!Files.isRegularFile(archive)) {
            make(archive, directory, jar);
            return;
        }
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(words.get(0));
        List<String> options = new ArrayList<>(options(List.of(args)));
        boolean plainly = Runtime.version().feature() < ASKS_FOR_NATIVE_CODE;
        if (plainly) {
            options.addAll(optionsWithArchive(args[0]));
        }
        options.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-D" + STARTED + "=again"));
        options.addAll(
                plainly ? List.of("-cp", jar.toString(), Main.class.getName()) : List.of("-jar", jar.toString()));
        options.forEach(option -> arguments.add(option.getBytes(StandardCharsets.UTF_8)));
        arguments.addAll(words.subList(WORDS_BEFORE, words.size()));
        removeCounters();
        // A link to the program of this process, which is Java.
        ProcessImage.replace("/proc/self/exe", arguments, words(Path.of("/proc/self/environ")));
    }

    /** The options of the launcher, without the archive. */
    static List<String> options(List<String> args) {
        List<String> options = new ArrayList<>();
        // What fdt holds is little, and Java would rather take a gigabyte more than collect often.
        options.addAll(List.of("-XX:-UsePerfData", "-Xms64m", "-XX:GCTimeRatio=4"));
        switch (args.get(0)) {
            case "monitor" -> options.add(ENDS_WITHOUT_MEMORY);
            case "server" -> {
                options.add(ENDS_WITHOUT_MEMORY);
                if (args.contains("--for-ssh")) {
                    // It serves one copy, which would end before code pays for its second compilation.
                    options.add(FIRST_COMPILER);
                }
            }
            case "nettest", "verify" -> {}
            // Its code is soon called often enough.
            case "batch" -> options.add(FIRST_COMPILER);
            default -> {
                if (!isCopy(args.get(0)) || !String.join(" ", args).contains("sha256")) {
                    options.addAll(SHORT_COMMAND);
                }
            }
        }
        options.addAll(List.of("-Xlog:disable", "-Xlog:all=warning,cds*=off:stderr"));
        return options;
    }

    private static boolean isCopy(String command) {
        return command.equals("client") || command.equals("copy");
    }

    /**
     * Java would map the archive at a random address, which copies half of it. Those that stay keep random addresses.
     */
    static List<String> optionsWithArchive(String command) {
        return command.equals("monitor") || command.equals("server")
                ? List.of()
                : List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0");
    }

    /** Starts a process that makes the archive with the lowest priority, unless there is one. */
    private static void make(Path archive, Path directory, Path jar) throws IOException {
        if (ProcessHandle.current().pid() == 1) {
            // A container, which ends with this command.
            return;
        }
        removeOld(directory);
        Path work = archive.resolveSibling(archive.getFileName() + ".making");
        try {
            Files.createDirectory(work);
        } catch (FileAlreadyExistsException another) {
            return;
        }
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        new ProcessBuilder(
                        "setsid",
                        "nice",
                        "-n",
                        "19",
                        "sh",
                        "-c",
                        MAKE,
                        "sh",
                        work.toString(),
                        java.toString(),
                        jar.toString(),
                        archive.toString(),
                        script())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static String script() throws IOException {
        try (InputStream in = QuickStart.class.getResourceAsStream("archive-classes")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Keeps the newest archives, as one user may have several jars and Javas, and what is being made. */
    private static void removeOld(Path directory) throws IOException {
        Instant old = Instant.now().minus(LONGEST);
        List<Path> archives = new ArrayList<>();
        try (var files = Files.newDirectoryStream(directory, "fdt-*.jsa*")) {
            for (Path file : files) {
                if (file.toString().endsWith(".jsa")) {
                    archives.add(file);
                } else if (Files.getLastModifiedTime(file).toInstant().isBefore(old)) {
                    remove(file);
                }
            }
        }
        archives.sort(Comparator.comparingLong(file -> file.toFile().lastModified()));
        for (Path oldest : archives.subList(0, Math.max(0, archives.size() - ARCHIVES_MAX + 1))) {
            Files.delete(oldest);
        }
    }

    /** Removes what a killed run has left in its directory. */
    private static void remove(Path directory) throws IOException {
        try (var inside = Files.newDirectoryStream(directory)) {
            for (Path path : inside) {
                if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                    remove(path);
                } else {
                    Files.delete(path);
                }
            }
        }
        Files.delete(directory);
    }

    /** Java's performance counters of this process, which Java itself would remove at its end. */
    private static void removeCounters() throws IOException {
        Path counters = Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"));
        Files.deleteIfExists(
                counters.resolve(Long.toString(ProcessHandle.current().pid())));
    }

    private static String hash(String text) {
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(StandardCharsets.UTF_8));
        return Long.toHexString(sum.getValue()) + Integer.toHexString(text.hashCode());
    }

    /** Splits a file of words that end with a zero byte. */
    private static List<byte[]> words(Path file) throws IOException {
        byte[] all = Files.readAllBytes(file);
        List<byte[]> words = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < all.length; i++) {
            if (all[i] == 0) {
                words.add(Arrays.copyOfRange(all, start, i));
                start = i + 1;
            }
        }
        return words;
    }
}
