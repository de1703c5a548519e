package io.fdt.cli;

import io.fdt.core.transport.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a system program to its end: a shell with the completions, or the formatter of manual pages. */
final class Tool {
    private Tool() {}

    record Result(int exitCode, String out, String err) {}

    static boolean isThere(String name) {
        for (String directory : System.getenv("PATH").split(":", -1)) {
            if (Files.isExecutable(Path.of(directory, name))) {
                return true;
            }
        }
        return false;
    }

    static Result run(Map<String, String> environment, String... command) throws IOException {
        Path out = Files.createTempFile("fdt-tool", ".out");
        Path err = Files.createTempFile("fdt-tool", ".err");
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            builder.environment().putAll(environment);
            Process process = builder.start();
            if (!process.waitFor(Await.LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
                throw new AssertionError(String.join(" ", command) + " did not end");
            }
            return new Result(process.exitValue(), text(out), text(err));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            Files.delete(out);
            Files.delete(err);
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file, StandardCharsets.UTF_8);
    }
}
