package io.fdt.system;

import io.fdt.core.Json;
import io.fdt.core.transport.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A started process and its output. Two threads collect the output, line by line, until it ends. Every wait has a
 * deadline and fails with the whole transcript, and for a process that hangs also with its thread dump. Thread-safe.
 */
final class FdtProcess implements AutoCloseable {
    /** All processes that were started and not yet closed. None outlives the JVM of the tests. */
    private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> RUNNING.forEach(Process::destroyForcibly)));
    }

    private static final Duration DUMP_LIMIT = Duration.ofMinutes(1);

    private final String name;
    private final List<String> command;
    private final Process process;
    private final long startedNanos = System.nanoTime();
    private final List<String> out = new ArrayList<>();
    private final List<String> err = new ArrayList<>();
    private final List<Thread> pumps = new ArrayList<>();
    /** Guards both lists and {@code openStreams}. */
    private final Object lines = new Object();

    private int openStreams;

    private FdtProcess(String name, List<String> command, Process process) {
        this.name = name;
        this.command = command;
        this.process = process;
        RUNNING.add(process);
    }

    /** The command to start. The environment is the complete environment of the process. */
    record Setup(String name, List<String> command, Map<String, String> environment, Path directory) {}

    /** Starts the process with an empty stdin and collects stdout and stderr. */
    static FdtProcess start(Setup setup) {
        return start(setup, ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()), ProcessBuilder.Redirect.PIPE);
    }

    /** Starts the process. Stdout is not collected if it is redirected elsewhere. */
    static FdtProcess start(Setup setup, ProcessBuilder.Redirect stdin, ProcessBuilder.Redirect stdout) {
        // A parent in the background ignores SIGINT, one under nohup SIGHUP, and its children would inherit that.
        List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT,HUP", "--"));
        words.addAll(setup.command());
        ProcessBuilder builder = new ProcessBuilder(words)
                .directory(setup.directory().toFile())
                .redirectInput(stdin)
                .redirectOutput(stdout);
        builder.environment().clear();
        builder.environment().putAll(setup.environment());
        try {
            FdtProcess started = new FdtProcess(setup.name(), setup.command(), builder.start());
            started.collect(started.process.getInputStream(), started.out, "out");
            started.collect(started.process.getErrorStream(), started.err, "err");
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + setup.command(), e);
        }
    }

    private void collect(InputStream stream, List<String> into, String which) {
        synchronized (lines) {
            openStreams++;
        }
        Thread pump = new Thread(() -> pump(stream, into), name + "-" + which);
        pump.setDaemon(true);
        pumps.add(pump);
        pump.start();
    }

    private void pump(InputStream stream, List<String> into) {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                synchronized (lines) {
                    into.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            synchronized (lines) {
                // The program did not print this line: a test that parses stdout as JSON must not read it.
                err.add("(output ended: " + e.getMessage() + ")");
            }
        } finally {
            synchronized (lines) {
                openStreams--;
                lines.notifyAll();
            }
        }
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** The standard input of the process, if it was started with a pipe. */
    OutputStream stdin() {
        return process.getOutputStream();
    }

    /** Returns the first line of stdout that satisfies the condition, and waits for it if necessary. */
    String awaitLine(Duration limit, Predicate<String> condition) {
        return awaitLine(out, limit, condition);
    }

    /** Returns the first line of stderr that satisfies the condition, and waits for it if necessary. */
    String awaitErrorLine(Duration limit, Predicate<String> condition) {
        return awaitLine(err, limit, condition);
    }

    /**
     * Waits until the progress lines report this many bytes as acknowledged. That is stricter than bytes sent: the
     * receiver has written and recorded acknowledged bytes.
     */
    void awaitAcknowledged(Duration limit, long bytes) {
        awaitLine(
                limit,
                line -> line.contains("\"progress\"")
                        && Json.object(line).get("bytes") instanceof Long done
                        && done >= bytes);
    }

    private String awaitLine(List<String> from, Duration limit, Predicate<String> condition) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            synchronized (lines) {
                int seen = 0;
                while (true) {
                    for (; seen < from.size(); seen++) {
                        if (condition.test(from.get(seen))) {
                            return from.get(seen);
                        }
                    }
                    long leftMs = (deadline - System.nanoTime()) / 1_000_000;
                    if (openStreams == 0 || leftMs <= 0) {
                        throw failure("the awaited line did not come within " + limit.toMillis() + " ms");
                    }
                    lines.wait(leftMs);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("interrupted");
        }
    }

    /** Waits for the process to end and returns its outcome. Kills the process and fails if it takes longer. */
    Outcome await(Duration limit) {
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                String dump = threadDump();
                killHard();
                throw failure("still running after " + limit.toMillis() + " ms\n" + dump);
            }
            for (Thread pump : pumps) {
                pump.join(DUMP_LIMIT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure("interrupted");
        }
        double seconds = (System.nanoTime() - startedNanos) / 1e9;
        synchronized (lines) {
            return new Outcome(process.exitValue(), List.copyOf(out), List.copyOf(err), seconds, transcript());
        }
    }

    /** Sends a signal, by its name: INT, TERM, STOP, CONT. */
    void signal(String signal) {
        Shell.ok("kill", "-s", signal, pid());
    }

    /** Kills the process with SIGKILL and returns when it is gone. */
    void killHard() {
        process.destroyForcibly();
        Await.until(name + " is gone after SIGKILL", DUMP_LIMIT, () -> !process.isAlive());
    }

    /** The output so far, for messages. */
    String transcript() {
        synchronized (lines) {
            String state = process.isAlive() ? "running" : "exit " + process.exitValue();
            return "--- " + name + " (pid " + pid() + ", " + state + "): " + String.join(" ", command) + "\n"
                    + text("out", out) + text("err", err);
        }
    }

    private static String text(String which, List<String> lines) {
        int skip = Math.max(0, lines.size() - 200);
        String start = skip == 0 ? "" : which + "| … " + skip + " lines\n";
        return start
                + lines.stream()
                        .skip(skip)
                        .map(line -> which + "| " + line + "\n")
                        .collect(Collectors.joining());
    }

    /** Returns a test failure that contains the output of the process. */
    AssertionError failure(String what) {
        return new AssertionError(name + ": " + what + "\n" + transcript());
    }

    private String threadDump() {
        if (!command.get(0).endsWith("java")) {
            return "";
        }
        Shell.Result dump = Shell.run("jcmd", pid(), "Thread.print");
        return dump.exitCode() == 0
                ? dump.out()
                : "(no thread dump: " + dump.err().strip() + ")";
    }

    /** Ends the process, whatever its state. Idempotent. */
    @Override
    public void close() {
        if (process.isAlive()) {
            killHard();
        }
        RUNNING.remove(process);
    }
}
