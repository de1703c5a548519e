package io.fdt.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs system tools (python3, rsync, mount) to their end, to prepare and check tests. */
final class Shell {
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private Shell() {}

    /** The exit code and the output of a command. */
    record Result(int exitCode, String out, String err) {
        Result orFail(String what) {
            if (exitCode != 0) {
                throw new AssertionError(what + " ended with " + exitCode + "\n" + out + err);
            }
            return this;
        }
    }

    /** Runs a command that must succeed, and returns its output. */
    static String ok(Object... command) {
        List<String> words = words(command);
        return run(words, "").orFail(String.join(" ", words)).out();
    }

    static Result run(Object... command) {
        return run(words(command), "");
    }

    /** Runs a Python script that must succeed, and returns its output. */
    static String python(String script, Object... arguments) {
        List<String> words = new ArrayList<>(List.of("python3", "-"));
        words.addAll(words(arguments));
        return run(words, script).orFail("python3").out();
    }

    /** Removes a tree, whatever its names and modes. */
    static void removeTree(Path tree) {
        run("chmod", "-R", "u+rwX", "--", tree);
        ok("rm", "-rf", "--", tree);
    }

    static List<String> words(Object... command) {
        List<String> words = new ArrayList<>();
        for (Object word : command) {
            words.add(word.toString());
        }
        return words;
    }

    private static Result run(List<String> command, String input) {
        try {
            Path in = Files.createTempFile("fdt-shell", ".in");
            Path out = Files.createTempFile("fdt-shell", ".out");
            Path err = Files.createTempFile("fdt-shell", ".err");
            try {
                Files.writeString(in, input, StandardCharsets.UTF_8);
                Process process = new ProcessBuilder(command)
                        .redirectInput(in.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start();
                if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                    throw new AssertionError("still running after " + LIMIT + ": " + command);
                }
                return new Result(process.exitValue(), text(out), text(err));
            } finally {
                Files.delete(in);
                Files.delete(out);
                Files.delete(err);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted in " + command, e);
        }
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
