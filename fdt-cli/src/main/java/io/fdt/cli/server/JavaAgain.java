package io.fdt.cli.server;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Starts the process of an account with the Java, the classes and the options that run this process, except for what
 * would open it to its user: agents, debuggers, remote management, and copies of its memory.
 */
final class JavaAgain {
    private static final String MAIN = "io.fdt.cli.Main";

    /** Java takes options from them: in this order, with those of the command line before the last. */
    private static final List<String> BEFORE = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

    private static final String AFTER = "_JAVA_OPTIONS";

    /** Options whose value is the next word. */
    private static final Set<String> CLASS_PATH = Set.of("-cp", "-classpath", "--class-path");

    private static final Set<String> TWO_WORDS =
            Set.of("--add-exports", "--add-opens", "--add-reads", "--add-modules", "--enable-native-access");

    /** Parts of options that open a process, run commands, or write files with what is in its memory. */
    private static final List<String> OPENING = List.of(
            "-Xrun",
            "-Xdebug",
            "-Xlog",
            "-Xloggc",
            "-Dcom.sun.management",
            "-Djdk.attach",
            "StartAttachListener",
            "DisableAttachMechanism",
            "-XX:OnError",
            "-XX:OnOutOfMemoryError",
            "HeapDump",
            "CoreDump",
            "CrashOn",
            "FlightRecord",
            "ErrorFile",
            "VMOptionsFile",
            "-XX:Flags",
            "ManagementServer");

    /** The account's user may send any signal, and must get neither a socket nor a file in return. */
    private static final List<String> CLOSED = List.of(
            "-XX:+DisableAttachMechanism",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:+SuppressFatalErrorMessage",
            "-XX:-UsePerfData");

    private JavaAgain() {}

    /** Starts {@link AccountServer}, which gets a line on its standard input. */
    static Process start(String line) throws IOException {
        List<String> running = List.of(Files.readString(Path.of("/proc/self/cmdline"), StandardCharsets.ISO_8859_1)
                .split("\0", -1));
        List<String> words = command(running, System.getProperty("java.class.path"), System.getenv());
        words.addAll(List.of("server", AccountServer.WORD));
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeAll(BEFORE);
        builder.environment().remove(AFTER);
        builder.environment().put("FDT_QUICK_START", "off");
        Process process = builder.start();
        try (OutputStream input = process.getOutputStream()) {
            input.write(line.getBytes(StandardCharsets.US_ASCII));
        }
        return process;
    }

    /**
     * Returns Java, its options and what it has to run.
     *
     * @param running the words by which this process was started
     */
    static List<String> command(List<String> running, String classPath, Map<String, String> environment)
            throws IOException {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        BEFORE.forEach(name -> words.addAll(safe(environment.getOrDefault(name, ""))));
        int at = 1;
        for (; at + 1 < running.size() && isOption(running.get(at)); at++) {
            String word = running.get(at);
            if (TWO_WORDS.contains(word)) {
                words.addAll(running.subList(at, at + 2));
                at++;
            } else if (CLASS_PATH.contains(word)) {
                at++;
            } else if (isSafe(word)) {
                words.add(word);
            }
        }
        words.addAll(safe(environment.getOrDefault(AFTER, "")));
        words.addAll(CLOSED);
        if (at + 1 < running.size() && running.get(at).equals("-jar")) {
            words.addAll(running.subList(at, at + 2));
        } else if (at < running.size() && running.get(at).equals(MAIN)) {
            words.addAll(List.of("-cp", classPath, running.get(at)));
        } else {
            throw new IOException("this server was started neither by fdt's launcher nor by java -jar");
        }
        return words;
    }

    private static boolean isOption(String word) {
        return word.startsWith("-") && !word.equals("-jar");
    }

    private static List<String> safe(String variable) {
        return List.of(variable.strip().split("\\s+", -1)).stream()
                .filter(word -> isSafe(word) && !word.contains("\"") && !word.contains("'"))
                .toList();
    }

    private static boolean isOfModules(String word) {
        return word.contains("=") && TWO_WORDS.contains(word.substring(0, word.indexOf('=')));
    }

    private static boolean isSafe(String word) {
        return (word.startsWith("-X") || word.startsWith("-D") || isOfModules(word))
                && (OPENING.stream().noneMatch(word::contains)
                        || word.equals("-Xlog:disable")
                        || (word.startsWith("-Xlog:") && word.endsWith(":stderr")));
    }
}
